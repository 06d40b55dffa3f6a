package dev.sluice.guard;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import dev.sluice.labels.SessionLabel;
import dev.sluice.labels.Source;
import dev.sluice.store.AuditRecord;
import dev.sluice.store.Session;
import dev.sluice.store.Transaction;
import dev.sluice.wire.Claim;
import dev.sluice.wire.RequestAnnotations;
import dev.sluice.wire.SensitiveHint;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Finds the live session of an agent, or begins one. */
final class Sessions {

    /** What the client's own context counts as: no server can have this name, so that none is permitted by it. */
    private static final String CLIENT = "(client)";

    private static final Duration NOTED_USE = Duration.ofMinutes(1);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Clock clock;
    private final long idle;
    private final Consumer<String> ended;
    private final Begun begun;
    private final Beside beside;

    /** Is told of each session that begins, with those whose labels it begins with. */
    @FunctionalInterface
    interface Begun {
        void begun(Transaction tx, Session session, List<Session> from);
    }

    /**
     * Is told, before each decision, of the sessions that one counts as having seen all of besides its own; and of no session
     * where the client tells of more that was seen.
     */
    @FunctionalInterface
    interface Beside {
        void beside(Transaction tx, Session session, List<Session> others, SessionLabel label);
    }

    /** Makes a keeper that tells {@code ended} the id of each session that it ends, {@code begun} what it begins, and {@code beside} what it counts besides. */
    Sessions(Clock clock, long idle, Consumer<String> ended, Begun begun, Beside beside) {
        this.beside = beside;
        this.begun = begun;
        this.ended = ended;
        this.clock = clock;
        this.idle = idle;
    }

    Session live(Transaction tx, AgentSession agent) {
        return resume(tx, agent).orElseGet(() -> {
            if (agent.start() == AgentSession.Start.NONE) {
                throw new SessionOver();
            }
            return begin(tx, agent, clock.instant());
        });
    }

    /** Returns the live session of an agent, as used now; one that nobody used for too long is ended. */
    Optional<Session> resume(Transaction tx, AgentSession agent) {
        Instant now = clock.instant();
        Optional<Session> found = tx.sessions().live(agent.key());
        if (found.isEmpty()) {
            return found;
        }
        Session session = found.get();
        if (isUnused(session, now)) {
            tx.sessions().end(session.id(), now);
            tx.audit().append(Records.session(now, session, "idle"));
            ended.accept(session.id());
            return Optional.empty();
        }
        boolean newClient = !agent.client().isEmpty() && !agent.client().equals(session.client());
        if (newClient || session.seen().plus(NOTED_USE).isBefore(now)) {
            tx.sessions().touch(session.id(), now, newClient ? agent.client() : session.client());
        }
        return found;
    }

    /**
     * Returns the live session of an agent as a decision must see it: with what other sessions have seen that its requests
     * may be of too. From then on the session itself has seen that.
     */
    private Session judged(Transaction tx, AgentSession agent) {
        Session session = live(tx, agent);
        List<Session> others = others(tx, agent, session);
        SessionLabel label = SessionLabel.EMPTY;
        for (Session other : others) {
            label = label.join(other.label());
        }
        if (others.isEmpty()) {
            return session;
        }
        beside.beside(tx, session, others, label);
        if (session.label().join(label).equals(session.label())) {
            return session;
        }
        tx.sessions().join(session.id(), label);
        Session joined = tx.sessions().byId(session.id()).orElseThrow();
        tx.audit().append(Records.session(clock.instant(), joined, "join"));
        return joined;
    }

    private List<Session> others(Transaction tx, AgentSession agent, Session session) {
        List<Session> all = switch (agent.besides()) {
            case NOTHING -> List.of();
            case UNNAMED ->
                tx.sessions().ofPrincipal(agent.principal()).stream()
                        .filter(other -> agent.mayBe(other.key()))
                        .toList();
            case PRINCIPAL -> tx.sessions().ofPrincipal(agent.principal());
        };
        Instant now = clock.instant();
        return all.stream()
                .filter(other -> !other.id().equals(session.id()) && !isUnused(other, now))
                .toList();
    }

    /**
     * Returns the live session of an agent, with what its client says of the context: a host may have read files or pages
     * itself, which nobody else here has seen.
     */
    Session heard(Transaction tx, AgentSession agent, RequestAnnotations says) {
        Session session = judged(tx, agent);
        Label label = label(says);
        if (label.canFlowTo(session.label().label())) {
            return session;
        }
        Instant now = clock.instant();
        AuditRecord record = tx.audit().append(Records.told(now, session, label));
        Origin origin = new Origin(now, "c" + record.seq(), CLIENT, "what the client says");
        SessionLabel told = SessionLabel.EMPTY.observe(label, origin);
        beside.beside(tx, session, List.of(), told);
        tx.sessions().join(session.id(), told);
        return live(tx, agent);
    }

    private static Label label(RequestAnnotations told) {
        boolean isPrivate = told.privateData() == Claim.TRUE || told.sensitive() != SensitiveHint.ABSENT;
        return new Label(
                told.openWorld() == Claim.TRUE ? Integrity.UNTRUSTED : Integrity.TRUSTED,
                isPrivate ? Confidentiality.of(new Source.OfServer(CLIENT)) : Confidentiality.PUBLIC,
                isPrivate ? new TreeSet<>(Set.of(DataClass.UNCLASSIFIED)) : new TreeSet<>());
    }

    /** Ends the live session of an agent; returns whether there was one. */
    boolean end(Transaction tx, AgentSession agent) {
        Optional<Session> found = tx.sessions().live(agent.key());
        Instant now = clock.instant();
        found.ifPresent(session -> {
            tx.sessions().end(session.id(), now);
            tx.audit().append(Records.session(now, session, "end"));
            ended.accept(session.id());
        });
        return found.isPresent();
    }

    int endIdle(Transaction tx) {
        Instant now = clock.instant();
        int count = 0;
        for (Session session : tx.sessions().live()) {
            if (isUnused(session, now) && tx.sessions().end(session.id(), now)) {
                tx.audit().append(Records.session(now, session, "idle"));
                ended.accept(session.id());
                count++;
            }
        }
        return count;
    }

    /** A use is not noted within a minute of one that was, so a session may have been used that much later than noted. */
    private boolean isUnused(Session session, Instant now) {
        return idle > 0
                && session.seen().plus(Duration.ofMinutes(idle)).plus(NOTED_USE).isBefore(now);
    }

    private Session begin(Transaction tx, AgentSession agent, Instant now) {
        SessionLabel label = SessionLabel.EMPTY;
        List<Session> from = new ArrayList<>();
        if (agent.start() == AgentSession.Start.PRINCIPAL) {
            for (Session other : tx.sessions().ofPrincipal(agent.principal())) {
                if (!isUnused(other, now)) {
                    label = label.join(other.label());
                    from.add(other);
                }
            }
        }
        byte[] id = new byte[6];
        RANDOM.nextBytes(id);
        Session session = new Session(
                HexFormat.of().formatHex(id),
                agent.key(),
                agent.principal(),
                agent.display(),
                now,
                now,
                agent.client(),
                label);
        tx.sessions().begin(session);
        begun.begun(tx, session, from);
        tx.audit().append(Records.session(now, session, "begin"));
        return session;
    }
}
