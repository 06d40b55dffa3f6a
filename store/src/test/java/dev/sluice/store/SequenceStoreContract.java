package dev.sluice.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.labels.SessionLabel;
import dev.sluice.store.SequenceStore.Farthest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link SequenceStore} does. */
public abstract class SequenceStoreContract {

    private static final Instant AT = Instant.parse("2026-01-02T03:04:05Z");

    private Engine engine = new MemoryEngine();

    /** Returns a new engine with nothing in it. */
    protected abstract Engine open() throws Exception;

    @BeforeEach
    void openEngine() throws Exception {
        engine = open();
        for (String id : new String[] {"one", "two"}) {
            in(tx -> {
                tx.sessions().begin(new Session(id, "key " + id, "ana", "", AT, AT, "", SessionLabel.EMPTY));
                return true;
            });
        }
    }

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    private <T> T in(Function<Transaction, T> work) {
        return engine.transact(work);
    }

    private void put(String id, String automaton, int state) {
        in(tx -> {
            tx.sequences().put(id, automaton, state);
            return true;
        });
    }

    @Test
    void whatWasNeverPut_isNotThere() {
        assertEquals(Map.of(), in(tx -> tx.sequences().of("one")));
        assertEquals(Map.of(), in(tx -> tx.sequences().of("never begun")));
    }

    @Test
    void states_areKeptPerSessionAndAutomaton() {
        put("one", "a", 3);
        put("one", "b", -1);
        put("two", "a", 7);
        put("one", "a", 4);

        assertEquals(Map.of("a", 4, "b", -1), in(tx -> tx.sequences().of("one")));
        assertEquals(Map.of("a", 7), in(tx -> tx.sequences().of("two")));
    }

    private Map<String, Farthest> farthest(String... ids) {
        return in(tx -> tx.sequences().farthest(List.of(ids)));
    }

    @Test
    void farthestOfSessions_tellsAlsoOfHowManyAStateIsKnown() {
        put("one", "a", 3);
        put("two", "a", 7);
        put("two", "b", -1);

        assertEquals(Map.of("a", new Farthest(7, 2), "b", new Farthest(-1, 1)), farthest("one", "two", "never begun"));
        assertEquals(Map.of("a", new Farthest(3, 1)), farthest("one"));
        assertEquals(Map.of(), farthest());
    }

    @Test
    void farthestOfSessions_isAsTheyAreNow() {
        put("one", "a", 3);
        assertEquals(Map.of("a", new Farthest(3, 1)), farthest("one", "two"));
        put("two", "a", 1);
        assertEquals(Map.of("a", new Farthest(3, 2)), farthest("one", "two"));
        assertThrows(
                IllegalStateException.class,
                () -> in(tx -> {
                    tx.sequences().put("two", "a", 9);
                    assertEquals(
                            new Farthest(9, 2),
                            tx.sequences().farthest(List.of("one", "two")).get("a"));
                    throw new IllegalStateException("undone");
                }));
        assertEquals(Map.of("a", new Farthest(3, 2)), farthest("one", "two"));
        assertEquals(Map.of("a", 1), in(tx -> tx.sequences().of("two")));
    }

    @Test
    void endedSession_keepsItsStates() {
        put("one", "a", 3);
        in(tx -> tx.sessions().end("one", AT));
        put("one", "b", 1);

        assertEquals(Map.of("a", 3, "b", 1), in(tx -> tx.sequences().of("one")));
    }

    @Test
    void sessionThatNeverBegan_isRefused() {
        StoreException fault = assertThrows(StoreException.class, () -> put("none", "a", 1));

        assertEquals("no session `none` was ever begun: begin one", fault.getMessage());
        assertEquals(Map.of(), in(tx -> tx.sequences().of("none")));
    }

    @Test
    void workThatFails_leavesNoState() {
        put("one", "a", 3);
        assertThrows(
                IllegalStateException.class,
                () -> in(tx -> {
                    tx.sequences().put("one", "a", 9);
                    tx.sequences().put("one", "b", 9);
                    throw new IllegalStateException("on purpose");
                }));

        assertEquals(Map.of("a", 3), in(tx -> tx.sequences().of("one")));
    }
}
