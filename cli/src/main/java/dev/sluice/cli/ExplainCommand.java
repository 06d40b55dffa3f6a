package dev.sluice.cli;

import dev.sluice.guard.StandIn;
import dev.sluice.guard.Ticket;
import dev.sluice.labels.Origin;
import dev.sluice.policy.Decision;
import dev.sluice.policy.PlainName;
import dev.sluice.policy.Violation;
import dev.sluice.store.LabelCodec;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Says what a policy would decide on the calls of a trace, and why. */
@Command(
        name = "explain",
        mixinStandardHelpOptions = true,
        header = "Say what a policy decides on the calls of a trace, and why.",
        description = {
            "",
            "A trace is JSON Lines: each has server, tool and arguments, and where wanted",
            "result (of tools/call), definition (of the tool) and prompt (what the user",
            "typed before the call). Prints a line for each decision. The answer to a",
            "denied call does not come in, that of an asked one only with --approve. No",
            "server is started.",
            "Ends with 3 where a call was denied, else with 4 where one was asked, else with",
            "0; with 2 where a line of the trace is no call, and then nothing is decided.",
            ""
        })
final class ExplainCommand implements Callable<Integer> {

    private static final int DENIED = 3;
    private static final int ASKED = 4;

    @Mixin
    private Output out = new Output();

    @Mixin
    private CandidatePolicy policy = new CandidatePolicy();

    @Mixin
    private InputFile trace = new InputFile();

    @Option(names = "--approve", description = "Go on after an asked call as if a person had approved it.")
    private boolean approve;

    /** The lines of the calls that were decided, by the numbers that lineage has. */
    private final Map<String, Integer> lines = new HashMap<>();

    @Override
    public Integer call() {
        List<TraceStep> steps = TraceStep.read(trace.read());
        Set<Decision.Kind> made = EnumSet.noneOf(Decision.Kind.class);
        try (Rehearsal rehearsal = new Rehearsal(policy.read())) {
            for (TraceStep step : steps) {
                made.add(play(rehearsal, step));
            }
        }
        return made.contains(Decision.Kind.DENY) ? DENIED : made.contains(Decision.Kind.ASK) ? ASKED : 0;
    }

    private Decision.Kind play(Rehearsal rehearsal, TraceStep step) {
        if (!step.definition().isMissingNode()) {
            rehearsal.define(step.server(), step.definition());
        }
        if (!step.prompt().isEmpty()) {
            rehearsal.typed(step.prompt());
        }
        Ticket ticket = rehearsal.call(step.server(), step.tool(), step.arguments());
        lines.put(ticket.call(), step.number());
        if (out.isJson()) {
            ObjectNode node = json(ticket);
            if (rehearsal.hides()) {
                handles(node.putArray("handles"), rehearsal.standIns());
            }
            out.line(node);
        } else {
            out.line(text(step, ticket.decision()));
        }
        Decision.Kind kind = ticket.decision().kind();
        boolean comesIn = kind == Decision.Kind.ALLOW || (kind == Decision.Kind.ASK && approve);
        if (comesIn && !step.result().isMissingNode()) {
            rehearsal.answer(ticket, step.result());
        }
        return kind;
    }

    private static String text(TraceStep step, Decision decision) {
        String line = "line " + step.number() + "  " + word(decision) + "  " + PlainName.of(step.server()) + " "
                + PlainName.of(step.tool()) + "  " + decision.code();
        return decision.violations().isEmpty() ? line : line + ": " + reason(decision);
    }

    private ObjectNode json(Ticket ticket) {
        Decision decision = ticket.decision();
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("decision", word(decision));
        ArrayNode rules = node.putArray("rules");
        decision.violations().stream().map(Violation::id).distinct().forEach(rules::add);
        node.put("code", decision.code());
        node.put("reason", reason(decision));
        ArrayNode lineage = node.putArray("lineage");
        for (Origin origin : decision.lineage()) {
            lineage.addObject()
                    .put("call", origin.call())
                    .put("server", origin.server())
                    .put("name", origin.name())
                    .put("line", lines.getOrDefault(origin.call(), 0));
        }
        node.set("label", LabelCodec.encode(ticket.carried()));
        return node;
    }

    /** A value of which an agent would have had a handle, and the lines of the calls that brought that. */
    private void handles(ArrayNode node, List<StandIn> standIns) {
        for (StandIn standIn : standIns) {
            ArrayNode of = node.addObject()
                    .put("argument", standIn.argument())
                    .put("whole", standIn.whole())
                    .putArray("lines");
            standIn.calls().stream()
                    .map(call -> lines.getOrDefault(call, 0))
                    .sorted()
                    .forEach(of::add);
        }
    }

    private static String reason(Decision decision) {
        return decision.violations().isEmpty()
                ? "every control is satisfied"
                : decision.violations().stream().map(Violation::toHuman).collect(Collectors.joining("; "));
    }

    private static String word(Decision decision) {
        return decision.kind().name().toLowerCase(Locale.ROOT);
    }
}
