package dev.sluice.labels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** The laws of a join-semilattice, for labels and for what sessions have seen. */
class LabelLawsTest {

    private static final int TRIES = 3_000;

    @Test
    void join_isAssociative() {
        RandomLabels any = new RandomLabels(1);
        for (int i = 0; i < TRIES; i++) {
            Label a = any.label();
            Label b = any.label();
            Label c = any.label();
            assertEquals(a.join(b).join(c), a.join(b.join(c)));
        }
    }

    @Test
    void join_isCommutative() {
        pairs((a, b) -> assertEquals(a.join(b), b.join(a)));
    }

    @Test
    void join_isIdempotent() {
        pairs((a, b) -> assertEquals(a, a.join(a)));
    }

    @Test
    void join_isTheLeastUpperBound() {
        RandomLabels any = new RandomLabels(2);
        for (int i = 0; i < TRIES; i++) {
            Label a = any.label();
            Label b = any.label();
            Label c = any.label();
            Label join = a.join(b);
            assertTrue(a.canFlowTo(join) && b.canFlowTo(join));
            assertEquals(a.canFlowTo(c) && b.canFlowTo(c), join.canFlowTo(c));
        }
    }

    @Test
    void bottom_isTheIdentity() {
        pairs((a, b) -> assertEquals(a, Label.BOTTOM.join(a)));
    }

    @Test
    void canFlowTo_isAPartialOrder() {
        pairs((a, b) -> {
            assertTrue(a.canFlowTo(a));
            if (a.canFlowTo(b) && b.canFlowTo(a)) {
                assertEquals(a, b);
            }
        });
    }

    @Test
    void session_mergesInAnyOrder() {
        RandomLabels any = new RandomLabels(3);
        for (int i = 0; i < TRIES; i++) {
            SessionLabel a = any.session();
            SessionLabel b = any.session();
            SessionLabel c = any.session();
            assertEquals(a.join(b).join(c), c.join(a.join(b)));
            assertEquals(a, a.join(a));
            assertEquals(a, a.join(SessionLabel.EMPTY));
        }
    }

    @Test
    void session_neverLosesWhatItSaw() {
        RandomLabels any = new RandomLabels(4);
        for (int i = 0; i < TRIES; i++) {
            SessionLabel before = any.session();
            Label entered = any.label();
            SessionLabel after = before.observe(entered, any.origin());
            assertTrue(before.label().canFlowTo(after.label()));
            assertTrue(entered.canFlowTo(after.label()));
            assertTrue(after.untrustedPublic() || !before.untrustedPublic());
        }
    }

    /** Ruling D-IFC-1: the draft's formula would make the mix public and leak the private half. */
    @Test
    void publicAndPrivate_joinToPrivate() {
        Confidentiality secret = Confidentiality.of(new Source.OfServer("files"));
        assertEquals(secret, Confidentiality.PUBLIC.join(secret));
        assertFalse(secret.canFlowTo(Confidentiality.PUBLIC));
    }

    /** Many sources are compared in another way than a few. */
    @Test
    void sources_flowToThoseThatIncludeThem_howeverManyThereAre() {
        SortedSet<Source> sources = new TreeSet<>();
        for (int i = 0; i < 30; i++) {
            Confidentiality fewer = Confidentiality.of(sources);
            sources.add(Source.Readers.of("server" + i % 7, List.of("reader" + i)));
            Confidentiality more = Confidentiality.of(sources);

            assertTrue(fewer.canFlowTo(more) && more.canFlowTo(more));
            assertFalse(more.canFlowTo(fewer));
            assertEquals(more, fewer.join(more));
            assertEquals(more, more.join(fewer));
        }
    }

    @Test
    void classes_areCaseFoldedAndNeverAnOrder() {
        assertEquals(new DataClass("PII", "HIPAA", ""), new DataClass("pii", "hipaa", ""));
        Label medical = Label.of(Integrity.TRUSTED, Confidentiality.PUBLIC, new DataClass("pii", "hipaa", ""));
        Label card = Label.of(Integrity.TRUSTED, Confidentiality.PUBLIC, DataClass.of("financial"));
        assertFalse(medical.canFlowTo(card) || card.canFlowTo(medical));
        assertEquals(2, medical.join(card).classes().size());
    }

    @Test
    void lineage_keepsTheFirstOriginsOfEachPart() {
        Label read = Label.of(Integrity.UNTRUSTED, Confidentiality.of(new Source.OfServer("files")));
        SessionLabel session = SessionLabel.EMPTY;
        for (int i = 9; i > 0; i--) {
            session = session.observe(read, new Origin(Instant.ofEpochSecond(i), "c" + i, "files", "read_file"));
        }
        List<Origin> origins = session.lineage().of(new Lineage.Part.From(new Source.OfServer("files")));
        assertEquals(
                List.of("c1", "c2", "c3"), origins.stream().map(Origin::call).toList());
        assertEquals(origins, session.lineage().untrusted());
    }

    @Test
    void onlyFrom_seesEveryServerThatBroughtUntrustedWords() {
        Label web = Label.of(Integrity.UNTRUSTED, Confidentiality.PUBLIC);
        SessionLabel session = SessionLabel.EMPTY;
        for (int i = 0; i < 9; i++) {
            session = session.observe(web, new Origin(Instant.ofEpochSecond(i), "c" + i, "files", "read_file"));
        }
        assertTrue(session.isOnlyFrom("files"));
        assertFalse(session.observe(web, new Origin(Instant.ofEpochSecond(99), "c99", "web", "fetch"))
                .isOnlyFrom("files"));
    }

    @Test
    void manySourcesOfOneServer_becomeTheServersOwn_andOthersStay() {
        SessionLabel session = SessionLabel.EMPTY.observe(
                Label.of(Integrity.TRUSTED, Confidentiality.of(new Source.OfServer("files"))),
                new Origin(Instant.EPOCH, "c0", "files", "read"));
        for (int i = 0; i <= SessionLabel.SOURCES_PER_SERVER; i++) {
            Source readers = Source.Readers.of("mail", List.of("user", "friend" + i));
            session = session.observe(
                    Label.of(Integrity.TRUSTED, Confidentiality.of(readers)),
                    new Origin(Instant.ofEpochSecond(i + 1), "c" + (i + 1), "mail", "read_mail"));
        }
        assertEquals(
                Confidentiality.of(new Source.OfServer("files"), new Source.OfServer("mail")),
                session.label().confidentiality());
        assertEquals(
                List.of("c1", "c2", "c3"),
                session.lineage().of(new Lineage.Part.From(new Source.OfServer("mail"))).stream()
                        .map(Origin::call)
                        .toList());
    }

    @Test
    void manyClasses_leaveTheFirst_andCountAsOne() {
        SessionLabel session = SessionLabel.EMPTY;
        for (int i = 0; i < SessionLabel.CLASSES + 5; i++) {
            session = session.observe(
                    Label.of(Integrity.TRUSTED, Confidentiality.PUBLIC, DataClass.of("class " + (999 - i))),
                    new Origin(Instant.ofEpochSecond(i), "c" + i, "files", "read"));
        }
        assertEquals(SessionLabel.CLASSES + 1, session.label().classes().size());
        assertTrue(session.label().classes().contains(DataClass.of("class 999")), "the first can't be pushed out");
        assertFalse(session.label().classes().contains(DataClass.of("class 483")));
        assertTrue(session.label().classes().contains(SessionLabel.TOO_MANY_CLASSES));
        assertEquals(
                List.of("c512", "c513", "c514"),
                session.lineage().of(new Lineage.Part.OfClass(SessionLabel.TOO_MANY_CLASSES)).stream()
                        .map(Origin::call)
                        .toList());
        assertEquals(session, SessionLabel.EMPTY.join(session), "a session that goes on from another loses nothing");
    }

    @Test
    void onlyFrom_untrustedWordsOfNobody_isFalse() {
        SessionLabel nameless =
                new SessionLabel(Label.of(Integrity.UNTRUSTED, Confidentiality.PUBLIC), true, Lineage.EMPTY);
        assertFalse(nameless.isOnlyFrom("files"));
    }

    private static void pairs(BiConsumer<Label, Label> law) {
        RandomLabels any = new RandomLabels(0);
        for (int i = 0; i < TRIES; i++) {
            law.accept(any.label(), any.label());
        }
    }
}
