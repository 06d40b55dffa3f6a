package dev.sluice.policy;

import java.util.regex.Pattern;

/** What a program for messages would make a link of: a word with a scheme, or the name of a host. */
final class Links {

    private static final Pattern BETWEEN = Pattern.compile("[\\s<>()\\[\\]{}\"'`,;|]+");
    private static final Pattern HOST = Pattern.compile("[\\p{L}\\p{N}]\\.\\p{L}{2}");

    private Links() {}

    /** Returns whether there is one in {@code text}; a mail address is none, and the name of a file may seem to be one. */
    static boolean isIn(String text) {
        for (String word : BETWEEN.split(text)) {
            boolean address = word.indexOf('@') > 0 && word.indexOf('/') < 0;
            if (word.contains(":/") || (!address && HOST.matcher(word).find())) {
                return true;
            }
        }
        return false;
    }
}
