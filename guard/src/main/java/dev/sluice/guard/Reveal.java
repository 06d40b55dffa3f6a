package dev.sluice.guard;

import dev.sluice.labels.SessionLabel;
import dev.sluice.policy.Obligations;
import dev.sluice.policy.Redaction;
import dev.sluice.store.Engine;
import dev.sluice.store.Session;
import dev.sluice.store.Transaction;
import dev.sluice.wire.VendorKeys;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What an agent may learn of the values that it has handles of. */
final class Reveal {

    private Reveal() {}

    /** A value, and the rule that takes it out by now. */
    private record Found(Session session, Variables.Known known, Optional<Redaction> rule) {}

    static Revealed inspect(
            Engine engine,
            Function<Transaction, Session> live,
            Supplier<Obligations> obligations,
            Traces traces,
            Clock clock,
            String handle) {
        Optional<Found> found = engine.transact(tx -> {
            Session session = live.apply(tx);
            Optional<Variables.Known> known = Variables.find(tx, session, handle);
            Optional<Found> both = known.map(value -> new Found(
                    session,
                    value,
                    obligations
                            .get()
                            .redactor(value.origin().server(), value.tool(), session.principal())
                            .of(value.label())));
            both.ifPresent(value -> {
                List<String> rule = value.rule().map(Redaction::id).stream().toList();
                tx.audit().append(Records.variable(clock.instant(), session, value.known(), rule));
                if (rule.isEmpty()) {
                    tx.sessions()
                            .join(
                                    session.id(),
                                    SessionLabel.EMPTY.observe(
                                            value.known().label(), value.known().origin()));
                    traces.comes(tx, session, value.known().label());
                }
            });
            return both;
        });
        if (found.isEmpty()) {
            return unknown();
        }
        if (found.get().rule().isPresent()) {
            Redaction rule = found.get().rule().get();
            ObjectNode meta = JsonNodeFactory.instance.objectNode();
            meta.putObject(VendorKeys.REDACTED)
                    .put("count", 1)
                    .putObject("rules")
                    .put(rule.id(), 1);
            return new Revealed(Fates.text(rule), true, meta);
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
