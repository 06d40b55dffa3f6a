package dev.sluice.guard;

import dev.sluice.store.PinStore;
import dev.sluice.store.Session;
import dev.sluice.store.Transaction;
import dev.sluice.wire.Finding;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/** Whether a definition is the approved one; what was never seen is pinned as it is. */
final class Pins {

    private final Sessions sessions;
    private final Clock clock;

    Pins(Sessions sessions, Clock clock) {
        this.sessions = sessions;
        this.clock = clock;
    }

    boolean isApproved(
            Transaction tx,
            AgentSession agent,
            Upstream upstream,
            String kind,
            String name,
            String digest,
            List<Finding> findings) {
        Optional<String> written = upstream.pinned(kind, name);
        if (written.isPresent()) {
            boolean same = written.get().equals(digest);
            if (!same) {
                Session session = sessions.live(tx, agent);
                tx.audit()
                        .append(Records.pin(clock.instant(), session, upstream, kind, name, digest, false, findings)
                                .put("by", "policy"));
            }
            return same;
        }
        Optional<PinStore.Pin> pin = tx.pins().find(upstream.name(), kind, name);
        boolean approved = pin.isEmpty() || pin.get().digest().equals(digest);
        if (pin.isEmpty()) {
            tx.pins().pin(new PinStore.Pin(upstream.name(), kind, name, digest, clock.instant()));
        }
        if (pin.isEmpty() || !approved) {
            tx.audit()
                    .append(Records.pin(
                            clock.instant(),
                            sessions.live(tx, agent),
                            upstream,
                            kind,
                            name,
                            digest,
                            approved,
                            findings));
        }
        return approved;
    }
}
