package dev.sluice.guard;

import dev.sluice.policy.Call;
import dev.sluice.policy.Decision;
import dev.sluice.policy.PlainName;
import dev.sluice.policy.Policy;
import dev.sluice.policy.Strength;
import dev.sluice.policy.Violation;
import dev.sluice.store.AuditRecord;
import dev.sluice.wire.VendorKeys;
import dev.sluice.wire.canonical.Digest;
import dev.sluice.wire.canonical.JcsCanonicalizer;
import java.util.List;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The words of refusals. */
final class Denials {

    private Denials() {}

    /**
     * Returns the refusal of a call.
     *
     * @param shared whether the question can be answered by a command; else the program that enforces the policy puts it
     */
    static Denial of(
            Policy policy,
            Inbound inbound,
            Call call,
            Decision decision,
            Approvals.Answer answer,
            AuditRecord record,
            boolean shared) {
        List<Violation> weighty = decision.violations().stream()
                .filter(violation -> violation.strength() != Strength.WARN)
                .toList();
        String name = PlainName.of(inbound.name());
        StringBuilder text = new StringBuilder("sluice denied `").append(name).append("`: ");
        text.append(String.join("; ", weighty.stream().map(Violation::toModel).toList()));
        text.append(". Nothing was run and nothing was sent. ");
        text.append(toModel(answer, shared));
        if (inbound instanceof Inbound.ToolCall && !call.profile().classified()) {
            text.append(" (For the user: nobody has said what `").append(name).append("` does. ");
            String server = inbound.upstream().name();
            // The user may copy the command, so it holds the tool's name only where a shell reads that as one word.
            String tool = PlainName.isWord(inbound.name()) ? inbound.name() : "<tool>";
            text.append(
                    policy.isFirstUse()
                            ? "If it is less than feared, say so with `sluice classify " + server + " " + tool
                                    + " --effects <effects>`.)"
                            : "If it is less than feared, say so in the policy, under `servers`, `" + server
                                    + "`, `tools`.)");
        }
        ObjectNode evidence = Records.evidence(inbound, decision);
        ObjectNode mark = Marks.decision(decision);
        mark.put("done", "refused").put("record", record.seq());
        if (!answer.id().isEmpty()) {
            mark.putObject("approval").put("id", answer.id()).put("state", answer.state());
        }
        mark.putObject("evidenceRef")
                .put("type", "policy-decision")
                .put("canonicalization", "jcs/rfc8785")
                .put(
                        "digest",
                        Digest.sha256(JcsCanonicalizer.canonicalize(evidence)).text())
                .put("ref", "audit://" + record.seq());
        ObjectNode meta = JsonNodeFactory.instance.objectNode();
        meta.set(VendorKeys.DECISION, mark);
        return new Denial(
                decision.code(),
                text.toString(),
                String.join("; ", weighty.stream().map(Violation::toHuman).toList()) + toHuman(answer, shared),
                meta,
                answer instanceof Approvals.Answer.Pending ? answer.id() : "",
                decision.violations().stream().map(Violation::id).distinct().toList());
    }

    /** What the model is to do. It can do nothing about the answer, so that it must not try. */
    private static String toModel(Approvals.Answer answer, boolean shared) {
        String last =
                "Don't try another way to the same end; tell the user what you wanted to do, and that it was denied.";
        if (answer instanceof Approvals.Answer.Pending) {
            return "A person has been asked (approval " + answer.id() + ", pending). Don't try another way to the same"
                    + " end; tell the user that it waits for "
                    + (shared
                            ? "`sluice approvals show " + answer.id() + "`"
                            : "an answer in the program that runs you")
                    + ", and when they say that it is approved, call again with exactly the same arguments.";
        }
        if (answer instanceof Approvals.Answer.Denied) {
            return "A person was asked (approval " + answer.id() + ") and said no. " + last;
        }
        if (answer instanceof Approvals.Answer.Unaskable unaskable) {
            return "A person would have to approve it and can't be asked, because " + unaskable.because()
                    + ": it counts as denied. " + last;
        }
        return last;
    }

    private static String toHuman(Approvals.Answer answer, boolean shared) {
        if (answer instanceof Approvals.Answer.Pending) {
            return shared
                    ? "; it waits for a person: `sluice approvals show " + answer.id() + "`"
                    : "; it waits for a person, whom the agent's program must ask: its state is in memory, so no command can"
                            + " (approval " + answer.id() + ")";
        }
        if (answer instanceof Approvals.Answer.Unaskable unaskable
                && unaskable.because().equals(Approvals.NOBODY)) {
            return "; nobody can be asked: the state of the agent's program is in memory and it has no approver, so give it"
                    + " one, or a state that commands reach";
        }
        return answer instanceof Approvals.Answer.Denied ? "; a person said no (approval " + answer.id() + ")" : "";
    }

    static Denial unreachable(Inbound inbound, String fault) {
        return undecided(
                inbound,
                "state-unreachable",
                "its own state can't be read, so it can't tell what this session has seen. Nothing was run."
                        + " Tell the user that sluice needs attention.",
                fault);
    }

    static Denial over(Inbound inbound, String fault) {
        return undecided(
                inbound,
                "session-over",
                "the session is over, ended by a person or since it was not used. Nothing was run."
                        + " Tell the user to begin another.",
                fault);
    }

    private static Denial undecided(Inbound inbound, String code, String why, String fault) {
        ObjectNode meta = JsonNodeFactory.instance.objectNode();
        meta.putObject(VendorKeys.DECISION).put("decision", "deny").put("code", code);
        return new Denial(
                code, "sluice denied `" + PlainName.of(inbound.name()) + "`: " + why, fault, meta, "", List.of());
    }
}
