package dev.sluice.policy;

import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What is said of one item or member: each part a constant, an expression over the item, or unsaid.
 *
 * @param said the constants; pointers among readers begin at the item
 * @param integrity gives {@code 'trusted'} or {@code 'untrusted'}, in place of the constant
 * @param readers gives texts, likewise
 * @param classes gives names of classes, likewise
 */
public record LabelRule(
        Returns said,
        @Nullable Expression integrity,
        @Nullable Expression readers,
        @Nullable Expression classes) {

    /** Nothing said. */
    public static final LabelRule NOTHING = new LabelRule(Returns.NOTHING, null, null, null);

    /** More classes than this are none that one item can have. */
    private static final int MOST_CLASSES = 64;

    /** Stands for classes that could not be found; whoever lists what is accepted does not list this. */
    static final DataClass UNKNOWN_CLASS = DataClass.of("(classes that could not be found)");

    /** Returns whether a part is an expression. */
    boolean hasExpression() {
        return integrity != null || readers != null || classes != null;
    }

    /** Returns what this says where an expression failed: an outsider's words, private, of the classes that are sure. */
    Returns strict() {
        Set<DataClass> sure = said.classes();
        return new Returns(
                Integrity.UNTRUSTED, new Returns.Privacy.Private(), sure != null ? sure : Set.of(UNKNOWN_CLASS));
    }

    /**
     * Returns what this says of {@code item}: constants only.
     *
     * @throws Expression.Failure where an expression errs or gives a value of another kind
     */
    Returns of(JsonNode item, Map<String, Object> variables) throws Expression.Failure {
        return new Returns(
                integrity != null ? integrity(integrity.eval(variables)) : said.integrity(),
                readers != null ? readers(readers.eval(variables)) : constant(item),
                classes != null ? classes(classes.eval(variables)) : said.classes());
    }

    private Returns.@Nullable Privacy constant(JsonNode item) {
        return said.confidentiality() instanceof Returns.Privacy.Named named
                ? privacy(named.readers(item))
                : said.confidentiality();
    }

    private static Returns.Privacy privacy(Optional<SortedSet<String>> readers) {
        return readers.isPresent() ? new Returns.Privacy.Known(readers.get()) : new Returns.Privacy.Private();
    }

    private static Integrity integrity(Object value) throws Expression.Failure {
        for (Integrity each : Integrity.values()) {
            if (each.name().toLowerCase(Locale.ROOT).equals(value)) {
                return each;
            }
        }
        throw new Expression.Failure("`integrity` gave neither 'trusted' nor 'untrusted'");
    }

    /** A value of another kind is a failure; a list in which one entry can't be kept is private, as where it is pointed at. */
    private static Returns.Privacy readers(Object value) throws Expression.Failure {
        SortedSet<String> names = new TreeSet<>();
        for (Object each : list(value, "readers")) {
            if (!(each instanceof String text)
                    || !PlainName.canBeKept(text)
                    || (names.add(text) && names.size() > Returns.Privacy.Named.MOST)) {
                return new Returns.Privacy.Private();
            }
        }
        return privacy(names.isEmpty() ? Optional.empty() : Optional.of(names));
    }

    private static Set<DataClass> classes(Object value) throws Expression.Failure {
        SortedSet<DataClass> classes = new TreeSet<>();
        for (Object each : list(value, "classes")) {
            if (!(each instanceof String text)
                    || !DataClass.isName(text)
                    || (classes.add(DataClass.of(text)) && classes.size() > MOST_CLASSES)) {
                throw new Expression.Failure("`classes` gave what is no name of a class, or more than " + MOST_CLASSES);
            }
        }
        return classes;
    }

    private static List<?> list(Object value, String key) throws Expression.Failure {
        if (value instanceof List<?> list) {
            return list;
        }
        if (value instanceof String text) {
            return List.of(text);
        }
        throw new Expression.Failure("`" + key + "` gave no list of texts");
    }
}
