package dev.sluice.wire;

import dev.sluice.wire.Finding.Code;
import dev.sluice.wire.json.JsonPointers;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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

        private static final Set<String> KNOWN = Decoding.spellings("destination", "sensitivity", OUTCOMES);

        /** Takes a deep copy of the other members; refuses known names among them. */
        public Input {
            others = Decoding.copyOfOthers(others, KNOWN);
        }

        private static Input decode(JsonNode node, String name, String at, Decoding decoding) {
            if (!node.isObject()) {
                decoding.notAnObject(name, node, at);
                return unreadable(Decoding.shown(node));
            }
            return new Input(
                    decoding.dimension(
                            node,
                            "destination",
                            at,
                            Vocabulary.word(Destination::read),
                            Destination.VOCABULARY,
                            Dimension::union),
                    decoding.dimension(
                            node,
                            "sensitivity",
                            at,
                            Sensitivity::read,
                            Sensitivity.VOCABULARY,
                            Dimension::intersection),
                    Decoding.others(node, KNOWN));
        }

        private static Input unreadable(String text) {
            return new Input(Dimension.unreadable(text), Dimension.unreadable(text), Map.of());
        }

        /** Only a sink's accepted sensitivity allows more with more values; every other dimension forbids more. */
        private Input stricter(Input other, JsonNode node, String at, Decoding decoding) {
            decoding.conflict("destination", destination, other.destination, at + spelled(node, "destination"));
            decoding.conflict("sensitivity", sensitivity, other.sensitivity, at + spelled(node, "sensitivity"));
            return new Input(
                    destination.union(other.destination),
                    sensitivity.intersection(other.sensitivity),
                    merged(others, other.others));
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

        private static final Set<String> KNOWN = Decoding.spellings("source", "sensitivity");

        /** Takes a deep copy of the other members; refuses known names among them. */
        public Returns {
            others = Decoding.copyOfOthers(others, KNOWN);
        }

        private static Returns decode(JsonNode node, String name, String at, Decoding decoding) {
            if (!node.isObject()) {
                decoding.notAnObject(name, node, at);
                return unreadable(Decoding.shown(node));
            }
            return new Returns(
                    decoding.dimension(
                            node,
                            "source",
                            at,
                            Vocabulary.word(DataSource::read),
                            DataSource.VOCABULARY,
                            Dimension::union),
                    decoding.dimension(
                            node, "sensitivity", at, Sensitivity::read, Sensitivity.VOCABULARY, Dimension::union),
                    Decoding.others(node, KNOWN));
        }

        private static Returns unreadable(String text) {
            return new Returns(Dimension.unreadable(text), Dimension.unreadable(text), Map.of());
        }

        private Returns stricter(Returns other, JsonNode node, String at, Decoding decoding) {
            decoding.conflict("source", source, other.source, at + spelled(node, "source"));
            decoding.conflict("sensitivity", sensitivity, other.sensitivity, at + spelled(node, "sensitivity"));
            return new Returns(
                    source.union(other.source), sensitivity.union(other.sensitivity), merged(others, other.others));
        }

        /** Returns every kind of data that may be in the result; an unclear value is sensitive in an unknown way. */
        Set<Sensitivity> possible() {
            Set<Sensitivity> all = new LinkedHashSet<>(sensitivity.values());
            sensitivity.unknown().forEach(text -> all.add(Sensitivity.unrecognized(text)));
            if (sensitivity.isUnclear() && all.isEmpty()) {
                all.add(Sensitivity.unrecognized(""));
            }
            return Collections.unmodifiableSet(all);
        }
    }

    private static final String OUTCOMES = "outcomes";
    private static final String INPUT = "inputMetadata";
    private static final String RETURNS = "returnMetadata";
    private static final String META = "_meta";
    private static final String ANNOTATIONS = "annotations";
    private static final Set<String> KNOWN = known();

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

    /**
     * Reads all places of a tool; where they differ, the stricter of each dimension holds. They are the extension's key in
     * {@code annotations} and in {@code _meta}, and what SEP-1913 and SEP-2061 put into {@code annotations} and {@code
     * _meta.annotations} without a key. A tool that may meet signs of an attack ({@code maliciousActivityHint}) has a
     * finding and is otherwise as good as any other.
     */
    public static Decoded<ActionMetadata> decodeTool(JsonNode tool) {
        Decoding decoding = new Decoding();
        ActionMetadata found = NONE;
        for (String carrier : List.of(ANNOTATIONS, META)) {
            ObjectNode object = decoding.carrier(tool, carrier, "").orElseGet(JsonNodeFactory.instance::objectNode);
            String at = JsonPointers.step(carrier);
            JsonNode metadata = object.get(KEY);
            if (metadata != null) {
                String place = at + JsonPointers.step(KEY);
                found = found.stricter(decode(metadata, place, decoding), metadata, place, decoding);
            }
            ObjectNode flat = object;
            if (carrier.equals(META)) {
                at += JsonPointers.step(ANNOTATIONS);
                flat = decoding.carrier(object, ANNOTATIONS, JsonPointers.step(META))
                        .orElseGet(JsonNodeFactory.instance::objectNode);
            }
            found = found.stricter(parts(flat, at, decoding), flat, at, decoding);
            malicious(flat, at, decoding);
        }
        return decoding.result(found);
    }

    private static void malicious(JsonNode flat, String pointer, Decoding decoding) {
        decoding.claim(flat, LegacyClaims.MALICIOUS, Claim.TRUE, pointer);
        if (flat.path(LegacyClaims.MALICIOUS).booleanValue(false)) {
            decoding.report(
                    Code.MALICIOUS_ACTIVITY,
                    pointer + JsonPointers.step(LegacyClaims.MALICIOUS),
                    "the tool may return what looks like an attack: have its results looked at; no call is refused for"
                            + " it");
        }
    }

    private static ActionMetadata decode(JsonNode metadata, String pointer, Decoding decoding) {
        if (!metadata.isObject()) {
            decoding.notAnObject(KEY, metadata, pointer);
            String text = Decoding.shown(metadata);
            return new ActionMetadata(
                    Input.unreadable(text), Returns.unreadable(text), Dimension.unreadable(text), Claim.TRUE, Map.of());
        }
        Dimension<Outcome> outcome =
                decoding.dimension(metadata, "outcome", pointer, Vocabulary.word(Outcome::read), Outcome.VOCABULARY);
        ActionMetadata parts = parts(metadata, pointer, decoding);
        decoding.conflict("outcome", outcome, parts.outcome, pointer + outcomes(metadata));
        return new ActionMetadata(
                parts.input,
                parts.returns,
                outcome.union(parts.outcome),
                decoding.claim(metadata, "requiresReview", Claim.TRUE, pointer),
                Decoding.others(metadata, KNOWN));
    }

    /** Reads what both SEPs have too: the two objects, in either spelling, and the outcomes in the first of them. */
    private static ActionMetadata parts(JsonNode metadata, String pointer, Decoding decoding) {
        Input input = Input.NONE;
        Dimension<Outcome> outcome = Dimension.absent();
        for (String name : List.of(INPUT, Vocabulary.capital(INPUT))) {
            JsonNode node = metadata.get(name);
            if (node != null) {
                String at = pointer + JsonPointers.step(name);
                input = input.stricter(Input.decode(node, name, at, decoding), node, at, decoding);
                Dimension<Outcome> stated = decoding.dimension(
                        node, OUTCOMES, at, Vocabulary.word(Outcome::read), Outcome.VOCABULARY, Dimension::union);
                decoding.conflict("outcome", outcome, stated, at + spelled(node, OUTCOMES));
                outcome = outcome.union(stated);
            }
        }
        return new ActionMetadata(input, returns(metadata, pointer, decoding), outcome, Claim.ABSENT, Map.of());
    }

    /** Reads {@code returnMetadata} of an object, in either spelling. */
    static Returns returns(JsonNode object, String pointer, Decoding decoding) {
        Returns returns = Returns.NONE;
        for (String name : List.of(RETURNS, Vocabulary.capital(RETURNS))) {
            JsonNode node = object.get(name);
            if (node != null) {
                String at = pointer + JsonPointers.step(name);
                returns = returns.stricter(Returns.decode(node, name, at, decoding), node, at, decoding);
            }
        }
        return returns;
    }

    private static Set<String> known() {
        Set<String> known = new LinkedHashSet<>(Decoding.spellings(INPUT, RETURNS));
        known.add("outcome");
        known.add("requiresReview");
        return known;
    }

    /** Returns the step to a member in the spelling that is there. */
    private static String spelled(JsonNode object, String name) {
        String pascal = Vocabulary.capital(name);
        return JsonPointers.step(!object.has(name) && object.has(pascal) ? pascal : name);
    }

    private static JsonNode part(JsonNode object, String name) {
        return object.path(object.has(name) ? name : Vocabulary.capital(name));
    }

    private static String outcomes(JsonNode metadata) {
        return spelled(metadata, INPUT) + spelled(part(metadata, INPUT), OUTCOMES);
    }

    /** Returns the stricter of two places, of which {@code other} was read from {@code node} at {@code at}. */
    private ActionMetadata stricter(ActionMetadata other, JsonNode node, String at, Decoding decoding) {
        Input in = input.stricter(other.input, part(node, INPUT), at + spelled(node, INPUT), decoding);
        Returns out = returns.stricter(other.returns, part(node, RETURNS), at + spelled(node, RETURNS), decoding);
        decoding.conflict("outcome", outcome, other.outcome, at + (node.has("outcome") ? "/outcome" : outcomes(node)));
        decoding.conflict("requiresReview", requiresReview, other.requiresReview, at + "/requiresReview");
        return new ActionMetadata(
                in,
                out,
                outcome.union(other.outcome),
                requiresReview.or(other.requiresReview),
                merged(others, other.others));
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
        if (!input.sensitivity.stated()) {
            return Optional.empty();
        }
        Set<Sensitivity> all = new LinkedHashSet<>(input.sensitivity.values());
        if (input.sensitivity.isUnclear()) {
            all.add(Sensitivity.NONE);
        }
        return Optional.of(Collections.unmodifiableSet(all));
    }

    /** Returns what may come back; an unclear value is sensitive in an unknown way; empty where not declared. */
    public Optional<Set<Sensitivity>> returnedSensitivity() {
        return returns.sensitivity.stated() ? Optional.of(returns.possible()) : Optional.empty();
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
        Members.object(tool, ANNOTATIONS).set(KEY, encode());
        Members.object(tool, META).set(KEY, encode());
    }
}
