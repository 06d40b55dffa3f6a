package dev.sluice.wire.canonical;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes that grow as they are written. */
final class Bytes {

    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int SHORT = 32;

    private byte[] bytes;
    private int length;

    Bytes(int expected) {
        this.bytes = new byte[expected + 2 * SHORT];
    }

    void put(int b) {
        if (length == bytes.length) {
            grow(1);
        }
        bytes[length++] = (byte) b;
    }

    void put(byte[] from, int start, int end) {
        int count = end - start;
        if (count <= SHORT && start <= from.length - SHORT && length <= bytes.length - SHORT) {
            // Whole words, though the last of them are nobody's: cheaper than to call for a copy of just so many bytes.
            for (int i = 0; i < SHORT; i += Long.BYTES) {
                WORDS.set(bytes, length + i, (long) WORDS.get(from, start + i));
            }
            length += count;
            return;
        }
        if (count > bytes.length - length) {
            grow(count);
        }
        System.arraycopy(from, start, bytes, length, count);
        length += count;
    }

    /** Writes the lowest {@code count} bytes of {@code value}, the highest of them first. */
    void put(long value, int count) {
        for (int shift = 8 * (count - 1); shift >= 0; shift -= 8) {
            put((int) (value >>> shift));
        }
    }

    void ascii(String text) {
        for (int i = 0; i < text.length(); i++) {
            put(text.charAt(i));
        }
    }

    /** Writes a character as UTF-8; it must be none of the surrogates. */
    void character(int codePoint) {
        if (codePoint < 0x80) {
            put(codePoint);
        } else if (codePoint < 0x800) {
            put(0xC0 | codePoint >> 6);
            continuation(codePoint);
        } else if (codePoint < 0x10000) {
            put(0xE0 | codePoint >> 12);
            continuation(codePoint >> 6);
            continuation(codePoint);
        } else {
            put(0xF0 | codePoint >> 18);
            continuation(codePoint >> 12);
            continuation(codePoint >> 6);
            continuation(codePoint);
        }
    }

    private void continuation(int bits) {
        put(0x80 | (bits & 0x3F));
    }

    byte[] toArray() {
        return Arrays.copyOf(bytes, length);
    }

    /** Returns the bytes read as UTF-8. */
    @Override
    public String toString() {
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    private void grow(int count) {
        if (count > Integer.MAX_VALUE - 8 - length) {
            throw new CanonicalizationException(
                    "the canonical form is longer than 2 GiB, the most that one array holds: split the value");
        }
        bytes = Arrays.copyOf(
                bytes, (int) Math.min(Integer.MAX_VALUE - 8, Math.max(2L * bytes.length, 0L + length + count)));
    }
}
