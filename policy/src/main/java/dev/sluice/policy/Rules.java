package dev.sluice.policy;

import dev.sluice.labels.Label;
import dev.sluice.labels.Lineage;
import dev.sluice.labels.Origin;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/**
 * The operator's own rules, found by what they are about, so that many of which few match cost little.
 *
 * <p>All that match are asked, in the order of the file, and each says what it says whatever the others do.
 */
final class Rules {

    private final Map<String, Audience> audiences;
    private final Map<String, List<Numbered>> byTool = new HashMap<>();
    private final Map<String, List<Numbered>> byServer = new HashMap<>();
    private final Map<Effect, List<Numbered>> byEffect = new EnumMap<>(Effect.class);
    private final List<Numbered> always = new ArrayList<>();

    private record Numbered(int place, Rule rule) {}

    private static final Comparator<Numbered> IN_ORDER = Comparator.comparingInt(Numbered::place);

    Rules(List<Rule> rules, Map<String, Audience> audiences) {
        this.audiences = audiences;
        for (int i = 0; i < rules.size(); i++) {
            Numbered each = new Numbered(i, rules.get(i));
            Rule.Selector on = each.rule().on();
            // Under the part that selects fewest.
            if (!on.tools().isEmpty()) {
                on.tools().forEach(tool -> add(byTool, tool, each));
            } else if (!on.servers().isEmpty()) {
                on.servers().forEach(server -> add(byServer, server, each));
            } else if (!on.effects().isEmpty()) {
                on.effects().forEach(effect -> add(byEffect, effect, each));
            } else {
                always.add(each);
            }
        }
    }

    private static <K> void add(Map<K, List<Numbered>> index, K key, Numbered rule) {
        index.computeIfAbsent(key, none -> new ArrayList<>()).add(rule);
    }

    /** Returns the rules that are about a call of this tool, in the order of the file. */
    List<Rule> about(ToolProfile profile) {
        List<Numbered> found = new ArrayList<>();
        collect(always, profile, found);
        collect(byTool.getOrDefault(profile.tool(), List.of()), profile, found);
        collect(byServer.getOrDefault(profile.server(), List.of()), profile, found);
        for (Effect effect : profile.effects()) {
            collect(byEffect.getOrDefault(effect, List.of()), profile, found);
        }
        found.sort(IN_ORDER);
        List<Rule> rules = new ArrayList<>(found.size());
        int last = -1;
        for (Numbered each : found) {
            if (each.place() != last) { // a rule about two effects is found twice
                rules.add(each.rule());
                last = each.place();
            }
        }
        return rules;
    }

    private static void collect(List<Numbered> from, ToolProfile profile, List<Numbered> into) {
        for (Numbered each : from) {
            if (each.rule().on().matches(profile)) {
                into.add(each);
            }
        }
    }

    /** Returns what the rules say of a call that carries {@code carried}. */
    List<Violation> violations(Call call, ToolProfile profile, Set<AudienceMember> audience, Label carried) {
        List<Rule> about = about(profile);
        if (about.isEmpty()) {
            return List.of();
        }
        Map<String, Object> variables = variables(about, profile, call.arguments(), audience, carried);
        List<Violation> all = new ArrayList<>();
        for (Rule rule : about) {
            try {
                Expression when = rule.when();
                if (when == null || holds(when, variables)) {
                    all.add(violated(rule, origins(call)));
                }
            } catch (Expression.Failure e) {
                all.add(erring(rule, e, origins(call)));
            }
        }
        return all;
    }

    private static List<Origin> origins(Call call) {
        return call.values().stream()
                .flatMap(value -> value.origins().stream())
                .distinct()
                .sorted()
                .limit(Lineage.PER_PART)
                .toList();
    }

    static boolean holds(Expression when, Map<String, Object> variables) throws Expression.Failure {
        if (when.eval(variables) instanceof Boolean holds) {
            return holds;
        }
        throw new Expression.Failure("`" + when.text() + "` gave neither true nor false");
    }

    private Map<String, Object> variables(
            List<Rule> about, ToolProfile profile, JsonNode arguments, Set<AudienceMember> audience, Label carried) {
        Set<String> asked = new TreeSet<>();
        boolean evaluates = false;
        for (Rule rule : about) {
            Expression when = rule.when();
            if (when != null) {
                evaluates = true;
                asked.addAll(when.audiences());
            }
        }
        return evaluates ? CallVariables.of(profile, arguments, carried, audience, audiences, asked) : Map.of();
    }

    private static Violation violated(Rule rule, List<Origin> origins) {
        String reason = "the rule `" + rule.id() + "` of the policy "
                + (rule.then() == Strength.DENY ? "forbids this call" : "wants a person to look at this call")
                + (rule.because().isEmpty() ? "" : ": " + rule.because());
        return new Violation(Control.RULE, "rule", rule.then(), reason, reason, origins, rule.id());
    }

    private static Violation erring(Rule rule, Expression.Failure failure, List<Origin> origins) {
        String reason = "the rule `" + rule.id() + "` of the policy could not be evaluated for this call";
        return new Violation(
                Control.RULE,
                "erring-rule",
                Strength.DENY,
                reason,
                reason + ": " + failure.getMessage(),
                origins,
                rule.id());
    }
}
