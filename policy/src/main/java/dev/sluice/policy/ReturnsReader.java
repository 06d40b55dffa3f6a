package dev.sluice.policy;

import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** Reads what a policy says of answers: {@code returns} of a tool, and {@code defaults} of a server. */
final class ReturnsReader {

    /** What a plain word, a name or a pointer never has; so the word of a list of one needs no brackets. */
    private static final Pattern EXPRESSION =
            Pattern.compile("(?s).*[\\s()\\[\\]?'\"+=!<>].*|(item|args|server|principal)([.].*)?");

    /** The same in a span, which has more variables. */
    private static final Pattern OF_A_SPAN = Pattern.compile(EXPRESSION.pattern() + "|match|groups");

    /** What somebody meant as an expression, but wrote in a list of names. */
    private static final Pattern VARIABLE = Pattern.compile("(item|args)[.].*");

    private final Expressions expressions;

    ReturnsReader(Expressions expressions) {
        this.expressions = expressions;
    }

    /** Returns what {@code defaults} says: constants. */
    static Returns defaults(YamlMap map) {
        Returns said = new Parts(map, null).rule().said();
        List<SpanRule> spans = spans(map, null);
        map.end("`defaults`");
        return new Returns(said.integrity(), said.confidentiality(), said.classes(), null, spans);
    }

    private static List<SpanRule> spans(YamlMap map, @Nullable Expressions expressions) {
        return SpansReader.spans(map, entry -> new Parts(entry, expressions, Expressions.About.SPAN).rule());
    }

    /** Returns what {@code returns} says, of the whole answer and of its parts. */
    Returns returns(YamlMap map) {
        LabelRule rule = new Parts(map, expressions).rule();
        Optional<ItemRule.Format> format = map.choice("format", ItemRule.Format.class);
        Optional<String> items = map.node("items").flatMap(node -> items(map, node));
        Map<String, LabelRule> fields = new LinkedHashMap<>();
        Optional<YamlMap> stated = map.map("fields");
        stated.ifPresent(all -> all.keys().forEach(pointer -> {
            checkInside(all, all.keyNode(pointer), pointer);
            YamlMap field = all.map(pointer).orElseThrow();
            fields.put(pointer, new Parts(field, expressions).rule());
            field.end("a field");
        }));
        List<String> vouched = new ArrayList<>();
        map.node("vouched")
                .ifPresent(node -> map.items(node).forEach(item -> {
                    // An empty one is the item itself, where items are plain values.
                    String pointer = item instanceof ScalarNode scalar ? scalar.getValue() : "?";
                    if (!pointer.isEmpty()) {
                        checkInside(map, item, pointer);
                    }
                    vouched.add(pointer);
                }));
        List<SpanRule> spans = spans(map, expressions);
        map.end("`returns`");
        boolean whole = items.orElse("").isEmpty();
        boolean ofParts =
                !whole || format.isPresent() || !fields.isEmpty() || !vouched.isEmpty() || rule.hasExpression();
        ItemRule itemRule = ofParts ? new ItemRule(items.orElse(""), format.orElse(null), rule, fields, vouched) : null;
        // What stands around the items is not spoken of: the server's default holds.
        Returns said = whole ? rule.said() : Returns.NOTHING;
        return new Returns(said.integrity(), said.confidentiality(), said.classes(), itemRule, spans);
    }

    private static Optional<String> items(YamlMap map, Node node) {
        if (node instanceof ScalarNode scalar && Pointers.isPointer(scalar.getValue())) {
            return Optional.of(scalar.getValue());
        }
        map.problem(node, "`items` must be a pointer, such as /messages/*, or \"\" for the whole answer");
        return Optional.empty();
    }

    private static void checkInside(YamlMap map, Node node, String pointer) {
        if (pointer.isEmpty() || !Pointers.isPointer(pointer)) {
            map.problem(node, "`" + pointer + "` is no pointer into an item; write one such as /subject");
        }
    }

    /** The three parts of a label, as one mapping states them. */
    private record Parts(YamlMap map, @Nullable Expressions expressions, Expressions.About about) {

        Parts(YamlMap map, @Nullable Expressions expressions) {
            this(map, expressions, Expressions.About.ITEM);
        }

        LabelRule rule() {
            Expression integrity = null;
            Integrity trust = null;
            if (written("integrity")) {
                integrity = compiled("integrity", Expressions.Kind.TEXT);
            } else {
                trust = map.choice("integrity", Integrity.class).orElse(null);
            }
            Returns.Privacy privacy = map.choice("confidentiality", Confidential.class)
                    .map(Confidential::privacy)
                    .orElse(null);
            if (map.node("readers").isPresent() && privacy instanceof Returns.Privacy.Public) {
                map.problem(
                        map.node("readers").orElseThrow(), "what has `readers` can't be public; take one of both out");
            }
            Expression readers = null;
            if (written("readers")) {
                readers = compiled("readers", Expressions.Kind.LIST);
            } else {
                privacy = readers().orElse(privacy);
            }
            Expression classes = null;
            Set<DataClass> named = null;
            if (written("classes")) {
                classes = compiled("classes", Expressions.Kind.LIST);
            } else {
                named = map.texts("classes").map(Parts::classes).orElse(null);
            }
            return new LabelRule(new Returns(trust, privacy, named), integrity, readers, classes);
        }

        /** Returns whether an expression stands at {@code key}; in a place that takes none, it counts as a word. */
        private boolean written(String key) {
            Pattern expression = about == Expressions.About.SPAN ? OF_A_SPAN : EXPRESSION;
            return expressions != null
                    && map.node(key)
                            .filter(node -> node instanceof ScalarNode scalar
                                    && !scalar.getValue().startsWith("/")
                                    && expression.matcher(scalar.getValue()).matches())
                            .isPresent();
        }

        private @Nullable Expression compiled(String key, Expressions.Kind kind) {
            Node node = map.node(key).orElseThrow();
            return map.expression(node, key, Objects.requireNonNull(expressions), about, kind)
                    .orElse(null);
        }

        private Optional<Returns.Privacy> readers() {
            Optional<List<String>> readers = map.texts("readers");
            if (readers.isEmpty()) {
                return Optional.empty();
            }
            Node node = map.node("readers").orElseThrow();
            if (readers.get().isEmpty() && node instanceof SequenceNode) {
                map.problem(
                        node, "`readers` names nobody; write `confidentiality: private` for data of the server alone");
            }
            map.items(node).forEach(item -> {
                if (item instanceof ScalarNode scalar
                        && !scalar.getValue().isEmpty()
                        && !scalar.getValue().startsWith("/")) {
                    checkPerson(map, item, scalar.getValue());
                    if (VARIABLE.matcher(scalar.getValue()).matches()) {
                        map.problem(
                                item,
                                "`" + scalar.getValue()
                                        + "` in a list is a name; write one expression, such as `flat(item.from,"
                                        + " item.to)`, or pointers, such as [/from, /to]");
                    }
                }
            });
            return Optional.of(new Returns.Privacy.Named(readers.get()));
        }

        private static Set<DataClass> classes(List<String> names) {
            Set<DataClass> classes = new TreeSet<>();
            names.forEach(name -> classes.add(DataClass.of(name)));
            return classes;
        }
    }

    static void checkPerson(YamlMap map, Node node, String person) {
        if (AudienceMember.recipient("", person) instanceof AudienceMember.Unresolved) {
            map.problem(node, "`" + person + "` is no single address or name; write one such as ana@clinic.example");
        }
    }

    private enum Confidential {
        PUBLIC,
        PRIVATE;

        Returns.Privacy privacy() {
            return switch (this) {
                case PUBLIC -> new Returns.Privacy.Public();
                case PRIVATE -> new Returns.Privacy.Private();
            };
        }
    }
}
