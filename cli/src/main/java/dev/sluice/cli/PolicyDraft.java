package dev.sluice.cli;

import dev.sluice.gateway.Inventory;
import dev.sluice.policy.KnownServers;
import dev.sluice.policy.ServerOffer;
import dev.sluice.policy.ToolStatement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A policy for one server, drafted from what the server has, for a person to read and change.
 *
 * <p>It decides as the engine would without it, and pins what it saw: definitions and instructions.
 */
final class PolicyDraft {

    private static final int LONGEST_TEXT = 160;

    private final StringBuilder text = new StringBuilder();

    private PolicyDraft() {}

    /** Returns the policy's text. */
    static String of(String name, List<String> command, Inventory inventory) {
        PolicyDraft draft = new PolicyDraft();
        draft.head();
        draft.server(name, command, inventory);
        return draft.text.toString();
    }

    private void line(int depth, String line) {
        text.append("  ".repeat(depth)).append(line).append('\n');
    }

    private void head() {
        line(0, "# Drafted by `sluice init` from what the server says of itself; no person has reviewed it yet.");
        line(0, "#");
        line(
                0,
                "# A line without `#` holds. A line that begins with `#-` is a suggestion: take the `#-` away once you");
        line(
                0,
                "# have looked. What stands in \"double quotes\" in a comment is the server's own text, and proves nothing.");
        line(0, "version: 1");
        line(
                0,
                "# `enforce` refuses what the policy does not allow; `audit` lets all pass and records what it would do.");
        line(0, "mode: enforce");
        line(0, "profile: balanced");
        line(0, "servers:");
    }

    private void server(String name, List<String> command, Inventory inventory) {
        line(1, YamlWords.scalar(name) + ":");
        line(
                2,
                "command: ["
                        + String.join(
                                ", ", command.stream().map(YamlWords::quoted).toList()) + "]");
        String known = KnownServers.find(command).orElse("");
        if (known.isEmpty()) {
            line(2, "# No reviewed profile ships for this command.");
            line(2, "known: none");
        } else {
            line(2, "# A reviewed profile ships for this command; it says what the tools do.");
            line(2, "known: " + known);
        }
        if (!inventory.instructions().isEmpty()) {
            line(2, "# It tells models: " + YamlWords.cited(inventory.instructions(), LONGEST_TEXT));
            line(2, "# Pinned as it was now: other instructions are held back until you write their digest here.");
            line(2, "instructions: " + inventory.offer().instructions());
        }
        line(
                2,
                "# Answers of which nothing else is said: an outsider could have written them, and only this server may");
        line(2, "# read them. Where nobody but you can write what it returns, say so:");
        line(2, ToolDraft.SUGGESTED + "defaults: {integrity: trusted, confidentiality: private}");
        if (!inventory.resources().isEmpty()
                || !inventory.templates().isEmpty()
                || !inventory.prompts().isEmpty()) {
            line(
                    2,
                    "# It also has " + counted(inventory.resources().size(), "resource") + ", "
                            + counted(inventory.templates().size(), "resource template") + " and "
                            + counted(inventory.prompts().size(), "prompt")
                            + "; to read them is allowed, and labelled as above.");
        }
        tools(inventory.tools(), KnownServers.tools(known), known);
    }

    private void tools(List<ServerOffer.Tool> tools, Map<String, ToolStatement> shipped, String known) {
        List<String> left = new ArrayList<>();
        Set<String> done = new HashSet<>();
        if (tools.isEmpty()) {
            line(2, "# It lists no tools.");
            return;
        }
        line(2, "# A tool is held to its `definition` as it was now: changed, it is neither offered nor called.");
        line(2, "tools:");
        for (ServerOffer.Tool tool : tools) {
            if (!YamlWords.canBeKey(tool.name())) {
                left.add("A tool whose name can't be written here is left out: " + YamlWords.cited(tool.name(), 40));
            } else if (!done.add(tool.name())) {
                left.add("Listed twice, and held to its first definition: " + YamlWords.cited(tool.name(), 40));
            } else {
                line(3, YamlWords.scalar(tool.name()) + ":");
                ToolDraft.lines(tool, shipped.get(tool.name()), known).forEach(each -> line(4, each));
            }
        }
        left.forEach(each -> line(3, "# " + each));
    }

    private static String counted(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }
}
