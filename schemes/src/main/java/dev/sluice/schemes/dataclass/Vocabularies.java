package dev.sluice.schemes.dataclass;

import dev.sluice.labels.Vocabulary;
import dev.sluice.labels.Vocabulary.Meaning;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.MalformedJsonException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The vocabularies at hand: the published ones, and those of the operator.
 *
 * <p>Three level sets circulate under the name of one draft; all three are shipped (ruling D-DC-1). A record that names no
 * vocabulary is read with all of them together, where public is only what every vocabulary that knows the word calls so.
 */
public final class Vocabularies {

    /** The shipped ones: ids start with this. */
    public static final String SHIPPED = "urn:sluice:vocabulary:";

    private static final List<String> FILES = List.of("trust-annotations", "data-class", "sep-2061");
    private static final Set<String> MEMBERS = Set.of("id", "classes", "regulatory", "labels");

    private final Map<String, Vocabulary> byId;

    private Vocabularies(Map<String, Vocabulary> byId) {
        this.byId = byId;
    }

    /** Returns the shipped vocabularies. */
    public static Vocabularies shipped() {
        List<Vocabulary> read = new ArrayList<>();
        for (String file : FILES) {
            try (InputStream in = Vocabularies.class.getResourceAsStream(file + ".json")) {
                if (in == null) {
                    throw new IllegalStateException("the vocabulary `" + file + "` is missing; install sluice anew");
                }
                read.add(read(in.readAllBytes()));
            } catch (IOException e) {
                throw new IllegalStateException("the vocabulary `" + file + "` can't be read; install sluice anew", e);
            }
        }
        return new Vocabularies(Map.of()).with(read);
    }

    /**
     * Returns these and {@code more}.
     *
     * @throws IllegalArgumentException where an id is taken already
     */
    public Vocabularies with(Collection<Vocabulary> more) {
        Map<String, Vocabulary> all = new TreeMap<>(byId);
        for (Vocabulary each : more) {
            if (all.putIfAbsent(each.id(), each) != null) {
                throw new IllegalArgumentException(
                        "two vocabularies have the id `" + each.id() + "`: give one of them another");
            }
        }
        return new Vocabularies(all);
    }

    /** Returns the vocabulary of that id; empty where it is not at hand. */
    public Optional<Vocabulary> of(String id) {
        return Optional.ofNullable(byId.get(id));
    }

    /** Returns the ids of all vocabularies. */
    public Set<String> ids() {
        return Set.copyOf(byId.keySet());
    }

    /** Returns what a class means where no vocabulary is named; empty where none at hand has it. */
    Optional<Meaning> meaning(String name) {
        Set<Meaning> meanings = byId.values().stream()
                .flatMap(each -> each.meaning(name).stream())
                .collect(Collectors.toSet());
        if (meanings.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(meanings.contains(Meaning.SENSITIVE) ? Meaning.SENSITIVE : Meaning.PUBLIC);
    }

    /**
     * Reads a vocabulary document: an object of {@code id}, {@code classes} (an object from names to {@code public} or
     * {@code sensitive}), and where wanted {@code regulatory} and {@code labels}, arrays of names.
     *
     * @throws IllegalArgumentException where it is none; the message names the place and the mend
     */
    public static Vocabulary read(byte[] json) {
        JsonIndex.Value root = index(json).root();
        if (root.kind() != JsonIndex.Kind.OBJECT) {
            throw new IllegalArgumentException("a vocabulary is a JSON object with `id` and `classes`");
        }
        for (JsonIndex.Member member : root.members()) {
            if (!MEMBERS.contains(member.name())) {
                throw new IllegalArgumentException("`/" + member.name()
                        + "` is no member of a vocabulary: use `id`, `classes`, `regulatory` or `labels`");
            }
        }
        String id = root.member("id")
                .filter(each -> each.kind() == JsonIndex.Kind.STRING)
                .map(JsonIndex.Value::string)
                .orElseThrow(() ->
                        new IllegalArgumentException("`/id` of a vocabulary is missing or no string: give it a URI"));
        JsonIndex.Value listed = root.member("classes")
                .filter(each -> each.kind() == JsonIndex.Kind.OBJECT)
                .orElseThrow(
                        () -> new IllegalArgumentException(
                                "`/classes` of a vocabulary is missing or no object: map each class name to `public` or `sensitive`"));
        Map<String, Meaning> classes = new LinkedHashMap<>();
        for (JsonIndex.Member member : listed.members()) {
            classes.put(member.name(), meaning(member));
        }
        return new Vocabulary(id, classes, names(root, "regulatory"), names(root, "labels"));
    }

    private static JsonIndex index(byte[] json) {
        try {
            return JsonIndex.parse(json);
        } catch (MalformedJsonException e) {
            throw new IllegalArgumentException("a vocabulary is no JSON: " + e.getMessage(), e);
        }
    }

    private static Meaning meaning(JsonIndex.Member member) {
        String word = member.value().kind() == JsonIndex.Kind.STRING
                ? member.value().string()
                : member.value().raw();
        return switch (word) {
            case "public" -> Meaning.PUBLIC;
            case "sensitive" -> Meaning.SENSITIVE;
            default ->
                throw new IllegalArgumentException("`" + word + "` at `/classes/" + member.name()
                        + "` is no meaning of a class: use `public` or `sensitive`");
        };
    }

    private static Set<String> names(JsonIndex.Value root, String member) {
        Set<String> names = new TreeSet<>();
        Optional<JsonIndex.Value> list = root.member(member);
        if (list.isPresent()
                && (list.get().kind() != JsonIndex.Kind.ARRAY
                        || list.get().elements().stream().anyMatch(each -> each.kind() != JsonIndex.Kind.STRING))) {
            throw new IllegalArgumentException("`/" + member + "` of a vocabulary is no array of strings: list names");
        }
        list.ifPresent(value -> value.elements().forEach(each -> names.add(each.string())));
        return names;
    }
}
