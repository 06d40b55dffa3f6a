package dev.sluice.guard;

import dev.sluice.labels.SessionLabel;
import dev.sluice.store.Engine;
import dev.sluice.store.Session;
import dev.sluice.store.Transaction;
import dev.sluice.wire.VendorKeys;
import java.time.Clock;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What an agent may learn of the values that it has handles of. */
final class Reveal {

    private Reveal() {}

    private record Found(Session session, Variables.Known known) {}

    static Revealed inspect(
            Engine engine, Function<Transaction, Session> live, Traces traces, Clock clock, String handle) {
        Optional<Found> found = engine.transact(tx -> {
            Session session = live.apply(tx);
            Optional<Variables.Known> known = Variables.find(tx, session, handle);
            known.ifPresent(value -> {
                tx.audit().append(Records.variable(clock.instant(), session, "inspected", value));
                tx.sessions().join(session.id(), SessionLabel.EMPTY.observe(value.label(), value.origin()));
            });
            return known.map(value -> new Found(session, value));
        });
        if (found.isEmpty()) {
            return unknown();
        }
        Variables.Known known = found.get().known();
        traces.came(found.get().session(), known.parts(), false, known.label(), known.origin());
        ObjectNode meta = JsonNodeFactory.instance.objectNode();
        meta.set(
                VendorKeys.LABEL,
                Marks.label(known.label()).put("call", known.origin().call()));
        return new Revealed(known.text(), true, meta);
    }

    static Revealed describe(Engine engine, Function<Transaction, Session> live, String handle) {
        Optional<Variables.Known> found = engine.transact(tx -> Variables.find(tx, live.apply(tx), handle));
        return found.map(known ->
                        new Revealed(known.description().toString(), true, JsonNodeFactory.instance.objectNode()))
                .orElseGet(Reveal::unknown);
    }

    private static Revealed unknown() {
        return new Revealed(
                "This is no handle that this session was given. A handle begins with `" + Handle.PREFIX + "`.",
                false,
                JsonNodeFactory.instance.objectNode());
    }
}
