package dev.sluice.cli;

import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyException;
import dev.sluice.policy.PolicyParser;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Reads a policy file as a start would, and tells what is wrong with it. */
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        header = "Check a policy file.",
        description = {
            "",
            "Tells all that is wrong with a policy file, each with its line and its mend.",
            "Ends with 0 where nothing is, and with 1 where something is.",
            ""
        },
        footer = {"", "Example:", "  sluice check sluice.yaml"})
final class CheckCommand implements Callable<Integer> {

    @Mixin
    private Output out = new Output();

    @Parameters(index = "0", paramLabel = "<policy>", description = "The policy file.")
    private Path file = Path.of("");

    @Override
    public Integer call() {
        try {
            Policy policy = PolicyParser.read(file);
            if (out.isJson()) {
                out.line(JsonNodeFactory.instance
                        .objectNode()
                        .put("valid", true)
                        .put("servers", policy.servers().size())
                        .put("rules", policy.rules().size())
                        .put("digest", policy.digest()));
            } else {
                out.line(file + " is a policy for " + counted(policy.servers().size(), "server") + " with "
                        + counted(policy.rules().size(), "rule"));
                policy.warnings(Instant.now()).forEach(warning -> out.line("warning: " + warning));
            }
            return 0;
        } catch (PolicyException e) {
            if (out.isJson()) {
                out.line(json(e));
            } else {
                out.line(String.valueOf(e.getMessage()));
            }
            return 1;
        }
    }

    private static String counted(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    private static ObjectNode json(PolicyException fault) {
        ObjectNode node = JsonNodeFactory.instance.objectNode().put("valid", false);
        ArrayNode problems = node.putArray("problems");
        for (PolicyException.Problem problem : fault.problems()) {
            problems.addObject()
                    .put("file", problem.file())
                    .put("line", problem.line())
                    .put("message", problem.message());
        }
        return node;
    }
}
