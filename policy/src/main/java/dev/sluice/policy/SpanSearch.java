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
 * counts as one span of every rule. So does, for a rule, one in which it finds something else once escapes of JSON are
 * read: a text is often JSON, and whoever reads it reads what stands behind them. Not safe to use by several threads.
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
        String read = JsonEscapes.read(text);
        try {
            for (SpanRule rule : rules) {
                price = 1 + rule.match().programSize() / INSTRUCTIONS;
                List<String> seen = new ArrayList<>();
                List<Found> own = new ArrayList<>();
                Matcher matcher = rule.match().matcher(new Counted(text));
                while (next(matcher, rule)) {
                    if (found.size() + own.size() == MOST_OF_A_TEXT || room-- <= 0) {
                        findings.add("a text with too many spans counts as one");
                        return all(text, item);
                    }
                    int from = matcher.start(rule.group());
                    int to = matcher.end(rule.group());
                    seen.add(JsonEscapes.read(text.substring(from, to)));
                    own.add(new Found(from, to, said(rule, text, matcher, item)));
                }
                if (!read.equals(text) && !seen.equals(matches(rule, read))) {
                    findings.add("a text that says something else where its escapes are read counts as one span");
                    found.add(whole(rule, text, item));
                } else {
                    found.addAll(own);
                }
            }
        } catch (TooLongException e) {
            findings.add("texts of an answer that takes too long to look through count as one span each");
            return all(text, item);
        }
        return found;
    }

    /** Goes to the next match that is not empty; a group may have taken no part in one. */
    private static boolean next(Matcher matcher, SpanRule rule) {
        while (matcher.find()) {
            if (matcher.start(rule.group()) < matcher.end(rule.group())) {
                return true;
            }
        }
        return false;
    }

    private List<String> matches(SpanRule rule, String text) {
        List<String> matches = new ArrayList<>();
        Matcher matcher = rule.match().matcher(new Counted(text));
        while (matches.size() <= MOST_OF_A_TEXT && next(matcher, rule)) {
            matches.add(text.substring(matcher.start(rule.group()), matcher.end(rule.group())));
        }
        return matches;
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
        return text.isEmpty()
                ? List.of()
                : rules.stream().map(rule -> whole(rule, text, item)).toList();
    }

    private Found whole(SpanRule rule, String text, JsonNode item) {
        Returns said = rule.rule().strict();
        try {
            said = rule.rule().hasExpression() ? said : rule.rule().of(item, Map.of());
        } catch (Expression.Failure e) {
            findings.add("a span counts as untrusted and private: " + e.getMessage());
        }
        return new Found(0, text.length(), said);
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
