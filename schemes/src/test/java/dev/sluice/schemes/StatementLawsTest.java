package dev.sluice.schemes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.DataClass;
import dev.sluice.labels.Label;
import dev.sluice.wire.Claim;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What several statements about one answer do together, on every base and random statements. */
class StatementLawsTest {

    private static final long SEED = 20260803;
    private static final int ROUNDS_PER_BASE = 200;
    private static final List<Claim> ANSWERS = List.of(Claim.values());
    private static final List<DataClass> KINDS = List.of(
            DataClass.of("pii"),
            DataClass.of("phi"),
            DataClass.UNCLASSIFIED,
            new DataClass("regulated", "hipaa", "com.example.secret"));

    /** A law about a base and statements on it. */
    private interface Law {
        void check(Base base, List<Statement> statements, Random random);
    }

    private static void forAll(Law law) {
        Random random = new Random(SEED);
        for (Base base : LabellingLawsTest.bases()) {
            for (int round = 0; round < ROUNDS_PER_BASE; round++) {
                law.check(base, statements(random), random);
            }
        }
    }

    private static List<Statement> statements(Random random) {
        List<Statement> statements = new ArrayList<>();
        for (int left = random.nextInt(4); left > 0; left--) {
            statements.add(
                    new Statement(claims(random), random.nextBoolean(), random.nextBoolean(), random.nextBoolean()));
        }
        return statements;
    }

    private static Claims claims(Random random) {
        SortedSet<DataClass> classes = new TreeSet<>();
        for (int left = random.nextInt(3); left > 0; left--) {
            classes.add(KINDS.get(random.nextInt(KINDS.size())));
        }
        return new Claims(claim(random), claim(random), classes);
    }

    private static Claim claim(Random random) {
        return ANSWERS.get(random.nextInt(ANSWERS.size()));
    }

    private static Label label(Base base, List<Statement> statements) {
        return Labelling.of(base, statements, LabellingLawsTest.OWN).label();
    }

    private static List<Statement> and(List<Statement> statements, Statement more) {
        List<Statement> all = new ArrayList<>(statements);
        all.add(more);
        return all;
    }

    private static List<Statement> each(List<Statement> statements, UnaryOperator<Statement> change) {
        return statements.stream().map(change).toList();
    }

    private static Claim withoutNo(Claim claim) {
        return claim == Claim.FALSE ? Claim.ABSENT : claim;
    }

    private static String told(Base base, List<Statement> statements) {
        return base + " with " + statements;
    }

    @Test
    void orderOfStatements_isOfNoAccount() {
        forAll((base, statements, random) -> {
            List<Statement> shuffled = new ArrayList<>(statements);
            Collections.shuffle(shuffled, random);

            assertEquals(
                    Labelling.of(base, statements, LabellingLawsTest.OWN),
                    Labelling.of(base, shuffled, LabellingLawsTest.OWN),
                    () -> told(base, statements));
        });
    }

    @Test
    void statementSaidTwice_countsOnce() {
        forAll((base, statements, random) -> {
            if (!statements.isEmpty()) {
                assertEquals(
                        label(base, statements),
                        label(base, and(statements, statements.get(0))),
                        () -> told(base, statements));
            }
        });
    }

    @Test
    void furtherStatementThatCanOnlyRaise_lowersNoPart() {
        forAll((base, statements, random) -> {
            Statement more = Statement.raising(claims(random));

            assertTrue(
                    label(base, statements).canFlowTo(label(base, and(statements, more))),
                    () -> told(base, and(statements, more)));
        });
    }

    @Test
    void noStatement_lowersWhatTheOperatorStated() {
        forAll((base, statements, random) -> {
            List<Statement> all = and(statements, Statement.full(claims(random)));
            Label label = label(base, all);

            assertTrue(
                    !base.integrityStated() || base.label().integrity().canFlowTo(label.integrity()),
                    () -> told(base, all));
            assertTrue(
                    !base.confidentialityStated()
                            || base.label().confidentiality().canFlowTo(label.confidentiality()),
                    () -> told(base, all));
            assertTrue(
                    !base.classesStated()
                            || label.classes().containsAll(base.label().classes()),
                    () -> told(base, all));
        });
    }

    @Test
    void noOfAnybody_isAsIfUnsaidBesideAYesOfAnybody() {
        forAll((base, statements, random) -> {
            Statement yes = Statement.raising(new Claims(Claim.TRUE, Claim.TRUE, new TreeSet<>()));
            List<Statement> silenced = each(
                    statements,
                    said -> new Statement(
                            new Claims(
                                    withoutNo(said.claims().untrusted()),
                                    withoutNo(said.claims().sensitive()),
                                    said.claims().classes()),
                            said.integrity(),
                            said.confidentiality(),
                            said.classes()));

            assertEquals(
                    label(base, and(silenced, yes)), label(base, and(statements, yes)), () -> told(base, statements));
        });
    }

    @Test
    void claimedClasses_areAlwaysInTheLabel() {
        forAll((base, statements, random) -> {
            SortedSet<DataClass> classes = label(base, statements).classes();

            statements.forEach(
                    said -> assertTrue(classes.containsAll(said.claims().classes()), () -> told(base, statements)));
        });
    }

    /** Private data of which the base names no class is unclassified. */
    private static SortedSet<DataClass> ofTheBase(Base base, Label label) {
        SortedSet<DataClass> classes = new TreeSet<>(base.label().classes());
        if (classes.isEmpty() && !label.confidentiality().isPublic()) {
            classes.add(DataClass.UNCLASSIFIED);
        }
        return classes;
    }

    @Test
    void classesThatDoNotCountInFull_areAddedToThoseOfTheBase() {
        forAll((base, statements, random) -> {
            List<Statement> raising = each(statements, said -> Statement.raising(said.claims()));
            Label label = label(base, raising);
            SortedSet<DataClass> expected = ofTheBase(base, label);
            raising.forEach(said -> expected.addAll(said.claims().classes()));

            assertEquals(expected, label.classes(), () -> told(base, raising));
        });
    }

    @Test
    void classesThatCountInFull_replaceADefaultAndNothingElse() {
        forAll((base, statements, random) -> {
            boolean named = statements.stream()
                    .anyMatch(said -> said.classes() && !said.claims().classes().isEmpty());
            Label label = label(base, statements);
            SortedSet<DataClass> expected = base.classesStated() ? ofTheBase(base, label) : new TreeSet<>();
            statements.forEach(said -> expected.addAll(said.claims().classes()));

            if (named) {
                assertEquals(expected, label.classes(), () -> told(base, statements));
            }
        });
    }

    @Test
    void noThatDoesNotCountInFull_changesNoLabel() {
        forAll((base, statements, random) -> {
            List<Statement> raising = each(statements, said -> Statement.raising(said.claims()));
            List<Statement> silenced = each(
                    raising,
                    said -> Statement.raising(new Claims(
                            withoutNo(said.claims().untrusted()),
                            withoutNo(said.claims().sensitive()),
                            said.claims().classes())));

            assertEquals(label(base, silenced), label(base, raising), () -> told(base, raising));
            assertTrue(base.label().canFlowTo(label(base, raising)), () -> told(base, raising));
        });
    }
}
