package dev.sluice.examples.attestation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.DataClass;
import dev.sluice.schemes.Claims;
import dev.sluice.schemes.LabelScheme;
import dev.sluice.schemes.Schemes;
import dev.sluice.schemes.evidence.Evidence;
import dev.sluice.schemes.evidence.EvidenceResolver;
import dev.sluice.schemes.evidence.EvidenceVerifier;
import dev.sluice.schemes.evidence.EvidenceWriter;
import dev.sluice.schemes.evidence.SignatureVerifier;
import dev.sluice.schemes.evidence.TrustStore;
import dev.sluice.wire.Claim;
import dev.sluice.wire.Decoded;
import dev.sluice.wire.Finding;
import dev.sluice.wire.canonical.Canonicalizations;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What somebody outside would do: put a scheme on the class path, and write records for it. */
class DataReviewSchemeTest {

    private static JsonNode record(String predicate) {
        return JsonMapper.shared()
                .readTree("{\"subject\":[{\"name\":\"handbook\"}],\"predicateType\":\"" + DataReviewScheme.TYPE
                        + "\",\"predicate\":" + predicate + "}");
    }

    private static List<String> places(Decoded<Claims> read) {
        return read.findings().stream().map(Finding::pointer).toList();
    }

    @Test
    void installedSchemes_holdIt() {
        LabelScheme found = Schemes.installed().of(DataReviewScheme.TYPE).orElseThrow();

        assertInstanceOf(DataReviewScheme.class, found);
        assertTrue(Schemes.installed().types().contains("ifc.fides.v1"), "beside those that ship");
    }

    @Test
    void recordOfIt_isVerifiedAndRead() {
        JsonNode record = record("{\"audience\":\"staff\",\"authors\":\"staff\",\"classes\":[\"Salaries\"]}");
        var reference = new EvidenceWriter(Canonicalizations.CBOR).write(DataReviewScheme.TYPE, record);
        Evidence evidence = new EvidenceVerifier(
                        Schemes.installed(),
                        EvidenceResolver.INLINE,
                        SignatureVerifier.JDK,
                        TrustStore.EMPTY,
                        Clock.systemUTC())
                .verify(reference, JsonMapper.shared().createObjectNode());

        assertEquals(Evidence.Outcome.VERIFIED_UNBOUND, evidence.outcome());
        assertEquals(Claim.FALSE, evidence.claims().untrusted());
        assertEquals(Claim.TRUE, evidence.claims().sensitive());
        assertEquals(
                List.of(DataClass.of("salaries")), List.copyOf(evidence.claims().classes()));
    }

    @Test
    void reviewForEverybody_claimsPublic() {
        Decoded<Claims> read =
                new DataReviewScheme().read(record("{\"audience\":\"everybody\",\"authors\":\"anybody\"}"));

        assertEquals(Claim.FALSE, read.value().sensitive());
        assertEquals(Claim.TRUE, read.value().untrusted());
        assertEquals(List.of(), read.findings());
    }

    @Test
    void whatIsMissingOrUnknown_isStrict_andSaid() {
        Decoded<Claims> empty = new DataReviewScheme().read(record("{\"audience\":\"Everybody\",\"classes\":[3]}"));
        Decoded<Claims> other = new DataReviewScheme().read(JsonMapper.shared().readTree("[]"));

        assertEquals(Claim.TRUE, empty.value().sensitive());
        assertEquals(Claim.TRUE, empty.value().untrusted());
        assertEquals(List.of("/predicate/audience", "/predicate/authors", "/predicate/classes"), places(empty));
        assertEquals(Claims.STRICTEST, other.value());
        assertEquals(List.of("/predicateType"), places(other));
    }
}
