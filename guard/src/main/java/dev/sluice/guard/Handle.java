package dev.sluice.guard;

import java.security.SecureRandom;
import java.util.regex.Pattern;

/** The words that stand for values which an agent has not seen: random, and never made from a value. */
final class Handle {

    /** How each begins. */
    static final String PREFIX = "sluice:var:";

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String DIGITS = "abcdefghijklmnopqrstuvwxyz234567";

    /** 26 digits of five bits each: nobody guesses one. */
    private static final int LENGTH = 26;

    /** A whole handle. */
    static final Pattern WHOLE = Pattern.compile(PREFIX + "[a-z2-7]{" + LENGTH + "}");

    /** What looks as if it were meant to be one. */
    static final Pattern LIKE = Pattern.compile(PREFIX, Pattern.CASE_INSENSITIVE);

    private Handle() {}

    static String next() {
        StringBuilder handle = new StringBuilder(PREFIX);
        for (int i = 0; i < LENGTH; i++) {
            handle.append(DIGITS.charAt(RANDOM.nextInt(DIGITS.length())));
        }
        return handle.toString();
    }
}
