package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.gateway.State;
import dev.sluice.guard.Admission;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.guard.Inbound;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the user typed, told by a hook or over loopback: only with the host's token, and to no server. */
class TypedTest {

    private static final String PROMPT = "{\"session_id\":\"x\",\"prompt\":\"post that we meet at noon\"}";
    private static final String POST = "{\"text\":\"we meet at noon\"}";

    @TempDir
    private Path folder;

    private Path policy;
    private Path state;

    @BeforeEach
    void writePolicy() throws Exception {
        state = folder.resolve("state");
        policy = Files.writeString(folder.resolve("policy.yaml"), """
                version: 1
                gateway: {ask: {wait: 0s}}
                servers:
                  fixture:
                    command: %s
                    tools:
                      read: {effects: [reads], returns: {integrity: trusted, confidentiality: private}}
                      post: {effects: [sends], audience: public, payload: [text]}
                """.formatted(
                        JsonMapper.shared().writeValueAsString(Children.fixture(folder.resolve("received"), ""))));
    }

    private StdioHost host(String... options) throws IOException {
        List<String> all =
                new java.util.ArrayList<>(List.of("--policy", policy.toString(), "--state", state.toString()));
        all.addAll(List.of(options));
        return new StdioHost(
                Children.run(Children.fixture(folder.resolve("received"), ""), all.toArray(String[]::new)), folder);
    }

    private String token() throws IOException {
        return Files.readString(state.resolve("host-token")).strip();
    }

    private Told typed(String token, String input, String... options) throws Exception {
        List<String> all = new java.util.ArrayList<>(List.of("typed", "--state", state.toString()));
        all.addAll(List.of(options));
        return Told.reading(
                input.getBytes(StandardCharsets.UTF_8),
                Map.of(TypedCommand.TOKEN_VARIABLE, token),
                all.toArray(String[]::new));
    }

    /** As a hook that this process starts, of which it is the host. */
    private Told hook(Map<String, String> environment) throws Exception {
        return Told.readingByProcess(
                PROMPT.getBytes(StandardCharsets.UTF_8), environment, "typed", "--state", state.toString());
    }

    @Test
    void hookOfTheHost_tellsItsWrappers_andOnlyWithTheToken() throws Exception {
        try (StdioHost host = host().initialize()) {
            host.call("read", "{}");
            assertTrue(StdioHost.isDenied(host.call("post", POST)));

            Told none = hook(Map.of());
            assertEquals(1, none.exit());
            assertEquals(
                    "sluice: `SLUICE_HOST_TOKEN` is not set; give the host, and nobody else, the token that stands in"
                            + " `host-token` in the state folder\n",
                    none.err());
            Told wrong = hook(Map.of(TypedCommand.TOKEN_VARIABLE, Files.readString(state.resolve("approver-secret"))));
            assertEquals(1, wrong.exit());
            assertEquals(
                    "sluice: `SLUICE_HOST_TOKEN` is not the host's token; it stands in `" + state.resolve("host-token")
                            + "`\n",
                    wrong.err());
            assertTrue(StdioHost.isDenied(host.call("post", POST)));

            Told right = hook(Map.of(TypedCommand.TOKEN_VARIABLE, token()));
            assertEquals(0, right.exit(), right.err());
            assertEquals("", right.out(), "some hosts show it to the model");
            assertEquals("posted", StdioHost.text(host.call("post", POST)));
            assertTrue(StdioHost.isDenied(host.call("post", "{\"text\":\"4711\"}")), "nobody named that");
        }
        assertEquals(1, Kept.sessions(state).size(), "the hook is in the session of its host");
        assertFalse(Files.readString(folder.resolve("received")).contains("post that we meet"), "it goes to no server");
        assertFalse(Kept.audit(state).toString().contains("we meet at noon"));
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(state.resolve("host-token"))));
    }

    @Test
    void namedSession_isTheOneOfThatName_andPlainTextIsTaken() throws Exception {
        try (StdioHost host = host("--session", "a").initialize()) {
            host.call("read", "{}");

            assertEquals(
                    0,
                    typed(token(), "post that we meet at noon", "--text", "--session", "b")
                            .exit());
            assertTrue(StdioHost.isDenied(host.call("post", POST)));
            Told told = typed(token(), "post that we meet at noon", "--text", "--session", "a", "--json");
            assertEquals(0, told.exit(), told.err());
            assertEquals(25, told.json().get(0).path("characters").intValue());
            assertEquals("posted", StdioHost.text(host.call("post", POST)));
        }
    }

    @Test
    void inputThatIsNoPrompt_isSaid() throws Exception {
        State.open(state).close();

        Map<String, String> faults = Map.of(
                "{\"prompt\":",
                "sluice: this is no strict JSON: ",
                "{\"prompt\":7}",
                "sluice: there is no text `prompt` in what came in; send an object with one, or say `--text`",
                "[]",
                "sluice: there is no text `prompt` in what came in; send an object with one, or say `--text`",
                "{\"prompt\":\"" + "x".repeat(70_000) + "\"}",
                "sluice: a prompt of more than 65536 bytes is not kept; what it names counts as not named");
        for (Map.Entry<String, String> fault : faults.entrySet()) {
            Told told = typed(token(), fault.getKey());
            assertEquals(1, told.exit(), "some hosts hold a prompt back at 2");
            assertTrue(told.err().startsWith(fault.getValue()), told.err());
        }
        Told nowhere = typed("x", PROMPT, "--state", folder.resolve("none").toString());
        assertEquals(2, nowhere.exit(), "the option stands there twice");
        assertEquals(List.of(), Kept.sessions(state));
    }

    @Test
    void tokenThatOthersCanRead_isNone() throws Exception {
        State.open(state).close();
        Files.setPosixFilePermissions(state.resolve("host-token"), PosixFilePermissions.fromString("rw-r-----"));

        Told told = typed(token(), PROMPT);

        assertEquals(1, told.exit());
        assertEquals(
                "sluice: others may read `" + state.resolve("host-token") + "`; run `chmod 600` on it\n", told.err());
    }

    @Test
    void twoGuardsOnOneFile_knowTheSamePrompts() {
        Policy read = PolicyParser.read(policy);
        AgentSession agent = new AgentSession("host", "ana", "an editor", AgentSession.Start.CLEAN, "");
        try (State one = State.open(state);
                State other = State.open(state)) {
            Guard told = new Guard(one.engine(), read, Clock.systemUTC(), 0);
            Guard asked = new Guard(other.engine(), read, Clock.systemUTC(), 0);
            var fixture = asked.connect(read.servers().get("fixture"));
            JsonNode nothing = JsonMapper.shared().createObjectNode();
            Admission admitted = asked.admit(agent, new Inbound.ToolCall(fixture, "read", nothing))
                    .toCompletableFuture()
                    .join();
            asked.release(
                    agent,
                    new dev.sluice.guard.Outbound.Answer(
                            ((Admission.Admitted) admitted).ticket(),
                            JsonMapper.shared().readTree("{}")));
            Inbound post =
                    new Inbound.ToolCall(fixture, "post", JsonMapper.shared().readTree(POST));
            assertTrue(asked.admit(agent, post).toCompletableFuture().join() instanceof Admission.Refused);

            told.typed(agent, "post that we meet at noon");

            assertTrue(asked.admit(agent, post).toCompletableFuture().join() instanceof Admission.Admitted);
        }
    }

    private static HttpRequest.Builder to(HttpClientSide client) {
        URI address = URI.create(client.address.toString().replaceFirst("/mcp$", "/typed"));
        return HttpRequest.newBuilder(address).header("Content-Type", "application/json");
    }

    private HttpRequest.Builder as(HttpClientSide client, String token) {
        return to(client).header("Authorization", "Bearer " + token).header("Mcp-Session-Id", client.session);
    }

    private static void assertAnswer(int status, String message, HttpRequest.Builder request, String body)
            throws Exception {
        // What is refused unread may cost its connection, so none is used again.
        try (HttpClient once = HttpClient.newHttpClient()) {
            HttpResponse<String> answer = once.send(
                    request.POST(HttpRequest.BodyPublishers.ofString(body)).build(),
                    HttpResponse.BodyHandlers.ofString());
            assertEquals(
                    message,
                    answer.body().isEmpty()
                            ? ""
                            : JsonMapper.shared()
                                    .readTree(answer.body())
                                    .path("error")
                                    .path("message")
                                    .asString(""));
            assertEquals(status, answer.statusCode(), message);
        }
    }

    @Test
    void overLoopback_withTheToken_theSessionKnowsIt() throws Exception {
        try (HttpClientSide client =
                HttpClientSide.process(policy, state, folder).initialize()) {
            client.call("read", "{}");
            assertTrue(StdioHost.isDenied(client.call("post", POST)));

            assertAnswer(204, "", as(client, token()), PROMPT);

            assertEquals("posted", StdioHost.text(client.call("post", POST)));
            assertFalse(Files.readString(folder.resolve("received")).contains("post that we meet"));
            assertFalse(client.errors().contains("noon") || client.errors().contains(token()), client.errors());
        }
    }

    @Test
    void overLoopback_whoeverMayNotSpeakForTheUser_isToldWhy() throws Exception {
        try (HttpClientSide client = HttpClientSide.within(policy, state).initialize()) {
            client.call("read", "{}");
            String noToken = "send `Authorization: Bearer` with the host's token, which stands in `host-token`";
            assertAnswer(401, noToken, to(client).header("Mcp-Session-Id", client.session), PROMPT);
            assertAnswer(401, noToken, as(client, "0".repeat(40)), PROMPT);
            assertAnswer(401, noToken, as(client, ""), PROMPT);
            assertAnswer(401, noToken, as(client, token()).header("Authorization", "Bearer " + token()), PROMPT);
            assertAnswer(
                    403,
                    "the `Origin` must be a page of this machine, such as http://localhost, or one of the policy's `origins`",
                    as(client, token()).header("Origin", "http://evil.example"),
                    PROMPT);
            assertAnswer(
                    404,
                    "no such session; send the id that the answer to `initialize` had",
                    to(client).header("Authorization", "Bearer " + token()).header("Mcp-Session-Id", "0".repeat(48)),
                    PROMPT);
            assertAnswer(
                    400,
                    "send the header `Mcp-Session-Id` that the answer to `initialize` had, or name the conversation of a"
                            + " client without sessions as its requests do: by a header, or in `_meta`",
                    to(client).header("Authorization", "Bearer " + token()),
                    PROMPT);
            assertTrue(StdioHost.isDenied(client.call("post", POST)), "none of them was believed");
            assertFalse(Kept.audit(state).toString().contains("\"kind\":\"typed\""));
        }
    }

    @Test
    void overLoopback_bodiesThatAreNone_areToldWhy() throws Exception {
        try (HttpClientSide client =
                HttpClientSide.process(policy, state, folder).initialize()) {
            String notJson = "{\"prompt\":";
            try (HttpClient once = HttpClient.newHttpClient()) {
                HttpResponse<String> answer = once.send(
                        as(client, token())
                                .POST(HttpRequest.BodyPublishers.ofString(notJson))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
                assertEquals(400, answer.statusCode());
                assertTrue(answer.body().contains("this is no strict JSON: "), answer.body());
            }
            assertAnswer(400, "send an object with a text `prompt`", as(client, token()), "{\"text\":\"x\"}");
            assertAnswer(400, "send an object with a text `prompt`", as(client, token()), "\"x\"");
            assertAnswer(
                    413,
                    "a `prompt` of more than 65536 bytes is not kept",
                    as(client, token()),
                    "{\"prompt\":\"" + "x".repeat(65_537) + "\"}");
            assertAnswer(
                    413,
                    "the message has more than 524288 bytes",
                    as(client, token()),
                    "{\"prompt\":\"" + "x".repeat(600_000) + "\"}");
            HttpRequest.Builder plain = HttpRequest.newBuilder(
                            URI.create(client.address.toString().replaceFirst("/mcp$", "/typed")))
                    .header("Authorization", "Bearer " + token())
                    .header("Mcp-Session-Id", client.session);
            assertAnswer(415, "send `Content-Type: application/json`", plain, PROMPT);
            HttpResponse<String> get = client.send(as(client, token()).GET().build());
            assertEquals(405, get.statusCode());
            assertEquals("POST", get.headers().firstValue("Allow").orElse(""));
        }
    }
}
