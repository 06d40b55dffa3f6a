package dev.sluice.guard;

import dev.sluice.store.Engine;
import dev.sluice.store.PromptStore;
import dev.sluice.store.Session;
import dev.sluice.store.Transaction;
import java.time.Clock;

/**
 * What users typed: kept in the state, and read from there before a call is traced, so that it does not matter which of
 * the processes that share a session was told.
 */
final class Prompts {

    private final Engine engine;
    private final Sessions sessions;
    private final Traces traces;
    private final Clock clock;

    Prompts(Engine engine, Sessions sessions, Traces traces, Clock clock) {
        this.engine = engine;
        this.sessions = sessions;
        this.traces = traces;
        this.clock = clock;
    }

    void add(AgentSession agent, String text) {
        engine.transact(tx -> {
            keep(tx, sessions.live(tx, agent), text);
            return true;
        });
    }

    boolean addIfLive(AgentSession agent, String text) {
        return engine.transact(tx -> {
            boolean live = tx.sessions().live(agent.key()).isPresent();
            if (live) {
                keep(tx, sessions.live(tx, agent), text);
            }
            return live;
        });
    }

    private void keep(Transaction tx, Session session, String text) {
        String whole = whole(text);
        if (whole.isBlank() || PromptStore.Prompt.bytes(whole) > PromptStore.MOST_BYTES) {
            return;
        }
        tx.prompts().add(session.id(), whole, clock.instant());
        tx.audit().append(Records.typed(clock.instant(), session, whole.length()));
    }

    /** Half a surrogate pair can't be stored, and names nothing. */
    private static String whole(String text) {
        StringBuilder whole = new StringBuilder();
        text.codePoints().forEach(c -> whole.appendCodePoint(Character.getType(c) == Character.SURROGATE ? '?' : c));
        return whole.toString();
    }

    /** Reads what was typed in a session and is not known here yet. */
    void read(Transaction tx, Session session) {
        traces.typed(session, number -> tx.prompts().after(session.id(), number));
    }
}
