package dev.sluice.wire.canonical;

import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.JsonIndex.Kind;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/**
 * CBOR in its core deterministic encoding, RFC 8949 section 4.2.1: one sequence of bytes for one JSON value.
 *
 * <p>RFC 8949 leaves open how JSON maps to CBOR. Here a number without fraction and exponent is an integer, a bignum (tags
 * 2 and 3) beyond 64 bits; any other, and {@code -0}, is a float, the shortest that holds the double. So {@code 1} and
 * {@code 1.0} differ. Half of a surrogate pair, a number too large for a double and more than 512 nested levels are refused.
 */
public final class CborCanonicalizer implements Canonicalization {

    /** The name of this form in evidence references. */
    public static final String ID = "cbor/rfc8949";

    /** Takes nothing. */
    public CborCanonicalizer() {}

    @Override
    public String id() {
        return ID;
    }

    @Override
    public byte[] canonicalize(JsonIndex.Value value) {
        Walk walk = new Walk(value);
        walk.value(value.id(), 0);
        return walk.out.toArray();
    }

    /** One pass over a value of an index. */
    private static final class Walk {

        private static final int UNSIGNED = 0;
        private static final int NEGATIVE = 1 << 5;
        private static final int BYTE_STRING = 2 << 5;
        private static final int TEXT = 3 << 5;
        private static final int ARRAY = 4 << 5;
        private static final int MAP = 5 << 5;

        private static final int POSITIVE_BIGNUM = 0xC2;
        private static final int NEGATIVE_BIGNUM = 0xC3;
        private static final int FALSE = 0xF4;
        private static final int TRUE = 0xF5;
        private static final int NULL = 0xF6;
        private static final int HALF = 0xF9;
        private static final int SINGLE = 0xFA;
        private static final int DOUBLE = 0xFB;

        /** So many digits at most are a long. */
        private static final int LONG_DIGITS = 18;

        private final JsonIndex index;
        private final byte[] in;
        private final int root;
        private final MemberOrder order;
        private final Bytes out;

        Walk(JsonIndex.Value value) {
            this.index = value.index();
            this.in = index.array();
            this.root = value.id();
            this.order = new MemberOrder(index, MemberOrder.Rule.CBOR);
            this.out = new Bytes(value.end() - value.start());
        }

        /** Writes a value inside so many containers. */
        void value(int node, int depth) {
            Kind kind = index.kind(node);
            switch (kind) {
                case OBJECT, ARRAY -> {
                    if (depth == Refusals.DEEPEST) {
                        throw refused(node, Refusals.TOO_DEEP);
                    }
                    if (kind == Kind.OBJECT) {
                        object(node, depth + 1);
                    } else {
                        array(node, depth + 1);
                    }
                }
                case STRING -> string(node);
                case NUMBER -> number(node);
                case TRUE -> out.put(TRUE);
                case FALSE -> out.put(FALSE);
                case NULL -> out.put(NULL);
            }
        }

        private void object(int object, int depth) {
            int size = index.size(object);
            head(MAP, size);
            int first = order.push(object);
            for (int i = first; i < first + size; i++) {
                int name = order.name(i);
                string(name);
                value(name + 1, depth);
            }
            order.pop(first);
        }

        private void array(int array, int depth) {
            head(ARRAY, index.size(array));
            int end = index.next(array);
            for (int element = array + 1; element < end; element = index.next(element)) {
                value(element, depth);
            }
        }

        private void string(int node) {
            if (index.isEscaped(node)) {
                String text = index.text(node);
                if (JcsOutput.hasLoneSurrogate(text)) {
                    throw refused(node, Refusals.LONE_SURROGATE);
                }
                byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
                head(TEXT, utf8.length);
                out.put(utf8, 0, utf8.length);
            } else {
                int start = index.start(node) + 1;
                int end = index.end(node) - 1;
                head(TEXT, end - start);
                out.put(in, start, end);
            }
        }

        private void number(int node) {
            int start = index.start(node);
            int end = index.end(node);
            boolean minusZero = end - start == 2 && in[start] == '-' && in[start + 1] == '0';
            if (minusZero || !JcsOutput.isInteger(in, start, end)) {
                double value = Double.parseDouble(ascii(start, end));
                if (Double.isInfinite(value)) {
                    throw refused(node, Refusals.TOO_LARGE);
                }
                real(value);
            } else if (end - start <= LONG_DIGITS) {
                integer(start, end);
            } else {
                bigInteger(new BigInteger(ascii(start, end)));
            }
        }

        private void integer(int start, int end) {
            boolean negative = in[start] == '-';
            long magnitude = 0;
            for (int i = negative ? start + 1 : start; i < end; i++) {
                magnitude = magnitude * 10 + (in[i] - '0');
            }
            if (negative) {
                head(NEGATIVE, magnitude - 1);
            } else {
                head(UNSIGNED, magnitude);
            }
        }

        private void bigInteger(BigInteger value) {
            boolean negative = value.signum() < 0;
            BigInteger argument = negative ? value.not() : value;
            if (argument.bitLength() <= Long.SIZE) {
                head(negative ? NEGATIVE : UNSIGNED, argument.longValue());
                return;
            }
            byte[] magnitude = argument.toByteArray();
            int from = magnitude[0] == 0 ? 1 : 0;
            out.put(negative ? NEGATIVE_BIGNUM : POSITIVE_BIGNUM);
            head(BYTE_STRING, magnitude.length - from);
            out.put(magnitude, from, magnitude.length);
        }

        private void real(double value) {
            float single = (float) value;
            if (single != value) {
                out.put(DOUBLE);
                out.put(Double.doubleToRawLongBits(value), Double.BYTES);
                return;
            }
            int half = half(Float.floatToRawIntBits(single));
            if (half < 0) {
                out.put(SINGLE);
                out.put(Float.floatToRawIntBits(single), Float.BYTES);
            } else {
                out.put(HALF);
                out.put(half, Short.BYTES);
            }
        }

        /** Returns the half-precision bits (IEEE 754 binary16) of a finite float, or -1 where they can't hold it. */
        private static int half(int bits) {
            int sign = bits >>> 16 & 0x8000;
            int exponent = (bits >>> 23 & 0xFF) - 127;
            int fraction = bits & 0x7FFFFF;
            if (exponent == -127 && fraction == 0) {
                return sign;
            }
            if (exponent >= -14 && exponent <= 15 && (fraction & 0x1FFF) == 0) {
                return sign | (exponent + 15) << 10 | fraction >>> 13;
            }
            int lost = -1 - exponent;
            if (exponent >= -24 && exponent < -14 && ((fraction | 0x800000) & (1 << lost) - 1) == 0) {
                return sign | (fraction | 0x800000) >>> lost;
            }
            return -1;
        }

        /** Writes a major type with its argument, unsigned, in as few bytes as hold it. */
        private void head(int major, long argument) {
            if (argument >>> 32 != 0) {
                out.put(major | 27);
                out.put(argument, 8);
            } else if (argument >= 0x10000) {
                out.put(major | 26);
                out.put(argument, 4);
            } else if (argument >= 0x100) {
                out.put(major | 25);
                out.put(argument, 2);
            } else if (argument >= 24) {
                out.put(major | 24);
                out.put((int) argument);
            } else {
                out.put(major | (int) argument);
            }
        }

        private String ascii(int start, int end) {
            return new String(in, start, end - start, StandardCharsets.ISO_8859_1);
        }

        private CanonicalizationException refused(int node, String fault) {
            return Refusals.at(index, root, node, fault);
        }
    }
}
