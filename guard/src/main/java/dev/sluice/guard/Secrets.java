package dev.sluice.guard;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The variables by which people, hosts and callers prove who they are. No program that is started for a policy gets them.
 */
public final class Secrets {

    private static final Set<String> VARIABLES = ConcurrentHashMap.newKeySet();

    static {
        VARIABLES.addAll(Set.of("SLUICE_APPROVER_SECRET", "SLUICE_HOST_TOKEN"));
    }

    private Secrets() {}

    /** Counts another variable of this process among them, for as long as it runs. */
    public static void add(String variable) {
        VARIABLES.add(variable);
    }

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
