package dev.sluice.schemes.evidence;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** A signed payload in the form of DSSE, version 1 (secure-systems-lab/dsse). Nobody may write to its arrays. */
final class Envelope {

    private static final int MOST_BYTES = 64 * 1024;
    private static final int MOST_SIGNATURES = 16;

    private final String payloadType;
    private final byte[] payload;
    private final List<Signed> signatures;

    /** One signature. */
    static final class Signed {

        private final String keyId;
        private final byte[] signature;

        /**
         * Takes a signature.
         *
         * @param keyId which key made it, as the signer says; empty where it does not
         */
        Signed(String keyId, byte[] signature) {
            this.keyId = keyId;
            this.signature = signature;
        }
    }

    /**
     * Takes a payload.
     *
     * @param payloadType what it is, a media type or URI
     * @param signatures the signatures, at least one
     */
    Envelope(String payloadType, byte[] payload, List<Signed> signatures) {
        this.payloadType = payloadType;
        this.payload = payload;
        this.signatures = List.copyOf(signatures);
    }

    String payloadType() {
        return payloadType;
    }

    byte[] payload() {
        return payload;
    }

    /**
     * Reads an envelope.
     *
     * @throws IllegalArgumentException where it is none; the message names the place
     */
    static Envelope decode(JsonNode node) {
        if (!node.path("payloadType").isString()
                || !node.path("payload").isString()
                || !node.path("signatures").isArray()
                || node.path("signatures").isEmpty()
                || node.path("signatures").size() > MOST_SIGNATURES) {
            throw new IllegalArgumentException("an envelope has the strings `payloadType` and `payload` and 1 to "
                    + MOST_SIGNATURES + " `signatures`");
        }
        List<Signed> signatures = new ArrayList<>();
        for (JsonNode each : node.path("signatures")) {
            if (!each.path("sig").isString()
                    || !(each.path("keyid").isString() || each.path("keyid").isMissingNode())) {
                throw new IllegalArgumentException(
                        "each of the `signatures` of an envelope has a string `sig`, and where"
                                + " wanted a string `keyid`");
            }
            signatures.add(new Signed(
                    each.path("keyid").asString(""), bytes(each.path("sig").stringValue(), "sig")));
        }
        return new Envelope(
                node.path("payloadType").stringValue(),
                bytes(node.path("payload").stringValue(), "payload"),
                signatures);
    }

    private static byte[] bytes(String text, String member) {
        if (text.length() > MOST_BYTES) {
            throw new IllegalArgumentException("`" + member + "` of an envelope is longer than " + MOST_BYTES);
        }
        try {
            // DSSE lets either alphabet be written.
            return Base64.getDecoder().decode(text.replace('-', '+').replace('_', '/'));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("`" + member + "` of an envelope is no base64", e);
        }
    }

    ObjectNode encode() {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("payloadType", payloadType).put("payload", Base64.getEncoder().encodeToString(payload));
        ArrayNode list = node.putArray("signatures");
        for (Signed each : signatures) {
            ObjectNode signed = list.addObject();
            if (!each.keyId.isEmpty()) {
                signed.put("keyid", each.keyId);
            }
            signed.put("sig", Base64.getEncoder().encodeToString(each.signature));
        }
        return node;
    }

    /** Returns the bytes that are signed: {@code DSSEv1}, then type and payload, each behind its length. */
    static byte[] signedBytes(String payloadType, byte[] payload) {
        byte[] type = payloadType.getBytes(StandardCharsets.UTF_8);
        byte[] head = ("DSSEv1 " + type.length + " ").getBytes(StandardCharsets.US_ASCII);
        byte[] middle = (" " + payload.length + " ").getBytes(StandardCharsets.US_ASCII);
        byte[] all = new byte[head.length + type.length + middle.length + payload.length];
        int at = 0;
        for (byte[] part : List.of(head, type, middle, payload)) {
            System.arraycopy(part, 0, all, at, part.length);
            at += part.length;
        }
        return all;
    }

    /** Returns whether one of the keys made one of the signatures. */
    boolean isSignedBy(List<TrustedKey> keys, SignatureVerifier verifier) {
        byte[] signed = signedBytes(payloadType, payload);
        for (Signed each : signatures) {
            for (TrustedKey key : keys) {
                boolean candidate = each.keyId.isEmpty() || each.keyId.equals(key.id());
                if (candidate && verifier.verify(key, signed, each.signature)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns whether one of the signatures says that it was made by one of the keys. */
    boolean names(List<TrustedKey> keys) {
        return signatures.stream()
                .anyMatch(each -> keys.stream().anyMatch(key -> key.id().equals(each.keyId)));
    }
}
