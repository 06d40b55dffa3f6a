package dev.sluice.wire.canonical;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A sha256 digest as evidence writes it: {@code sha256:} and 64 lower-case hex digits.
 *
 * @param text that form
 */
public record Digest(String text) {

    private static final String PREFIX = "sha256:";
    private static final int LENGTH = PREFIX.length() + 64;

    /**
     * Takes a digest in its written form.
     *
     * @throws IllegalArgumentException where the text has another form
     */
    public Digest {
        if (!isDigest(text)) {
            throw new IllegalArgumentException(
                    "`" + text + "` is no digest: write `sha256:` and 64 lower-case hex digits");
        }
    }

    /** Returns the digest of {@code bytes}. */
    public static Digest sha256(byte[] bytes) {
        try {
            return new Digest(PREFIX
                    + HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no SHA-256, which every Java must have", e);
        }
    }

    /** Returns whether {@code text} has the form of a digest. */
    public static boolean isDigest(String text) {
        if (text.length() != LENGTH || !text.startsWith(PREFIX)) {
            return false;
        }
        for (int i = PREFIX.length(); i < LENGTH; i++) {
            char c = text.charAt(i);
            if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return text;
    }
}
