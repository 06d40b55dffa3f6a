package dev.sluice.policy;

/**
 * A name as it may stand in a sentence.
 *
 * <p>Tool and method names come from servers and models. In a sentence that a model or a person reads, and in a command
 * that a person may copy, a name must not end its quotes, begin a new sentence or hold what a terminal or shell obeys.
 */
public final class PlainName {

    private static final int LONGEST = 128;

    private PlainName() {}

    /** Returns {@code name} cut to 128 characters, each {@code ?} that is no letter, no digit and none of {@code _-./:@#}. */
    public static String of(String name) {
        StringBuilder plain = new StringBuilder(Math.min(name.length(), LONGEST));
        int at = 0;
        for (int i = 0; i < LONGEST && at < name.length(); i++) {
            int c = name.codePointAt(at);
            plain.appendCodePoint(Character.isLetterOrDigit(c) || "_-./:@#".indexOf(c) >= 0 ? c : '?');
            at += Character.charCount(c);
        }
        return at < name.length() ? plain.append("...").toString() : plain.toString();
    }

    /** Returns whether {@code name} can be kept in a label: not blank, 320 characters at most, no half surrogate pair. */
    static boolean canBeKept(String name) {
        return !name.isBlank()
                && name.length() <= 320
                && name.codePoints().noneMatch(c -> Character.getType(c) == Character.SURROGATE);
    }

    /** Returns whether {@code name} can stand in a command as it is: a shell reads it as one word, and not as an option. */
    public static boolean isWord(String name) {
        return name.matches("[A-Za-z0-9_][A-Za-z0-9_./:-]{0,127}");
    }
}
