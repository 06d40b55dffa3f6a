package dev.sluice.wire.canonical;

import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.JsonIndex.Kind;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The JSON Canonicalization Scheme, RFC 8785: one sequence of bytes for one JSON value.
 *
 * <p>Members are ordered by the UTF-16 code units of their names (section 3.2.3), numbers are written as ECMAScript writes
 * doubles (section 3.2.2.3). What two readers could take for two values is refused, since a digest must stand for one:
 * half of a surrogate pair, a number too large for a double, more than 512 nested levels, and an integer without fraction
 * or exponent that isn't the number which its canonical form denotes, such as 9007199254740993.
 *
 * <p>Fractions and numbers with an exponent are doubles to whoever reads JSON, and are rounded like these.
 */
public final class JcsCanonicalizer implements Canonicalization {

    /** The name of this form in evidence references. */
    public static final String ID = "jcs/rfc8785";

    /** What becomes of integers that a double can't hold. */
    public enum LargeIntegers {
        /** They have no form. */
        REFUSED,
        /** They are rounded, as RFC 8785 has it: different integers get the same bytes. */
        ROUNDED
    }

    /** Canonical bytes, and whether they stand for the value alone. */
    public static final class Written {

        private final Bytes bytes;
        private final boolean rounded;

        private Written(JcsOutput output) {
            this.bytes = output.bytes;
            this.rounded = output.rounded();
        }

        /** Returns a copy of the bytes. */
        public byte[] bytes() {
            return bytes.toArray();
        }

        /** Returns whether an integer was rounded, so that other values have these bytes too. */
        public boolean rounded() {
            return rounded;
        }
    }

    private final LargeIntegers largeIntegers;

    /** Takes what is to become of integers that a double can't hold. */
    public JcsCanonicalizer(LargeIntegers largeIntegers) {
        this.largeIntegers = Objects.requireNonNull(largeIntegers);
    }

    @Override
    public String id() {
        return ID;
    }

    @Override
    public byte[] canonicalize(JsonIndex.Value value) {
        return write(value).bytes();
    }

    /**
     * Returns the canonical bytes of {@code value}, and whether an integer was rounded for them.
     *
     * @throws CanonicalizationException where the value has no canonical form
     */
    public Written write(JsonIndex.Value value) {
        JcsOutput output = new JcsOutput(value.end() - value.start(), largeIntegers);
        new Walk(value, output).value(value.id(), 0);
        return new Written(output);
    }

    /**
     * Returns the canonical bytes of a Jackson tree: those of the JSON text that it stands for.
     *
     * @throws CanonicalizationException for what {@link LargeIntegers#REFUSED} refuses, and nodes that aren't JSON
     */
    public static byte[] canonicalize(JsonNode value) {
        return JcsTree.write(value).toArray();
    }

    /** Returns the canonical text of {@code value}; refuses what {@link #canonicalize(JsonNode)} refuses. */
    public static String text(JsonNode value) {
        return JcsTree.write(value).toString();
    }

    /** One pass over a value of an index. */
    private static final class Walk {

        private final JsonIndex index;
        private final byte[] in;
        private final int root;
        private final MemberOrder order;
        private final JcsOutput output;
        private final Bytes out;

        Walk(JsonIndex.Value value, JcsOutput output) {
            this.index = value.index();
            this.in = index.array();
            this.root = value.id();
            this.order = new MemberOrder(index, MemberOrder.Rule.UTF_16);
            this.output = output;
            this.out = output.bytes;
        }

        /** Writes a value inside so many containers. */
        void value(int node, int depth) {
            Kind kind = index.kind(node);
            switch (kind) {
                case OBJECT, ARRAY -> {
                    if (depth == Refusals.DEEPEST) {
                        throw Refusals.at(index, root, node, Refusals.TOO_DEEP);
                    }
                    if (kind == Kind.OBJECT) {
                        object(node, depth + 1);
                    } else {
                        array(node, depth + 1);
                    }
                }
                case STRING -> string(node);
                case NUMBER -> check(node, output.number(in, index.start(node), index.end(node)));
                case TRUE, FALSE, NULL -> out.put(in, index.start(node), index.end(node));
            }
        }

        private void object(int object, int depth) {
            out.put('{');
            int first = order.push(object);
            int size = index.size(object);
            for (int i = first; i < first + size; i++) {
                if (i > first) {
                    out.put(',');
                }
                member(order.name(i), depth);
            }
            order.pop(first);
            out.put('}');
        }

        private void member(int name, int depth) {
            int value = name + 1;
            int start = index.start(value);
            int end = index.end(value);
            if (start == index.end(name) + 1 && !index.isEscaped(name) && isCanonical(value, start, end)) {
                out.put(in, index.start(name), end); // both with their colon, at once
                return;
            }
            string(name);
            out.put(':');
            value(value, depth);
        }

        /** Returns whether a value is surely written as it should be; for a container the answer is no. */
        private boolean isCanonical(int value, int start, int end) {
            return switch (index.kind(value)) {
                case STRING -> !index.isEscaped(value);
                case NUMBER -> EcmaNumbers.isCanonical(in, start, end);
                case TRUE, FALSE, NULL -> true;
                case OBJECT, ARRAY -> false;
            };
        }

        private void array(int array, int depth) {
            out.put('[');
            int end = index.next(array);
            for (int element = array + 1; element < end; element = index.next(element)) {
                if (element > array + 1) {
                    out.put(',');
                }
                value(element, depth);
            }
            out.put(']');
        }

        private void string(int node) {
            if (index.isEscaped(node)) {
                escaped(node);
            } else {
                out.put(in, index.start(node), index.end(node));
            }
        }

        /** Copies a string but for the escapes that have another form: a slash, and those by number. */
        private void escaped(int node) {
            int run = index.start(node);
            int end = index.end(node);
            for (int p = run + 1; p < end; ) {
                if (in[p] != '\\') {
                    p++;
                } else if (in[p + 1] == '/') {
                    out.put(in, run, p);
                    run = p + 1;
                    p += 2;
                } else if (in[p + 1] == 'u') {
                    out.put(in, run, p);
                    int unit = unit(p);
                    p += 6;
                    if (Character.isHighSurrogate((char) unit) && isLowSurrogate(p)) {
                        unit = Character.toCodePoint((char) unit, (char) unit(p));
                        p += 6;
                    } else if (Character.isSurrogate((char) unit)) {
                        throw Refusals.at(index, root, node, Refusals.LONE_SURROGATE);
                    }
                    output.character(unit);
                    run = p;
                } else {
                    p += 2;
                }
            }
            out.put(in, run, end);
        }

        private boolean isLowSurrogate(int p) {
            return in[p] == '\\' && in[p + 1] == 'u' && Character.isLowSurrogate((char) unit(p));
        }

        /** Returns the code unit of the escape by number at {@code p}. */
        private int unit(int p) {
            int unit = 0;
            for (int i = p + 2; i < p + 6; i++) {
                unit = unit << 4 | Character.digit(in[i], 16);
            }
            return unit;
        }

        private void check(int node, @Nullable String fault) {
            if (fault != null) {
                throw Refusals.at(index, root, node, fault);
            }
        }
    }
}
