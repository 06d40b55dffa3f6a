package dev.sluice.schemes.evidence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemes.Claims;
import dev.sluice.schemes.evidence.Evidence.Outcome;
import dev.sluice.wire.canonical.Digest;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a binding must look like, and that a malformed one binds nothing although a trusted key signed it. */
class BindingTest {

    private static final Binding BINDING = new Binding(
            "ifc.fides.v1", Digest.sha256(new byte[] {1}), Digest.sha256(new byte[] {2}), "forge", EvidenceWorld.NOW);
    private static final String WRITTEN = new String(BINDING.encode(), StandardCharsets.UTF_8);
    private static final String SHAPE = "a binding has just the strings type, record, content, source, issuedAt";

    static Stream<Map.Entry<String, String>> malformed() {
        return Map.ofEntries(
                Map.entry(WRITTEN.replace("}", ",\"tool\":\"send\"}"), SHAPE),
                Map.entry(WRITTEN.replace("\"type\"", "\"kind\""), SHAPE),
                Map.entry(WRITTEN.replace("\"forge\"", "null"), SHAPE),
                Map.entry(WRITTEN.replace("\"forge\"", "[\"forge\"]"), SHAPE),
                Map.entry("[]", SHAPE),
                Map.entry("\"binding\"", SHAPE),
                Map.entry("{}", SHAPE),
                Map.entry(
                        WRITTEN.replace("2026-08-03T12:00:00Z", "yesterday"),
                        "`issuedAt` of a binding is no time: write it as 2026-01-31T12:00:00Z"),
                Map.entry(
                        WRITTEN.replace("2026-08-03T12:00:00Z", "2026-08-03 12:00"),
                        "`issuedAt` of a binding is no time: write it as 2026-01-31T12:00:00Z"),
                Map.entry(
                        WRITTEN.replace(BINDING.record().text(), "sha256:00"),
                        "`sha256:00` is no digest: write `sha256:` and 64 lower-case hex digits"),
                Map.entry("", "a binding is no JSON: "),
                Map.entry("{", "a binding is no JSON: "),
                Map.entry(WRITTEN.replace("}", ",\"source\":\"forge\"}"), "a binding is no JSON: "))
                .entrySet()
                .stream();
    }

    @Test
    void binding_isReadAsItIsWritten() {
        assertEquals(BINDING, Binding.decode(BINDING.encode()));
        assertTrue(WRITTEN.startsWith("{\"content\":\"sha256:"), WRITTEN);
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void malformedBinding_isRefused(Map.Entry<String, String> sample) {
        byte[] payload = sample.getKey().getBytes(StandardCharsets.UTF_8);

        String message = assertThrows(IllegalArgumentException.class, () -> Binding.decode(payload))
                .getMessage();

        assertTrue(
                sample.getValue().endsWith(" ")
                        ? message.startsWith(sample.getValue())
                        : message.equals(sample.getValue()),
                message);
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void malformedBindingUnderATrustedSignature_isAMismatch(Map.Entry<String, String> sample) {
        Envelope envelope = EvidenceWorld.envelope(
                Binding.PAYLOAD_TYPE,
                sample.getKey().getBytes(StandardCharsets.UTF_8),
                "k1",
                EvidenceWorld.TRUSTED_KEY);

        Evidence evidence = EvidenceWorld.verify(EvidenceWorld.with(EvidenceWorld.bound(), envelope.encode()));

        assertEquals(Outcome.MISMATCH, evidence.outcome());
        assertEquals(Claims.STRICTEST, evidence.claims());
    }
}
