package dev.sluice.guard;

import java.util.Map;
import java.util.Set;

/** The variables by which people and hosts prove who they are. No program that is started for a policy gets them. */
public final class Secrets {

    private static final Set<String> VARIABLES = Set.of("SLUICE_APPROVER_SECRET", "SLUICE_HOST_TOKEN");

    private Secrets() {}

    /** Takes them out of the environment of a process to be; where they are not in ours, it stays as it is, in its order. */
    public static void takeOut(ProcessBuilder builder) {
        if (VARIABLES.stream().anyMatch(name -> System.getenv(name) != null)) {
            takeOut(builder.environment());
        }
    }

    static void takeOut(Map<String, String> environment) {
        environment.keySet().removeAll(VARIABLES);
    }
}
