package dev.sluice.wire.json;

import java.util.ArrayList;
import java.util.List;

/** JSON Pointers, RFC 6901, taken apart and put together. */
public final class JsonPointers {

    private JsonPointers() {}

    /**
     * Returns the reference tokens of a pointer, unescaped; none for the empty pointer.
     *
     * @throws IllegalArgumentException where the text is no JSON Pointer
     */
    public static List<String> tokens(String pointer) {
        if (pointer.isEmpty()) {
            return List.of();
        }
        if (pointer.charAt(0) != '/') {
            throw new IllegalArgumentException(
                    "`" + pointer + "` is no JSON Pointer: start it with `/`, or leave it empty");
        }
        List<String> tokens = new ArrayList<>();
        StringBuilder token = new StringBuilder();
        for (int i = 1; i < pointer.length(); i++) {
            char c = pointer.charAt(i);
            if (c == '/') {
                tokens.add(token.toString());
                token.setLength(0);
            } else if (c != '~') {
                token.append(c);
            } else if (i + 1 < pointer.length() && (pointer.charAt(i + 1) == '0' || pointer.charAt(i + 1) == '1')) {
                token.append(pointer.charAt(++i) == '0' ? '~' : '/');
            } else {
                throw new IllegalArgumentException(
                        "`" + pointer + "` is no JSON Pointer: write `~` as `~0`, `/` as `~1`");
            }
        }
        tokens.add(token.toString());
        return tokens;
    }

    /** Returns {@code token} as it stands in a pointer, with its leading slash. */
    public static String step(String token) {
        return "/" + token.replace("~", "~0").replace("/", "~1");
    }

    /** Returns the array index that a token names, or -1 where it names none. */
    static int arrayIndex(String token) {
        int length = token.length();
        if (length == 0 || length > 9 || (length > 1 && token.charAt(0) == '0')) {
            return -1;
        }
        int index = 0;
        for (int i = 0; i < length; i++) {
            char c = token.charAt(i);
            if (c < '0' || c > '9') {
                return -1;
            }
            index = index * 10 + (c - '0');
        }
        return index;
    }
}
