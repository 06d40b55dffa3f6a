package dev.sluice.policy;

import java.text.Normalizer;
import java.util.regex.Pattern;

/** What a program for messages would make a link of: a word with a scheme, the name of a host, or an IPv4 address. */
final class Links {

    private static final Pattern BETWEEN = Pattern.compile("[\\s<>()\\[\\]{}\"'`,;|]+");

    /** A full stop as HTML may spell it. */
    private static final Pattern SPELLED_DOT = Pattern.compile("&(?:#0*46|#[xX]0*2[eE]|period);?");

    /** IDNA reads these as the dot between labels; NFKC makes the first one of the half-width form. */
    private static final Pattern DOTS = Pattern.compile("[\u3002\uff0e\uff61]");

    /** Signs that are not seen, and that programs drop from the name of a host. */
    private static final Pattern UNSEEN = Pattern.compile("[\\p{Cf}\ufe00-\ufe0f]");

    private static final Pattern HOST = Pattern.compile("[\\p{L}\\p{M}\\p{N}\\p{So}_-]\\.\\p{L}[\\p{L}\\p{M}]");
    private static final Pattern IPV4 =
            Pattern.compile("(?<![0-9])(?<![0-9]\\.)[0-9]{1,3}(?:\\.[0-9]{1,3}){3}(?!\\.?[0-9])");

    /** What needs no dot to lead to a host: a scheme, two slashes at the start, a port before a path. */
    private static final Pattern WITHOUT_DOT = Pattern.compile(
            "(?:https?|ftp|file):\\S|^[/\\\\]{2}[\\p{L}\\p{N}]|^\\p{L}[\\p{L}\\p{N}-]*:[0-9]{1,5}/",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern END = Pattern.compile("[.,:!?]+$");
    private static final Pattern NOT_OF_AN_ADDRESS = Pattern.compile("[/?#&=:%!$*^~]");

    private Links() {}

    /** Returns whether there is one in {@code text}; a mail address is none, and the name of a file may seem to be one. */
    static boolean isIn(String text) {
        String dots = DOTS.matcher(SPELLED_DOT.matcher(text).replaceAll(".")).replaceAll(".");
        String plain =
                UNSEEN.matcher(Normalizer.normalize(dots, Normalizer.Form.NFKC)).replaceAll("");
        for (String word : BETWEEN.split(plain)) {
            if (word.contains(":/") || WITHOUT_DOT.matcher(word).find() || (!isAddress(word) && hasHost(word))) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasHost(String word) {
        return HOST.matcher(word).find() || IPV4.matcher(word).find();
    }

    /** The whole word is one: {@code evil.example?d=1@x} is a host and what it is told. */
    private static boolean isAddress(String word) {
        String address = END.matcher(word).replaceFirst("");
        return address.length() <= 320
                && !NOT_OF_AN_ADDRESS.matcher(address).find()
                && AudienceMember.ADDRESS.matcher(address).matches();
    }
}
