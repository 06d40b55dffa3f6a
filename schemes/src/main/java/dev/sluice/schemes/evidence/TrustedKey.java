package dev.sluice.schemes.evidence;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;

/**
 * An Ed25519 key whose signatures the operator trusts.
 *
 * @param id what envelopes call it by ({@code keyid}); a hint and no proof
 * @param publicKey the key
 */
public record TrustedKey(String id, PublicKey publicKey) {

    /** What a key in a file starts with. */
    public static final String PREFIX = "ed25519:";

    private static final int LENGTH = 32;

    /** What stands before the 32 bytes in a SubjectPublicKeyInfo (RFC 8410). */
    private static final byte[] HEADER = HexFormat.of().parseHex("302a300506032b6570032100");

    /**
     * Reads a key as it is written in a policy: {@code ed25519:} and the base64 of its 32 bytes.
     *
     * @throws IllegalArgumentException where it is written otherwise
     */
    public static TrustedKey read(String id, String text) {
        IllegalArgumentException wrong = new IllegalArgumentException(
                "the key `" + id + "` is no Ed25519 key: write `" + PREFIX + "` and the base64 of its 32 bytes");
        if (!text.startsWith(PREFIX)) {
            throw wrong;
        }
        try {
            byte[] raw = Base64.getDecoder().decode(text.substring(PREFIX.length()));
            if (raw.length != LENGTH) {
                throw wrong;
            }
            byte[] encoded = new byte[HEADER.length + LENGTH];
            System.arraycopy(HEADER, 0, encoded, 0, HEADER.length);
            System.arraycopy(raw, 0, encoded, HEADER.length, LENGTH);
            return new TrustedKey(
                    id, KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded)));
        } catch (IllegalArgumentException | GeneralSecurityException e) {
            throw wrong;
        }
    }

    /** Returns the key as {@link #read} takes it. */
    public String text() {
        byte[] encoded = publicKey.getEncoded();
        byte[] raw = new byte[LENGTH];
        System.arraycopy(encoded, encoded.length - LENGTH, raw, 0, LENGTH);
        return PREFIX + Base64.getEncoder().encodeToString(raw);
    }
}
