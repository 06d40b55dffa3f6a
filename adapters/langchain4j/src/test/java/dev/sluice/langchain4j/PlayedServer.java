package dev.sluice.langchain4j;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.langchain4j.invocation.InvocationContext;
import dev.langchain4j.mcp.client.McpCallContext;
import dev.langchain4j.mcp.client.transport.McpOperationHandler;
import dev.langchain4j.mcp.client.transport.McpTransport;
import dev.langchain4j.mcp.protocol.McpClientMessage;
import dev.langchain4j.mcp.protocol.McpInitializationNotification;
import dev.langchain4j.mcp.protocol.McpInitializeRequest;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A server that a test plays, behind a transport that does what those of LangChain4j do. */
final class PlayedServer {

    private static final ObjectMapper JSON = new ObjectMapper();

    private static final ExecutorService THREADS = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "played-server");
        thread.setDaemon(true);
        return thread;
    });

    /** All messages that came, as they came. */
    final List<String> got = new CopyOnWriteArrayList<>();

    /** The methods of all requests that came in a context, and whose memory that has. */
    final List<String> asked = new CopyOnWriteArrayList<>();

    /** The arguments of all calls that came. */
    final List<JsonNode> calls = new CopyOnWriteArrayList<>();

    /** Whether answers come late, each after another time. */
    volatile boolean dawdles;

    /** Whether calls get no answer. */
    volatile boolean mute;

    private final Map<String, Function<JsonNode, String>> tools = new LinkedHashMap<>();
    private final Map<String, String> descriptions = new LinkedHashMap<>();
    volatile @Nullable McpOperationHandler handler;
    private volatile @Nullable McpInitializeRequest opening;

    static JsonNode json(String text) {
        try {
            return JSON.readTree(text.replace('\'', '"'));
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Offers a tool that answers with a text; an answer that is a JSON object is the whole result. */
    PlayedServer offer(String name, Function<JsonNode, String> answer) {
        tools.put(name, answer);
        descriptions.putIfAbsent(name, name);
        return this;
    }

    PlayedServer describe(String name, String description) {
        descriptions.put(name, description);
        return this;
    }

    /** Says something that nobody asked for. */
    void say(String message) {
        McpOperationHandler to = handler;
        if (to == null) {
            throw new IllegalStateException("not started");
        }
        to.handle(json(message));
    }

    /** Loses all that is under way. */
    void breakDown() {
        McpOperationHandler to = handler;
        if (to != null) {
            to.cancelAllPendingOperations("Process has exited");
        }
    }

    /** Opens the connection anew by itself, as the transport for HTTP does. */
    CompletableFuture<JsonNode> openAgain(McpTransport transport) {
        McpInitializeRequest first = opening;
        if (first == null) {
            throw new IllegalStateException("not opened");
        }
        return transport.initialize(first);
    }

    McpTransport transport() {
        return new Transport();
    }

    private final class Transport implements McpTransport {

        @Override
        public void start(McpOperationHandler messageHandler) {
            handler = messageHandler;
        }

        @Override
        public CompletableFuture<JsonNode> initialize(McpInitializeRequest request) {
            opening = request;
            return ask(request).thenApply(answer -> {
                executeOperationWithoutResponse(new McpInitializationNotification());
                return answer;
            });
        }

        @Override
        public CompletableFuture<JsonNode> executeOperationWithResponse(McpClientMessage request) {
            return ask(request);
        }

        @Override
        public CompletableFuture<JsonNode> executeOperationWithResponse(McpCallContext context) {
            InvocationContext of = context.invocationContext();
            asked.add(json(written(context.message())).path("method").asText("") + " of "
                    + (of == null ? "nobody" : of.chatMemoryId()));
            return ask(context.message());
        }

        @Override
        public void executeOperationWithoutResponse(McpClientMessage message) {
            got.add(written(message));
        }

        @Override
        public void executeOperationWithoutResponse(McpCallContext context) {
            got.add(written(context.message()));
        }

        private CompletableFuture<JsonNode> ask(McpClientMessage request) {
            CompletableFuture<JsonNode> answer = new CompletableFuture<>();
            McpOperationHandler to = handler;
            if (to == null) {
                return CompletableFuture.failedFuture(new IllegalStateException("not started"));
            }
            to.startOperation(request.getId(), answer);
            String text = written(request);
            got.add(text);
            THREADS.execute(() -> {
                JsonNode message = json(text.replace('\'', '"'));
                if (dawdles) {
                    try {
                        Thread.sleep(ThreadLocalRandom.current().nextInt(20));
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }
                ObjectNode back = JSON.createObjectNode().put("jsonrpc", "2.0");
                back.set("id", message.path("id"));
                back.set("result", result(message));
                if (!mute || !message.path("method").asText("").equals("tools/call")) {
                    to.handle(back);
                }
            });
            return answer;
        }

        private String written(McpClientMessage message) {
            try {
                return JSON.writeValueAsString(message);
            } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void checkHealth() {}

        @Override
        public void onFailure(Runnable actionOnFailure) {}

        @Override
        public void close() {}
    }

    private JsonNode result(JsonNode message) {
        return switch (message.path("method").asText("")) {
            case "initialize" ->
                json("{'protocolVersion':'2025-11-25','capabilities':{'tools':{}},"
                        + "'serverInfo':{'name':'played','version':'1'},'instructions':'be nice'}");
            case "tools/list" -> list();
            case "tools/call" -> called(message.path("params"));
            case "resources/read" ->
                json("{'contents':[{'uri':'x:1','text':'"
                        + tools.values().iterator().next().apply(message) + "'}]}");
            default -> json("{}");
        };
    }

    private JsonNode list() {
        ObjectNode list = JSON.createObjectNode();
        tools.keySet()
                .forEach(name -> list.withArray("tools")
                        .addObject()
                        .put("name", name)
                        .put("description", descriptions.get(name))
                        .putObject("inputSchema")
                        .put("type", "object"));
        return list;
    }

    private JsonNode called(JsonNode params) {
        JsonNode arguments = params.path("arguments");
        calls.add(arguments);
        String answer = tools.get(params.path("name").asText("")).apply(arguments);
        return answer.startsWith("{") ? json(answer) : json("{'content':[{'type':'text','text':'" + answer + "'}]}");
    }
}
