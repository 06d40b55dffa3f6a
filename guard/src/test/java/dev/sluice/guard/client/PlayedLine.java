package dev.sluice.guard.client;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.sluice.guard.message.RpcMessage;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A line between a client and a server that a test plays. Quotes in JSON may be single ones. */
final class PlayedLine implements ToServer {

    static final JsonMapper JSON = JsonMapper.shared();

    /** Ends a wait that would never end; no assertion on speed. */
    private static final long HANG_SECONDS = 60;

    final Line line;

    /** What went to the server, Sluice's own messages too. */
    final List<String> got = new CopyOnWriteArrayList<>();

    /** What the server answers when Sluice asks for its tools. */
    volatile String tools = "[]";

    /** Whether the server answers Sluice at all. */
    volatile boolean answers = true;

    /** Whether Sluice's own messages reach the server. */
    volatile boolean reached = true;

    final AtomicInteger asked = new AtomicInteger();
    private int ids;

    PlayedLine(Conversation conversation, String server) {
        line = conversation.connect(server, this);
    }

    PlayedLine(Line line) {
        this.line = line;
    }

    static String text(byte[] message) {
        return new String(message, StandardCharsets.UTF_8);
    }

    static byte[] bytes(String json) {
        return json.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    }

    static JsonNode json(String text) {
        return JSON.readTree(text.startsWith("{\"") ? text : text.replace('\'', '"'));
    }

    @Override
    public CompletionStage<?> send(byte[] message) {
        got.add(text(message));
        if (RpcMessage.parse(message) instanceof RpcMessage.Request request) {
            asked.incrementAndGet();
            if (!reached) {
                return CompletableFuture.failedFuture(new IllegalStateException("no connection"));
            }
            if (answers) {
                String result =
                        request.method().equals("tools/list") ? "{'tools':" + tools + "}" : "{'tool':" + tools + "}";
                line.fromServer(bytes("{'jsonrpc':'2.0','id':" + request.id().json() + ",'result':" + result + "}"));
            }
        }
        return CompletableFuture.completedFuture(null);
    }

    /** Answers the newest question of Sluice's own, once there are that many. */
    void answerOwn(int number, String result) throws InterruptedException {
        for (int tries = 0; tries < 600 && asked.get() < number; tries++) {
            Thread.sleep(100);
        }
        List<JsonNode> own = got.stream()
                .map(PlayedLine::json)
                .filter(message -> message.has("id"))
                .toList();
        server("{'jsonrpc':'2.0','id':" + own.get(number - 1).path("id") + ",'result':" + result + "}");
    }

    CompletionStage<Step> begin(String message) {
        return line.fromClient(bytes(message));
    }

    static Step await(CompletionStage<Step> step) {
        try {
            return step.toCompletableFuture().get(HANG_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    Step client(String message) {
        return await(begin(message));
    }

    Step server(String message) {
        return line.fromServer(bytes(message));
    }

    static String passed(Step step) {
        return text(assertInstanceOf(Step.Pass.class, step, () -> shown(step)).message());
    }

    static JsonNode replied(Step step) {
        return json(
                text(assertInstanceOf(Step.Reply.class, step, () -> shown(step)).message()));
    }

    static String shown(Step step) {
        if (step instanceof Step.Pass pass) {
            return "pass " + text(pass.message());
        }
        return step instanceof Step.Reply reply ? "reply " + text(reply.message()) : step.toString();
    }

    static String request(int id, String method, String params) {
        return "{'jsonrpc':'2.0','id':" + id + ",'method':'" + method + "','params':" + params + "}";
    }

    static String call(int id, String tool, String arguments) {
        return request(id, "tools/call", "{'name':'" + tool + "','arguments':" + arguments + "}");
    }

    static String result(int id, String result) {
        return "{'jsonrpc':'2.0','id':" + id + ",'result':" + result + "}";
    }

    /** Calls a tool whose call must go on; returns what the client gets of that answer. */
    JsonNode reads(String tool, String arguments, String answer) {
        int id = ++ids;
        passed(client(call(id, tool, arguments)));
        return json(passed(server(result(id, "{'content':[{'type':'text','text':'" + answer + "'}]}"))));
    }

    /** Calls a tool whose call must be denied; returns the result that the client gets. */
    JsonNode denied(String tool, String arguments) {
        JsonNode reply = replied(client(call(++ids, tool, arguments)));
        if (!reply.path("result").path("isError").asBoolean(false)) {
            throw new AssertionError(reply);
        }
        return reply.path("result");
    }

    /** Returns what becomes of a call that is not answered. */
    Step calls(String tool, String arguments) {
        return client(call(++ids, tool, arguments));
    }

    static String code(JsonNode denied) {
        return denied.path("_meta").path("dev.sluice/decision").path("code").asString("");
    }
}
