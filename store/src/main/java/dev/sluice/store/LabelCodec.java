package dev.sluice.store;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Lineage;
import dev.sluice.labels.Origin;
import dev.sluice.labels.SessionLabel;
import dev.sluice.labels.Source;
import dev.sluice.wire.canonical.JcsCanonicalizer;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The JSON form of labels, as stores and audit records keep it. One label has one form.
 *
 * <p>A label: {@code {"integrity":"untrusted","confidentiality":[{"server":"mail","readers":["ana@clinic.example"]},
 * {"server":"fs"},{"server":"github","resource":"o/r"}],"classes":[{"class":"phi","regulatory":"hipaa"}]}}. A lineage: a
 * list of {@code {"part":"untrusted","server":…,"origins":[…]}}, {@code {"part":"source","source":…,"origins":[…]}} or
 * {@code {"part":"class","class":…,"origins":[…]}} with origins {@code {"at":…,"call":…,"server":…,"name":…}}, where {@code at} is an ISO-8601 instant. A session label: {@code label}, {@code untrustedPublic} and
 * {@code lineage}.
 *
 * <p>Reading is strict: a member too few or too many, a wrong type or an unknown word is a {@link StoreException}, since
 * a label read halfway is a lower label.
 */
public final class LabelCodec {

    private LabelCodec() {}

    /** Returns the form of {@code label}. */
    public static ObjectNode encode(Label label) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("integrity", label.integrity() == Integrity.TRUSTED ? "trusted" : "untrusted");
        ArrayNode sources = node.putArray("confidentiality");
        label.confidentiality().sources().forEach(source -> sources.add(encode(source)));
        ArrayNode classes = node.putArray("classes");
        label.classes().forEach(dataClass -> classes.add(encode(dataClass)));
        return node;
    }

    /** Returns the form of {@code lineage}. */
    public static ArrayNode encode(Lineage lineage) {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        lineage.origins().forEach((part, origins) -> {
            ObjectNode node = list.addObject();
            if (part instanceof Lineage.Part.From from) {
                node.put("part", "source").set("source", encode(from.source()));
            } else if (part instanceof Lineage.Part.OfClass ofClass) {
                node.put("part", "class").set("class", encode(ofClass.dataClass()));
            } else if (part instanceof Lineage.Part.Untrusted untrusted) {
                node.put("part", "untrusted").put("server", untrusted.server());
            }
            ArrayNode written = node.putArray("origins");
            origins.forEach(origin -> written.addObject()
                    .put("at", origin.at().toString())
                    .put("call", origin.call())
                    .put("server", origin.server())
                    .put("name", origin.name()));
        });
        return list;
    }

    /** Returns the form of {@code label}. */
    public static ObjectNode encode(SessionLabel label) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.set("label", encode(label.label()));
        node.put("untrustedPublic", label.untrustedPublic());
        node.set("lineage", encode(label.lineage()));
        return node;
    }

    /**
     * Returns the canonical text (RFC 8785) of {@code label}.
     *
     * @throws StoreException where a name in it can't be written, such as half a surrogate pair
     */
    public static String text(SessionLabel label) {
        try {
            return JcsCanonicalizer.text(encode(label));
        } catch (IllegalArgumentException e) {
            throw new StoreException("the session's label can't be stored: " + e.getMessage(), e);
        }
    }

    /**
     * Reads a label.
     *
     * @throws StoreException where it is anything else
     */
    public static Label label(JsonNode node) {
        members(node, Set.of("integrity", "confidentiality", "classes"), Set.of());
        SortedSet<Source> sources = new TreeSet<>();
        for (JsonNode source : array(node, "confidentiality")) {
            once(sources.add(source(source)), "names a source twice");
        }
        SortedSet<DataClass> classes = new TreeSet<>();
        for (JsonNode dataClass : array(node, "classes")) {
            once(classes.add(dataClass(dataClass)), "names a data class twice");
        }
        return new Label(integrity(text(node, "integrity")), new Confidentiality(sources), classes);
    }

    /**
     * Reads a lineage.
     *
     * @throws StoreException where it is anything else
     */
    public static Lineage lineage(JsonNode node) {
        if (!node.isArray()) {
            throw unreadable("its lineage is not a list");
        }
        SortedMap<Lineage.Part, List<Origin>> origins = new TreeMap<>();
        for (JsonNode entry : node) {
            List<Origin> read = new ArrayList<>();
            Lineage.Part part = part(entry);
            for (JsonNode origin : array(entry, "origins")) {
                read.add(origin(origin));
            }
            once(origins.put(part, read) == null, "names a part of its lineage twice");
        }
        return new Lineage(origins);
    }

    /**
     * Reads a session label.
     *
     * @throws StoreException where it is anything else
     */
    public static SessionLabel sessionLabel(JsonNode node) {
        members(node, Set.of("label", "untrustedPublic", "lineage"), Set.of());
        JsonNode untrustedPublic = node.path("untrustedPublic");
        if (!untrustedPublic.isBoolean()) {
            throw unreadable("its `untrustedPublic` is neither true nor false");
        }
        return new SessionLabel(
                label(node.path("label")), untrustedPublic.booleanValue(), lineage(node.path("lineage")));
    }

    /**
     * Reads the text of a session label.
     *
     * @throws StoreException where it is anything else
     */
    public static SessionLabel sessionLabel(String text) {
        JsonNode node;
        try {
            node = StoredText.parse(text);
        } catch (IllegalArgumentException e) {
            throw unreadable("it is not one JSON value");
        }
        return sessionLabel(node);
    }

    private static ObjectNode encode(Source source) {
        ObjectNode node = JsonNodeFactory.instance.objectNode().put("server", source.server());
        if (source instanceof Source.OfResource resource) {
            node.put("resource", resource.key());
        } else if (source instanceof Source.Readers readers) {
            ArrayNode list = node.putArray("readers");
            readers.readers().forEach(list::add);
        }
        return node;
    }

    private static ObjectNode encode(DataClass dataClass) {
        ObjectNode node = JsonNodeFactory.instance.objectNode().put("class", dataClass.name());
        if (!dataClass.regulatory().isEmpty()) {
            node.put("regulatory", dataClass.regulatory());
        }
        if (!dataClass.label().isEmpty()) {
            node.put("label", dataClass.label());
        }
        return node;
    }

    private static Source source(JsonNode node) {
        members(node, Set.of("server"), Set.of("resource", "readers"));
        String server = text(node, "server");
        if (node.has("resource") && node.has("readers")) {
            throw unreadable("a source of it has both a resource and readers");
        }
        if (node.has("resource")) {
            return new Source.OfResource(server, text(node, "resource"));
        }
        if (!node.has("readers")) {
            return new Source.OfServer(server);
        }
        SortedSet<String> readers = new TreeSet<>();
        for (JsonNode reader : array(node, "readers")) {
            if (!reader.isString()) {
                throw unreadable("a reader in it is no text");
            }
            once(readers.add(reader.stringValue()), "names a reader twice");
        }
        return new Source.Readers(server, readers);
    }

    private static DataClass dataClass(JsonNode node) {
        members(node, Set.of("class"), Set.of("regulatory", "label"));
        return new DataClass(
                text(node, "class"),
                node.has("regulatory") ? text(node, "regulatory") : "",
                node.has("label") ? text(node, "label") : "");
    }

    private static Lineage.Part part(JsonNode node) {
        members(node, Set.of("part", "origins"), Set.of("server", "source", "class"));
        String kind = text(node, "part");
        if (kind.equals("untrusted")) {
            members(node, Set.of("part", "origins", "server"), Set.of());
            return new Lineage.Part.Untrusted(text(node, "server"));
        }
        if (kind.equals("source")) {
            members(node, Set.of("part", "origins", "source"), Set.of());
            return new Lineage.Part.From(source(node.path("source")));
        }
        if (kind.equals("class")) {
            members(node, Set.of("part", "origins", "class"), Set.of());
            return new Lineage.Part.OfClass(dataClass(node.path("class")));
        }
        throw unreadable("`" + kind + "` is no part of a label");
    }

    private static Origin origin(JsonNode node) {
        members(node, Set.of("at", "call", "server", "name"), Set.of());
        String at = text(node, "at");
        try {
            return new Origin(Instant.parse(at), text(node, "call"), text(node, "server"), text(node, "name"));
        } catch (DateTimeException e) {
            throw unreadable("`" + at + "` in its lineage is no instant");
        }
    }

    private static Integrity integrity(String word) {
        if (word.equals("trusted")) {
            return Integrity.TRUSTED;
        }
        if (word.equals("untrusted")) {
            return Integrity.UNTRUSTED;
        }
        throw unreadable("`" + word + "` is no integrity");
    }

    private static void members(JsonNode node, Set<String> needed, Set<String> optional) {
        if (!node.isObject()) {
            throw unreadable("a part of it is no object");
        }
        for (String name : needed) {
            if (!node.has(name)) {
                throw unreadable("a part of it lacks `" + name + "`");
            }
        }
        for (String name : node.propertyNames()) {
            if (!needed.contains(name) && !optional.contains(name)) {
                throw unreadable("a part of it has the unknown member `" + name + "`");
            }
        }
    }

    private static JsonNode array(JsonNode node, String name) {
        JsonNode list = node.path(name);
        if (!list.isArray()) {
            throw unreadable("its `" + name + "` is not a list");
        }
        return list;
    }

    private static String text(JsonNode node, String name) {
        JsonNode value = node.path(name);
        if (!value.isString()) {
            throw unreadable("its `" + name + "` is no text");
        }
        return value.stringValue();
    }

    private static void once(boolean first, String otherwise) {
        if (!first) {
            throw unreadable("it " + otherwise);
        }
    }

    private static StoreException unreadable(String why) {
        return new StoreException("the stored label is unreadable: " + why
                + "; it was damaged or written by a newer sluice: restore the state file, or end the session");
    }
}
