package dev.sluice.policy;

import com.google.re2j.Matcher;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * Looks for spans in the texts of one answer.
 *
 * <p>Fails closed: a text with more spans than can be told apart, or of an answer that takes too long to look through,
 * counts as one span of every rule. Not safe to use by several threads.
 */
public final class SpanSearch {

    /** More spans than this in one text are not told apart. */
    public static final int MOST_OF_A_TEXT = 1_000;

    /** More spans than this in one answer are not told apart. */
    public static final int MOST = 10_000;

    /** So many signs are looked at for one answer: a pattern can look at all that follows for each of its matches. */
    private static final long MOST_SIGNS = 1L << 25;

    /** Looking at a sign takes longer the larger a pattern is: so many instructions count as one more sign. */
    private static final int INSTRUCTIONS = 64;

    private final List<SpanRule> rules;
    private final Map<String, Object> variables = new HashMap<>();
    private final Set<String> findings = new LinkedHashSet<>();
    private int room = MOST;
    private long signs = MOST_SIGNS;
    private int price = 1;

    /**
     * A stretch of a text.
     *
     * @param from where it begins, in characters of Java; never between the two halves of a pair
     * @param to where it ends; after {@code from}
     * @param said what is added to the label of the text: constants only
     */
    public record Found(int from, int to, Returns said) {}

    /**
     * Begins with an answer.
     *
     * @param args what the tool was called with
     * @param server the upstream
     * @param principal who calls; empty where nobody says
     */
    public SpanSearch(List<SpanRule> rules, JsonNode args, String server, String principal) {
        this.rules = List.copyOf(rules);
        if (rules.stream().anyMatch(span -> span.rule().hasExpression())) {
            variables.put("server", server);
            variables.put("principal", principal);
            variables.put("args", Expression.value(args));
        }
    }

    /** Returns whether there is nothing to look for. */
    public boolean isIdle() {
        return rules.isEmpty();
    }

    /** Returns why texts are labelled more strictly than the rules say, for people. */
    public List<String> findings() {
        return List.copyOf(findings);
    }

    /**
     * Returns the spans of {@code text}, which may overlap.
     *
     * @param item the item that the text stands in; missing where it stands in none
     */
    public List<Found> find(String text, JsonNode item) {
        List<Found> found = new ArrayList<>();
        Counted counted = new Counted(text);
        try {
            for (SpanRule rule : rules) {
                price = 1 + rule.match().programSize() / INSTRUCTIONS;
                Matcher matcher = rule.match().matcher(counted);
                while (matcher.find()) {
                    int from = matcher.start(rule.group());
                    int to = matcher.end(rule.group());
                    if (from >= to) {
                        continue; // a group that took no part, or that is empty here
                    }
                    if (found.size() == MOST_OF_A_TEXT || room-- <= 0) {
                        findings.add("a text with too many spans counts as one");
                        return all(text, item);
                    }
                    found.add(new Found(from, to, said(rule, text, matcher, item)));
                }
            }
        } catch (TooLongException e) {
            findings.add("texts of an answer that takes too long to look through count as one span each");
            return all(text, item);
        }
        return found;
    }

    private Returns said(SpanRule rule, String text, Matcher matcher, JsonNode item) {
        try {
            if (rule.rule().hasExpression()) {
                List<String> groups = new ArrayList<>();
                for (int i = 0; i <= matcher.groupCount(); i++) {
                    groups.add(matcher.start(i) < 0 ? "" : text.substring(matcher.start(i), matcher.end(i)));
                }
                variables.put("item", Expression.value(item));
                variables.put("match", groups.get(rule.group()));
                variables.put("groups", groups);
            }
            return rule.rule().of(item, variables);
        } catch (Expression.Failure e) {
            findings.add("a span counts as untrusted and private: " + e.getMessage());
            return rule.rule().strict();
        }
    }

    private List<Found> all(String text, JsonNode item) {
        List<Found> all = new ArrayList<>();
        for (SpanRule rule : rules) {
            Returns said = rule.rule().strict();
            try {
                said = rule.rule().hasExpression() ? said : rule.rule().of(item, Map.of());
            } catch (Expression.Failure e) {
                findings.add("a span counts as untrusted and private: " + e.getMessage());
            }
            all.add(new Found(0, text.length(), said));
        }
        return text.isEmpty() ? List.of() : all;
    }

    /** A text that counts how often it is looked at. */
    private final class Counted implements CharSequence {
        private final String text;

        Counted(String text) {
            this.text = text;
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public char charAt(int index) {
            signs -= price;
            if (signs < 0) {
                throw new TooLongException();
            }
            return text.charAt(index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return text.substring(start, end);
        }

        @Override
        public String toString() {
            return text;
        }
    }

    private static final class TooLongException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TooLongException() {
            super("", null, false, false);
        }
    }
}
