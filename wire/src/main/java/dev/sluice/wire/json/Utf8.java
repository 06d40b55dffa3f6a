package dev.sluice.wire.json;

/** UTF-8 as RFC 3629 section 4 allows it: nothing overlong, no surrogates, nothing over U+10FFFF. */
final class Utf8 {

    /** No character starts here. */
    static final int INVALID = -1;
    /** A character starts here, and the text ends inside it. */
    static final int CUT = -2;

    private Utf8() {}

    /** Returns the byte after the character of two to four bytes at {@code p}, or {@link #INVALID} or {@link #CUT}. */
    static int after(byte[] bytes, int p, int end) {
        int first = bytes[p] & 0xFF;
        int low = 0x80;
        int high = 0xBF;
        int more;
        if (first >= 0xC2 && first <= 0xDF) {
            more = 1;
        } else if (first >= 0xE0 && first <= 0xEF) {
            more = 2;
            low = first == 0xE0 ? 0xA0 : low;
            high = first == 0xED ? 0x9F : high;
        } else if (first >= 0xF0 && first <= 0xF4) {
            more = 3;
            low = first == 0xF0 ? 0x90 : low;
            high = first == 0xF4 ? 0x8F : high;
        } else {
            return INVALID;
        }
        for (int i = p + 1; i <= p + more; i++) {
            if (i == end) {
                return CUT;
            }
            int c = bytes[i] & 0xFF;
            if (c < low || c > high) {
                return INVALID;
            }
            low = 0x80;
            high = 0xBF;
        }
        return p + more + 1;
    }
}
