package dev.sluice.schemes.evidence;

import java.security.GeneralSecurityException;
import java.security.Signature;

/** Checks signatures. Called by several threads at once. */
public interface SignatureVerifier {

    /** Ed25519 (RFC 8032) of the JDK: about 0.4 ms a signature. */
    SignatureVerifier JDK = (key, message, signature) -> {
        try {
            Signature verifier = Signature.getInstance("Ed25519");
            verifier.initVerify(key.publicKey());
            verifier.update(message);
            return verifier.verify(signature);
        } catch (GeneralSecurityException e) {
            return false;
        }
    };

    /** Returns whether {@code signature} over {@code message} was made with the key; false for whatever is malformed. */
    boolean verify(TrustedKey key, byte[] message, byte[] signature);
}
