package dev.sluice.examples.forge;

import dev.sluice.guard.client.Enforcement;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * An agent reads an issue of a private repository, comments on it there, then reads one of another: what it writes from then
 * on may only be seen by who can read both, whom the forge is asked for, and by nobody when it does not answer.
 */
public final class TwoRepositories {

    private TwoRepositories() {}

    /** Plays the agent; the argument is the forge's folder. */
    public static void main(String[] args) {
        play(Path.of(args.length == 1 ? args[0] : "examples/code-forge/fixture"), System.out);
        // The SDK's schedulers keep threads.
        System.exit(0);
    }

    static void play(Path folder, PrintStream out) {
        Fixture fixture = Fixture.read(folder);
        try (Roster roster = Roster.serve(fixture);
                Enforcement enforcement =
                        Enforcement.builder(policy(roster.url())).build();
                Agent agent = new Agent(enforcement, "one", new ForgeTools(fixture, true))) {
            tell(out, "reads an issue of acme/payroll", agent.reads("payroll"));
            tell(out, "comments on it there", agent.comments("payroll", "Kim gets 71,300 from May on: done"));
            tell(out, "comments in acme/site, which is public", agent.comments("site", "Kim gets 71,300 from May on"));
            tell(out, "reads an issue of acme/platform", agent.reads("platform"));
            String both = "Kim, who gets 71,300, moves the database to rack 14";
            tell(out, "tells ana, who reads payroll", agent.notes("ana", both));
            tell(out, "tells cy, who reads platform", agent.notes("cy", both));
            tell(out, "tells bo, who reads both", agent.notes("bo", both));
            tell(out, "comments in acme/ops, which only bo reads", agent.comments("ops", both));
            roster.stop();
            tell(out, "the forge does not say who reads what; tells bo", agent.notes("bo", both));
        }
    }

    private static void tell(PrintStream out, String what, CallToolResult result) {
        String text = Agent.text(result).replace('\n', ' ');
        out.println(what + ": " + (text.length() > 160 ? text.substring(0, 160) + " ..." : text));
    }

    /** Returns the policy, with the forge asked by its service and every time anew. */
    static Policy policy(String url) {
        String text = policyText();
        int from = text.indexOf("    readers:\n");
        int to = text.indexOf("    tools:\n");
        return PolicyParser.parse(
                "policy.yaml",
                text.substring(0, from) + "    readers: {url: \"" + url + "\", within: 20s, keep: 0s}\n"
                        + text.substring(to));
    }

    static String policyText() {
        try (InputStream in = TwoRepositories.class.getResourceAsStream("policy.yaml")) {
            if (in == null) {
                throw new IllegalStateException("the policy is missing from the jar: build it again");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("the policy can't be read: build the jar again", e);
        }
    }
}
