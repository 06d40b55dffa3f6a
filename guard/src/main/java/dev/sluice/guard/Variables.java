package dev.sluice.guard;

import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import dev.sluice.policy.Control;
import dev.sluice.policy.Decision;
import dev.sluice.policy.Strength;
import dev.sluice.policy.Violation;
import dev.sluice.store.LabelCodec;
import dev.sluice.store.Session;
import dev.sluice.store.Transaction;
import dev.sluice.store.VariableStore;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.JsonPointers;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Keeps the values that agents have not seen, and puts them back into calls. Source: FIDES (arXiv 2505.23643). */
final class Variables {

    /** The only member of an object that stands for a value which is no text. */
    static final String OBJECT_FORM = "sluice_variable";

    /** A call takes no more than this many characters of values. */
    private static final long MOST_CHARS = 4L << 20;

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private Variables() {}

    /**
     * A value that is kept, with what it is.
     *
     * @param tool the tool that gave it; empty where none did
     */
    record Known(
            JsonNode value,
            Label label,
            boolean vouched,
            boolean named,
            Origin origin,
            String tool,
            JsonNode description) {

        String text() {
            return value.isString() ? value.stringValue() : value.toString();
        }

        List<Part> parts() {
            return Variables.parts(value, new Part("", label, vouched, named));
        }
    }

    /** Returns every text and number in {@code value}, which is what {@code like} is. */
    static List<Part> parts(JsonNode value, Part like) {
        List<Part> parts = new ArrayList<>();
        collect(value, like, parts);
        return parts;
    }

    private static void collect(JsonNode node, Part like, List<Part> parts) {
        if (node.isObject()) {
            node.forEachEntry((name, member) -> {
                parts.add(new Part(name, like.label(), false));
                collect(member, like, parts);
            });
        } else if (node.isArray()) {
            node.forEach(each -> collect(each, like, parts));
        } else if (!node.asString("").isBlank()) {
            parts.add(new Part(node.asString(""), like.label(), like.vouched(), like.named()));
        }
    }

    static void keep(Transaction tx, Session session, Answered answered, Origin origin) {
        for (Hidden.Value value : answered.hidden().values()) {
            ObjectNode about = JSON.objectNode();
            about.set("label", LabelCodec.encode(value.part().label()));
            about.put("vouched", value.part().vouched())
                    .put("named", value.part().named());
            about.putObject("origin")
                    .put("at", origin.at().toString())
                    .put("call", origin.call())
                    .put("server", origin.server())
                    .put("name", origin.name());
            about.put("tool", answered.tool());
            about.set("description", value.description().json());
            tx.variables()
                    .keep(new VariableStore.Variable(
                            session.id(), value.id(), value.text(), about.toString(), origin.at()));
        }
    }

    /** Returns the value of a handle that this session was given; empty for whatever else. */
    static Optional<Known> find(Transaction tx, Session session, String handle) {
        return Handle.WHOLE.matcher(handle).matches()
                ? tx.variables().find(session.id(), handle).map(Variables::known)
                : Optional.empty();
    }

    private static Known known(VariableStore.Variable kept) {
        JsonNode about = tree(kept.about());
        JsonNode origin = about.path("origin");
        return new Known(
                tree(kept.value()),
                LabelCodec.label(about.path("label")),
                about.path("vouched").asBoolean(false),
                about.path("named").asBoolean(false),
                new Origin(
                        Instant.parse(origin.path("at").asString("")),
                        origin.path("call").asString(""),
                        origin.path("server").asString(""),
                        origin.path("name").asString("")),
                about.path("tool").asString(origin.path("name").asString("")),
                about.path("description"));
    }

    static JsonNode tree(String json) {
        return JsonIndex.parse(json.getBytes(StandardCharsets.UTF_8)).root().tree();
    }

    /** Puts values in the place of their handles. What a value holds is not looked at again. */
    static Expansion expand(Transaction tx, Session session, Inbound inbound) {
        if (inbound instanceof Inbound.Answer) {
            return Expansion.none(inbound.content()); // a handle says nothing to a server
        }
        Walk walk = new Walk(tx, session);
        try {
            Both both = walk.both(inbound.content(), "", "", 0);
            if (walk.places.isEmpty()) {
                return Expansion.none(inbound.content());
            }
            if (!(inbound instanceof Inbound.ToolCall)) {
                throw new NoHandleException(false);
            }
            return new Expansion(both.content, both.own, walk.edits, walk.places, Optional.empty());
        } catch (NoHandleException e) {
            return new Expansion(
                    inbound.content(),
                    inbound.content(),
                    List.of(),
                    Map.of(),
                    Optional.of(new Decision.Deny(List.of(e.tooLarge ? tooLarge() : unknown()))));
        }
    }

    private static Violation unknown() {
        return new Violation(
                Control.WELL_FORMED,
                "unknown-variable",
                Strength.DENY,
                "it holds a text that begins like a handle (`" + Handle.PREFIX + "`) and is none that this session was"
                        + " given, or stands where none can stand: handles go into texts in arguments of tools, whole"
                        + " or inside a longer text, and elsewhere as {\"" + OBJECT_FORM + "\": handle}",
                "the call holds what looks like a handle and is none of this session",
                List.of());
    }

    private static Violation tooLarge() {
        return new Violation(
                Control.WELL_FORMED,
                "variable-too-large",
                Strength.DENY,
                "the values behind its handles are too large for one call",
                "the values behind the handles in the call are too large for one call",
                List.of());
    }

    /** A message as the server gets it, and as its sender wrote it. */
    private record Both(JsonNode content, JsonNode own) {}

    private static final class NoHandleException extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final boolean tooLarge;

        NoHandleException(boolean tooLarge) {
            super("", null, false, false);
            this.tooLarge = tooLarge;
        }
    }

    private static final class Walk {
        private final Transaction tx;
        private final Session session;
        private final List<Edit> edits = new ArrayList<>();
        private final Map<String, Expansion.Place> places = new LinkedHashMap<>();
        private final Map<String, Known> known = new HashMap<>();
        private long size;

        Walk(Transaction tx, Session session) {
            this.tx = tx;
            this.session = session;
        }

        private Known known(String handle) {
            Known found = known.computeIfAbsent(
                    handle, id -> find(tx, session, id).orElseThrow(() -> new NoHandleException(false)));
            size += found.text().length();
            if (size > MOST_CHARS) {
                throw new NoHandleException(true);
            }
            return found;
        }

        Both both(JsonNode node, String pointer, String argument, int depth) {
            if (node.isString()) {
                return text(node, pointer, argument);
            }
            if (depth > 0 && node.size() == 1 && node.has(OBJECT_FORM)) {
                Known value = known(node.path(OBJECT_FORM).asString(""));
                edits.add(new Edit(pointer, value.value()));
                places.put(pointer, new Expansion.Place(argument, List.of(value), true));
                return new Both(value.value(), JSON.stringNode(""));
            }
            if (node.isArray()) {
                ArrayNode content = JSON.arrayNode();
                ArrayNode own = JSON.arrayNode();
                for (int i = 0; i < node.size(); i++) {
                    Both each = both(node.path(i), pointer + "/" + i, argument, depth + 1);
                    content.add(each.content);
                    own.add(each.own);
                }
                return new Both(content, own);
            }
            if (!node.isObject()) {
                return new Both(node, node);
            }
            ObjectNode content = JSON.objectNode();
            ObjectNode own = JSON.objectNode();
            node.forEachEntry((name, member) -> {
                if (Handle.LIKE.matcher(name).find()) {
                    throw new NoHandleException(false);
                }
                Both each = both(member, pointer + JsonPointers.step(name), depth == 0 ? name : argument, depth + 1);
                content.set(name, each.content);
                own.set(name, each.own);
            });
            return new Both(content, own);
        }

        private Both text(JsonNode node, String pointer, String argument) {
            String text = node.stringValue();
            Matcher like = Handle.LIKE.matcher(text);
            Matcher whole = Handle.WHOLE.matcher(text);
            StringBuilder content = new StringBuilder();
            StringBuilder own = new StringBuilder();
            List<Known> values = new ArrayList<>();
            int at = 0;
            while (like.find(at)) {
                if (!whole.region(like.start(), text.length()).lookingAt()) {
                    throw new NoHandleException(false);
                }
                Known value = known(whole.group());
                values.add(value);
                content.append(text, at, like.start()).append(value.text());
                own.append(text, at, like.start()).append(' ');
                at = whole.end();
            }
            if (values.isEmpty()) {
                return new Both(node, node);
            }
            content.append(text, at, text.length());
            own.append(text, at, text.length());
            JsonNode expanded = JSON.stringNode(content.toString());
            edits.add(new Edit(pointer, expanded));
            places.put(
                    pointer,
                    new Expansion.Place(argument, values, own.toString().equals(" ")));
            return new Both(expanded, JSON.stringNode(own.toString().isBlank() ? "" : own.toString()));
        }
    }
}
