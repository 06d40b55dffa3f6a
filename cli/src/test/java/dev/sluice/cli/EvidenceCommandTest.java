package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluice evidence}, as scripts use it: the digest alone on standard output, and exit codes that tell cases apart. */
class EvidenceCommandTest {

    private static final String TRUSTED_PUBLIC = "{\"integrity\":\"trusted\",\"confidentiality\":\"public\"}";
    private static final String CBOR_DIGEST = "sha256:d1da3d2fa84318b90c99124e4d16b40d95fddaff74bc115a78394dda782f72a0";

    @TempDir
    private Path folder;

    private String file(String json) throws Exception {
        return Files.writeString(Files.createTempFile(folder, "record", ".json"), json)
                .toString();
    }

    @Test
    void digest_isAloneOnStandardOutput() throws Exception {
        Told told = Told.by("evidence", "digest", "--canonicalization", "cbor/rfc8949", file(TRUSTED_PUBLIC));

        assertEquals(CBOR_DIGEST + System.lineSeparator(), told.out());
        assertEquals("", told.err());
        assertEquals(0, told.exit());
    }

    @Test
    void digest_ofStandardInput_isTheSameForOtherSpacesAndOrder() throws Exception {
        String spaced = " {\n \"confidentiality\" : \"pub\\u006cic\", \"integrity\" : \"trusted\" }\n";
        Told told = Told.reading(
                spaced.getBytes(StandardCharsets.UTF_8),
                Map.of(),
                "evidence",
                "digest",
                "--canonicalization",
                "cbor/rfc8949",
                "-");

        assertEquals(CBOR_DIGEST + System.lineSeparator(), told.out());
        assertEquals(0, told.exit());
    }

    @Test
    void verify_tellsMatchMismatchAndWhatCantBeToldApart() throws Exception {
        String record = file(TRUSTED_PUBLIC);
        Told match =
                Told.by("evidence", "verify", "--digest", CBOR_DIGEST, "--canonicalization", "cbor/rfc8949", record);
        Told other =
                Told.by("evidence", "verify", "--digest", CBOR_DIGEST, "--canonicalization", "jcs/rfc8785", record);
        Told none =
                Told.by("evidence", "verify", "--digest", CBOR_DIGEST, "--canonicalization", "jcs/rfc8785", "nowhere");

        assertEquals(0, match.exit(), match.err());
        assertEquals(1, other.exit());
        assertTrue(
                other.err().startsWith("sluice: the record has another digest: sha256:1b63b0f828080468"), other.err());
        assertEquals(2, none.exit());
        assertEquals(
                "sluice: `nowhere` can't be read; name a readable file, or `-` for standard input"
                        + System.lineSeparator(),
                none.err());
    }

    @Test
    void recordOutsideTheForm_endsWith2AndAMend() throws Exception {
        for (String[] bad : new String[][] {
            {"jcs/rfc8785", "{\"n\":9007199254740993}", "the value at `/n` can't be canonicalised: it is an integer"},
            {"jcs/rfc8785", "{\"a\":1,\"a\":2}", "the record is no strict JSON: "},
            {"cbor/rfc8949", "[\"\\ud800\"]", "the value at `/0` can't be canonicalised: it holds half"},
            {"cbor/rfc8949", "NaN", "the record is no strict JSON: "},
            {"cbor/rfc8949", "[1e999]", "the value at `/0` can't be canonicalised: it is a number too large"},
            {"cose/none", "{}", "`cose/none` is no canonical form known here; use one of jcs/rfc8785, cbor/rfc8949"}
        }) {
            Told told = Told.by("evidence", "digest", "--canonicalization", bad[0], file(bad[1]));

            assertEquals(2, told.exit(), bad[1]);
            assertEquals("", told.out(), bad[1]);
            assertTrue(told.err().startsWith("sluice: " + bad[2]), told.err());
            assertEquals(1, told.err().lines().count(), told.err());
        }
    }

    @Test
    void draftProfile_refusesWhatTheDraftLacks() throws Exception {
        String record = file("{\"score\":0.5}");
        Told any = Told.by("evidence", "digest", "--canonicalization", "jcs/rfc8785", record);
        Told draft = Told.by("evidence", "digest", "--canonicalization", "jcs/rfc8785", "--profile", "draft", record);

        assertEquals(0, any.exit(), any.err());
        assertEquals(2, draft.exit());
        assertTrue(
                draft.err().startsWith("sluice: the value at `/score` doesn't fit an evidence record: "), draft.err());
    }

    @Test
    void roundedIntegers_areAllowedWhereAskedFor_andSaid() throws Exception {
        String record = file("[9007199254740993]");
        Told told =
                Told.by("evidence", "digest", "--canonicalization", "jcs/rfc8785", "--round-large-integers", record);
        Told even = Told.by("evidence", "digest", "--canonicalization", "jcs/rfc8785", file("[9007199254740992]"));

        assertEquals(0, told.exit(), told.err());
        assertEquals(even.out(), told.out());
        assertTrue(told.err().contains("was rounded"), told.err());
    }
}
