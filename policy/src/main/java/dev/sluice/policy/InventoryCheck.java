package dev.sluice.policy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * Holds a policy file against what live servers have: tools and arguments that it names and no server has, and pinned
 * definitions that are not those of now.
 *
 * <p>For a file that can be read as a policy. Names inside expressions are not looked at.
 */
public final class InventoryCheck {

    private static final List<String> ARGUMENTS = List.of("payload", "resource", "inert", "steers", "audience");
    private static final Set<String> AUDIENCES = Set.of("public", "server", "resource");
    private static final int MOST_SHOWN = 12;

    private final String file;
    private final YamlMap root;
    private final List<PolicyException.Problem> problems = new ArrayList<>();

    private InventoryCheck(String file, Node root) {
        this.file = file;
        this.root = YamlMap.of(file, root, "the policy", new ArrayList<>());
    }

    /**
     * Returns the check of the policy that {@code text} is.
     *
     * @param file what problems name as their file
     * @throws PolicyException where the text is no YAML that a policy may use
     */
    public static InventoryCheck of(String file, String text) {
        return new InventoryCheck(file, PolicyYaml.compose(file, text));
    }

    /** Returns a problem at the place where the policy begins to speak of {@code server}. */
    public PolicyException.Problem at(String server, String message) {
        return root.map("servers")
                .filter(servers -> servers.keys().contains(server))
                .map(servers -> problem(servers.keyNode(server), message))
                .orElse(new PolicyException.Problem(file, 0, message));
    }

    /**
     * Returns what the file names and the servers do not have, in the order of its lines.
     *
     * @param offers what each server has, by its name in the policy; of others nothing is known, and nothing is said
     */
    public List<PolicyException.Problem> problems(Map<String, ServerOffer> offers) {
        problems.clear();
        offers.forEach((name, offer) -> root.map("servers")
                .flatMap(servers -> servers.map(name))
                .ifPresent(server -> server(name, server, offer)));
        root.node("rules").ifPresent(rules -> selectors(rules, offers));
        return problems.stream()
                .sorted(Comparator.comparingInt(PolicyException.Problem::line))
                .toList();
    }

    private void server(String name, YamlMap server, ServerOffer offer) {
        server.node("instructions").ifPresent(node -> {
            if (offer.instructions().isEmpty()) {
                say(node, "`" + name + "` gives no instructions any more; take `instructions` out");
            } else if (!offer.instructions().equals(text(node))) {
                say(
                        node,
                        "the instructions of `" + name + "` are not those that are pinned here; read what they say"
                                + " now, and if you agree write `instructions: " + offer.instructions() + "`");
            }
        });
        server.map("tools").ifPresent(tools -> tools.keys().forEach(tool -> tool(name, tools, tool, offer)));
    }

    private void tool(String server, YamlMap tools, String name, ServerOffer offer) {
        List<ServerOffer.Tool> live =
                offer.tools().stream().filter(each -> each.name().equals(name)).toList();
        if (live.isEmpty()) {
            say(
                    tools.keyNode(name),
                    "`" + server + "` has no tool `" + PlainName.of(name) + "`; "
                            + instead(name, names(offer), "it lists none"));
            return;
        }
        YamlMap tool = tools.map(name).orElseThrow();
        Set<String> arguments = new TreeSet<>();
        live.forEach(each -> arguments.addAll(each.arguments()));
        for (String key : ARGUMENTS) {
            tool.node(key).ifPresent(node -> arguments(key, node, tool, name, arguments));
        }
        tool.node("definition").ifPresent(node -> {
            for (ServerOffer.Tool each : live) {
                if (!each.definition().digest().equals(text(node))) {
                    say(
                            node,
                            "`" + PlainName.of(name) + "` of `" + server + "` is not defined as it is pinned here; read"
                                    + " what it says now, and if you agree write `definition: "
                                    + each.definition().digest() + "`");
                    return;
                }
            }
        });
    }

    private void arguments(String key, Node node, YamlMap tool, String name, Set<String> known) {
        if (key.equals("audience") && AUDIENCES.contains(text(node))) {
            return;
        }
        for (Node item : tool.items(node)) {
            if (item instanceof ScalarNode scalar && !known.contains(scalar.getValue())) {
                say(
                        item,
                        "`" + PlainName.of(name) + "` has no argument `" + PlainName.of(scalar.getValue()) + "`, which"
                                + " `" + key + "` names; " + instead(scalar.getValue(), known, "it takes none"));
            }
        }
    }

    /** Whatever in a rule names tools selects calls, however deep it stands. */
    private void selectors(Node node, Map<String, ServerOffer> offers) {
        if (node instanceof SequenceNode sequence) {
            sequence.getValue().forEach(each -> selectors(each, offers));
        } else if (node instanceof MappingNode mapping) {
            YamlMap map = root.map(mapping, "a part of a rule");
            map.node("tools").ifPresent(tools -> selector(map, tools, offers));
            for (NodeTuple member : mapping.getValue()) {
                selectors(member.getValueNode(), offers);
            }
        }
    }

    private void selector(YamlMap map, Node tools, Map<String, ServerOffer> offers) {
        Set<String> servers = new LinkedHashSet<>();
        map.node("servers")
                .ifPresentOrElse(
                        node -> map.items(node).forEach(each -> servers.add(text(each))),
                        () -> root.map("servers").ifPresent(all -> servers.addAll(all.keys())));
        if (!offers.keySet().containsAll(servers)) {
            return; // one of them may have it
        }
        Set<String> known = new TreeSet<>();
        servers.forEach(
                each -> known.addAll(names(Optional.ofNullable(offers.get(each)).orElseThrow())));
        for (Node item : map.items(tools)) {
            String name = text(item);
            if (!known.contains(name)) {
                say(
                        item,
                        "no server of this rule has a tool `" + PlainName.of(name) + "`; "
                                + instead(name, known, "they list none"));
            }
        }
    }

    private static Set<String> names(ServerOffer offer) {
        Set<String> names = new TreeSet<>();
        offer.tools().forEach(each -> names.add(each.name()));
        return names;
    }

    /** Names come from the server, so they are shown as plain ones only. */
    private static String instead(String name, Set<String> known, String none) {
        Optional<String> near = YamlMap.nearest(name, known);
        if (near.isPresent()) {
            return "did you mean `" + PlainName.of(near.get()) + "`?";
        }
        if (known.isEmpty()) {
            return none;
        }
        List<String> shown = known.stream().limit(MOST_SHOWN).map(PlainName::of).toList();
        return "there " + (known.size() == 1 ? "is " : "are ") + String.join(", ", shown)
                + (known.size() > MOST_SHOWN ? " and " + (known.size() - MOST_SHOWN) + " more" : "");
    }

    private static String text(Node node) {
        return node instanceof ScalarNode scalar ? scalar.getValue() : "";
    }

    private void say(Node node, String message) {
        problems.add(problem(node, message));
    }

    private PolicyException.Problem problem(Node node, String message) {
        return new PolicyException.Problem(
                file, node.getStartMark().map(mark -> mark.getLine() + 1).orElse(0), message);
    }
}
