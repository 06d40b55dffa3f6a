package dev.sluice.cli;

import dev.sluice.guard.Ticket;
import dev.sluice.labels.DataClass;
import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import dev.sluice.policy.Decision;
import dev.sluice.policy.PlainName;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import dev.sluice.policy.Profile;
import dev.sluice.policy.Violation;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.MalformedJsonException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
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
            "A trace is JSON Lines: each has server, tool and arguments, and where wanted result",
            "(of tools/call), definition (of the tool) and prompt (what the user typed before the",
            "call). Prints a line for each decision. The answer to a denied call does not come",
            "in, that of an asked one only with --approve.",
            "Ends with 3 where a call was denied, else with 4 where one was asked, else with 0.",
            ""
        })
final class ExplainCommand implements Callable<Integer> {

    private static final int DENIED = 3;
    private static final int ASKED = 4;

    @Mixin
    private Output out = new Output();

    @Mixin
    private InputFile trace = new InputFile();

    @Option(names = "--policy", paramLabel = "<file>", required = true, description = "The policy.")
    private Path policyFile = Path.of("");

    @Option(
            names = "--profile",
            paramLabel = "<profile>",
            description = "strict or balanced, in place of the policy's.")
    private @Nullable Profile profile;

    @Option(names = "--approve", description = "Go on after an asked call as if a person had approved it.")
    private boolean approve;

    @Override
    public Integer call() {
        Policy policy = PolicyParser.read(policyFile);
        boolean denied = false;
        boolean asked = false;
        try (Rehearsal rehearsal = new Rehearsal(profile == null ? policy : policy.as(profile))) {
            int number = 0;
            for (String line : new String(trace.read(), StandardCharsets.UTF_8).split("\n", -1)) {
                number++;
                if (line.isBlank()) {
                    continue;
                }
                Decision.Kind kind = step(rehearsal, parse(line, number), number);
                denied |= kind == Decision.Kind.DENY;
                asked |= kind == Decision.Kind.ASK;
            }
        }
        return denied ? DENIED : asked ? ASKED : 0;
    }

    private static JsonNode parse(String line, int number) {
        JsonNode step;
        try {
            step = JsonIndex.parse(line.getBytes(StandardCharsets.UTF_8)).root().tree();
        } catch (MalformedJsonException e) {
            throw new Main.InputFailure("line " + number + " of the trace is no strict JSON: " + e.getMessage());
        }
        if (!step.path("server").isString()
                || !step.path("tool").isString()
                || !step.path("arguments").isObject()) {
            throw new Main.InputFailure("line " + number
                    + " of the trace is no call: give the texts `server` and `tool` and the object `arguments`");
        }
        return step;
    }

    private Decision.Kind step(Rehearsal rehearsal, JsonNode step, int number) {
        String server = step.path("server").stringValue();
        if (step.path("definition").isObject()) {
            rehearsal.define(server, step.path("definition"));
        }
        if (step.path("prompt").isString()) {
            rehearsal.typed(step.path("prompt").stringValue());
        }
        Ticket ticket = rehearsal.call(server, step.path("tool").stringValue(), step.path("arguments"));
        Decision.Kind kind = ticket.decision().kind();
        report(step, ticket, number);
        boolean comesIn = kind == Decision.Kind.ALLOW || (kind == Decision.Kind.ASK && approve);
        if (comesIn && step.has("result")) {
            rehearsal.answer(ticket, step.path("result"));
        }
        return kind;
    }

    private void report(JsonNode step, Ticket ticket, int number) {
        Decision decision = ticket.decision();
        if (out.isJson()) {
            out.line(json(ticket));
            return;
        }
        StringBuilder line = new StringBuilder(number + "  ")
                .append(word(decision.kind()))
                .append("  ")
                .append(PlainName.of(step.path("server").stringValue()))
                .append(' ')
                .append(PlainName.of(step.path("tool").stringValue()))
                .append("  ")
                .append(decision.code());
        decision.violations().forEach(violation -> line.append("; ").append(violation.toHuman()));
        out.line(line.toString());
    }

    private static ObjectNode json(Ticket ticket) {
        Decision decision = ticket.decision();
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("decision", word(decision.kind()));
        ArrayNode rules = node.putArray("rules");
        decision.violations().stream().map(ExplainCommand::rule).distinct().forEach(rules::add);
        node.put("code", decision.code());
        node.put(
                "reason",
                String.join(
                        "; ",
                        decision.violations().stream().map(Violation::toHuman).toList()));
        ArrayNode lineage = node.putArray("lineage");
        for (Origin origin : decision.lineage()) {
            lineage.addObject()
                    .put("call", origin.call())
                    .put("server", origin.server())
                    .put("name", origin.name());
        }
        node.set("label", label(ticket.carried()));
        return node;
    }

    private static String rule(Violation violation) {
        return violation.control().id();
    }

    private static ObjectNode label(Label label) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("integrity", label.integrity().name().toLowerCase(Locale.ROOT));
        ArrayNode sources = node.putArray("confidentiality");
        label.confidentiality().sources().forEach(source -> sources.add(source.text()));
        ArrayNode classes = node.putArray("classes");
        label.classes().stream().map(DataClass::name).distinct().forEach(classes::add);
        return node;
    }

    private static String word(Decision.Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }
}
