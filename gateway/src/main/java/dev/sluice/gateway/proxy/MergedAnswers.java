package dev.sluice.gateway.proxy;

import dev.sluice.guard.client.RequestedInputs;
import dev.sluice.guard.message.MessageEdits;
import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.wire.ActionMetadata;
import dev.sluice.wire.TrustAnnotations;
import dev.sluice.wire.json.JsonEdits;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * One answer from several upstreams: the handshake, and lists.
 *
 * <p>Elements of lists are the upstreams' own bytes but for their names. With one upstream the answer is that upstream's.
 */
final class MergedAnswers {

    static final byte[] INITIALIZED =
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}".getBytes(StandardCharsets.UTF_8);

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final int MOST_PAGES = 1_000;

    private final Names names;
    private final UpstreamMessages messages;

    /** Some elements of an upstream's list, and those that must not be offered. */
    record Page(Connection line, List<Value> items, Set<String> withheld) {}

    MergedAnswers(Names names, UpstreamMessages messages) {
        this.names = names;
        this.messages = messages;
    }

    /** Returns the parameters with which Sluice shakes hands on behalf of a client that sent {@code params}. */
    static JsonNode handshakeOf(JsonNode params) {
        ObjectNode own = (ObjectNode) params.deepCopy();
        own.put(
                "protocolVersion",
                Revisions.spoken(params.path("protocolVersion").asString("")));
        ObjectNode capabilities = (ObjectNode) own.path("capabilities");
        ObjectNode extensions = capabilities.path("extensions") instanceof ObjectNode declared
                ? declared
                : capabilities.putObject("extensions");
        for (String key : List.of(TrustAnnotations.KEY, ActionMetadata.KEY)) {
            if (!extensions.has(key)) {
                extensions.putObject(key);
            }
        }
        return own;
    }

    /** Returns the answer to a client's {@code initialize}. */
    byte[] initialize(RpcId id, JsonNode handshake, List<Connection> lines) {
        Optional<RpcMessage.Result> only = own(lines).filter(own -> lines.get(0).era() == Era.LEGACY);
        if (only.isPresent()) {
            RpcMessage.Result own = only.get();
            MessageEdits edits = new MessageEdits(own).id(id);
            messages.handshake(lines.get(0).upstream(), own, edits);
            return edits.strip(own.result()).apply();
        }
        ObjectNode result = JSON.objectNode();
        String asked = handshake.path("protocolVersion").asString("");
        result.put("protocolVersion", Revisions.SERVED.contains(asked) ? asked : Revisions.NEWEST);
        String instructions = offer(result.putObject("capabilities"), lines);
        result.set("serverInfo", sluice());
        if (!instructions.isEmpty()) {
            result.put("instructions", instructions);
        }
        return RpcWriter.result(id, result);
    }

    /** Returns what the only server said of itself, as it may be passed on: nobody judges it, so it may ask for nothing. */
    private Optional<RpcMessage.Result> own(List<Connection> lines) {
        return !names.shared()
                        && lines.size() == 1
                        && lines.get(0).handshake().orElseThrow() instanceof RpcMessage.Result own
                        && !RequestedInputs.asks(own.result().tree())
                ? Optional.of(own)
                : Optional.empty();
    }

    /** Writes into {@code capabilities} what the servers can do, and returns their instructions. */
    private String offer(ObjectNode capabilities, List<Connection> lines) {
        StringBuilder instructions = new StringBuilder();
        for (Connection line : lines) {
            JsonNode own = said(line);
            own.path("capabilities")
                    .properties()
                    .forEach(member -> merge(capabilities, member.getKey(), member.getValue()));
            String text = own.path("instructions").asString("");
            if (!text.isEmpty() && messages.instructed(line.upstream(), text)) {
                instructions.append(instructions.isEmpty() ? "" : "\n\n");
                if (names.shared()) {
                    instructions
                            .append("Tools and prompts named `")
                            .append(line.upstream().name())
                            .append("__...`: ");
                }
                instructions.append(text);
            }
        }
        ObjectNode extensions = capabilities.putObject("extensions");
        extensions.putObject(TrustAnnotations.KEY);
        extensions.putObject(ActionMetadata.KEY);
        return instructions.toString();
    }

    private static JsonNode said(Connection line) {
        return line.handshake().orElseThrow().index().root().tree().path("result");
    }

    private static ObjectNode sluice() {
        return JSON.objectNode().put("name", "sluice").put("version", version());
    }

    /**
     * Returns the answer to a client's {@code server/discover}. What a server said is of the time when its line began, and
     * another principal may get another answer: so nobody may keep it.
     */
    byte[] discover(RpcId id, List<Connection> lines) {
        boolean one = !names.shared() && lines.size() == 1;
        Optional<RpcMessage.Result> only = own(lines)
                .filter(own -> own.result().member("supportedVersions").isPresent());
        if (only.isPresent()) {
            RpcMessage.Result own = only.get();
            MessageEdits edits = new MessageEdits(own).id(id);
            messages.handshake(lines.get(0).upstream(), own, edits);
            edits.edits()
                    .setMember(own.result(), "supportedVersions", MessageEdits.json(served()))
                    .setMember(own.result(), "ttlMs", "0".getBytes(StandardCharsets.UTF_8))
                    .setMember(own.result(), "cacheScope", "\"private\"".getBytes(StandardCharsets.UTF_8));
            return edits.strip(own.result()).apply();
        }
        ObjectNode result = JSON.objectNode().put("resultType", "complete");
        result.set("supportedVersions", served());
        ObjectNode capabilities = result.putObject("capabilities");
        String instructions = offer(capabilities, lines);
        JsonNode info = sluice();
        if (one) {
            JsonNode server = said(lines.get(0));
            info = server.path("serverInfo").isObject() ? server.path("serverInfo") : info;
            JsonNode experimental = server.path("capabilities").path("experimental");
            if (experimental.isObject()) {
                capabilities.set("experimental", experimental);
            }
            ObjectNode extensions = (ObjectNode) capabilities.path("extensions");
            server.path("capabilities").path("extensions").properties().stream()
                    .filter(each -> !extensions.has(each.getKey()))
                    .forEach(each -> extensions.set(each.getKey(), each.getValue()));
        }
        if (!instructions.isEmpty()) {
            result.put("instructions", instructions);
        }
        result.put("ttlMs", 0).put("cacheScope", "private");
        result.putObject("_meta").set(RequestMeta.SERVER_INFO, info);
        return RpcWriter.result(id, result);
    }

    private static ArrayNode served() {
        ArrayNode served = JSON.arrayNode();
        Revisions.ALL.forEach(served::add);
        return served;
    }

    /** What any upstream can do, the endpoint can; experiments and extensions are between two sides that know them. */
    private static void merge(ObjectNode capabilities, String name, JsonNode value) {
        if (name.equals("experimental") || name.equals("extensions") || name.equals("tasks")) {
            return;
        }
        if (capabilities.path(name) instanceof ObjectNode present && value.isObject()) {
            value.properties().forEach(member -> {
                if (!present.path(member.getKey()).asBoolean(false)) {
                    present.set(member.getKey(), member.getValue());
                }
            });
        } else {
            capabilities.set(name, value.deepCopy());
        }
    }

    /** Returns the version of this build; a build without one is a development build. */
    static String version() {
        return Optional.ofNullable(MergedAnswers.class.getPackage().getImplementationVersion())
                .orElse("development");
    }

    /** Returns all pages of an upstream's list; none where it offers no such thing or does not answer. */
    List<Page> pages(Connection line, String method) {
        String kind = method.substring(0, method.indexOf('/'));
        List<Page> pages = new ArrayList<>();
        long since = line.definitions();
        if (!line.offers(kind)) {
            return pages;
        }
        ObjectNode params = JSON.objectNode();
        try {
            boolean whole = false;
            for (int i = 0; i < MOST_PAGES && !whole; i++) {
                if (!(line.ask(method, params) instanceof RpcMessage.Result answer)) {
                    break;
                }
                Optional<Value> items =
                        answer.result().member(member(method)).filter(value -> value.kind() == Kind.ARRAY);
                if (items.isPresent()) {
                    Set<String> withheld =
                            method.equals(Methods.TOOLS_LIST) ? messages.define(line, items.get()) : Set.of();
                    pages.add(new Page(line, items.get().elements(), withheld));
                }
                Optional<Value> cursor =
                        answer.result().member("nextCursor").filter(next -> next.kind() == Kind.STRING);
                whole = cursor.isEmpty();
                cursor.ifPresent(next -> params.put("cursor", next.string()));
            }
            if (method.equals(Methods.TOOLS_LIST) && whole) {
                line.toolsListed(since, true);
            }
        } catch (IOException e) {
            messages.say(String.valueOf(e.getMessage()));
        }
        return pages;
    }

    private static String member(String method) {
        return switch (method) {
            case Methods.TEMPLATES_LIST -> "resourceTemplates";
            default -> method.substring(0, method.indexOf('/'));
        };
    }

    /** Returns one list of all elements of {@code pages}, under the names that clients use. */
    byte[] list(RpcMessage.Request request, List<Page> pages) {
        boolean named =
                request.method().equals(Methods.TOOLS_LIST) || request.method().equals(Methods.PROMPTS_LIST);
        StringBuilder out = new StringBuilder("{\"jsonrpc\":\"2.0\",\"id\":")
                .append(request.id().json())
                .append(",\"result\":{\"")
                .append(member(request.method()))
                .append("\":[");
        String separator = "";
        for (Page page : pages) {
            for (Value item : page.items()) {
                String name = MessageEdits.name(item);
                if (page.withheld().contains(name)) {
                    continue;
                }
                out.append(separator).append(named ? renamed(page.line(), item, name) : item.raw());
                separator = ",";
            }
        }
        if (request.method().equals(Methods.TOOLS_LIST)) {
            for (byte[] own : messages.ownTools()) {
                out.append(separator).append(new String(own, StandardCharsets.UTF_8));
                separator = ",";
            }
        }
        return out.append("]}}").toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Returns whether Sluice offers tools of its own. */
    boolean hasOwnTools() {
        return !messages.ownTools().isEmpty();
    }

    private String renamed(Connection line, Value item, String name) {
        byte[] bytes = item.bytes();
        JsonIndex index = JsonIndex.parse(bytes);
        JsonEdits edits = new JsonEdits(index);
        String outside = names.outside(line.upstream().name(), name);
        index.root()
                .member("name")
                .filter(own -> !outside.equals(name))
                .ifPresent(own -> edits.replace(own, MessageEdits.json(JSON.stringNode(outside))));
        return new String(edits.isEmpty() ? bytes : edits.apply(), StandardCharsets.UTF_8);
    }

    /** Returns how much of {@code uri} the fixed beginning of a template covers; -1 where it does not fit. */
    static int fits(Value template, String uri) {
        String text = template.member("uriTemplate")
                .filter(value -> value.kind() == Kind.STRING)
                .map(Value::string)
                .orElse("");
        int end = text.indexOf('{');
        String fixed = end < 0 ? text : text.substring(0, end);
        return !fixed.isEmpty() && uri.startsWith(fixed) ? fixed.length() : -1;
    }
}
