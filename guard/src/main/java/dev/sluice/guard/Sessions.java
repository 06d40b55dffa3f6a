package dev.sluice.guard;

import dev.sluice.labels.SessionLabel;
import dev.sluice.store.Session;
import dev.sluice.store.Transaction;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;

/** Finds the live session of an agent, or begins one. */
final class Sessions {

    private static final Duration NOTED_USE = Duration.ofMinutes(1);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Clock clock;
    private final long idle;

    Sessions(Clock clock, long idle) {
        this.clock = clock;
        this.idle = idle;
    }

    Session live(Transaction tx, AgentSession agent) {
        Instant now = clock.instant();
        Optional<Session> found = tx.sessions().live(agent.key());
        if (found.isPresent() && isUnused(found.get(), now)) {
            tx.sessions().end(found.get().id(), now);
            tx.audit().append(Records.session(now, found.get(), "idle"));
            found = Optional.empty();
        }
        if (found.isEmpty()) {
            return begin(tx, agent, now);
        }
        Session session = found.get();
        boolean newClient = !agent.client().isEmpty() && !agent.client().equals(session.client());
        if (newClient || session.seen().plus(NOTED_USE).isBefore(now)) {
            tx.sessions().touch(session.id(), now, newClient ? agent.client() : session.client());
        }
        return session;
    }

    /** Ends the live session of an agent; returns whether there was one. */
    boolean end(Transaction tx, AgentSession agent) {
        Optional<Session> found = tx.sessions().live(agent.key());
        Instant now = clock.instant();
        found.ifPresent(session -> {
            tx.sessions().end(session.id(), now);
            tx.audit().append(Records.session(now, session, "end"));
        });
        return found.isPresent();
    }

    int endIdle(Transaction tx) {
        Instant now = clock.instant();
        int ended = 0;
        for (Session session : tx.sessions().live()) {
            if (isUnused(session, now) && tx.sessions().end(session.id(), now)) {
                tx.audit().append(Records.session(now, session, "idle"));
                ended++;
            }
        }
        return ended;
    }

    /** A use is not noted within a minute of one that was, so a session may have been used that much later than noted. */
    private boolean isUnused(Session session, Instant now) {
        return idle > 0
                && session.seen().plus(Duration.ofMinutes(idle)).plus(NOTED_USE).isBefore(now);
    }

    private Session begin(Transaction tx, AgentSession agent, Instant now) {
        SessionLabel label = SessionLabel.EMPTY;
        if (agent.start() == AgentSession.Start.PRINCIPAL) {
            for (Session other : tx.sessions().live()) {
                if (!isUnused(other, now) && other.principal().equals(agent.principal())) {
                    label = label.join(other.label());
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
        tx.audit().append(Records.session(now, session, "begin"));
        return session;
    }
}
