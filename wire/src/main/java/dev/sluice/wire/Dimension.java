package dev.sluice.wire;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The values that a tool declares for one matter: nothing, one, or the set of the possible ones.
 *
 * @param stated whether the member is there; where it is not, both sets are empty
 * @param values the values understood
 * @param unknown the texts of those that are not, which count as the strictest value
 * @param <T> the vocabulary
 */
public record Dimension<T>(boolean stated, Set<T> values, Set<String> unknown) {

    /**
     * Takes copies of the sets.
     *
     * @throws IllegalArgumentException for values in a dimension that is not stated
     */
    public Dimension {
        if (!stated && !(values.isEmpty() && unknown.isEmpty())) {
            throw new IllegalArgumentException("a dimension that is not stated has no values");
        }
        values = Collections.unmodifiableSet(new LinkedHashSet<>(values));
        unknown = Collections.unmodifiableSet(new LinkedHashSet<>(unknown));
    }

    /** Returns a dimension about which nothing is said. */
    public static <T> Dimension<T> absent() {
        return new Dimension<>(false, Set.of(), Set.of());
    }

    /** Returns a dimension of one value. */
    public static <T> Dimension<T> of(T value) {
        return new Dimension<>(true, Set.of(value), Set.of());
    }

    /** Returns a dimension of several possible values. */
    public static <T> Dimension<T> of(Set<T> values) {
        return new Dimension<>(true, values, Set.of());
    }

    /** Returns a dimension of which only a text could be kept. */
    static <T> Dimension<T> unreadable(String text) {
        return new Dimension<>(true, Set.of(), Set.of(text));
    }

    /** Returns whether something is stated that nobody here understands, so that the strictest value must be assumed. */
    public boolean isUnclear() {
        return stated && (values.isEmpty() || !unknown.isEmpty());
    }

    /** Returns what is possible where two places state one dimension: all values of both. */
    Dimension<T> union(Dimension<T> other) {
        if (!stated || !other.stated) {
            return stated ? this : other;
        }
        Set<T> all = new LinkedHashSet<>(values);
        all.addAll(other.values);
        Set<String> both = bothUnknown(other);
        if (namesNothing() != other.namesNothing()) {
            // An empty list counts as the strictest value, also beside a list that names a mild one.
            both.add("");
        }
        return new Dimension<>(true, all, both);
    }

    private boolean namesNothing() {
        return values.isEmpty() && unknown.isEmpty();
    }

    /** Returns what both places state, for a dimension in which more values allow more. */
    Dimension<T> intersection(Dimension<T> other) {
        if (!stated || !other.stated) {
            return stated ? this : other;
        }
        Set<T> common = new LinkedHashSet<>(values);
        common.retainAll(other.values);
        return new Dimension<>(true, common, bothUnknown(other));
    }

    private Set<String> bothUnknown(Dimension<T> other) {
        Set<String> both = new LinkedHashSet<>(unknown);
        both.addAll(other.unknown);
        return both;
    }

    /** Writes the member: nothing, one value, or an array. */
    void writeTo(ObjectNode object, String name, Function<T, JsonNode> write) {
        if (!stated) {
            return;
        }
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        values.forEach(value -> array.add(write.apply(value)));
        unknown.forEach(array::add);
        object.set(name, array.size() == 1 ? array.get(0) : array);
    }
}
