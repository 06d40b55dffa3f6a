package dev.sluice.policy;

import dev.sluice.labels.DataClass;
import dev.sluice.labels.Source;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** Reads {@code grants} of a policy, each with somebody who answers for it and an end. */
final class GrantsReader {

    private final Expressions expressions;
    private final RulesReader rules;
    private final Set<String> servers;

    GrantsReader(Expressions expressions, RulesReader rules, Set<String> servers) {
        this.expressions = expressions;
        this.rules = rules;
        this.servers = servers;
    }

    List<Grant> grants(YamlMap root) {
        List<Grant> all = new ArrayList<>();
        root.node("grants")
                .ifPresent(list -> root.items(list).forEach(item -> all.add(grant(item, root.map(item, "a grant")))));
        return all;
    }

    private Grant grant(Node item, YamlMap map) {
        String id = rules.id(map, item, "a grant");
        Optional<Rule.Selector> on = map.map("on").map(each -> rules.selector(each, "grant"));
        if (on.isEmpty() || on.get().servers().isEmpty()) {
            map.problem(map.node("on").orElse(item), "a grant must say `on` which `servers` it holds");
        } else if (!on.get().effects().isEmpty()) {
            map.problem(
                    map.node("on").orElseThrow(), "a grant is about answers, which have no `effects`; take them out");
        }
        Expression when = map.node("when")
                .flatMap(node ->
                        map.expression(node, "when", expressions, Expressions.About.ITEM, Expressions.Kind.TRUTH))
                .orElse(null);
        boolean endorse = map.bool("endorse").orElse(false);
        Grant.Declassified declassify =
                map.map("declassify").map(this::declassified).orElse(Grant.Declassified.NOTHING);
        if (!endorse && map.node("declassify").isEmpty()) {
            map.problem(item, "a grant must say what it grants: `endorse: true`, `declassify`, or both");
        }
        Optional<String> owner = map.text("owner");
        if (map.node("owner").isEmpty()) {
            map.problem(item, "a grant must name its `owner`, who answers for it");
        }
        Optional<Instant> until = map.text("until").map(text -> until(map, text));
        if (map.node("until").isEmpty()) {
            map.problem(item, "a grant must say `until` when it holds; write a date such as 2027-01-31");
        }
        String because = map.text("because").orElse("");
        map.end("a grant");
        return new Grant(
                id,
                on.map(Rule.Selector::servers).orElse(Set.of()),
                on.map(Rule.Selector::tools).orElse(Set.of()),
                when,
                endorse,
                declassify,
                owner.orElse(""),
                until.orElse(Instant.MIN),
                because,
                item.getStartMark().map(mark -> mark.getLine() + 1).orElse(0));
    }

    /** A day counts to its end, in UTC. */
    private static Instant until(YamlMap map, String text) {
        try {
            return text.contains("T")
                    ? Instant.parse(text)
                    : LocalDate.parse(text)
                            .plusDays(1)
                            .atStartOfDay(ZoneOffset.UTC)
                            .toInstant();
        } catch (DateTimeException e) {
            map.problem(
                    map.node("until").orElseThrow(),
                    "`until` can't be `" + text
                            + "`; write a date such as 2027-01-31, or an instant such as 2027-01-31T12:00:00Z");
            return Instant.MIN;
        }
    }

    private Grant.Declassified declassified(YamlMap map) {
        Set<String> whole = new TreeSet<>();
        Set<Source> resources = new TreeSet<>();
        map.node("sources").ifPresent(list -> {
            for (Node item : map.items(list)) {
                if (item instanceof ScalarNode) {
                    map.text(item, "a source").ifPresent(name -> {
                        checkServer(map, item, name);
                        whole.add(name);
                    });
                } else {
                    YamlMap source = map.map(item, "a source");
                    String server = source.text("server").orElse("");
                    checkServer(source, item, server);
                    String resource = source.text("resource").orElse("");
                    if (source.node("resource").isEmpty()) {
                        source.problem("a source names a `server` and a `resource`, or is the name of a server alone");
                    }
                    source.end("a source");
                    resources.add(new Source.OfResource(server, resource.toLowerCase(Locale.ROOT)));
                }
            }
        });
        Set<String> classes = new TreeSet<>();
        map.texts("classes")
                .orElse(List.of())
                .forEach(name -> classes.add(DataClass.of(name).name()));
        map.end("`declassify`");
        if (whole.isEmpty() && resources.isEmpty() && classes.isEmpty()) {
            map.problem("`declassify` takes nothing away; name `sources` or `classes`");
        }
        return new Grant.Declassified(whole, resources, classes);
    }

    private void checkServer(YamlMap map, Node node, String name) {
        if (!servers.contains(name)) {
            map.problem(node, "`" + name + "` is no server of this policy; describe it under `servers`");
        }
    }
}
