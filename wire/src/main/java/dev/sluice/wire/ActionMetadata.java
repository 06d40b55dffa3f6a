package dev.sluice.wire;

import dev.sluice.wire.Finding.Code;
import dev.sluice.wire.json.JsonPointers;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a tool declares about its calls ({@code io.modelcontextprotocol/action-metadata}, values from SEP-2061).
 *
 * <p>Stands in {@code annotations} of a tool and, because typed SDKs drop it there, again in {@code _meta} (D-AM-2).
 *
 * @param input what becomes of the arguments
 * @param returns what the result may hold
 * @param outcome what a call can do; also read from the older {@code inputMetadata.outcomes} (D-AM-3)
 * @param requiresReview whether a human should confirm a call
 * @param others members that this version does not know, kept as they are
 */
public record ActionMetadata(
        Input input, Returns returns, Dimension<Outcome> outcome, Claim requiresReview, Map<String, JsonNode> others) {

    /** The key in {@code annotations} and {@code _meta} of a tool. */
    public static final String KEY = "io.modelcontextprotocol/action-metadata";

    /**
     * What becomes of the arguments ({@code inputMetadata}).
     *
     * @param destination who can see them afterwards
     * @param sensitivity what the tool accepts in them
     * @param others members that this version does not know
     */
    public record Input(
            Dimension<Destination> destination, Dimension<Sensitivity> sensitivity, Map<String, JsonNode> others) {

        /** Nothing declared. */
        public static final Input NONE = new Input(Dimension.absent(), Dimension.absent(), Map.of());

        private static final Set<String> KNOWN = Set.of("destination", "sensitivity", OUTCOMES);

        /** Takes a deep copy of the other members; refuses known names among them. */
        public Input {
            others = Decoding.copyOfOthers(others, KNOWN);
        }
    }

    /**
     * What the result may hold ({@code returnMetadata}).
     *
     * @param source where it comes from
     * @param sensitivity what may be in it
     * @param others members that this version does not know
     */
    public record Returns(
            Dimension<DataSource> source, Dimension<Sensitivity> sensitivity, Map<String, JsonNode> others) {

        /** Nothing declared. */
        public static final Returns NONE = new Returns(Dimension.absent(), Dimension.absent(), Map.of());

        private static final Set<String> KNOWN = Set.of("source", "sensitivity");

        /** Takes a deep copy of the other members; refuses known names among them. */
        public Returns {
            others = Decoding.copyOfOthers(others, KNOWN);
        }
    }

    private static final String OUTCOMES = "outcomes";
    private static final String INPUT = "inputMetadata";
    private static final String RETURNS = "returnMetadata";
    private static final Set<String> KNOWN = Set.of(INPUT, RETURNS, "outcome", "requiresReview");

    /** Nothing declared. */
    public static final ActionMetadata NONE =
            new ActionMetadata(Input.NONE, Returns.NONE, Dimension.absent(), Claim.ABSENT, Map.of());

    /**
     * Takes a deep copy of the other members.
     *
     * @throws IllegalArgumentException where one of them has a known name
     */
    public ActionMetadata {
        others = Decoding.copyOfOthers(others, KNOWN);
    }

    /** Reads the metadata object itself, the value of {@link #KEY}. What is no object declares the worst. */
    public static Decoded<ActionMetadata> decode(JsonNode metadata) {
        Decoding decoding = new Decoding();
        return decoding.result(decode(metadata, "", decoding));
    }

    /** Reads both places of a tool; where they differ, the stricter of each dimension holds. */
    public static Decoded<ActionMetadata> decodeTool(JsonNode tool) {
        Decoding decoding = new Decoding();
        List<ActionMetadata> found = new ArrayList<>();
        for (String carrier : List.of("annotations", "_meta")) {
            decoding.carrier(tool, carrier, "")
                    .map(object -> object.get(KEY))
                    .ifPresent(metadata ->
                            found.add(decode(metadata, JsonPointers.step(carrier) + JsonPointers.step(KEY), decoding)));
        }
        return decoding.result(
                switch (found.size()) {
                    case 0 -> NONE;
                    case 1 -> found.get(0);
                    default -> found.get(0).stricter(found.get(1), decoding);
                });
    }

    private static ActionMetadata decode(JsonNode metadata, String pointer, Decoding decoding) {
        if (!metadata.isObject()) {
            decoding.notAnObject(KEY, metadata, pointer);
            String text = Decoding.shown(metadata);
            return new ActionMetadata(
                    unreadableInput(text), unreadableReturns(text), Dimension.unreadable(text), Claim.TRUE, Map.of());
        }
        Dimension<Outcome> outcome =
                decoding.dimension(metadata, "outcome", pointer, word(Outcome::read), Outcome.VOCABULARY);
        Dimension<Outcome> legacy = Dimension.absent();
        Input input = Input.NONE;
        JsonNode inputNode = metadata.get(INPUT);
        String inputAt = pointer + JsonPointers.step(INPUT);
        if (inputNode != null && inputNode.isObject()) {
            legacy = decoding.dimension(inputNode, OUTCOMES, inputAt, word(Outcome::read), Outcome.VOCABULARY);
            input = new Input(
                    decoding.dimension(
                            inputNode, "destination", inputAt, word(Destination::read), Destination.VOCABULARY),
                    decoding.dimension(inputNode, "sensitivity", inputAt, Sensitivity::read, Sensitivity.VOCABULARY),
                    Decoding.others(inputNode, Input.KNOWN));
        } else if (inputNode != null) {
            decoding.notAnObject(INPUT, inputNode, inputAt);
            input = unreadableInput(Decoding.shown(inputNode));
        }
        Returns returns = Returns.NONE;
        JsonNode returnsNode = metadata.get(RETURNS);
        String returnsAt = pointer + JsonPointers.step(RETURNS);
        if (returnsNode != null && returnsNode.isObject()) {
            returns = new Returns(
                    decoding.dimension(returnsNode, "source", returnsAt, word(DataSource::read), DataSource.VOCABULARY),
                    decoding.dimension(
                            returnsNode, "sensitivity", returnsAt, Sensitivity::read, Sensitivity.VOCABULARY),
                    Decoding.others(returnsNode, Returns.KNOWN));
        } else if (returnsNode != null) {
            decoding.notAnObject(RETURNS, returnsNode, returnsAt);
            returns = unreadableReturns(Decoding.shown(returnsNode));
        }
        conflict("outcome", outcome, legacy, inputAt + JsonPointers.step(OUTCOMES), decoding);
        return new ActionMetadata(
                input,
                returns,
                outcome.union(legacy),
                decoding.claim(metadata, "requiresReview", Claim.TRUE, pointer),
                Decoding.others(metadata, KNOWN));
    }

    private static Input unreadableInput(String text) {
        return new Input(Dimension.unreadable(text), Dimension.unreadable(text), Map.of());
    }

    private static Returns unreadableReturns(String text) {
        return new Returns(Dimension.unreadable(text), Dimension.unreadable(text), Map.of());
    }

    private static <T> Function<JsonNode, Optional<T>> word(Function<String, Optional<T>> read) {
        return node -> node.isString() ? read.apply(node.stringValue()) : Optional.empty();
    }

    private static void conflict(String name, Dimension<?> one, Dimension<?> other, String pointer, Decoding decoding) {
        if (one.stated() && other.stated() && !one.equals(other)) {
            report(name, pointer, decoding);
        }
    }

    private static void report(String name, String pointer, Decoding decoding) {
        decoding.report(
                Code.CONFLICT,
                pointer,
                "`" + name + "` is stated in two places that differ: state the same in both; the stricter holds");
    }

    /** Only a sink's accepted sensitivity allows more with more values; every other dimension forbids more. */
    private ActionMetadata stricter(ActionMetadata mirror, Decoding decoding) {
        String at = JsonPointers.step("_meta") + JsonPointers.step(KEY);
        String inputAt = at + JsonPointers.step(INPUT);
        String returnsAt = at + JsonPointers.step(RETURNS);
        conflict("destination", input.destination, mirror.input.destination, inputAt + "/destination", decoding);
        conflict("sensitivity", input.sensitivity, mirror.input.sensitivity, inputAt + "/sensitivity", decoding);
        conflict("source", returns.source, mirror.returns.source, returnsAt + "/source", decoding);
        conflict("sensitivity", returns.sensitivity, mirror.returns.sensitivity, returnsAt + "/sensitivity", decoding);
        conflict("outcome", outcome, mirror.outcome, at + "/outcome", decoding);
        if (requiresReview != Claim.ABSENT
                && mirror.requiresReview != Claim.ABSENT
                && requiresReview != mirror.requiresReview) {
            report("requiresReview", at + "/requiresReview", decoding);
        }
        return new ActionMetadata(
                new Input(
                        input.destination.union(mirror.input.destination),
                        input.sensitivity.intersection(mirror.input.sensitivity),
                        merged(input.others, mirror.input.others)),
                new Returns(
                        returns.source.union(mirror.returns.source),
                        returns.sensitivity.union(mirror.returns.sensitivity),
                        merged(returns.others, mirror.returns.others)),
                outcome.union(mirror.outcome),
                requiresReview.or(mirror.requiresReview),
                merged(others, mirror.others));
    }

    private static Map<String, JsonNode> merged(Map<String, JsonNode> first, Map<String, JsonNode> second) {
        Map<String, JsonNode> both = new LinkedHashMap<>(first);
        second.forEach(both::putIfAbsent);
        return both;
    }

    /** Returns the widest audience that the arguments may get; PUBLIC where unclear; empty where not declared. */
    public Optional<Destination> widestDestination() {
        return worst(input.destination, Destination.PUBLIC);
    }

    /** Returns the least trusted source of the result; UNTRUSTED_PUBLIC where unclear; empty where not declared. */
    public Optional<DataSource> leastTrustedSource() {
        return worst(returns.source, DataSource.UNTRUSTED_PUBLIC);
    }

    /** Returns the gravest possible outcome; IRREVERSIBLE where unclear; empty where not declared. */
    public Optional<Outcome> gravestOutcome() {
        return worst(outcome, Outcome.IRREVERSIBLE);
    }

    /** Returns what the tool accepts; an unclear value adds only NONE; empty where not declared. */
    public Optional<Set<Sensitivity>> acceptedSensitivity() {
        return sensitivity(input.sensitivity, Set.of(Sensitivity.NONE));
    }

    /** Returns what may come back; an unclear value is sensitive in an unknown way; empty where not declared. */
    public Optional<Set<Sensitivity>> returnedSensitivity() {
        Dimension<Sensitivity> returned = returns.sensitivity;
        Set<Sensitivity> unclear = new LinkedHashSet<>();
        returned.unknown().forEach(text -> unclear.add(Sensitivity.unrecognized(text)));
        return sensitivity(returned, unclear.isEmpty() ? Set.of(Sensitivity.unrecognized("")) : unclear);
    }

    private static Optional<Set<Sensitivity>> sensitivity(
            Dimension<Sensitivity> dimension, Collection<Sensitivity> unclear) {
        if (!dimension.stated()) {
            return Optional.empty();
        }
        Set<Sensitivity> all = new LinkedHashSet<>(dimension.values());
        if (dimension.isUnclear()) {
            all.addAll(unclear);
        }
        return Optional.of(Collections.unmodifiableSet(all));
    }

    private static <T extends Comparable<T>> Optional<T> worst(Dimension<T> dimension, T strictest) {
        if (dimension.isUnclear()) {
            return Optional.of(strictest);
        }
        return dimension.values().stream().max(Comparator.naturalOrder());
    }

    /** Returns the metadata object, without what is not declared. */
    public ObjectNode encode() {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        ObjectNode object = nodes.objectNode();
        ObjectNode in = nodes.objectNode();
        input.destination.writeTo(in, "destination", value -> nodes.stringNode(value.wire()));
        input.sensitivity.writeTo(in, "sensitivity", Sensitivity::encode);
        addTo(object, INPUT, in, input.others);
        ObjectNode out = nodes.objectNode();
        returns.source.writeTo(out, "source", value -> nodes.stringNode(value.wire()));
        returns.sensitivity.writeTo(out, "sensitivity", Sensitivity::encode);
        addTo(object, RETURNS, out, returns.others);
        outcome.writeTo(object, "outcome", value -> nodes.stringNode(value.wire()));
        if (requiresReview != Claim.ABSENT) {
            object.put("requiresReview", requiresReview == Claim.TRUE);
        }
        others.forEach((name, value) -> object.set(name, value.deepCopy()));
        return object;
    }

    private static void addTo(ObjectNode object, String name, ObjectNode part, Map<String, JsonNode> others) {
        others.forEach((other, value) -> part.set(other, value.deepCopy()));
        if (!part.isEmpty()) {
            object.set(name, part);
        }
    }

    /**
     * Writes the metadata into both places of a tool, over what is there. An {@code annotations} or {@code _meta} that
     * is no object is replaced.
     */
    public void writeTo(ObjectNode tool) {
        Members.object(tool, "annotations").set(KEY, encode());
        Members.object(tool, "_meta").set(KEY, encode());
    }
}
