package dev.sluice.cli;

import dev.sluice.gateway.Inventory;
import dev.sluice.gateway.Log;
import dev.sluice.gateway.Servers;
import dev.sluice.policy.InventoryCheck;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyException;
import dev.sluice.policy.PolicyParser;
import dev.sluice.policy.ServerOffer;
import dev.sluice.policy.ServerPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
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
            "With --inventory also starts each server that it describes, and tells which",
            "tools and arguments it names that the server does not have, and which pinned",
            "definitions changed. No tool is called.",
            "Ends with 0 where nothing is wrong, and with 1 where something is.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  sluice check sluice.yaml",
            "  sluice check --inventory sluice.yaml",
            "  sluice check --inventory sluice.yaml -- node server.js"
        })
final class CheckCommand implements Callable<Integer> {

    @Mixin
    private Output out = new Output();

    @Mixin
    private InventoryOptions waiting = new InventoryOptions();

    @Option(names = "--inventory", description = "Start the servers, and look whether they have what the policy names.")
    private boolean inventory;

    @Parameters(index = "0", paramLabel = "<policy>", description = "The policy file.")
    private Path file = Path.of("");

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "<command>",
            description = "With --inventory, after --: the command of a server that the policy gives none.")
    private List<String> command = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
        if (!inventory && !command.isEmpty()) {
            throw new Main.InputFailure("a server's command is for `--inventory`; without it nothing is started");
        }
        try {
            Policy policy = PolicyParser.read(file);
            Map<String, ServerOffer> offers = inventory ? held(policy) : Map.of();
            if (out.isJson()) {
                out.line(json(policy, offers));
            } else {
                out.line(file + " is a policy for " + counted(policy.servers().size(), "server") + " with "
                        + counted(policy.rules().size(), "rule"));
                policy.warnings(Instant.now()).forEach(warning -> out.line("warning: " + warning));
                offers.forEach((name, offer) -> out.line("`" + name + "` has "
                        + counted(offer.tools().size(), "tool") + ", and all that the policy names of it"));
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

    /** Returns what the servers have; a policy that does not fit them is one with problems. */
    private Map<String, ServerOffer> held(Policy policy) throws IOException {
        InventoryCheck check = InventoryCheck.of(file.toString(), Files.readString(file));
        List<PolicyException.Problem> problems = new ArrayList<>();
        Map<String, ServerOffer> offers = new LinkedHashMap<>();
        for (ServerPolicy server : started(policy)) {
            if (server.command().isEmpty() && server.line().url().isEmpty()) {
                problems.add(
                        check.at(
                                server.name(),
                                "`" + server.name()
                                        + "` can't be started, since it has no `command` and no `url`; write one here, or give the command after `--`"));
                continue;
            }
            try {
                offers.put(
                        server.name(),
                        Inventory.take(server, waiting.patience(), Log.stderr()).offer());
            } catch (IOException e) {
                problems.add(check.at(server.name(), String.valueOf(e.getMessage())));
            }
        }
        problems.addAll(check.problems(offers));
        if (!problems.isEmpty()) {
            problems.sort(Comparator.comparingInt(PolicyException.Problem::line));
            throw new PolicyException(problems);
        }
        return offers;
    }

    /** The words after {@code --} are for the entry that {@code sluice run} would take. */
    private List<ServerPolicy> started(Policy policy) {
        List<ServerPolicy> servers = new ArrayList<>(policy.servers().values());
        if (!command.isEmpty()) {
            ServerPolicy meant = Servers.of(policy, command);
            servers.removeIf(each -> each.name().equals(meant.name()));
            servers.add(meant);
        }
        return servers;
    }

    private static String counted(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    private static ObjectNode json(Policy policy, Map<String, ServerOffer> offers) {
        ObjectNode node = JsonNodeFactory.instance
                .objectNode()
                .put("valid", true)
                .put("servers", policy.servers().size())
                .put("rules", policy.rules().size())
                .put("digest", policy.digest());
        if (!offers.isEmpty()) {
            ObjectNode inventory = node.putObject("inventory");
            offers.forEach((name, offer) -> inventory.put(name, offer.tools().size()));
        }
        return node;
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
