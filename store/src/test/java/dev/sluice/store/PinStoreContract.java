package dev.sluice.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link PinStore} does. */
public abstract class PinStoreContract {

    private static final Instant AT = Instant.parse("2026-03-01T10:00:00.000000001Z");

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

    private <T> T in(Function<PinStore, T> work) {
        return engine.transact(transaction -> work.apply(transaction.pins()));
    }

    private static PinStore.Pin pin(String server, String kind, String name, String digest) {
        return new PinStore.Pin(server, kind, name, digest, AT);
    }

    private void store(PinStore.Pin pin) {
        in(pins -> {
            pins.pin(pin);
            return true;
        });
    }

    @Test
    void unpinned_isNotThere() {
        assertEquals(Optional.empty(), in(pins -> pins.find("fs", "tool", "read")));
        assertEquals(List.of(), in(PinStore::all));
    }

    @Test
    void pinned_isFoundByAllThree() {
        store(pin("fs", "tool", "read", "sha256:1"));
        store(pin("fs", "instructions", "", "sha256:2"));
        assertEquals(Optional.of(pin("fs", "tool", "read", "sha256:1")), in(pins -> pins.find("fs", "tool", "read")));
        assertEquals(
                Optional.of(pin("fs", "instructions", "", "sha256:2")),
                in(pins -> pins.find("fs", "instructions", "")));
        assertEquals(Optional.empty(), in(pins -> pins.find("fs", "tool", "")));
        assertEquals(Optional.empty(), in(pins -> pins.find("FS", "tool", "read")));
        assertEquals(Optional.empty(), in(pins -> pins.find("fs", "tool", "read ")));
    }

    @Test
    void pinnedAgain_isReplacedWhole() {
        store(pin("fs", "tool", "read", "sha256:1"));
        PinStore.Pin again = new PinStore.Pin("fs", "tool", "read", "sha256:2", AT.plusSeconds(9));
        store(again);
        assertEquals(Optional.of(again), in(pins -> pins.find("fs", "tool", "read")));
        assertEquals(List.of(again), in(PinStore::all));
    }

    @Test
    void all_comesInOrder() {
        store(pin("mail", "tool", "send", "d"));
        store(pin("fs", "tool", "\ud83d\ude00", "d"));
        store(pin("fs", "tool", "\uffff", "d"));
        store(pin("fs", "tool", "read", "d"));
        store(pin("fs", "instructions", "", "d"));
        assertEquals(
                List.of("fs/", "fs/read", "fs/\ud83d\ude00", "fs/\uffff", "mail/send"),
                in(PinStore::all).stream()
                        .map(pin -> pin.server() + "/" + pin.name())
                        .toList());
    }
}
