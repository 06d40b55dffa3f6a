package dev.sluice.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.SessionLabel;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link SessionStore} does. */
public abstract class SessionStoreContract {

    private static final Instant START = Instant.parse("2026-03-01T10:00:00.123456789Z");

    private Engine engine;

    /** Returns a new engine with nothing in it. */
    protected abstract Engine open() throws Exception;

    @BeforeEach
    void openEngine() throws Exception {
        engine = open();
    }

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    private <T> T in(Function<SessionStore, T> work) {
        return engine.transact(transaction -> work.apply(transaction.sessions()));
    }

    private boolean asked(Predicate<SessionStore> work) {
        return in(work::test);
    }

    private static Session session(String id, String key, Instant seen) {
        return new Session(id, key, "ana \"x\"", "claude \u00e9\ud83d\ude00", START, seen, "", SessionLabel.EMPTY);
    }

    private void begin(Session session) {
        in(sessions -> {
            sessions.begin(session);
            return true;
        });
    }

    private void touch(String id, Instant at, String client) {
        in(sessions -> {
            sessions.touch(id, at, client);
            return true;
        });
    }

    @Test
    void unknownSession_isNotThere() {
        assertEquals(Optional.empty(), in(sessions -> sessions.live("k")));
        assertEquals(Optional.empty(), in(sessions -> sessions.byId("s")));
        assertEquals(List.of(), in(SessionStore::live));
        assertFalse(asked(sessions -> sessions.end("s", START)));
        assertThrows(StoreException.class, () -> in(sessions -> sessions.join("s", SessionLabel.EMPTY)));
        assertThrows(StoreException.class, () -> touch("s", START, ""));
    }

    @Test
    void begunSession_isFoundAsItWas() {
        Session session = new Session(
                "s1",
                "boot:1 pid:2\u0000x",
                "ana",
                "claude (process 42)",
                START,
                START.plusNanos(1),
                "{\"name\":\"x\"}",
                new RandomSessionLabels(3).next());
        begin(session);
        assertEquals(Optional.of(session), in(sessions -> sessions.live(session.key())));
        assertEquals(Optional.of(session), in(sessions -> sessions.byId("s1")));
        assertEquals(Optional.empty(), in(sessions -> sessions.live("boot:1 pid:2")));
    }

    @Test
    void usedKeyOrId_isRefused() {
        begin(session("s1", "k1", START));
        assertThrows(StoreException.class, () -> begin(session("s2", "k1", START)));
        assertThrows(StoreException.class, () -> begin(session("s1", "k2", START)));
        in(sessions -> sessions.end("s1", START));
        assertThrows(StoreException.class, () -> begin(session("s1", "k1", START)));
        assertEquals(List.of(), in(SessionStore::live));
    }

    @Test
    void joins_growTheLabelAsTheAlgebraSays() {
        begin(session("s1", "k1", START));
        begin(session("s2", "k2", START));
        RandomSessionLabels random = new RandomSessionLabels(11);
        SessionLabel expected = SessionLabel.EMPTY;
        for (int i = 0; i < 40; i++) {
            SessionLabel entered = random.next();
            expected = expected.join(entered);
            assertEquals(expected, in(sessions -> sessions.join("s1", entered)));
            assertEquals(
                    expected, in(sessions -> sessions.byId("s1")).orElseThrow().label());
        }
        assertEquals(
                SessionLabel.EMPTY,
                in(sessions -> sessions.byId("s2")).orElseThrow().label());
    }

    @Test
    void joinOfNothing_changesNothing() {
        SessionLabel label = new RandomSessionLabels(3).next();
        begin(session("s1", "k1", START));
        in(sessions -> sessions.join("s1", label));
        assertEquals(label, in(sessions -> sessions.join("s1", SessionLabel.EMPTY)));
    }

    @Test
    void touch_movesLastUseForwardOnly() {
        begin(session("s1", "k1", START));
        touch("s1", START.plusSeconds(10), "{\"a\":1}");
        touch("s1", START.plusSeconds(5), "");
        Session session = in(sessions -> sessions.byId("s1")).orElseThrow();
        assertEquals(START.plusSeconds(10), session.seen());
        assertEquals("{\"a\":1}", session.client());
        touch("s1", START, "{\"b\":1}");
        assertEquals(
                "{\"b\":1}", in(sessions -> sessions.byId("s1")).orElseThrow().client());
    }

    private void witness(String id, String witness) {
        in(sessions -> {
            sessions.witness(id, witness);
            return true;
        });
    }

    @Test
    void witness_isTheLast_whateverElseChanges() {
        begin(session("s1", "k1", START));
        begin(session("s2", "k2", START));
        assertEquals("", in(sessions -> sessions.live("k1")).orElseThrow().witness());
        witness("s1", "one");
        witness("s1", "two");
        touch("s1", START.plusSeconds(1), "{}");
        in(sessions -> sessions.join("s1", new RandomSessionLabels(3).next()));

        assertEquals("two", in(sessions -> sessions.live("k1")).orElseThrow().witness());
        assertEquals(
                List.of("two", ""),
                in(sessions -> sessions.ofPrincipal("ana \"x\"")).stream()
                        .map(Session::witness)
                        .toList());
        assertThrows(
                IllegalStateException.class,
                () -> in(sessions -> {
                    sessions.witness("s1", "three");
                    throw new IllegalStateException("undone");
                }));
        in(sessions -> sessions.end("s1", START));
        assertEquals("two", in(sessions -> sessions.byId("s1")).orElseThrow().witness());
        assertThrows(StoreException.class, () -> witness("s", "one"));
    }

    @Test
    void liveSessions_comeLastUsedFirst() {
        begin(session("s2", "k2", START.plusSeconds(1)));
        begin(session("s4", "k4", START.plusSeconds(3)));
        begin(session("s3", "k3", START.plusSeconds(1)));
        begin(session("s1", "k1", START.plusNanos(1)));
        begin(session("s0", "k0", START));
        assertEquals(
                List.of("s4", "s2", "s3", "s1", "s0"),
                in(SessionStore::live).stream().map(Session::id).toList());
    }

    private List<String> ids(String principal) {
        return in(sessions -> sessions.ofPrincipal(principal)).stream()
                .map(Session::id)
                .toList();
    }

    private static Session of(String principal, String id, Instant seen) {
        return new Session(id, "key of " + id, principal, "a client", START, seen, "", SessionLabel.EMPTY);
    }

    @Test
    void sessionsOfAPrincipal_areItsLiveOnes_asTheyAreNow() {
        begin(of("ana", "s1", START));
        begin(of("bo", "s2", START.plusSeconds(2)));
        begin(of("ana", "s3", START.plusSeconds(1)));
        assertEquals(List.of("s3", "s1"), ids("ana"));
        assertEquals(List.of("s3", "s1"), ids("ana"), "asked again");
        assertEquals(List.of("s2"), ids("bo"));
        assertEquals(List.of(), ids("an"));

        touch("s1", START.plusSeconds(9), "");
        assertEquals(List.of("s1", "s3"), ids("ana"));
        begin(of("ana", "s4", START.plusSeconds(5)));
        assertEquals(List.of("s1", "s4", "s3"), ids("ana"));
        SessionLabel label = new RandomSessionLabels(3).next();
        in(sessions -> sessions.join("s4", label));
        assertEquals(label, in(sessions -> sessions.ofPrincipal("ana")).get(1).label());
        assertTrue(asked(sessions -> sessions.end("s1", START)));
        assertEquals(List.of("s4", "s3"), ids("ana"));
    }

    @Test
    void sessionsOfAPrincipal_areThoseOfTheWorkItself() {
        begin(of("ana", "s1", START));
        SessionLabel label = new RandomSessionLabels(3).next();
        in(sessions -> {
            assertEquals(1, sessions.ofPrincipal("ana").size());
            sessions.join("s1", label);
            assertEquals(label, sessions.ofPrincipal("ana").get(0).label());
            sessions.begin(of("ana", "s2", START));
            assertEquals(2, sessions.ofPrincipal("ana").size());
            return true;
        });
        assertThrows(
                IllegalStateException.class,
                () -> in(sessions -> {
                    sessions.end("s1", START);
                    assertEquals(1, sessions.ofPrincipal("ana").size());
                    throw new IllegalStateException("undone");
                }));
        assertEquals(List.of("s1", "s2"), ids("ana"), "what was undone counts for nothing");
    }

    @Test
    void endedSession_keepsItsRecordAndStillGrows() {
        SessionLabel label = new RandomSessionLabels(3).next();
        begin(session("s1", "k1", START));
        assertTrue(asked(sessions -> sessions.end("s1", START)));
        assertFalse(asked(sessions -> sessions.end("s1", START)));
        assertEquals(Optional.empty(), in(sessions -> sessions.live("k1")));
        assertEquals(List.of(), in(SessionStore::live));
        in(sessions -> sessions.join("s1", label));
        touch("s1", START.plusSeconds(1), "");
        assertEquals(label, in(sessions -> sessions.byId("s1")).orElseThrow().label());
        assertEquals(Optional.empty(), in(sessions -> sessions.live("k1")));
    }

    @Test
    void keyOfAnEndedSession_isFreeForAnother() {
        begin(session("s1", "k1", START));
        in(sessions -> sessions.join("s1", new RandomSessionLabels(3).next()));
        in(sessions -> sessions.end("s1", START));
        begin(session("s2", "k1", START));
        assertEquals(
                session("s2", "k1", START), in(sessions -> sessions.live("k1")).orElseThrow());
        assertFalse(asked(sessions -> sessions.end("s1", START)));
        assertEquals("s2", in(sessions -> sessions.live("k1")).orElseThrow().id());
    }
}
