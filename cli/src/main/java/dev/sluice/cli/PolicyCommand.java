package dev.sluice.cli;

import dev.sluice.gateway.PolicyWatch;
import dev.sluice.gateway.State;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.JsonNodeFactory;

/** What the approver says of a policy file that changed while it is in use. */
@Command(
        name = "policy",
        mixinStandardHelpOptions = true,
        header = "Accept a policy file that changed.",
        description = {
            "",
            "A policy file is read again when it changes. One that may allow more than",
            "before waits until it is accepted here.",
            ""
        },
        synopsisSubcommandLabel = "accept",
        footer = {"", "Example:", "  sluice policy accept sluice.yaml"})
final class PolicyCommand {

    @Command(
            name = "accept",
            mixinStandardHelpOptions = true,
            header = "Accept a policy file as it is now, whatever it allows.",
            description = {
                "",
                "Asks for the approver's secret. What runs with this file has it in force",
                "within seconds, without a restart. Another change needs another word.",
                ""
            })
    int accept(
            @Mixin StateOption state,
            @Mixin Output out,
            @Parameters(index = "0", paramLabel = "<file>", description = "The policy file.") Path file)
            throws IOException {
        Policy policy = PolicyParser.read(file);
        try (State open = state.openExisting()) {
            state.demandApprover(open);
            PolicyWatch.accept(open.engine(), file, policy, Clock.systemUTC());
            if (out.isJson()) {
                out.line(JsonNodeFactory.instance
                        .objectNode()
                        .put("accepted", true)
                        .put("digest", policy.digest()));
            } else {
                out.line(file + " is accepted as it is now");
            }
            return 0;
        }
    }
}
