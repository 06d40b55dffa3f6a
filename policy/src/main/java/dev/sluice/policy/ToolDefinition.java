package dev.sluice.policy;

import dev.sluice.wire.ActionMetadata;
import dev.sluice.wire.Decoded;
import dev.sluice.wire.Finding;
import dev.sluice.wire.LegacyHints;
import dev.sluice.wire.canonical.Digest;
import dev.sluice.wire.canonical.JcsCanonicalizer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A tool as its server defines it.
 *
 * @param server the upstream
 * @param name the tool's name there
 * @param digest the digest of the definition, or of no bytes where the server defines no such tool
 * @param metadata what the server says of the tool's effects
 * @param hints the four hints of MCP
 * @param arguments the names in its input schema
 * @param members names of members of its arguments: those that the schema states, and those that its descriptions quote
 * @param findings what in the definition was malformed
 * @param outputSchema what it says of structured answers; missing where it says nothing
 * @param resolves whether the server can be asked what one call does (SEP-1862)
 * @param wording the digest of the definition without what it says of effects
 * @param resolved what the server says of the call that the definition is used for; null where it was not asked. It is no
 *     part of the definition, whose digest stays
 */
public record ToolDefinition(
        String server,
        String name,
        String digest,
        ActionMetadata metadata,
        LegacyHints hints,
        Set<String> arguments,
        Set<String> members,
        List<Finding> findings,
        JsonNode outputSchema,
        boolean resolves,
        String wording,
        @Nullable ResolvedTool resolved) {

    /** A name in quotes, as descriptions of arguments have them. */
    private static final Pattern QUOTED = Pattern.compile("[\"'`]([A-Za-z_][A-Za-z0-9_-]{0,31})[\"'`]");

    /** What lies deeper in a schema names nothing. */
    private static final int DEEPEST = 32;

    public ToolDefinition {
        arguments = java.util.Collections.unmodifiableSet(new TreeSet<>(arguments));
        members = java.util.Collections.unmodifiableSet(new TreeSet<>(members));
        findings = List.copyOf(findings);
    }

    /**
     * Returns the definition that {@code tool}, an element of a list of tools, states.
     *
     * @param text the bytes of that element
     */
    public static ToolDefinition of(String server, JsonNode tool, byte[] text) {
        Decoded<ActionMetadata> metadata = ActionMetadata.decodeTool(tool);
        Decoded<LegacyHints> hints = LegacyHints.decodeTool(tool);
        List<Finding> findings = new ArrayList<>(metadata.findings());
        findings.addAll(hints.findings());
        return new ToolDefinition(
                server,
                tool.path("name").asString(""),
                digest(tool, text),
                metadata.value(),
                hints.value(),
                new TreeSet<>(tool.path("inputSchema").path("properties").propertyNames()),
                members(tool.path("inputSchema"), new TreeSet<>(), 0),
                findings,
                tool.path("outputSchema"),
                tool.path("resolve").booleanValue(false),
                digest(wording(tool), text),
                null);
    }

    /** What a model or a person reads of a tool, and how it is called: all but what can be resolved for a call. */
    private static JsonNode wording(JsonNode tool) {
        if (!(tool instanceof ObjectNode object)) {
            return tool;
        }
        ObjectNode words = object.deepCopy();
        JsonNode title = object.path("annotations").path("title");
        words.remove(List.of("annotations", "_meta", "resolve"));
        if (!title.isMissingNode()) {
            words.putObject("annotations").set("title", title);
        }
        return words;
    }

    /** Returns whether {@code tool}, an answer to {@code tools/resolve}, says what this says, or leaves it out. */
    public boolean isWordedLike(JsonNode tool) {
        JsonNode words = wording(tool);
        return words.equals(JsonNodeFactory.instance.objectNode().put("name", name))
                || digest(words, new byte[0]).equals(wording);
    }

    /** Returns this definition, used for a call of which the server says that. */
    public ToolDefinition with(ResolvedTool forCall) {
        return new ToolDefinition(
                server,
                name,
                digest,
                metadata,
                hints,
                arguments,
                members,
                findings,
                outputSchema,
                resolves,
                wording,
                forCall);
    }

    private static Set<String> members(JsonNode schema, Set<String> found, int depth) {
        if (depth == DEEPEST) {
            return found;
        }
        found.addAll(schema.path("properties").propertyNames());
        if (schema.path("description").isString()) {
            Matcher quoted = QUOTED.matcher(schema.path("description").stringValue());
            while (quoted.find()) {
                found.add(quoted.group(1));
            }
        }
        schema.forEach(below -> members(below, found, depth + 1));
        return found;
    }

    /** Digests the canonical form, since some servers order members anew at every start; else the text as it came. */
    private static String digest(JsonNode tool, byte[] text) {
        try {
            return Digest.sha256(JcsCanonicalizer.canonicalize(written(tool))).text();
        } catch (IllegalArgumentException e) {
            return Digest.sha256(text).text();
        }
    }

    /** Canonical forms round some numbers and refuse others, so numbers become texts; what was a text before stays another one. */
    private static JsonNode written(JsonNode node) {
        JsonNodeFactory factory = JsonNodeFactory.instance;
        if (node.isObject()) {
            ObjectNode copy = factory.objectNode();
            node.properties().forEach(member -> copy.set(member.getKey(), written(member.getValue())));
            return copy;
        }
        if (node.isArray()) {
            ArrayNode copy = factory.arrayNode();
            node.forEach(element -> copy.add(written(element)));
            return copy;
        }
        if (node.isNumber()) {
            return factory.stringNode("number " + node);
        }
        return node.isString() ? factory.stringNode("text " + node.stringValue()) : node;
    }

    /** Returns the definition of a tool that its server does not list: it says nothing, so the strict defaults hold. */
    public static ToolDefinition unlisted(String server, String name) {
        return new ToolDefinition(
                server,
                name,
                Digest.sha256("".getBytes(StandardCharsets.UTF_8)).text(),
                ActionMetadata.NONE,
                LegacyHints.NONE,
                Set.of(),
                Set.of(),
                List.of(),
                JsonNodeFactory.instance.missingNode(),
                false,
                "",
                null);
    }
}
