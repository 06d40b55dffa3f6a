package dev.sluice.gateway;

import dev.sluice.gateway.transport.UpstreamLink;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.policy.ServerEra;
import dev.sluice.policy.ServerOffer;
import dev.sluice.policy.ServerPolicy;
import dev.sluice.policy.ToolDefinition;
import dev.sluice.wire.canonical.Digest;
import dev.sluice.wire.json.JsonIndex;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a live server says that it has: asked outside of any session, and shown to no agent.
 *
 * @param handshake its answer to {@code initialize}; of a server that has none, what it says of itself, in the same form
 * @param tools its tools, in its order
 * @param resources its resources
 * @param templates its resource templates
 * @param prompts its prompts
 */
public record Inventory(
        JsonNode handshake,
        List<ServerOffer.Tool> tools,
        List<JsonNode> resources,
        List<JsonNode> templates,
        List<JsonNode> prompts) {

    /** How long each answer is waited for, unless somebody says otherwise; a command may install its server first. */
    public static final Duration PATIENCE = Duration.ofSeconds(60);

    /** More than this is no list that a person could look at; a server that never ends must not fill the memory. */
    static final int MOST_ITEMS = 10_000;

    private static final int MOST_BYTES = 16 << 20;
    private static final int MOST_LISTINGS = 3;

    public Inventory {
        tools = List.copyOf(tools);
        resources = List.copyOf(resources);
        templates = List.copyOf(templates);
        prompts = List.copyOf(prompts);
    }

    /**
     * Starts a server, asks it for all that it has, and ends it again, also where this process is stopped meanwhile.
     *
     * @param server how it is reached
     * @param patience how long each answer is waited for
     * @throws IOException where it can't be started or does not answer as a server must; the message says the mend
     */
    public static Inventory take(ServerPolicy server, Duration patience, Log log) throws IOException {
        try (Upstreams upstreams = Upstreams.of(List.of(server), System.getenv(), MOST_BYTES, 1, log)) {
            return stoppable(server, upstreams.onlyLink(), patience);
        }
    }

    private static Inventory stoppable(ServerPolicy server, UpstreamLink link, Duration patience) throws IOException {
        Thread shutdown = new Thread(link::close, "end-server");
        Runtime.getRuntime().addShutdownHook(shutdown);
        try (link) {
            return take(
                    server.name(),
                    link,
                    !server.command().isEmpty(),
                    server.line().era(),
                    patience);
        } finally {
            try {
                Runtime.getRuntime().removeShutdownHook(shutdown);
            } catch (IllegalStateException e) {
                // we are being stopped, and it runs
            }
        }
    }

    static Inventory take(String name, UpstreamLink link, boolean started, ServerEra era, Duration patience)
            throws IOException {
        Interview interview = new Interview(name, link, started, patience);
        link.start(interview);
        JsonNode handshake = interview.greet(hello(), era);
        if (!handshake.isObject()) {
            throw new IOException("the server `" + name + "` answered `initialize` with something else than an object;"
                    + " is its command that of an MCP server?");
        }
        if (!interview.isModern()) {
            interview.tell("notifications/initialized");
        }
        JsonNode has = handshake.path("capabilities");
        List<ServerOffer.Tool> tools = new ArrayList<>();
        if (has.has("tools")) {
            // Some servers add tools once they know their client, and say so while the list is read.
            boolean changed = true;
            for (int i = 0; changed && i < MOST_LISTINGS; i++) {
                tools.clear();
                for (JsonIndex.Value tool : all(interview, "tools/list", "tools")) {
                    JsonNode text = tool.tree();
                    tools.add(new ServerOffer.Tool(ToolDefinition.of(name, text, tool.bytes()), text));
                }
                changed = interview.toolsChanged();
            }
        }
        return new Inventory(
                handshake,
                tools,
                has.has("resources") ? trees(interview, "resources/list", "resources") : List.of(),
                has.has("resources") ? trees(interview, "resources/templates/list", "resourceTemplates") : List.of(),
                has.has("prompts") ? trees(interview, "prompts/list", "prompts") : List.of());
    }

    /** Servers offer some tools only to clients that can do something for them; nothing is ever done for them here. */
    private static ObjectNode hello() {
        ObjectNode hello = JsonNodeFactory.instance.objectNode();
        hello.put("protocolVersion", "2025-11-25");
        ObjectNode capabilities = hello.putObject("capabilities");
        capabilities.putObject("roots");
        capabilities.putObject("sampling");
        capabilities.putObject("elicitation");
        hello.putObject("clientInfo").put("name", "sluice-inventory").put("version", "1");
        return hello;
    }

    private static List<JsonNode> trees(Interview interview, String method, String member) throws IOException {
        return all(interview, method, member).stream()
                .map(JsonIndex.Value::tree)
                .toList();
    }

    /** Returns the items of all pages. */
    private static List<JsonIndex.Value> all(Interview interview, String method, String member) throws IOException {
        List<JsonIndex.Value> items = new ArrayList<>();
        Set<String> cursors = new HashSet<>();
        ObjectNode params = JsonNodeFactory.instance.objectNode();
        while (true) {
            Optional<RpcMessage.Result> answer = interview.askIfKnown(method, params);
            if (answer.isEmpty()) {
                return items;
            }
            JsonIndex.Value page = answer.get().result();
            JsonIndex.Value list = page.member(member)
                    .filter(each -> each.kind() == JsonIndex.Kind.ARRAY)
                    .orElseThrow(() -> interview.fault("answered `" + method + "` without a list `" + member + "`"));
            items.addAll(list.elements());
            if (items.size() > MOST_ITEMS) {
                throw interview.fault("has more than " + MOST_ITEMS + " " + member);
            }
            var next = page.member("nextCursor").filter(each -> each.kind() == JsonIndex.Kind.STRING);
            if (next.isEmpty()) {
                return items;
            }
            if (!cursors.add(next.get().string()) || cursors.size() > MOST_ITEMS) {
                throw interview.fault("never comes to the end of `" + method + "`: it names a page twice");
            }
            params.put("cursor", next.get().string());
        }
    }

    /** Returns this as a policy can be held against it. */
    public ServerOffer offer() {
        return new ServerOffer(tools, instructions().isEmpty() ? "" : digest(instructions()));
    }

    /** Returns the instructions that it gives to models; empty where it gives none. */
    public String instructions() {
        return handshake.path("instructions").asString("");
    }

    private static String digest(String instructions) {
        return Digest.sha256(instructions.getBytes(StandardCharsets.UTF_8)).text();
    }
}
