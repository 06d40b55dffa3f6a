package dev.sluice.schemes.evidence;

import static dev.sluice.schemes.Vectors.json;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.security.Signature;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Envelopes after DSSE, and Ed25519 after RFC 8032. */
class EnvelopeTest {

    private static final String SHAPE =
            "an envelope has the strings `payloadType` and `payload` and 1 to 16 `signatures`";

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The example in protocol.md of secure-systems-lab/dsse. */
    @Test
    void signedBytes_areThePublishedVector() {
        assertEquals(
                "DSSEv1 29 http://example.com/HelloWorld 11 hello world",
                new String(
                        Envelope.signedBytes("http://example.com/HelloWorld", utf8("hello world")),
                        StandardCharsets.UTF_8));
    }

    @Test
    void signedBytes_countBytesAndNotCharacters() {
        assertEquals(
                "DSSEv1 2 é 4 \ud83d\ude00",
                new String(Envelope.signedBytes("é", utf8("\ud83d\ude00")), StandardCharsets.UTF_8));
        assertEquals("DSSEv1 0  0 ", new String(Envelope.signedBytes("", new byte[0]), StandardCharsets.UTF_8));
    }

    /** Tests 1 to 3 of section 7.1: secret, public, message, signature. */
    @ParameterizedTest
    @CsvSource({
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60,"
                + "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a,'',"
                + "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0"
                + "595bbe24655141438e7a100b",
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb,"
                + "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c,72,"
                + "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eae"
                + "b4302aeeb00d291612bb0c00",
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7,"
                + "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025,af82,"
                + "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9"
                + "716ed28dc027beceea1ec40a"
    })
    void ed25519_isThatOfRfc8032(String secret, String publicKey, String message, String signature) throws Exception {
        byte[] said = HexFormat.of().parseHex(message);
        byte[] signed = HexFormat.of().parseHex(signature);
        TrustedKey key = EvidenceWorld.publicKey("k", publicKey);
        Signature signer = Signature.getInstance("Ed25519");
        signer.initSign(EvidenceWorld.privateKey(secret));
        signer.update(said);

        assertArrayEquals(signed, signer.sign());
        assertTrue(SignatureVerifier.JDK.verify(key, said, signed));
        assertFalse(SignatureVerifier.JDK.verify(key, utf8("else"), signed));
        for (int bit = 0; bit < signed.length * 8; bit += 7) {
            byte[] flipped = signed.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            assertFalse(SignatureVerifier.JDK.verify(key, said, flipped), "bit " + bit);
        }
        for (int length : new int[] {0, 1, 63, 65}) {
            assertFalse(SignatureVerifier.JDK.verify(key, said, Arrays.copyOf(signed, length)), "length " + length);
        }
    }

    /** The same signature with the group's order added to its second half, which RFC 8032 forbids. */
    @Test
    void signatureOutOfRange_isRefused() {
        byte[] signed = HexFormat.of()
                .parseHex("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
                        + "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b");
        byte[] order = HexFormat.of().parseHex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
        int carry = 0;
        for (int i = 0; i < 32; i++) {
            int sum = (signed[32 + i] & 0xff) + (order[i] & 0xff) + carry;
            signed[32 + i] = (byte) sum;
            carry = sum >> 8;
        }

        assertFalse(SignatureVerifier.JDK.verify(EvidenceWorld.TRUSTED, new byte[0], signed));
    }

    @Test
    void key_isReadAsItIsWritten() {
        String text = EvidenceWorld.TRUSTED.text();

        assertEquals("ed25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=", text);
        assertEquals(EvidenceWorld.TRUSTED, TrustedKey.read("k1", text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
                "ED25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
                "ed25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcH",
                "ed25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=AAAA",
                "ed25519:!!!!",
                "ed25519:"
            })
    void keyWrittenOtherwise_isRefused(String text) {
        assertEquals(
                "the key `k` is no Ed25519 key: write `ed25519:` and the base64 of its 32 bytes",
                assertThrows(IllegalArgumentException.class, () -> TrustedKey.read("k", text))
                        .getMessage());
    }

    @Test
    void envelope_isWrittenAndReadAlike() {
        byte[] payload = {0, -1, -2, 62, 63};
        Envelope envelope = EvidenceWorld.envelope("text/plain", payload, "k1", EvidenceWorld.TRUSTED_KEY);

        JsonNode written = envelope.encode();
        Envelope read = Envelope.decode(written);

        assertEquals("text/plain", read.payloadType());
        assertArrayEquals(payload, read.payload());
        assertEquals(written, read.encode());
        assertTrue(read.isSignedBy(List.of(EvidenceWorld.TRUSTED), SignatureVerifier.JDK));
        assertFalse(read.isSignedBy(List.of(), SignatureVerifier.JDK));
    }

    @Test
    void bothAlphabetsOfBase64_areRead() {
        Envelope plain = Envelope.decode(json("{'payloadType':'t','payload':'+/8=','signatures':[{'sig':'+/8='}]}"));
        Envelope url = Envelope.decode(json("{'payloadType':'t','payload':'-_8','signatures':[{'sig':'-_8'}]}"));

        assertArrayEquals(new byte[] {-5, -1}, plain.payload());
        assertArrayEquals(plain.payload(), url.payload());
        assertEquals(plain.encode(), url.encode());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'x'",
                "[]",
                "null",
                "{}",
                "{'payload':'','signatures':[{'sig':''}]}",
                "{'payloadType':'t','signatures':[{'sig':''}]}",
                "{'payloadType':1,'payload':'','signatures':[{'sig':''}]}",
                "{'payloadType':'t','payload':''}",
                "{'payloadType':'t','payload':'','signatures':[]}",
                "{'payloadType':'t','payload':'','signatures':{'sig':''}}",
                "{'payloadType':'t','payload':'','signatures':[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}"
            })
    void whatIsNoEnvelope_isRefused(String envelope) {
        assertEquals(
                SHAPE,
                assertThrows(IllegalArgumentException.class, () -> Envelope.decode(json(envelope)))
                        .getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "{}", "{'sig':1}", "{'sig':'','keyid':1}", "{'sig':'','keyid':null}"})
    void signatureOfAnotherShape_isRefused(String signature) {
        assertEquals(
                "each of the `signatures` of an envelope has a string `sig`, and where wanted a string `keyid`",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> Envelope.decode(
                                        json("{'payloadType':'t','payload':'','signatures':[" + signature + "]}")))
                        .getMessage());
    }

    @Test
    void textThatIsNoBase64_orTooLong_isRefused() {
        assertEquals(
                "`payload` of an envelope is no base64",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> Envelope.decode(
                                        json("{'payloadType':'t','payload':'*','signatures':[{'sig':''}]}")))
                        .getMessage());
        assertEquals(
                "`sig` of an envelope is longer than 65536",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> Envelope.decode(json("{'payloadType':'t','payload':'','signatures':[{'sig':'"
                                        + "A".repeat(65537) + "'}]}")))
                        .getMessage());
    }
}
