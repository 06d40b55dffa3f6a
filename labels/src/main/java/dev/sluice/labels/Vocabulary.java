package dev.sluice.labels;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The class names that an organisation uses, and what they mean ({@code policyRef} of a data-class record).
 *
 * <p>Names are compared case-folded. Classes have no order: mixed data is of all its classes.
 *
 * @param id what records refer to it by, a URI
 * @param classes the class names with their meaning
 * @param regulatory the regulations that records may name; empty where any may be named
 * @param labels the organisation's labels, reverse domain names, that records may carry; empty where any may
 */
public record Vocabulary(String id, Map<String, Meaning> classes, Set<String> regulatory, Set<String> labels) {

    /** What a class means. */
    public enum Meaning {
        /** Anybody may see it. */
        PUBLIC,
        /** Not everybody may see it. */
        SENSITIVE
    }

    /**
     * Takes folded copies.
     *
     * @throws IllegalArgumentException without an id, or where two class names fold to one with two meanings
     */
    public Vocabulary {
        if (id.isBlank()) {
            throw new IllegalArgumentException("a vocabulary has no id: give it a URI, which records refer to");
        }
        Map<String, Meaning> folded = new LinkedHashMap<>();
        classes.forEach((name, meaning) -> {
            Meaning other = folded.putIfAbsent(fold(name), meaning);
            if (other != null && other != meaning) {
                throw new IllegalArgumentException(
                        "the class `" + name + "` stands twice in `" + id + "`, with two meanings: keep one");
            }
        });
        classes = Collections.unmodifiableMap(folded);
        regulatory = fold(regulatory);
        labels = fold(labels);
    }

    /** Returns the meaning of a class name; empty where the vocabulary lacks it. */
    public Optional<Meaning> meaning(String name) {
        return Optional.ofNullable(classes.get(fold(name)));
    }

    /** Returns whether records may name this regulation. */
    public boolean hasRegulatory(String name) {
        return regulatory.isEmpty() || regulatory.contains(fold(name));
    }

    /** Returns whether records may carry this label. */
    public boolean hasLabel(String name) {
        return labels.isEmpty() || labels.contains(fold(name));
    }

    private static Set<String> fold(Set<String> names) {
        Set<String> folded = new TreeSet<>();
        names.forEach(name -> folded.add(fold(name)));
        return Collections.unmodifiableSet(folded);
    }

    private static String fold(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
