package dev.sluice.schemes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.labels.DataClass;
import dev.sluice.wire.Claim;
import dev.sluice.wire.Decoded;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** What the published records claim. */
class VectorClaimsTest {

    private static final Schemes SCHEMES = Schemes.installed();

    private static final Map<String, Claims> EXPECTED = Map.ofEntries(
            Map.entry("public-repository-draft-advisory", claims(Claim.TRUE, Claim.TRUE, "confidential")),
            Map.entry("public-repository-readme", claims(Claim.TRUE, Claim.FALSE)),
            Map.entry("public-repository-collaborator-roster", claims(Claim.ABSENT, Claim.TRUE, "confidential")),
            Map.entry("unknown-provenance", claims(Claim.TRUE, Claim.TRUE, "unknown")),
            Map.entry("same-record-as-cbor", claims(Claim.TRUE, Claim.TRUE, "confidential")),
            Map.entry("policy-decision", Claims.NONE),
            Map.entry("sequence", Claims.NONE),
            Map.entry("fides-trusted-public-jcs", claims(Claim.FALSE, Claim.FALSE)),
            Map.entry("fides-trusted-public-cbor", claims(Claim.FALSE, Claim.FALSE)),
            Map.entry("fides-trusted-private-jcs", claims(Claim.FALSE, Claim.TRUE)),
            Map.entry("fides-trusted-private-cbor", claims(Claim.FALSE, Claim.TRUE)),
            Map.entry("fides-untrusted-public-jcs", claims(Claim.TRUE, Claim.FALSE)),
            Map.entry("fides-untrusted-public-cbor", claims(Claim.TRUE, Claim.FALSE)),
            Map.entry("fides-untrusted-private-jcs", claims(Claim.TRUE, Claim.TRUE)),
            Map.entry("fides-untrusted-private-cbor", claims(Claim.TRUE, Claim.TRUE)));

    private static Claims claims(Claim untrusted, Claim sensitive, String... classes) {
        return new Claims(
                untrusted,
                sensitive,
                new TreeSet<>(Arrays.stream(classes).map(DataClass::of).toList()));
    }

    static Stream<JsonNode> vectors() {
        return Vectors.all().stream();
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void publishedRecord_claimsWhatTheDraftSays(JsonNode vector) {
        String name = vector.path("name").stringValue();

        Decoded<Claims> read =
                SCHEMES.of(vector.path("type").stringValue()).orElseThrow().read(vector.path("record"));

        assertEquals(EXPECTED.get(name), read.value());
        assertEquals(List.of(), read.findings());
    }

    @Test
    void everyExpectation_isOfAVector() {
        assertEquals(
                new TreeSet<>(EXPECTED.keySet()),
                new TreeSet<>(
                        vectors().map(each -> each.path("name").stringValue()).toList()));
    }
}
