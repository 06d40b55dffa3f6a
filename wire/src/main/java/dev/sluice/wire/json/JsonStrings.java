package dev.sluice.wire.json;

import java.nio.charset.StandardCharsets;

/** JSON strings, RFC 8259 section 7, read from checked bytes and written. */
final class JsonStrings {

    private JsonStrings() {}

    /** Returns the text of the string at {@code [start, end)}, quotes included in the range. */
    static String decode(byte[] bytes, int start, int end, boolean escaped) {
        int from = start + 1;
        int to = end - 1;
        if (!escaped) {
            return new String(bytes, from, to - from, StandardCharsets.UTF_8);
        }
        StringBuilder text = new StringBuilder(to - from);
        int run = from;
        for (int p = from; p < to; ) {
            if (bytes[p] != '\\') {
                p++;
                continue;
            }
            text.append(new String(bytes, run, p - run, StandardCharsets.UTF_8));
            byte c = bytes[p + 1];
            p += 2;
            switch (c) {
                case 'b' -> text.append('\b');
                case 'f' -> text.append('\f');
                case 'n' -> text.append('\n');
                case 'r' -> text.append('\r');
                case 't' -> text.append('\t');
                case 'u' -> {
                    int unit = 0;
                    for (int i = 0; i < 4; i++) {
                        unit = unit << 4 | Character.digit(bytes[p++], 16);
                    }
                    text.append((char) unit);
                }
                default -> text.append((char) c);
            }
            run = p;
        }
        return text.append(new String(bytes, run, to - run, StandardCharsets.UTF_8))
                .toString();
    }

    /** Returns whether every surrogate in {@code text} has its other half. */
    static boolean isWellFormed(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(c)) {
                return false;
            }
        }
        return true;
    }

    /** Returns {@code text} as a JSON string in quotes; the text must be well formed. */
    static byte[] encode(String text) {
        StringBuilder out = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < 0x20) {
                out.append("\\u00").append(c < 0x10 ? '0' : '1').append(Character.forDigit(c & 0xF, 16));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString().getBytes(StandardCharsets.UTF_8);
    }
}
