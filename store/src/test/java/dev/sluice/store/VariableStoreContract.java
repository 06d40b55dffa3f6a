package dev.sluice.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.labels.SessionLabel;
import dev.sluice.store.VariableStore.Room;
import dev.sluice.store.VariableStore.Variable;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link VariableStore} does. */
public abstract class VariableStoreContract {

    private static final Instant AT = Instant.parse("2026-03-01T10:00:00.000000001Z");

    private Engine engine;

    /** Returns a new engine with nothing in it. */
    protected abstract Engine open() throws Exception;

    @BeforeEach
    void openEngine() throws Exception {
        engine = open();
        for (String id : new String[] {"one", "two"}) {
            engine.transact(tx -> {
                tx.sessions().begin(new Session(id, "key " + id, "ana", "an editor", AT, AT, "", SessionLabel.EMPTY));
                return id;
            });
        }
    }

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    private <T> T in(Function<VariableStore, T> work) {
        return engine.transact(transaction -> work.apply(transaction.variables()));
    }

    private static Variable variable(String session, String id) {
        return new Variable(session, id, "\"\ud83d\ude00 and\\u0000\"", "{}", AT);
    }

    private Variable keep(Variable variable) {
        return in(variables -> {
            variables.keep(variable);
            return variable;
        });
    }

    @Test
    void kept_isFoundInItsSessionOnly() {
        Variable kept = keep(variable("one", "a"));

        assertEquals(Optional.of(kept), in(variables -> variables.find("one", "a")));
        assertEquals(Optional.empty(), in(variables -> variables.find("two", "a")));
        assertEquals(Optional.empty(), in(variables -> variables.find("one", "A")));
        assertEquals(Optional.empty(), in(variables -> variables.find("one", "b")));
    }

    @Test
    void room_isCountedBySession() {
        Variable kept = keep(variable("one", "a"));
        keep(variable("one", "b"));

        assertEquals(new Room(2, 2 * kept.size()), in(variables -> variables.taken("one")));
        assertEquals(new Room(0, 0), in(variables -> variables.taken("two")));
        assertEquals(new Room(0, 0), in(variables -> variables.taken("three")));
    }

    @Test
    void secondUnderOneHandle_isRefused() {
        keep(variable("one", "a"));

        assertThrows(StoreException.class, () -> keep(variable("one", "a")));
        keep(variable("two", "a"));
    }

    @Test
    void sessionThatIsNotLive_keepsNothing() {
        keep(variable("one", "a"));
        engine.transact(tx -> tx.sessions().end("one", AT));

        assertEquals(Optional.empty(), in(variables -> variables.find("one", "a")));
        assertEquals(new Room(0, 0), in(variables -> variables.taken("one")));
        assertThrows(StoreException.class, () -> keep(variable("one", "b")));
        assertThrows(StoreException.class, () -> keep(variable("three", "a")));
    }

    @Test
    void workThatFails_takesItsValuesBack() {
        keep(variable("one", "a"));

        assertThrows(
                IllegalStateException.class,
                () -> engine.transact(tx -> {
                    tx.variables().keep(variable("one", "b"));
                    tx.sessions().end("one", AT);
                    throw new IllegalStateException("on purpose");
                }));

        assertEquals(1, in(variables -> variables.taken("one")).count());
        assertEquals(Optional.empty(), in(variables -> variables.find("one", "b")));
    }
}
