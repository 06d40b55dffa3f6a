package dev.sluice.policy;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.sluice.labels.Integrity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** Reads what a policy says of stretches of texts: {@code spans}. */
final class SpansReader {

    /** More patterns than this are not looked for in one answer. */
    private static final int MOST = 32;

    /** A pattern of more instructions than this would take long over a long text. */
    private static final int LARGEST = 2_000;

    private static final List<String> SAID = List.of("integrity", "confidentiality", "readers", "classes");

    private static final String[] SIGNS = {"a", "0", "-", " ", "\n"};

    private SpansReader() {}

    /** Returns the spans that {@code map} states; {@code label} reads what an entry says of the label. */
    static List<SpanRule> spans(YamlMap map, Function<YamlMap, LabelRule> label) {
        List<SpanRule> spans = new ArrayList<>();
        map.node("spans").ifPresent(node -> {
            if (map.items(node).size() > MOST) {
                map.problem(node, "`spans` has more than " + MOST + " entries; join patterns with `|`");
            }
            map.items(node).forEach(item -> {
                if (item instanceof MappingNode) {
                    span(map.map(item, "a span"), label).ifPresent(spans::add);
                } else {
                    map.problem(item, "a span must be a mapping, such as {match: '\\d{16}', classes: [card]}");
                }
            });
        });
        return spans;
    }

    private static Optional<SpanRule> span(YamlMap map, Function<YamlMap, LabelRule> label) {
        Optional<Pattern> match = map.node("match").flatMap(node -> pattern(map, node));
        if (map.node("match").isEmpty()) {
            map.problem("a span needs a `match`, a pattern such as '\\d{16}'");
        }
        int group = map.node("group").map(node -> group(map, node, match)).orElse(0);
        LabelRule rule = label.apply(map);
        onlyAdds(map, rule);
        map.end("a span");
        return match.map(pattern -> new SpanRule(pattern, group, rule));
    }

    private static Optional<Pattern> pattern(YamlMap map, Node node) {
        String text = node instanceof ScalarNode scalar ? scalar.getValue() : "";
        if (text.isEmpty()) {
            map.problem(node, "`match` must be one pattern, such as '\\d{16}'");
            return Optional.empty();
        }
        try {
            Pattern pattern = Pattern.compile(text);
            if (pattern.programSize() > LARGEST) {
                map.problem(node, "`match` is too large a pattern; repeat less, or write several spans");
            } else if (matchesNothing(pattern)) {
                map.problem(
                        node,
                        "`match` also matches where nothing stands; write what must be there, such as `\\d+` in place of"
                                + " `\\d*`");
            } else {
                return Optional.of(pattern);
            }
        } catch (PatternSyntaxException e) {
            map.problem(
                    node,
                    "`match` is no pattern: " + e.getDescription()
                            + (e.getPattern().isEmpty() ? "" : ": `" + e.getPattern() + "`")
                            + "; write it as RE2 has it, which knows no look-around and no back-references");
        } catch (StackOverflowError e) {
            map.problem(node, "`match` is too deep a pattern; write it with fewer parentheses");
        }
        return Optional.empty();
    }

    /** What stands before and behind a place is all that a pattern of nothing can ask for. */
    private static boolean matchesNothing(Pattern pattern) {
        List<String> texts = new ArrayList<>(List.of(""));
        for (String one : SIGNS) {
            texts.add(one);
            for (String other : SIGNS) {
                texts.add(one + other);
            }
        }
        for (String text : texts) {
            Matcher matcher = pattern.matcher(text);
            while (matcher.find()) {
                if (matcher.start() == matcher.end()) {
                    return true;
                }
            }
        }
        return false;
    }

    private static int group(YamlMap map, Node node, Optional<Pattern> match) {
        String text = node instanceof ScalarNode scalar ? scalar.getValue() : "";
        int most = match.map(Pattern::groupCount).orElse(99);
        if (!text.matches("[0-9]{1,2}") || Integer.parseInt(text) > most) {
            map.problem(
                    node,
                    most == 0
                            ? "`match` has no group; put `(` and `)` around what the span is, or take `group` out"
                            : "`group` must be the number of a group of `match`, 0 to " + most);
            return 0;
        }
        return Integer.parseInt(text);
    }

    private static void onlyAdds(YamlMap map, LabelRule rule) {
        if (rule.said().integrity() == Integrity.TRUSTED) {
            map.problem(
                    map.node("integrity").orElseThrow(),
                    "a span makes nothing trusted, since whoever writes the text can write what matches; say it of the"
                            + " answer, an item or a field");
        }
        if (rule.said().confidentiality() instanceof Returns.Privacy.Public) {
            map.problem(
                    map.node("confidentiality").orElseThrow(),
                    "a span makes nothing public, since whoever writes the text can write what matches; say it of the"
                            + " answer, an item or a field");
        }
        if (SAID.stream().noneMatch(map.keys()::contains)) {
            map.problem(
                    "a span says nothing of its text; write one of `integrity`, `confidentiality`, `readers`, `classes`");
        }
    }
}
