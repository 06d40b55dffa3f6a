package dev.sluice.policy;

/** The escapes of JSON strings (RFC 8259, section 7), in a text that may be JSON or hold some. */
final class JsonEscapes {

    private static final String SIGNS = "\"\\/bfnrt";
    private static final String MEANT = "\"\\/\b\f\n\r\t";

    private JsonEscapes() {}

    /** Returns {@code text} with every escape read; a stroke that begins none stays. */
    static String read(String text) {
        if (text.indexOf('\\') < 0) {
            return text;
        }
        StringBuilder read = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            char next = c == '\\' && i + 1 < text.length() ? text.charAt(i + 1) : 0;
            if (next == 'u' && isHex(text, i + 2)) {
                read.append((char) Integer.parseInt(text.substring(i + 2, i + 6), 16));
                i += 5;
            } else if (next != 0 && SIGNS.indexOf(next) >= 0) {
                read.append(MEANT.charAt(SIGNS.indexOf(next)));
                i++;
            } else {
                read.append(c);
            }
        }
        return read.toString();
    }

    private static boolean isHex(String text, int from) {
        return from + 4 <= text.length()
                && text.substring(from, from + 4).chars().allMatch(c -> Character.digit(c, 16) >= 0 && c < 0x7f);
    }
}
