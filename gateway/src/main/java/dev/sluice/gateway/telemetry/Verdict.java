package dev.sluice.gateway.telemetry;

import java.util.List;

/**
 * One decision, as it is told: no arguments, no labels, no readers.
 *
 * @param server the server that the message was for
 * @param decision {@code allow}, {@code ask} or {@code deny}
 * @param code the stable word for the reason
 * @param rules the controls and rules that were not satisfied, by their names in the policy
 * @param policy the digest of the policy in force
 * @param approval what a person said of it; the word none where nobody was asked
 * @param done {@code admitted} or {@code refused}; in the modes {@code audit} and {@code warn} a denied one is admitted
 */
public record Verdict(
        String server, String decision, String code, List<String> rules, String policy, String approval, String done) {

    public Verdict {
        rules = List.copyOf(rules);
    }
}
