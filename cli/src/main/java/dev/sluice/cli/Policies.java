package dev.sluice.cli;

import dev.sluice.gateway.State;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Which policy holds. */
final class Policies {

    private Policies() {}

    /** Returns the policy in {@code file}; without one, the defaults with what was said by {@code sluice classify}. */
    static Policy read(@Nullable Path file, Path stateFolder) {
        if (file != null) {
            return PolicyParser.read(file);
        }
        Path classified = State.classified(stateFolder);
        Policy defaults = PolicyParser.firstUse();
        return Files.exists(classified) ? defaults.with(PolicyParser.read(classified)) : defaults;
    }
}
