package dev.sluice.wire.canonical;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class JcsCanonicalizerTest {

    private static final JsonMapper JSON = JsonMapper.shared();

    /** The records and digests that the drafts publish; re-derived, not copied from our own output. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            value = {
                "{\"integrity\":\"trusted\",\"confidentiality\":\"public\"}|1b63b0f828080468ac82705da60721680631437efcad538b6c261e8e0dda021d",
                "{\"integrity\":\"untrusted\",\"confidentiality\":\"private\"}|2f03ae0a963ccfea70038e90c26dd1b246bc175dccb8831a3d28353dd014a839",
                "{\"class\":\"unknown\",\"origin\":\"unestablished\",\"resource_kind\":\"mixed\"}|32926e4d78fe95aea10e44c1557da6304afe2468d8d5ecc3df949135af3cd34b",
                "{\"flagged_step\":2,\"sequence\":[\"search\",\"open_document\",\"send_email\"],\"window\":3}|0503307fcfdc6dd705dfe161a8442a31f167a0396ddeeac68883dad72f1944b7"
            })
    void digest_ofPublishedRecord(String record, String hex) {
        assertEquals(
                "sha256:" + hex,
                Digest.sha256(JcsCanonicalizer.canonicalize(JSON.readTree(record)))
                        .text());
    }

    @Test
    void members_orderedByUtf16CodeUnits() {
        // U+1F600 is two code units from U+D83D on, so it stands before U+FB33 though its code point is larger.
        JsonNode value =
                JSON.createObjectNode().put("\uFB33", 1).put("\uD83D\uDE00", 2).put("a", 3);
        assertEquals("{\"a\":3,\"\uD83D\uDE00\":2,\"\uFB33\":1}", JcsCanonicalizer.text(value));
    }

    @Test
    void strings_escapedAsShortAsAllowed() {
        JsonNode value = JSON.createArrayNode().add("\b\t\n\f\r\"\\/\u0001\u007f\u00e9");
        assertEquals("[\"\\b\\t\\n\\f\\r\\\"\\\\/\\u0001\u007f\u00e9\"]", JcsCanonicalizer.text(value));
    }

    @ParameterizedTest
    @ValueSource(strings = {"9007199254740993", "-9007199254740993", "123456789012345678901234567890", "1e400"})
    void number_withoutOneForm_refused(String number) {
        CanonicalizationException error =
                assertThrows(CanonicalizationException.class, () -> JcsCanonicalizer.text(JSON.readTree(number)));
        assertTrue(error.getMessage().contains("write it as a string"), error.getMessage());
    }

    @Test
    void loneSurrogate_refused() {
        JsonNode value = JSON.createArrayNode().add("a\uD800b");
        assertThrows(IllegalArgumentException.class, () -> JcsCanonicalizer.text(value));
    }

    @Test
    void tooDeep_refused() {
        JsonNode value = JSON.createArrayNode();
        for (int i = 0; i < 600; i++) {
            value = JSON.createArrayNode().add(value);
        }
        JsonNode deep = value;
        assertThrows(IllegalArgumentException.class, () -> JcsCanonicalizer.text(deep));
    }
}
