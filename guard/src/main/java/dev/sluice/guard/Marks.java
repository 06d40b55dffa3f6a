package dev.sluice.guard;

import dev.sluice.labels.DataClass;
import dev.sluice.labels.Label;
import dev.sluice.policy.Decision;
import dev.sluice.policy.Violation;
import dev.sluice.wire.VendorKeys;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What is written on messages under our own keys: labels and decisions in short, without readers. */
final class Marks {

    private Marks() {}

    static ObjectNode of(Answered answered, String call, Optional<Decision> warning) {
        ObjectNode meta = JsonNodeFactory.instance.objectNode();
        meta.set(VendorKeys.LABEL, label(answered.label()).put("call", call));
        if (!answered.redacted().isEmpty()) {
            ObjectNode redacted = meta.putObject(VendorKeys.REDACTED);
            redacted.put(
                    "count",
                    answered.redacted().values().stream()
                            .mapToInt(Integer::intValue)
                            .sum());
            ObjectNode rules = redacted.putObject("rules");
            answered.redacted().forEach(rules::put);
        }
        if (answered.hidden().count() > 0) {
            meta.putObject(VendorKeys.HIDDEN).put("count", answered.hidden().count());
        }
        warning.ifPresent(decision -> meta.set(VendorKeys.DECISION, decision(decision)));
        return meta;
    }

    static ObjectNode label(Label label) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("integrity", label.integrity().name().toLowerCase(Locale.ROOT));
        node.put("confidentiality", label.confidentiality().isPublic() ? "public" : "private");
        ArrayNode classes = node.putArray("classes");
        label.classes().stream().map(DataClass::name).distinct().forEach(classes::add);
        return node;
    }

    static ObjectNode decision(Decision decision) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("decision", decision.kind().name().toLowerCase(Locale.ROOT));
        node.put("code", decision.code());
        ArrayNode reasons = node.putArray("reasons");
        decision.violations().stream().map(Violation::code).forEach(reasons::add);
        return node;
    }
}
