package dev.sluice.schemes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Source;
import dev.sluice.wire.Claim;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Rulings D-IFC-3, D-IFC-5 and D-IFC-6, on every base, every pair of claims and every trust of them. */
class LabellingLawsTest {

    static final Source OWN = new Source.OfResource("forge", "o/r");

    /** Which claims count in full. */
    private record Full(boolean integrity, boolean confidentiality, boolean classes) {

        Statement say(Claim untrusted, Claim sensitive) {
            return new Statement(
                    new Claims(untrusted, sensitive, new TreeSet<>()), integrity, confidentiality, classes);
        }
    }

    /** One way to make a label. */
    private record Made(Base base, Claim untrusted, Claim sensitive, Full full, Labelling labelling) {

        Label label() {
            return labelling.label();
        }

        @Override
        public String toString() {
            return base + ", untrusted " + untrusted + ", sensitive " + sensitive + ", " + full + " makes " + labelling;
        }
    }

    static List<Base> bases() {
        List<Base> bases = new ArrayList<>();
        List<Confidentiality> confidentialities = List.of(
                Confidentiality.PUBLIC,
                Confidentiality.of(OWN),
                Confidentiality.of(new Source.OfServer("forge")),
                Confidentiality.of(Source.Readers.of("forge", List.of("ana", "bo"))));
        List<DataClass[]> classes =
                List.of(new DataClass[0], new DataClass[] {DataClass.UNCLASSIFIED}, new DataClass[] {
                    DataClass.of("phi"), DataClass.of("pii")
                });
        for (Integrity integrity : Integrity.values()) {
            for (Confidentiality confidentiality : confidentialities) {
                for (DataClass[] kinds : classes) {
                    for (int stated = 0; stated < 8; stated++) {
                        bases.add(new Base(
                                Label.of(integrity, confidentiality, kinds),
                                (stated & 1) != 0,
                                (stated & 2) != 0,
                                (stated & 4) != 0));
                    }
                }
            }
        }
        return bases;
    }

    private static void forAll(Consumer<Made> law) {
        for (Base base : bases()) {
            for (Claim untrusted : Claim.values()) {
                for (Claim sensitive : Claim.values()) {
                    for (int bits = 0; bits < 8; bits++) {
                        Full full = new Full((bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0);
                        law.accept(new Made(
                                base,
                                untrusted,
                                sensitive,
                                full,
                                Labelling.of(base, List.of(full.say(untrusted, sensitive)), OWN)));
                    }
                }
            }
        }
    }

    @Test
    void claimsThatMayOnlyRaise_neverGoBelowTheBase() {
        forAll(made -> {
            if (!made.full.integrity && !made.full.confidentiality) {
                assertTrue(made.base.label().canFlowTo(made.label()), made::toString);
            }
        });
    }

    @Test
    void operatorsWord_isNeverLowered() {
        forAll(made -> {
            Label base = made.base.label();
            if (made.base.integrityStated()) {
                assertTrue(base.integrity().canFlowTo(made.label().integrity()), made::toString);
            }
            if (made.base.confidentialityStated()) {
                assertTrue(base.confidentiality().canFlowTo(made.label().confidentiality()), made::toString);
            }
            if (made.base.classesStated()) {
                assertTrue(made.label().classes().containsAll(base.classes()), made::toString);
            }
        });
    }

    @Test
    void partOfADefault_isLoweredOnlyByAClaimThatCountsInFull() {
        forAll(made -> {
            Label base = made.base.label();
            if (!base.integrity().canFlowTo(made.label().integrity())) {
                assertTrue(made.full.integrity && made.untrusted == Claim.FALSE, made::toString);
            }
            if (!base.confidentiality().canFlowTo(made.label().confidentiality())) {
                assertTrue(made.full.confidentiality && made.sensitive == Claim.FALSE, made::toString);
            }
            if (!made.label().classes().containsAll(base.classes())) {
                assertTrue(
                        made.full.classes && made.full.confidentiality && made.sensitive == Claim.FALSE,
                        made::toString);
            }
        });
    }

    @Test
    void claimThatCountsInFull_replacesADefault() {
        forAll(made -> {
            if (made.full.integrity && !made.base.integrityStated() && made.untrusted == Claim.FALSE) {
                assertEquals(Integrity.TRUSTED, made.label().integrity(), made::toString);
            }
            if (made.full.confidentiality && !made.base.confidentialityStated() && made.sensitive == Claim.FALSE) {
                assertTrue(made.label().confidentiality().isPublic(), made::toString);
                if (made.full.classes && !made.base.classesStated()) {
                    assertFalse(made.label().classes().contains(DataClass.UNCLASSIFIED), made::toString);
                }
            }
        });
    }

    @Test
    void claimThatRaises_alwaysCounts() {
        forAll(made -> {
            if (made.untrusted == Claim.TRUE) {
                assertEquals(Integrity.UNTRUSTED, made.label().integrity(), made::toString);
                assertTrue(made.labelling.untrustedSaid(), made::toString);
            }
            if (made.sensitive == Claim.TRUE) {
                assertFalse(made.label().confidentiality().isPublic(), made::toString);
                assertTrue(made.labelling.sensitiveSaid(), made::toString);
            }
        });
    }

    /** D-IFC-6: the claim names no readers, so it must not restrict further what names some. */
    @Test
    void privateClaimWithoutLocator_addsItsSourceOnlyToWhatIsPublic() {
        forAll(made -> {
            if (made.sensitive == Claim.TRUE) {
                Confidentiality base = made.base.label().confidentiality();
                assertEquals(
                        base.isPublic() ? Confidentiality.of(OWN) : base,
                        made.label().confidentiality(),
                        made::toString);
            }
        });
    }

    @Test
    void silence_changesNothing() {
        forAll(made -> {
            if (made.untrusted == Claim.ABSENT) {
                assertEquals(made.base.label().integrity(), made.label().integrity(), made::toString);
                assertEquals(
                        made.base.integrityStated() && made.base.label().integrity() == Integrity.UNTRUSTED,
                        made.labelling.untrustedSaid(),
                        made::toString);
            }
            if (made.sensitive == Claim.ABSENT) {
                assertEquals(made.base.label().confidentiality(), made.label().confidentiality(), made::toString);
                assertEquals(
                        made.base.confidentialityStated()
                                && !made.base.label().confidentiality().isPublic(),
                        made.labelling.sensitiveSaid(),
                        made::toString);
            }
        });
    }

    @Test
    void privateDataWithoutAnyClass_isUnclassified() {
        forAll(made -> {
            if (!made.label().confidentiality().isPublic()) {
                assertFalse(made.label().classes().isEmpty(), made::toString);
            }
        });
    }

    @Test
    void claimThatLowersAndIsNotBelieved_isNamed() {
        forAll(made -> {
            assertEquals(
                    made.untrusted == Claim.FALSE && made.label().integrity() == Integrity.UNTRUSTED,
                    made.labelling.ignored().contains("untrusted: false"),
                    made::toString);
            assertEquals(
                    made.sensitive == Claim.FALSE
                            && !made.label().confidentiality().isPublic(),
                    made.labelling.ignored().contains("sensitive: false"),
                    made::toString);
        });
    }

    @Test
    void moreClaims_neverMakeALowerLabelThanFewer() {
        forAll(made -> {
            Labelling louder = Labelling.of(made.base, List.of(made.full.say(Claim.TRUE, Claim.TRUE)), OWN);
            if (made.untrusted != Claim.FALSE && made.sensitive != Claim.FALSE) {
                assertTrue(made.label().canFlowTo(louder.label()), made::toString);
            }
        });
    }

    @Test
    void dataOfWhichNobodySaidAnything_isUntrustedPrivateAndUnclassified() {
        Label label = DefaultLabels.unlabelled(OWN);

        assertEquals(Label.of(Integrity.UNTRUSTED, Confidentiality.of(OWN), DataClass.UNCLASSIFIED), label);
        assertEquals(new Base(label, false, false, false), Base.unstated(label));
        for (List<Statement> silence : List.of(List.<Statement>of(), List.of(Statement.full(Claims.NONE)))) {
            assertEquals(
                    new Labelling(label, false, false, List.of()), Labelling.of(Base.unstated(label), silence, OWN));
        }
    }
}
