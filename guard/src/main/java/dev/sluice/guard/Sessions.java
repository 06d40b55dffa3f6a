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
        if (found.isPresent() && idle > 0 && isBefore(found.get().seen(), now)) {
            tx.sessions().end(found.get().id(), now);
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

    private boolean isBefore(Instant seen, Instant now) {
        return seen.plus(Duration.ofMinutes(idle)).isBefore(now);
    }

    private Session begin(Transaction tx, AgentSession agent, Instant now) {
        SessionLabel label = SessionLabel.EMPTY;
        if (agent.start() == AgentSession.Start.PRINCIPAL) {
            for (Session other : tx.sessions().live()) {
                boolean counts = idle == 0 || !isBefore(other.seen(), now);
                if (counts && other.principal().equals(agent.principal())) {
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
