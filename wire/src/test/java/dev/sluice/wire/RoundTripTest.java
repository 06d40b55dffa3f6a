package dev.sluice.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What is written reads as what was meant, through real bytes, with every part present, absent or empty. */
class RoundTripTest {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final List<Claim> CLAIMS = List.of(Claim.values());
    private static final List<String> OTHERS =
            List.of("null", "{}", "[]", "\"\"", "1.5", "{\"sensitive\":[true,null]}");
    private final Random random = new Random(11);

    @Test
    void evidenceRef_everyPartPresentOrAbsent() {
        for (int bits = 0; bits < 1 << 6; bits++) {
            EvidenceRef reference = new EvidenceRef(
                    (bits & 1) > 0 ? "ifc.fides.v1" : "",
                    (bits & 2) > 0 ? "sha256:0" : "",
                    (bits & 4) > 0 ? "jcs" : "",
                    (bits & 8) > 0 ? "https://example.org/s" : "",
                    (bits & 16) > 0 ? "r" : "",
                    (bits & 32) > 0 ? others() : Map.of());
            assertEquals(
                    new Decoded<>(reference, List.of()), EvidenceRef.decode((ObjectNode) sent(reference.encode())));
            assertEquals(
                    Integer.bitCount(bits & 31) + reference.others().size(),
                    reference.encode().size());
        }
    }

    @Test
    void trustAnnotations_everyClaimWithAnyEvidence() {
        for (Claim sensitive : Claim.values()) {
            for (Claim untrusted : Claim.values()) {
                for (int references = 0; references < 3; references++) {
                    List<EvidenceRef> evidence = new ArrayList<>();
                    for (int i = 0; i < references; i++) {
                        evidence.add(new EvidenceRef("t" + i, "", "", "", "", others()));
                    }
                    TrustAnnotations annotations = new TrustAnnotations(sensitive, untrusted, evidence, others());
                    assertEquals(
                            new Decoded<>(annotations, List.of()), TrustAnnotations.decode(sent(annotations.encode())));
                    ObjectNode result = JSON.createObjectNode();
                    annotations.writeTo(result);
                    assertEquals(
                            new Decoded<>(new ResultAnnotations(annotations, List.of()), List.of()),
                            TrustAnnotations.decodeResult(sent(result)));
                }
            }
        }
    }

    @Test
    void legacyHints_everyCombination() {
        for (int i = 0; i < 81; i++) {
            LegacyHints hints = new LegacyHints(
                    CLAIMS.get(i % 3), CLAIMS.get(i / 3 % 3), CLAIMS.get(i / 9 % 3), CLAIMS.get(i / 27));
            ObjectNode tool = JSON.createObjectNode();
            hints.writeTo(tool);
            assertEquals(new Decoded<>(hints, List.of()), LegacyHints.decodeTool(sent(tool)));
        }
    }

    @TestFactory
    List<DynamicTest> everyRecordWithAnEncoder() throws Exception {
        Path folder = Path.of(Claim.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI()
                .resolve("dev/sluice/wire/"));
        List<DynamicTest> tests = new ArrayList<>();
        Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.sorted().toList()) {
                String name = file.getFileName().toString();
                if (!name.endsWith(".class") || name.equals("package-info.class")) {
                    continue;
                }
                Class<?> type = Class.forName("dev.sluice.wire." + name.substring(0, name.length() - 6));
                List<Way> ways = type.isRecord() ? ways(type) : List.of();
                for (Way way : ways) {
                    names.add(type.getSimpleName());
                    tests.add(DynamicTest.dynamicTest(
                            type.getSimpleName() + " by " + way.encoder().getName(), () -> roundTrips(type, way)));
                }
            }
        }
        assertTrue(
                names.containsAll(List.of(
                        "ActionMetadata",
                        "EvidenceRef",
                        "LegacyHints",
                        "RequestAnnotations",
                        "Sensitivity",
                        "TrustAnnotations")),
                "the walk finds what is known to be there: " + names);
        return tests;
    }

    /** A way to write a record and to read it again. */
    private record Way(Method encoder, Method decoder) {

        Object sent(Object value) throws ReflectiveOperationException {
            Object written;
            if (encoder.getParameterCount() == 0) {
                written = encoder.invoke(value);
            } else {
                written = JSON.createObjectNode();
                encoder.invoke(value, written);
            }
            return decoder.invoke(null, JSON.readTree(JSON.writeValueAsBytes(written)));
        }
    }

    private static List<Way> ways(Class<?> type) {
        List<Way> ways = new ArrayList<>();
        method(type, false, "encode")
                .ifPresent(encoder -> ways.add(new Way(encoder, decoder(type, List.of("decode", "read")))));
        method(type, false, "writeTo", ObjectNode.class)
                .ifPresent(encoder ->
                        ways.add(new Way(encoder, decoder(type, List.of("decodeTool", "decodeResult", "decode")))));
        return ways;
    }

    private static Method decoder(Class<?> type, List<String> names) {
        return names.stream()
                .flatMap(
                        name -> Stream.of(JsonNode.class, ObjectNode.class).map(node -> method(type, true, name, node)))
                .flatMap(Optional::stream)
                .findFirst()
                .orElseThrow(() -> new AssertionError(type + " is written and never read"));
    }

    private static Optional<Method> method(Class<?> type, boolean isStatic, String name, Class<?>... parameters) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> method.getName().equals(name)
                        && Arrays.equals(method.getParameterTypes(), parameters)
                        && Modifier.isStatic(method.getModifiers()) == isStatic
                        && !Modifier.isPrivate(method.getModifiers()))
                .findFirst();
    }

    private static void roundTrips(Class<?> type, Way way) throws ReflectiveOperationException {
        RandomRecords records = new RandomRecords(new Random(11));
        Set<Object> seen = new HashSet<>();
        for (int round = 0; round < 5000; round++) {
            Object value = records.next(type);
            seen.add(value);
            Object back = way.sent(value);
            if (back instanceof Decoded<?> decoded) {
                // Unknown texts are reported each time, a difference of the places that we wrote ourselves never.
                assertFalse(decoded.findings().stream().anyMatch(found -> found.code() == Finding.Code.CONFLICT));
                back = decoded.value();
            } else {
                back = ((Optional<?>) back).orElseThrow();
            }
            assertEquals(value, back instanceof ResultAnnotations result ? result.result() : back);
        }
        assertTrue(seen.size() > 5, "values differ");
    }

    private static JsonNode sent(ObjectNode object) {
        return JSON.readTree(JSON.writeValueAsBytes(object));
    }

    private Map<String, JsonNode> others() {
        Map<String, JsonNode> others = new LinkedHashMap<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            others.put("org.example/" + i, JSON.readTree(OTHERS.get(random.nextInt(OTHERS.size()))));
        }
        return others;
    }
}
