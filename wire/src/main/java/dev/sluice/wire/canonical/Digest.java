package dev.sluice.wire.canonical;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * A sha256 digest as evidence writes it: {@code sha256:} and 64 lower-case hex digits.
 *
 * @param text that form
 */
public record Digest(String text) {

    private static final Pattern FORM = Pattern.compile("sha256:[0-9a-f]{64}");

    /**
     * Takes a digest in its written form.
     *
     * @throws IllegalArgumentException where the text has another form
     */
    public Digest {
        if (!FORM.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "`" + text + "` is no digest: write `sha256:` and 64 lower-case hex digits");
        }
    }

    /** Returns the digest of {@code bytes}. */
    public static Digest sha256(byte[] bytes) {
        try {
            return new Digest("sha256:"
                    + HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no SHA-256, which every Java must have", e);
        }
    }

    /** Returns whether {@code text} has the form of a digest. */
    public static boolean isDigest(String text) {
        return FORM.matcher(text).matches();
    }

    @Override
    public String toString() {
        return text;
    }
}
