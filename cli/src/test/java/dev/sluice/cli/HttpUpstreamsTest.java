package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.cli.PlayedServer.Got;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A server over HTTP behind {@code sluice gateway}, beside one over stdio: from the client to the server and back. */
class HttpUpstreamsTest {

    private static final PlayedServer.Script ECHO = (got, reply) -> reply.text(got, got.text());

    @TempDir
    private Path folder;

    private final List<AutoCloseable> opened = new ArrayList<>();

    private PlayedServer server(PlayedServer.Script calls) throws IOException {
        PlayedServer server = new PlayedServer(calls);
        opened.add(server);
        return server;
    }

    /** A gateway to {@code server}, with these lines more in its entry, and a client that has shaken hands. */
    private HttpClientSide client(PlayedServer server, String more) throws Exception {
        HttpClientSide client = gateway(policy(server, more));
        return client.initialize();
    }

    private HttpClientSide gateway(Path policy) throws Exception {
        HttpClientSide client =
                HttpClientSide.within(policy, folder.resolve("state"), Map.of("NOTES_TOKEN", "of-the-operator"));
        opened.add(client);
        return client;
    }

    private Path policy(PlayedServer server, String more) throws IOException {
        return Files.writeString(folder.resolve("policy.yaml"), """
                version: 1
                servers:
                  files:
                    command: %s
                    defaults: {integrity: trusted, confidentiality: public}
                  notes:
                    url: %s
                    defaults: {integrity: trusted, confidentiality: public}
                    %s
                gateway: {limits: {message_bytes: 65536}}
                """.formatted(
                        JsonMapper.shared().writeValueAsString(Children.fixture(folder.resolve("files"), "")),
                        server.address(),
                        more));
    }

    @AfterEach
    void stop() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    private static String say(String id, String text) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"tools/call\",\"params\":{\"name\":\"notes__say\","
                + "\"arguments\":{\"text\":\"" + text + "\"},\"_meta\":{\"progressToken\":\"p\"}}}";
    }

    private static BufferedReader reader(HttpResponse<InputStream> answer) {
        return new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
    }

    /** Returns the next message of a stream, or the whole answer where it is no stream. */
    private static JsonNode next(BufferedReader events) throws IOException {
        String line = events.readLine();
        while (line != null && !line.startsWith("data: {") && !line.startsWith("{")) {
            line = events.readLine();
        }
        assertNotNull(line, "the stream ended early");
        return JsonMapper.shared().readTree(line.startsWith("{") ? line : line.substring(6));
    }

    /** Returns the answer, passing over what comes before it. */
    private static JsonNode answer(HttpResponse<InputStream> answer) throws IOException {
        try (BufferedReader events = reader(answer)) {
            JsonNode message = next(events);
            while (message.has("method")) {
                message = next(events);
            }
            return message;
        }
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertTrue(latch.await(PlayedServer.HANG_SECONDS, TimeUnit.SECONDS), "it never came to that");
    }

    @Test
    void bothServers_areListedAndCalled() throws Exception {
        HttpClientSide client = client(server(ECHO), "");
        List<String> names = new ArrayList<>();
        client.ask("tools/list", "{}")
                .at("/result/tools")
                .forEach(tool -> names.add(tool.path("name").asString("")));
        assertTrue(names.containsAll(List.of("files__echo", "notes__say")), names.toString());
        assertEquals("one", StdioHost.text(client.call("notes__say", "{\"text\":\"one\"}")));
        assertEquals("two", StdioHost.text(client.call("files__echo", "{\"text\":\"two\"}")));
    }

    @Test
    void firstEvent_isThere_whileTheServerHoldsBackTheRest() throws Exception {
        CountDownLatch seen = new CountDownLatch(1);
        PlayedServer server = server((got, reply) -> {
            reply.stream()
                    .event("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":"
                            + got.message().at("/params/_meta/progressToken") + ",\"progress\":1}}");
            await(seen);
            reply.event(PlayedServer.result(got, "the rest"));
        });
        HttpClientSide client = client(server, "");
        try (BufferedReader events = reader(client.open(say("5", "x")))) {
            JsonNode progress = next(events);
            assertEquals("notifications/progress", progress.path("method").asString(""));
            assertEquals("p", progress.at("/params/progressToken").asString(""));
            seen.countDown();
            assertEquals("the rest", StdioHost.text(next(events).path("result")));
        }
    }

    private static String logged(String text) {
        return "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\""
                + text + "\"}}";
    }

    private static JsonNode nextLogged(BufferedReader events) throws IOException {
        JsonNode message = next(events);
        while (!message.path("method").asString("").equals("notifications/message")) {
            message = next(events);
        }
        return message.at("/params/data");
    }

    private BufferedReader listen(HttpClientSide client) throws Exception {
        HttpRequest get =
                client.request().header("Accept", "text/event-stream").GET().build();
        return reader(client.start(get).join());
    }

    @Test
    void twoSessions_haveTheirOwnThere_andNobodyHearsTheOthers() throws Exception {
        PlayedServer server = server((got, reply) -> reply.text(got, got.session()));
        HttpClientSide client = client(server, "");
        try (BufferedReader first = listen(client)) {
            assertEquals("session-1", StdioHost.text(client.call("notes__say", "{}")));
            client.initialize();
            try (BufferedReader second = listen(client)) {
                assertEquals("session-2", StdioHost.text(client.call("notes__say", "{}")));
                server.tell("session-2", logged("to the second"));
                assertEquals("to the second", nextLogged(second).asString(""));
                server.tell("session-1", logged("to the first"));
                assertEquals("to the first", nextLogged(first).asString(""), "and not the message before");
                server.tell("session-2", logged("to the second again"));
                assertEquals("to the second again", nextLogged(second).asString(""));
            }
        }
        assertEquals(2, server.asked("initialize").size());
    }

    @Test
    void shared_oneSessionThereServesAll_andAnswersGoToWhoAsked() throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        CountDownLatch second = new CountDownLatch(1);
        PlayedServer server = server((got, reply) -> {
            both.countDown();
            await(both);
            if (got.text().equals("first")) {
                await(second); // so that answers come in another order
            }
            reply.text(got, got.text());
        });
        HttpClientSide client = client(server, "shared: true");
        CompletableFuture<HttpResponse<InputStream>> first = client.start(say("5", "first"));
        client.initialize();
        JsonNode other = answer(client.start(say("5", "second")).join());
        assertEquals("second", StdioHost.text(other.path("result")));
        second.countDown();
        assertEquals("first", StdioHost.text(answer(first.join()).path("result")));
        assertEquals(1, server.asked("initialize").size());
        List<Got> calls = server.asked("tools/call");
        assertEquals(calls.get(0).session(), calls.get(1).session());
        assertNotEquals(calls.get(0).id(), calls.get(1).id(), "what both call 5 is told apart there");
    }

    @Test
    void shared_whatTheServerAsks_isRefused_andNoClientSeesIt() throws Exception {
        CountDownLatch refused = new CountDownLatch(1);
        PlayedServer server = server((got, reply) -> {
            reply.stream()
                    .event("{\"jsonrpc\":\"2.0\",\"id\":\"ask-1\",\"method\":\"sampling/createMessage\",\"params\":"
                            + "{\"messages\":[],\"maxTokens\":1}}");
            await(refused);
            reply.event(PlayedServer.result(got, "asked nobody"));
        });
        HttpClientSide client = client(server, "shared: true");
        CompletableFuture<HttpResponse<InputStream>> call = client.start(say("5", "x"));
        Got refusal = server.first(got -> got.id().equals("\"ask-1\""));
        assertTrue(
                refusal.message().at("/error/message").asString("").contains("shared by many clients"),
                refusal.message().toString());
        refused.countDown();
        try (BufferedReader events = reader(call.join())) {
            assertEquals("asked nobody", StdioHost.text(next(events).path("result")));
        }
    }

    @Test
    void forgottenSession_isBegunAnew_theCallIsNotRepeatedUnasked_andWhatWasSetIsSetAgain() throws Exception {
        AtomicInteger done = new AtomicInteger();
        PlayedServer server = server((got, reply) -> reply.text(got, "done " + done.incrementAndGet()));
        HttpClientSide client = client(server, "");
        assertEquals("done 1", StdioHost.text(client.call("notes__say", "{}")));
        assertTrue(client.ask("logging/setLevel", "{\"level\":\"debug\"}").has("result"));
        assertTrue(client.ask("resources/subscribe", "{\"uri\":\"note:1\"}").has("result"));
        server.forget();
        int lists = server.asked("tools/list").size();
        JsonNode lost = client.call("notes__say", "{}");
        assertTrue(StdioHost.text(lost).contains("it forgot the session, which is begun anew now"), lost.toString());
        assertEquals(1, done.get());
        assertEquals("done 2", StdioHost.text(client.call("notes__say", "{}")));
        assertEquals(2, done.get());
        assertTrue(server.asked("tools/list").size() > lists, "its tools are learned anew before they are called");
        assertEquals(2, server.asked("initialize").size());
        Got level = server.first(got ->
                got.rpcMethod().equals("logging/setLevel") && got.session().equals("session-2"));
        assertEquals("debug", level.message().at("/params/level").asString(""));
        Got watched = server.first(got ->
                got.rpcMethod().equals("resources/subscribe") && got.session().equals("session-2"));
        assertEquals("note:1", watched.message().at("/params/uri").asString(""));
    }

    @Test
    void serverThatDies_itsCallIsAnError_theOtherGoesOn_andHealthSaysSo() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        PlayedServer server = server((got, reply) -> {
            entered.countDown();
            new CountDownLatch(1).await();
        });
        HttpClientSide client = client(server, "");
        CompletableFuture<HttpResponse<InputStream>> call = client.start(say("5", "x"));
        await(entered);
        server.close();
        JsonNode lost = answer(call.join()).path("result");
        assertTrue(lost.path("isError").asBoolean(false), lost.toString());
        assertTrue(StdioHost.text(lost).contains("Whether it did anything is not known"), lost.toString());
        assertEquals("two", StdioHost.text(client.call("files__echo", "{\"text\":\"two\"}")));
        JsonNode gone = client.call("notes__say", "{}");
        assertTrue(StdioHost.text(gone).contains("can't be reached at http://127.0.0.1:"), gone.toString());
        HttpRequest health =
                HttpRequest.newBuilder(client.address.resolve("/health")).build();
        String state = client.send(health).body();
        for (int i = 0; i < PlayedServer.HANG_SECONDS && !state.contains("failing"); i++) {
            Thread.sleep(1_000); // what it says is kept for a second
            state = client.send(health).body();
        }
        assertEquals(
                "{\"status\":\"ok\",\"servers\":[{\"name\":\"files\",\"state\":\"open\"},"
                        + "{\"name\":\"notes\",\"state\":\"failing\"}]}",
                state);
    }

    @Test
    void credentialsOfTheClient_stayHere_andThoseOfTheEntryAreSent() throws Exception {
        PlayedServer server = server(ECHO);
        HttpClientSide client = client(server, "headers: {Authorization: \"Bearer ${NOTES_TOKEN}\", X-Team: blue}");
        HttpResponse<String> answer = client.send(client.request()
                .header("Authorization", "Bearer of-the-client")
                .header("Cookie", "id=of-the-client")
                .header("X-Api-Key", "of-the-client")
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .POST(HttpRequest.BodyPublishers.ofString(say("5", "hello")))
                .build());
        assertTrue(answer.body().contains("hello"), answer.body());
        var _ = server.first(got -> got.method().equals("GET"));
        for (Got got : server.all()) {
            assertEquals(List.of("Bearer of-the-operator"), got.headers().get("Authorization"), got.toString());
            assertEquals(List.of("blue"), got.headers().get("X-Team"));
            assertFalse(got.headers().entrySet().toString().contains("of-the-client"), got.toString());
        }
        assertFalse(client.errors().contains("of-the-operator"), client.errors());
    }

    @Test
    void variableThatIsNotSet_stopsTheStart_andIsNamed() throws Exception {
        Path policy = policy(server(ECHO), "headers: {Authorization: \"Bearer ${NO_SUCH_TOKEN}\"}");
        Told told = Told.byProcess(
                HttpClientSide.words(policy, folder.resolve("state")).toArray(String[]::new));
        assertEquals(1, told.exit());
        assertEquals("", told.out());
        assertTrue(
                told.err()
                        .endsWith("the environment has no `NO_SUCH_TOKEN`, which `Authorization` under `headers` of the"
                                + " server `notes` names; set it\n"),
                told.err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json", "text/event-stream"})
    void answerThatNeverEnds_isGivenUp_andTheServerIsTold(String mediaType) throws Exception {
        PlayedServer server = server((got, reply) -> {
            reply.begin(mediaType);
            while (true) {
                reply.write(" ");
                Thread.sleep(20);
            }
        });
        HttpClientSide client = client(server, "timeout: 1s");
        JsonNode result = answer(client.open(say("5", "x"))).path("result");
        assertTrue(result.path("isError").asBoolean(false), result.toString());
        assertTrue(StdioHost.text(result).contains("it showed no progress for 1 s"), result.toString());
        Got cancelled = server.first(got -> got.rpcMethod().equals("notifications/cancelled"));
        assertEquals(
                server.asked("tools/call").get(0).id(),
                cancelled.message().at("/params/requestId").toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json", "text/event-stream"})
    void answerOverTheLimit_isAnError_andTheNextIsNot(String mediaType) throws Exception {
        PlayedServer server = server((got, reply) -> {
            String result = PlayedServer.result(got, got.text().equals("long") ? "x".repeat(65_536) : got.text());
            reply.begin(mediaType).write(mediaType.equals("application/json") ? result : "data: " + result + "\n\n");
        });
        HttpClientSide client = client(server, "");
        JsonNode result = client.call("notes__say", "{\"text\":\"long\"}");
        assertTrue(result.path("isError").asBoolean(false), result.toString());
        assertTrue(StdioHost.text(result).contains("the limit"), result.toString());
        assertEquals("short", StdioHost.text(client.call("notes__say", "{\"text\":\"short\"}")));
    }
}
