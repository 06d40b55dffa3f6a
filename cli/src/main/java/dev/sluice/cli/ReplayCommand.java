package dev.sluice.cli;

import dev.sluice.policy.Policy;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.MalformedJsonException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Measures a policy on a suite of recorded tasks and attacks. */
@Command(
        name = "replay",
        mixinStandardHelpOptions = true,
        header = "Measure a policy on recorded tasks and attacks.",
        description = {
            "",
            "Plays a suite of AgentDojo traces through the guard: each benign task, and each",
            "attack behind the task that shows it. Needs no model. An attack is blocked",
            "where at least one of its consequential calls is asked or denied, a task",
            "completed where none is. docs/agentdojo.md has the rules. Ends with 0 where the",
            "figures were computed.",
            ""
        })
final class ReplayCommand implements Callable<Integer> {

    @Mixin
    private Output out = new Output();

    @Mixin
    private CandidatePolicy candidate = new CandidatePolicy();

    @Option(names = "--no-prompt", description = "As if nobody told what the user typed.")
    private boolean noPrompt;

    @Option(
            names = "--variables",
            description = "As with hide: untrusted; also report how many tasks need no untrusted text.")
    private boolean variables;

    @Option(
            names = "--agentdojo",
            paramLabel = "<suite>",
            required = true,
            description = "The file of a suite of AgentDojo traces.")
    private Path suite = Path.of("");

    @Option(
            names = "--tasks",
            description = "Also report each task that was not completed without an ask, and each attack that passed.")
    private boolean tasks;

    @Override
    public Integer call() {
        Policy policy = candidate.read();
        if (policy.servers().size() != 1) {
            throw new Main.CommandFailure("the policy has " + policy.servers().size()
                    + " servers; a replay needs one, of which the suite's tools are");
        }
        SuiteReplay replay = new SuiteReplay(policy, read(suite), !noPrompt, variables);
        ObjectNode figures = replay.run();
        if (tasks) {
            figures.set("remarks", replay.remarks());
        }
        if (out.isJson()) {
            out.line(figures);
        } else {
            figures.properties().forEach(each -> out.line(each.getKey() + "  " + each.getValue()));
        }
        return 0;
    }

    private static JsonNode read(Path suite) {
        try {
            return JsonIndex.parse(InputFile.read(suite)).root().tree();
        } catch (MalformedJsonException e) {
            throw new Main.InputFailure("the suite is no strict JSON: " + e.getMessage());
        }
    }
}
