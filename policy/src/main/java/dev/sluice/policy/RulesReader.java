package dev.sluice.policy;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;

/** Reads {@code rules} and {@code redact} of a policy, and refuses those that can never match. */
final class RulesReader {

    private static final Pattern ID = Pattern.compile("[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?");

    /** What is done where a rule is violated. */
    enum Then {
        DENY,
        ASK;

        Strength strength() {
            return this == ASK ? Strength.ASK : Strength.DENY;
        }
    }

    private final Expressions expressions;
    private final Map<String, ServerPolicy> servers;
    private final Set<String> ids = new HashSet<>();

    RulesReader(Expressions expressions, Map<String, ServerPolicy> servers) {
        this.expressions = expressions;
        this.servers = servers;
        for (Control control : Control.values()) {
            ids.add(control.id());
        }
    }

    List<Rule> rules(YamlMap root) {
        List<Rule> rules = new ArrayList<>();
        root.node("rules")
                .ifPresent(list -> root.items(list).forEach(item -> rules.add(rule(item, root.map(item, "a rule")))));
        return rules;
    }

    /** Returns what takes parts out of answers. */
    List<Redaction> redactions(YamlMap root) {
        List<Redaction> redactions = new ArrayList<>();
        root.node("redact")
                .ifPresent(list -> root.items(list)
                        .forEach(item ->
                                redaction(item, root.map(item, "a redaction")).ifPresent(redactions::add)));
        return redactions;
    }

    private Optional<Redaction> redaction(Node item, YamlMap map) {
        String id = id(map, item, "a rule");
        Optional<YamlMap> on = map.map("on");
        Set<String> named = on.map(each -> names(each, "servers", "rule")).orElse(Set.of());
        Set<String> tools = on.map(each -> names(each, "tools", "rule")).orElse(Set.of());
        on.ifPresent(each -> {
            each.end("`on` of a redaction");
            check(each, named, tools, Set.of(), "rule");
        });
        Optional<Node> written = map.node("when");
        if (written.isEmpty()) {
            map.problem(item, "a redaction must say `when`, such as `when: label.integrity == 'untrusted'`");
        }
        Optional<Expression> when = written.flatMap(
                node -> map.expression(node, "when", expressions, Expressions.About.PART, Expressions.Kind.TRUTH));
        String because = map.text("because").orElse("");
        map.end("a redaction");
        return when.map(each -> new Redaction(id, named, tools, each, because));
    }

    /** Returns the id of a rule or of something else that decisions name; nothing else in the file may have it. */
    String id(YamlMap map, Node item, String what) {
        String id = map.text("id").orElse("");
        Node idNode = map.node("id").orElse(item);
        if (!ID.matcher(id).matches()) {
            map.problem(idNode, what + " needs an `id` of up to 64 lower-case letters, digits and `-`");
        } else if (!ids.add(id)) {
            map.problem(idNode, "a rule or control `" + id + "` is there already; give this one another id");
        }
        return id;
    }

    private Rule rule(Node item, YamlMap map) {
        String id = id(map, item, "a rule");
        Rule.Selector on = map.map("on")
                .map(each -> selector(each, "rule"))
                .orElse(new Rule.Selector(Set.of(), Set.of(), Set.of()));
        Optional<Node> written = map.node("when");
        @Nullable
        Expression when = written.flatMap(node ->
                        map.expression(node, "when", expressions, Expressions.About.CALL, Expressions.Kind.TRUTH))
                .orElse(null);
        Strength then = map.choice("then", Then.class).map(Then::strength).orElse(Strength.DENY);
        if (map.node("then").isEmpty()) {
            map.problem(item, "a rule must say `then: deny` or `then: ask`");
        }
        String because = map.text("because").orElse("");
        map.end("a rule");
        return new Rule(id, on, when, then, because);
    }

    /** Returns which calls {@code what}, a rule or a part of one, is about. */
    Rule.Selector selector(YamlMap map, String what) {
        Set<String> named = names(map, "servers", what);
        Set<String> tools = names(map, "tools", what);
        Set<Effect> effects =
                map.node("effects").map(node -> ToolReader.effects(map, node)).orElse(EnumSet.noneOf(Effect.class));
        map.end("`on`");
        check(map, named, tools, effects, what);
        return new Rule.Selector(named, tools, effects);
    }

    private void check(YamlMap map, Set<String> named, Set<String> tools, Set<Effect> effects, String what) {
        boolean known = true;
        for (String server : named) {
            if (!servers.containsKey(server)) {
                map.problem(
                        map.node("servers").orElseThrow(),
                        "`" + server + "` is no server of this policy; describe it under `servers`");
                known = false;
            }
        }
        if (known) {
            tools.forEach(tool -> checkTool(map, named, tool, effects, what));
        }
    }

    private static Set<String> names(YamlMap map, String key, String what) {
        List<String> names = map.texts(key).orElse(List.of());
        if (map.node(key).isPresent() && map.items(map.node(key).get()).isEmpty()) {
            map.problem(
                    map.node(key).get(), "`" + key + "` names none, so the " + what + " is about no call; take it out");
        }
        return new TreeSet<>(names);
    }

    /** A slip in a name would make a rule that never speaks, so what a rule names must be described somewhere. */
    private void checkTool(YamlMap map, Set<String> named, String tool, Set<Effect> effects, String what) {
        boolean described = false;
        for (ServerPolicy server : servers.values()) {
            if (!named.isEmpty() && !named.contains(server.name())) {
                continue;
            }
            Optional<ToolStatement> said = said(server, tool);
            if (said.isEmpty()) {
                continue;
            }
            described = true;
            Set<Effect> has = said.get().effects();
            if (effects.isEmpty() || has == null || effects.stream().anyMatch(has::contains)) {
                return;
            }
        }
        map.problem(
                map.node("tools").orElseThrow(),
                described
                        ? "`" + tool + "` has none of these `effects`, so the " + what + " never speaks about it; take"
                                + " one of both out"
                        : "no server of this " + what + " describes a tool `" + tool
                                + "`; write it under its server's `tools`");
    }

    private static Optional<ToolStatement> said(ServerPolicy server, String tool) {
        String known = server.known().equals(ServerPolicy.AUTO)
                ? KnownServers.find(server.command()).orElse("")
                : server.known();
        Map<String, ToolStatement> shipped =
                KnownServers.names().contains(known) ? KnownServers.tools(known) : Map.of();
        if (!server.tools().containsKey(tool) && !shipped.containsKey(tool)) {
            return Optional.empty();
        }
        return Optional.of(server.tools()
                .getOrDefault(tool, ToolStatement.NOTHING)
                .orElse(shipped.getOrDefault(tool, ToolStatement.NOTHING)));
    }
}
