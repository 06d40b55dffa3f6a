package dev.sluice.policy;

import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * One mapping of a policy file, read key by key, with the line of everything.
 *
 * <p>What can't be read becomes a problem and reads as absent, so that one pass finds all problems; a file with problems is
 * never used. Keys that nobody asked for are a problem too: {@link #end} finds them.
 */
final class YamlMap {

    private static final Pattern TIME = Pattern.compile("([0-9]{1,6})(ms|s|m|h)");

    private final String file;
    private final Node whole;
    private final List<PolicyException.Problem> problems;
    private final Map<String, NodeTuple> members = new LinkedHashMap<>();
    private final Map<String, String> asked = new TreeMap<>();

    private YamlMap(String file, Node whole, List<PolicyException.Problem> problems) {
        this.file = file;
        this.whole = whole;
        this.problems = problems;
    }

    /** Returns the mapping that {@code node} is; where it is none, an empty one and a problem. */
    static YamlMap of(String file, Node node, String what, List<PolicyException.Problem> problems) {
        YamlMap map = new YamlMap(file, node, problems);
        if (!(node instanceof MappingNode mapping)) {
            if (!(node instanceof ScalarNode scalar && scalar.getValue().isEmpty())) {
                map.problem(node, what + " must be a mapping of keys to values");
            }
            return map;
        }
        for (NodeTuple tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
                map.problem(tuple.getKeyNode(), "a key must be plain text");
            } else if (map.members.putIfAbsent(key.getValue(), tuple) != null) {
                map.problem(key, "the key `" + key.getValue() + "` stands here twice; keep one");
            }
        }
        return map;
    }

    void problem(Node node, String message) {
        int line = node.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
        problems.add(new PolicyException.Problem(file, line, message));
    }

    /** Returns where all of this stands. */
    Node whole() {
        return whole;
    }

    /** Notes a problem with all of this. */
    void problem(String message) {
        problem(whole, message);
    }

    Set<String> keys() {
        return members.keySet();
    }

    /** Returns where a key stands that is there. */
    Node keyNode(String key) {
        return Objects.requireNonNull(members.get(key)).getKeyNode();
    }

    Optional<Node> node(String key) {
        asked.put(key, key);
        return Optional.ofNullable(members.get(key)).map(NodeTuple::getValueNode);
    }

    Optional<YamlMap> map(String key) {
        return node(key).map(node -> of(file, node, "`" + key + "`", problems));
    }

    /** Returns the mapping that {@code node}, a part of this one, is. */
    YamlMap map(Node node, String what) {
        return of(file, node, what, problems);
    }

    /** Returns the expression that {@code node} is; a problem where it is none. */
    Optional<Expression> expression(
            Node node, String key, Expressions expressions, Expressions.About about, Expressions.Kind kind) {
        String text = node instanceof ScalarNode scalar ? scalar.getValue() : "";
        if (text.isBlank()) {
            problem(node, "`" + key + "` must be one expression");
            return Optional.empty();
        }
        try {
            return Optional.of(expressions.compile(about, kind, text));
        } catch (Expression.Failure e) {
            problem(node, "`" + key + "` " + e.getMessage());
            return Optional.empty();
        }
    }

    Optional<String> text(String key) {
        return node(key).flatMap(node -> text(node, "`" + key + "`"));
    }

    Optional<String> text(Node node, String what) {
        if (node instanceof ScalarNode scalar && !scalar.getValue().isEmpty()) {
            return Optional.of(scalar.getValue());
        }
        problem(node, what + " must be one text");
        return Optional.empty();
    }

    /** Returns the texts of a list; one text stands for a list of one. */
    Optional<List<String>> texts(String key) {
        return node(key)
                .map(node -> items(node).stream()
                        .flatMap(item -> text(item, "each entry of `" + key + "`").stream())
                        .toList());
    }

    List<Node> items(Node node) {
        return node instanceof SequenceNode sequence ? sequence.getValue() : List.of(node);
    }

    Optional<Boolean> bool(String key) {
        return node(key).flatMap(node -> {
            String value = node instanceof ScalarNode scalar ? scalar.getValue() : "";
            if (value.equals("true") || value.equals("false")) {
                return Optional.of(value.equals("true"));
            }
            problem(node, "`" + key + "` must be true or false");
            return Optional.empty();
        });
    }

    /** Returns a whole number; a problem where it is none, or out of range. */
    Optional<Integer> whole(String key, int least, int most) {
        return text(key).flatMap(text -> {
            if (text.matches("[0-9]{1,10}") && Long.parseLong(text) >= least && Long.parseLong(text) <= most) {
                return Optional.of(Integer.parseInt(text));
            }
            problem(
                    node(key).orElseThrow(),
                    "`" + key + "` can't be `" + text + "`; write a whole number from " + least + " to " + most);
            return Optional.empty();
        });
    }

    /** Returns a time with its unit; {@code usual} where there is none, and where there is a problem with it. */
    Duration time(String key, Duration least, Duration most, Duration usual) {
        return text(key)
                .map(text -> {
                    Matcher matcher = TIME.matcher(text);
                    if (matcher.matches()) {
                        long number = Long.parseLong(matcher.group(1));
                        Duration time = switch (String.valueOf(matcher.group(2))) {
                            case "ms" -> Duration.ofMillis(number);
                            case "s" -> Duration.ofSeconds(number);
                            case "m" -> Duration.ofMinutes(number);
                            default -> Duration.ofHours(number);
                        };
                        if (time.compareTo(least) >= 0 && time.compareTo(most) <= 0) {
                            return time;
                        }
                    }
                    problem(
                            node(key).orElseThrow(),
                            "`" + key + "` can't be `" + text + "`; write a time such as 500ms, 2s or 1m, "
                                    + most.toSeconds() + "s at most");
                    return usual;
                })
                .orElse(usual);
    }

    <E extends Enum<E>> Optional<E> choice(String key, Class<E> values) {
        return node(key).flatMap(node -> choice(node, key, values));
    }

    <E extends Enum<E>> Optional<E> choice(Node node, String key, Class<E> values) {
        String value = node instanceof ScalarNode scalar ? scalar.getValue() : "";
        return choice(
                node,
                key,
                value,
                Arrays.asList(values.getEnumConstants()),
                each -> each.name().toLowerCase(Locale.ROOT));
    }

    private <T> Optional<T> choice(Node node, String key, String value, List<T> all, Function<T, String> name) {
        for (T each : all) {
            if (name.apply(each).equals(value)) {
                return Optional.of(each);
            }
        }
        problem(
                node,
                (value.isEmpty() ? "`" + key + "` must be one word" : "`" + key + "` can't be `" + value + "`")
                        + "; write one of "
                        + String.join(", ", all.stream().map(name).toList()));
        return Optional.empty();
    }

    /** Reports every key that nobody asked for, with the nearest one that could stand here. */
    void end(String where) {
        members.forEach((key, tuple) -> {
            if (!asked.containsKey(key)) {
                Optional<String> near = nearest(key, asked.keySet());
                problem(
                        tuple.getKeyNode(),
                        "`" + key + "` is no key of " + where
                                + (near.isPresent()
                                        ? "; did you mean `" + near.get() + "`?"
                                        : "; these are: " + String.join(", ", asked.keySet())));
            }
        });
    }

    /** Returns the one of {@code all} that {@code name} most likely means; empty where none is near. */
    static Optional<String> nearest(String name, Set<String> all) {
        return all.stream()
                .filter(known -> distance(known, name) <= 2)
                .min(Comparator.comparingInt(known -> distance(known, name)));
    }

    /** Levenshtein distance, capped by the lengths of keys, which are short. */
    private static int distance(String one, String other) {
        if (Math.abs(one.length() - other.length()) > 2) {
            return 3;
        }
        int[] row = new int[other.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int before = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int cost = before + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                before = row[j];
                row[j] = Math.min(cost, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[other.length()];
    }
}
