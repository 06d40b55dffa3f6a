package dev.sluice.store;

import dev.sluice.labels.SessionLabel;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The sessions of a {@link MemoryEngine}. */
final class MemorySessions implements SessionStore {

    /**
     * A session as it is kept.
     *
     * @param session what it is
     * @param live whether it has not ended
     */
    record Kept(Session session, boolean live) {}

    private final MemoryTransaction transaction;

    MemorySessions(MemoryTransaction transaction) {
        this.transaction = transaction;
    }

    @Override
    public Optional<Session> live(String key) {
        String id = transaction.state().liveIds.get(key);
        return id == null ? Optional.empty() : byId(id);
    }

    @Override
    public Optional<Session> byId(String id) {
        return Optional.ofNullable(transaction.state().sessions.get(id)).map(Kept::session);
    }

    @Override
    public List<Session> live() {
        Map<String, Kept> sessions = transaction.state().sessions;
        return sessions.values().stream()
                .filter(Kept::live)
                .map(Kept::session)
                .sorted(Comparator.comparing(Session::seen).reversed().thenComparing(Session::id))
                .toList();
    }

    @Override
    public List<Session> ofPrincipal(String principal) {
        return live().stream()
                .filter(session -> session.principal().equals(principal))
                .toList();
    }

    @Override
    public void begin(Session session) {
        MemoryTransaction.State state = transaction.state();
        if (state.sessions.containsKey(session.id())) {
            throw new StoreException("a session `" + session.id() + "` was begun before: give each another id");
        }
        if (state.liveIds.containsKey(session.key())) {
            throw new StoreException("the session key `" + session.key() + "` is in use: end that session first");
        }
        transaction.put(state.sessions, session.id(), new Kept(session, true));
        transaction.put(state.liveIds, session.key(), session.id());
    }

    @Override
    public SessionLabel join(String id, SessionLabel entered) {
        Kept kept = kept(id);
        Session session = kept.session();
        SessionLabel joined = session.label().join(entered);
        replace(kept, session.seen(), session.client(), joined, session.witness(), kept.live());
        return joined;
    }

    @Override
    public void witness(String id, String witness) {
        Kept kept = kept(id);
        Session session = kept.session();
        replace(kept, session.seen(), session.client(), session.label(), witness, kept.live());
    }

    @Override
    public void touch(String id, Instant at, String client) {
        Kept kept = kept(id);
        Session session = kept.session();
        replace(
                kept,
                at.isAfter(session.seen()) ? at : session.seen(),
                client.isEmpty() ? session.client() : client,
                session.label(),
                session.witness(),
                kept.live());
    }

    @Override
    public boolean end(String id, Instant at) {
        MemoryTransaction.State state = transaction.state();
        Kept kept = state.sessions.get(id);
        if (kept == null || !kept.live()) {
            return false;
        }
        Session session = kept.session();
        replace(kept, session.seen(), session.client(), session.label(), session.witness(), false);
        transaction.remove(state.liveIds, session.key());
        transaction.remove(state.variables, id);
        transaction.remove(state.prompts, id);
        return true;
    }

    private Kept kept(String id) {
        Kept kept = transaction.state().sessions.get(id);
        if (kept == null) {
            throw new StoreException("no session `" + id + "` was ever begun: begin one");
        }
        return kept;
    }

    private void replace(Kept kept, Instant seen, String client, SessionLabel label, String witness, boolean live) {
        Session old = kept.session();
        transaction.put(
                transaction.state().sessions,
                old.id(),
                new Kept(
                        new Session(
                                old.id(),
                                old.key(),
                                old.principal(),
                                old.display(),
                                old.started(),
                                seen,
                                client,
                                label,
                                witness),
                        live));
    }
}
