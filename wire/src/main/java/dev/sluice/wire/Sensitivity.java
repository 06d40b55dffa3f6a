package dev.sluice.wire;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * A kind of sensitive data (SEP-2061). The kinds have no order: a tool that may get one must not be assumed to get
 * another.
 *
 * @param kind which kind
 * @param scopes the regimes of REGULATED, such as {@code HIPAA}, at least one; else empty
 * @param text what was written, for UNRECOGNIZED; else empty
 */
public record Sensitivity(Kind kind, Set<String> scopes, String text) {

    /** The kinds. */
    public enum Kind {
        /** Nothing sensitive. */
        NONE,
        /** The user's own data. */
        USER,
        /** What identifies a person. */
        PII,
        /** Money matters. */
        FINANCIAL,
        /** What opens a door: passwords, keys, tokens. */
        CREDENTIALS,
        /** Data under a named regime; says which regimes, not that they are met. */
        REGULATED,
        /** Something that this version does not know, sensitive in an unknown way. */
        UNRECOGNIZED
    }

    /** Nothing sensitive. */
    public static final Sensitivity NONE = plain(Kind.NONE);
    /** The user's own data. */
    public static final Sensitivity USER = plain(Kind.USER);
    /** What identifies a person. */
    public static final Sensitivity PII = plain(Kind.PII);
    /** Money matters. */
    public static final Sensitivity FINANCIAL = plain(Kind.FINANCIAL);
    /** What opens a door. */
    public static final Sensitivity CREDENTIALS = plain(Kind.CREDENTIALS);

    /** The values as a message names them. */
    static final String VOCABULARY =
            "`none`, `user`, `pii`, `financial`, `credentials` or `{\"regulated\":{\"scopes\":[…]}}`";

    private static final Map<String, Sensitivity> WORDS = Map.ofEntries(
            Map.entry("none", NONE),
            Map.entry("None", NONE),
            Map.entry("user", USER),
            Map.entry("User", USER),
            Map.entry("pii", PII),
            Map.entry("PII", PII),
            Map.entry("Pii", PII),
            Map.entry("financial", FINANCIAL),
            Map.entry("Financial", FINANCIAL),
            Map.entry("credentials", CREDENTIALS),
            Map.entry("Credentials", CREDENTIALS),
            // The drafts' examples use these (D-AM-1).
            Map.entry("public", NONE),
            Map.entry("personal", PII));

    /**
     * Takes a copy of the scopes.
     *
     * @throws IllegalArgumentException for scopes or a text that do not go with the kind
     */
    public Sensitivity {
        if (scopes.isEmpty() == (kind == Kind.REGULATED) || (!text.isEmpty() && kind != Kind.UNRECOGNIZED)) {
            throw new IllegalArgumentException(
                    "only regulated data has scopes, at least one; only unrecognised, a text");
        }
        scopes = Collections.unmodifiableSet(new LinkedHashSet<>(scopes));
    }

    private static Sensitivity plain(Kind kind) {
        return new Sensitivity(kind, Set.of(), "");
    }

    /**
     * Returns data under regimes.
     *
     * @throws IllegalArgumentException where no regime is given
     */
    public static Sensitivity regulated(Set<String> scopes) {
        return new Sensitivity(Kind.REGULATED, scopes, "");
    }

    /** Returns data that is sensitive in a way nobody here understands. */
    public static Sensitivity unrecognized(String text) {
        return new Sensitivity(Kind.UNRECOGNIZED, Set.of(), text);
    }

    /** Reads a word, an alias, or the object of regulated data; empty for anything else. */
    static Optional<Sensitivity> read(JsonNode node) {
        if (node.isString()) {
            return Optional.ofNullable(WORDS.get(node.stringValue()));
        }
        JsonNode regulated = only(node, "regulated", "Regulated");
        JsonNode listed = only(regulated, "scopes", "Scopes");
        Set<String> scopes = new LinkedHashSet<>();
        for (JsonNode scope : listed.isArray() ? listed : Set.of(listed)) {
            if (!scope.isString() || scope.stringValue().isEmpty()) {
                return Optional.empty();
            }
            scopes.add(scope.stringValue());
        }
        return scopes.isEmpty() ? Optional.empty() : Optional.of(regulated(scopes));
    }

    /** Returns the one member of an object where it has one of two names, else a missing node. */
    private static JsonNode only(JsonNode object, String name, String other) {
        if (!object.isObject() || object.size() != 1) {
            return JsonNodeFactory.instance.missingNode();
        }
        return object.has(name) ? object.path(name) : object.path(other);
    }

    /** Returns how the value is written. */
    JsonNode encode() {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        return switch (kind) {
            case NONE, USER, PII, FINANCIAL, CREDENTIALS ->
                nodes.stringNode(kind.name().toLowerCase(Locale.ROOT));
            case REGULATED -> {
                ArrayNode list = nodes.arrayNode();
                scopes.forEach(list::add);
                yield nodes.objectNode().set("regulated", nodes.objectNode().set("scopes", list));
            }
            case UNRECOGNIZED -> nodes.stringNode(text);
        };
    }
}
