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

    static Denial of(Policy policy, Inbound inbound, Call call, Decision decision, AuditRecord record) {
        boolean asked = decision.kind() == Decision.Kind.ASK;
        List<Violation> weighty = decision.violations().stream()
                .filter(violation -> violation.strength() != Strength.WARN)
                .toList();
        String name = PlainName.of(inbound.name());
        StringBuilder text = new StringBuilder("sluice denied `").append(name).append("`: ");
        text.append(String.join("; ", weighty.stream().map(Violation::toModel).toList()));
        text.append(". Nothing was run and nothing was sent. ");
        text.append(
                asked ? "A person could approve this, but approvals can't be given here: it counts as denied. " : "");
        text.append(
                "Don't try another way to the same end; tell the user what you wanted to do, and that it was denied.");
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
                String.join("; ", weighty.stream().map(Violation::toHuman).toList()),
                meta);
    }

    static Denial unreachable(Inbound inbound, String fault) {
        ObjectNode meta = JsonNodeFactory.instance.objectNode();
        meta.putObject(VendorKeys.DECISION).put("decision", "deny").put("code", "state-unreachable");
        return new Denial(
                "state-unreachable",
                "sluice denied `" + PlainName.of(inbound.name())
                        + "`: its own state can't be read, so it can't tell what this session has seen. Nothing was run."
                        + " Tell the user that sluice needs attention.",
                fault,
                meta);
    }
}
