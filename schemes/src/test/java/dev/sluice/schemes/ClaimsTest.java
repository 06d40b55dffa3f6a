package dev.sluice.schemes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.DataClass;
import dev.sluice.wire.Claim;
import dev.sluice.wire.ResultClaims;
import dev.sluice.wire.Sensitivity;
import dev.sluice.wire.TrustAnnotations;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClaimsTest {

    private static SortedSet<DataClass> classes(Sensitivity... kinds) {
        return Claims.of(new ResultClaims(
                        Claim.TRUE, Claim.ABSENT, new LinkedHashSet<>(Arrays.asList(kinds)), List.of()))
                .classes();
    }

    @Test
    void yesAndNo_areTakenAsTheyStand() {
        for (Claim untrusted : Claim.values()) {
            for (Claim sensitive : Claim.values()) {
                assertEquals(
                        new Claims(untrusted, sensitive, new TreeSet<>()),
                        Claims.of(new ResultClaims(sensitive, untrusted, Set.of(), List.of())));
            }
        }
    }

    @Test
    void kinds_becomeClassesOfTheSameName() {
        assertEquals(
                new TreeSet<>(Set.of(
                        DataClass.of("user"),
                        DataClass.of("pii"),
                        DataClass.of("financial"),
                        DataClass.of("credentials"))),
                classes(Sensitivity.USER, Sensitivity.PII, Sensitivity.FINANCIAL, Sensitivity.CREDENTIALS));
        assertEquals(new TreeSet<>(), classes(Sensitivity.NONE));
    }

    @Test
    void regulatedKind_becomesOneClassForEachScope() {
        assertEquals(
                new TreeSet<>(Set.of(new DataClass("regulated", "hipaa", ""), new DataClass("regulated", "gdpr", ""))),
                classes(Sensitivity.regulated(Set.of("HIPAA", "GDPR"))));
    }

    @Test
    void unrecognizedKind_isUnknown() {
        assertEquals(new TreeSet<>(Set.of(DataClass.of("unknown"))), classes(Sensitivity.unrecognized("top-secret")));
    }

    @Test
    void scopeThatNoLabelCanKeep_isUnknown() {
        SortedSet<DataClass> unknown = new TreeSet<>(Set.of(new DataClass("regulated", "unknown", "")));

        for (String scope : List.of("x".repeat(129), "a\u001bb", "a\u202eb", "\ud800", " ")) {
            assertEquals(unknown, classes(Sensitivity.regulated(Set.of(scope))));
        }
        String longest = "x".repeat(128);
        assertEquals(
                new TreeSet<>(Set.of(new DataClass("regulated", longest, ""))),
                classes(Sensitivity.regulated(Set.of(longest))));
    }

    @Test
    void moreScopesThanALabelKeeps_endInUnknown() {
        Set<String> scopes = IntStream.range(0, 5000).mapToObj(i -> "s" + i).collect(Collectors.toSet());

        SortedSet<DataClass> classes = classes(Sensitivity.regulated(scopes));

        assertEquals(Claims.MOST_CLASSES, classes.size());
        assertTrue(classes.contains(DataClass.of("unknown")));
    }

    @Test
    void legacyAnnotations_reachTheClaims() {
        ResultClaims result = TrustAnnotations.decodeResult(
                        Vectors.json("{'_meta':{'annotations':{'returnMetadata':{'source':'untrustedPublic',"
                                + "'sensitivity':['pii',{'regulated':{'scopes':['HIPAA']}}]}}}}"))
                .value()
                .claims();

        assertEquals(
                new Claims(
                        Claim.TRUE,
                        Claim.TRUE,
                        new TreeSet<>(Set.of(DataClass.of("pii"), new DataClass("regulated", "hipaa", "")))),
                Claims.of(result));
    }

    @Test
    void classes_areACopyThatNobodyChanges() {
        SortedSet<DataClass> mine = new TreeSet<>(Set.of(DataClass.of("pii")));
        Claims claims = new Claims(Claim.TRUE, Claim.TRUE, mine);
        mine.clear();

        assertEquals(1, claims.classes().size());
        assertThrows(UnsupportedOperationException.class, () -> claims.classes().clear());
    }
}
