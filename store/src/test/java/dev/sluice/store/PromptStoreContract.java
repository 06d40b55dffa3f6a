package dev.sluice.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.labels.SessionLabel;
import dev.sluice.store.PromptStore.Prompt;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link PromptStore} does. */
public abstract class PromptStoreContract {

    private static final Instant AT = Instant.parse("2026-03-01T10:00:00.000000001Z");

    private Engine engine;

    /** Returns a new engine with nothing in it. */
    protected abstract Engine open() throws Exception;

    @BeforeEach
    void openEngine() throws Exception {
        engine = open();
        begin("one");
        begin("other");
    }

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    private void begin(String id) {
        engine.transact(tx -> {
            tx.sessions().begin(new Session(id, "key of " + id, "ana", "", AT, AT, "", SessionLabel.EMPTY));
            return true;
        });
    }

    private <T> T in(Function<PromptStore, T> work) {
        return engine.transact(tx -> work.apply(tx.prompts()));
    }

    private Prompt add(String session, String text) {
        return in(prompts -> prompts.add(session, text, AT));
    }

    private List<Long> numbers(String session) {
        return in(prompts -> prompts.after(session, 0)).stream()
                .map(Prompt::number)
                .toList();
    }

    @Test
    void added_areFoundInOrder_bySession() {
        assertEquals(new Prompt(1, "first", AT), add("one", "first"));
        add("other", "elsewhere");
        add("one", "second \ud83d\ude00");

        assertEquals(
                List.of(new Prompt(1, "first", AT), new Prompt(2, "second \ud83d\ude00", AT)),
                in(prompts -> prompts.after("one", 0)));
        assertEquals(List.of(new Prompt(2, "second \ud83d\ude00", AT)), in(prompts -> prompts.after("one", 1)));
        assertEquals(List.of(), in(prompts -> prompts.after("one", 2)));
        assertEquals(List.of(new Prompt(1, "elsewhere", AT)), in(prompts -> prompts.after("other", 0)));
        assertEquals(List.of(), in(prompts -> prompts.after("none", 0)));
    }

    @Test
    void beyondTheNumber_theOldestGo_andNumbersGoOn() {
        for (int i = 0; i < PromptStore.MOST_PROMPTS + 3; i++) {
            add("one", "p" + i);
        }
        add("other", "stays");

        List<Long> numbers = numbers("one");
        assertEquals(PromptStore.MOST_PROMPTS, numbers.size());
        assertEquals(4, numbers.get(0));
        assertEquals(PromptStore.MOST_PROMPTS + 3, numbers.get(numbers.size() - 1));
        assertEquals(List.of(1L), numbers("other"));
    }

    @Test
    void beyondTheBytes_theOldestGo() {
        String third = "\u00e9".repeat(PromptStore.MOST_BYTES / 6);
        add("one", third);
        add("one", third);
        add("one", "small");
        add("one", third);

        assertEquals(List.of(2L, 3L, 4L), numbers("one"), "with the first there would be a few bytes too many");
        add("one", "x".repeat(PromptStore.MOST_BYTES));
        assertEquals(List.of(5L), numbers("one"));
        add("one", "y");
        assertEquals(List.of(6L), numbers("one"));
    }

    @Test
    void tooLong_isRefused_andNothingGives() {
        add("one", "small");

        StoreException fault =
                assertThrows(StoreException.class, () -> add("one", "x".repeat(PromptStore.MOST_BYTES + 1)));

        assertEquals("a prompt of 65537 bytes can't be kept: give 65536 at most", fault.getMessage());
        assertEquals(List.of(1L), numbers("one"));
    }

    @Test
    void endedSession_hasNone_andTakesNone() {
        add("one", "private");
        add("other", "stays");
        engine.transact(tx -> tx.sessions().end("one", AT));

        assertEquals(List.of(), numbers("one"));
        assertEquals(List.of(1L), numbers("other"));
        StoreException ended = assertThrows(StoreException.class, () -> add("one", "late"));
        assertEquals("no session `one` is live: begin one", ended.getMessage());
        assertThrows(StoreException.class, () -> add("never", "x"));
    }

    @Test
    void failedWork_leavesNothing() {
        add("one", "kept");
        assertThrows(
                IllegalStateException.class,
                () -> engine.transact(tx -> {
                    tx.prompts().add("one", "not kept", AT);
                    tx.sessions().end("other", AT);
                    throw new IllegalStateException("no");
                }));

        assertEquals(List.of(1L), numbers("one"));
    }
}
