package dev.sluice.guard;

import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import dev.sluice.labels.Source;
import dev.sluice.policy.Call;
import dev.sluice.policy.Decision;
import dev.sluice.policy.Grant;
import dev.sluice.policy.Policy;
import dev.sluice.policy.Violation;
import dev.sluice.schemes.evidence.Evidence;
import dev.sluice.store.LabelCodec;
import dev.sluice.store.Session;
import dev.sluice.wire.Finding;
import dev.sluice.wire.canonical.Digest;
import dev.sluice.wire.canonical.JcsCanonicalizer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The events of the audit log. {@code docs/audit.md} has their members.
 *
 * <p>They hold names, labels, reasons and digests; never arguments, answers or secrets. What a reason and a label name are
 * people: the recipients in arguments that the operator declared as such, and the readers of data. Names come from servers
 * and models, so they are cut to {@value #LONGEST_NAME} characters and hold nothing that a terminal would obey.
 */
final class Records {

    static final int LONGEST_NAME = 128;

    private Records() {}

    private static ObjectNode event(Instant at, String kind, Session session) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("at", at.toString())
                .put("kind", kind)
                .put("session", session.id())
                .put("principal", shown(session.principal()));
    }

    static ObjectNode session(Instant at, Session session, String what) {
        ObjectNode event = event(at, "session", session);
        event.put("event", what).put("display", shown(session.display()));
        event.set("label", LabelCodec.encode(session.label().label()));
        return event;
    }

    static ObjectNode told(Instant at, Session session, Label label) {
        ObjectNode event = event(at, "told", session);
        event.set("label", LabelCodec.encode(label));
        return event;
    }

    /** What was typed is private: only how much it was stands here. */
    static ObjectNode typed(Instant at, Session session, int characters) {
        return event(at, "typed", session).put("characters", characters);
    }

    static ObjectNode decision(
            Instant at,
            Session session,
            Policy policy,
            Inbound inbound,
            Call call,
            Decision decision,
            boolean refused,
            Approvals.Answer answer,
            @Nullable Resolution resolution) {
        ObjectNode event = event(at, "decision", session);
        subject(event, inbound.upstream(), inbound.method(), inbound.name());
        event.put("decision", lower(decision.kind()));
        event.put("code", decision.code());
        event.put("mode", lower(policy.mode()));
        event.put("done", refused ? "refused" : "passed");
        if (!(answer instanceof Approvals.Answer.Unasked)) {
            event.putObject("approval").put("id", answer.id()).put("state", answer.state());
        }
        ArrayNode violations = event.putArray("violations");
        for (Violation violation : decision.violations()) {
            ObjectNode node = violations.addObject();
            node.put("control", violation.id());
            node.put("code", violation.code());
            node.put("strength", lower(violation.strength()));
            node.put("because", violation.toHuman());
        }
        ArrayNode lineage = event.putArray("lineage");
        for (Origin origin : decision.lineage()) {
            lineage.addObject()
                    .put("call", origin.call())
                    .put("server", shown(origin.server()))
                    .put("name", shown(origin.name()));
        }
        event.set("label", LabelCodec.encode(call.session().label()));
        event.putObject("digests")
                .put("content", digest(inbound.content()))
                .put("definition", call.tool().digest())
                .put("policy", policy.digest());
        // How many they are, and not who: that is for the place that was asked.
        ArrayNode readers = event.putArray("readers");
        call.circumstances().readers().known().forEach((source, names) -> {
            ObjectNode node = readers.addObject().put("server", shown(source.server()));
            if (source instanceof Source.OfResource resource) {
                node.put("resource", shown(resource.key()));
            }
            node.put("count", names.size());
        });
        if (readers.isEmpty()) {
            event.remove("readers");
        }
        if (resolution != null) {
            event.put("resolved", resolution.word());
        }
        event.set("evidence", evidence(inbound, decision));
        return event;
    }

    /** The record that a {@code policy-decision} evidence reference points to: decision, reasons, rule, stage, subject. */
    static ObjectNode evidence(Inbound inbound, Decision decision) {
        ObjectNode record = JsonNodeFactory.instance.objectNode();
        record.put("decision", lower(decision.kind()));
        ArrayNode reasons = record.putArray("reasons");
        decision.violations().stream().map(Violation::code).forEach(reasons::add);
        record.put(
                "rule",
                decision.violations().isEmpty()
                        ? "none"
                        : decision.violations().get(0).id());
        record.put("stage", "pre_call");
        boolean ofTool = inbound instanceof Inbound.ToolCall || inbound instanceof Inbound.Resolve;
        record.put("subject", (ofTool ? "tool:" : "method:") + shown(inbound.name()));
        return record;
    }

    static ObjectNode answer(Instant at, Session session, Answered answered) {
        ObjectNode event = event(at, answered.kind(), session);
        subject(event, answered.upstream(), answered.method(), answered.name());
        event.put("call", answered.call());
        event.set("label", LabelCodec.encode(answered.label()));
        ArrayNode ignored = event.putArray("ignoredClaims");
        answered.labelling().ignored().forEach(ignored::add);
        ArrayNode evidence = event.putArray("evidence");
        for (Evidence each : answered.evidence()) {
            evidence.addObject()
                    .put("type", shown(each.reference().type()))
                    .put("digest", shown(each.reference().digest()))
                    .put("outcome", each.outcome().text())
                    .put("because", shown(each.because()));
        }
        ArrayNode grants = event.putArray("grants");
        for (Grant each : answered.grants()) {
            grants.addObject()
                    .put("id", each.id())
                    .put("owner", shown(each.owner()))
                    .put("until", each.until().toString());
        }
        if (grants.isEmpty()) {
            event.remove("grants");
        }
        findings(event, answered.findings());
        if (answered.hidden().count() > 0 || answered.hidden().withheld() > 0) {
            event.put("hidden", answered.hidden().count());
            event.put("withheld", answered.hidden().withheld());
        }
        if (!answered.redacted().isEmpty()) {
            ObjectNode redacted = event.putObject("redacted");
            answered.redacted().forEach(redacted::put);
        }
        return event;
    }

    static ObjectNode variable(Instant at, Session session, Variables.Known known, List<String> redacted) {
        ObjectNode event = event(at, "variable", session);
        event.put("event", redacted.isEmpty() ? "inspected" : "redacted")
                .put("call", known.origin().call());
        event.put("server", shown(known.origin().server()))
                .put("name", shown(known.origin().name()));
        event.set("label", LabelCodec.encode(known.label()));
        if (!redacted.isEmpty()) {
            ObjectNode rules = event.putObject("redacted");
            redacted.forEach(rule -> rules.put(rule, 1));
        }
        return event;
    }

    static ObjectNode pin(
            Instant at,
            Session session,
            Upstream upstream,
            String kind,
            String name,
            String digest,
            boolean approved,
            List<Finding> findings) {
        ObjectNode event = event(at, "pin", session);
        event.put("server", shown(upstream.name())).put("what", kind).put("name", shown(name));
        event.put("digest", digest);
        event.put("result", approved ? "pinned" : "changed");
        findings(event, findings);
        return event;
    }

    private static void findings(ObjectNode event, List<Finding> found) {
        ArrayNode findings = event.putArray("findings");
        for (Finding finding : found) {
            findings.addObject()
                    .put("code", lower(finding.code()))
                    .put("pointer", shown(finding.pointer()))
                    .put("message", shown(finding.message()));
        }
    }

    private static void subject(ObjectNode event, Upstream upstream, String method, String name) {
        event.put("server", shown(upstream.name())).put("method", shown(method)).put("name", shown(name));
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** The digest of the canonical content where it has one, else of its text: it identifies, it is compared by nobody. */
    private static String digest(JsonNode content) {
        try {
            return Digest.sha256(JcsCanonicalizer.canonicalize(content)).text();
        } catch (IllegalArgumentException e) {
            return Digest.sha256(content.toString().getBytes(StandardCharsets.UTF_8))
                    .text();
        }
    }

    /** Returns {@code name} as it may stand in a record or a sentence: cut, and without control or invisible characters. */
    static String shown(String name) {
        if (name.length() <= LONGEST_NAME && name.chars().allMatch(c -> c >= ' ' && c <= '~')) {
            return name;
        }
        StringBuilder shown = new StringBuilder();
        name.codePoints().limit(LONGEST_NAME).forEach(c -> shown.appendCodePoint(isPlain(c) ? c : '?'));
        return name.codePointCount(0, name.length()) > LONGEST_NAME
                ? shown.append("...").toString()
                : shown.toString();
    }

    private static boolean isPlain(int c) {
        int type = Character.getType(c);
        return type != Character.CONTROL
                && type != Character.FORMAT
                && type != Character.SURROGATE
                && type != Character.PRIVATE_USE
                && type != Character.UNASSIGNED
                && type != Character.LINE_SEPARATOR
                && type != Character.PARAGRAPH_SEPARATOR;
    }
}
