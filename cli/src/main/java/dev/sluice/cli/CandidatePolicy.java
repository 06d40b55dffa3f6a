package dev.sluice.cli;

import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import dev.sluice.policy.Profile;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The policy that a command tries out. */
final class CandidatePolicy {

    @Option(names = "--policy", paramLabel = "<file>", required = true, description = "The policy to try.")
    private Path file = Path.of("");

    @Option(
            names = "--profile",
            paramLabel = "<profile>",
            description = "strict or balanced, in place of the policy's own.")
    private @Nullable Profile profile;

    /**
     * Returns the policy, under the profile that was asked for.
     *
     * @throws dev.sluice.policy.PolicyException where it has an error
     */
    Policy read() {
        Policy policy = PolicyParser.read(file);
        return profile == null ? policy : policy.as(profile);
    }
}
