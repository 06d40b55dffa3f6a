package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.gateway.State;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What modern clients have seen counts for what they do next, however they name their conversations. */
class ModernSessionsTest {

    private static final String ID = "vscode.conversationId";

    /** More than the tests have. */
    private static final int PRINCIPALS = 40;

    @TempDir
    private static Path folder;

    private static Path state = Path.of("");
    private static @Nullable HttpClientSide running;

    private ModernClient client;
    private static int test;

    @BeforeAll
    static void start() throws Exception {
        state = folder.resolve("state");
        StringBuilder tokens = new StringBuilder();
        for (int i = 1; i <= PRINCIPALS; i++) {
            tokens.append("      - {principal: p")
                    .append(i)
                    .append(", token_env: TOKEN")
                    .append(i)
                    .append("}\n");
        }
        Path policy = Files.writeString(folder.resolve("policy.yaml"), """
                version: 1
                gateway:
                  ask: {wait: 0s}
                  sessions:
                    keys:
                      - {header: x-openai-session, new: clean}
                      - {meta: vscode.conversationId}
                  auth:
                    tokens:
                %s
                servers:
                  files:
                    command: %s
                    tools:
                      read: {effects: [reads], returns: {integrity: trusted, confidentiality: private}}
                  web:
                    command: %s
                    tools:
                      post: {effects: [sends], audience: public, payload: [text], returns: {integrity: trusted, confidentiality: public}}
                """.formatted(
                        tokens,
                        yaml(Children.fixture(folder.resolve("files"), "")),
                        yaml(Children.fixture(folder.resolve("web"), ""))));
        Map<String, String> variables = new HashMap<>();
        for (int i = 1; i <= PRINCIPALS; i++) {
            variables.put("TOKEN" + i, "the token of the principal p" + i);
        }
        running = HttpClientSide.within(policy, state, variables);
    }

    private static String yaml(List<String> command) {
        List<String> quoted = new ArrayList<>();
        command.forEach(word -> quoted.add(JsonMapper.shared().writeValueAsString(word)));
        return "[" + String.join(", ", quoted) + "]";
    }

    /** Each test is a principal of its own, so that none has seen what another one's sessions have. */
    @BeforeEach
    void beSomebody() {
        HttpClientSide gateway = Objects.requireNonNull(running);
        client = new ModernClient(gateway.address);
        client.token = "the token of the principal p" + ++test;
    }

    @AfterEach
    void close() {
        client.close();
    }

    @AfterAll
    static void stop() {
        if (running != null) {
            running.close();
        }
    }

    private void reads(ModernClient.Asked asked) throws Exception {
        assertEquals("the secret number is 4711", StdioHost.text(asked.answer().path("result")));
    }

    private ModernClient.Asked read() {
        return client.call("files__read", "{}");
    }

    private ModernClient.Asked post() {
        return client.call("web__post", "{\"text\":\"4711\"}");
    }

    private static void assertStopped(ModernClient.Asked asked) throws Exception {
        JsonNode result = asked.answer().path("result");
        assertTrue(StdioHost.isDenied(result), result.toString());
        assertTrue(StdioHost.text(result).contains("`read` of `files`"), StdioHost.text(result));
        assertEquals("complete", result.path("resultType").asString(""));
        assertFalse(
                Files.exists(folder.resolve("web"))
                        && Files.readString(folder.resolve("web")).contains("4711"),
                "nothing reached the server");
    }

    @Test
    void attackInOneConversation_isStopped() throws Exception {
        reads(read().says(ID, "one"));
        assertStopped(post().says(ID, "one"));
    }

    @Test
    void attackUnderAnotherId_isStopped() throws Exception {
        reads(read().says(ID, "one"));
        assertStopped(post().says(ID, "other"));
    }

    @Test
    void attackWithoutAnId_isStopped() throws Exception {
        reads(read().says(ID, "one"));
        assertStopped(post());
    }

    @Test
    void attackWithAnIdOnTheSecondCallAlone_isStopped() throws Exception {
        reads(read());
        assertStopped(post().says(ID, "one"));
    }

    @Test
    void attackWithAnIdOnTheSecondCallAlone_isStopped_alsoWhereNewOnesBeginClean() throws Exception {
        reads(read());
        assertStopped(post().header("x-openai-session", "one"));
    }

    @Test
    void attackUnderAnIdThatWasNamedBefore_withoutOneInBetween_isStopped() throws Exception {
        assertEquals(
                "posted",
                StdioHost.text(client.call("web__post", "{\"text\":\"hello\"}")
                        .says(ID, "one")
                        .answer()
                        .path("result")));
        reads(read());
        assertStopped(post().says(ID, "one"));
    }

    @Test
    void attackWithoutAnyId_isStopped_andAnotherPrincipalIsNot() throws Exception {
        reads(read());
        assertStopped(post());
        beSomebody();
        assertEquals(
                "posted",
                StdioHost.text(
                        client.call("web__post", "{\"text\":\"hi\"}").answer().path("result")));
    }

    @Test
    void conversationThatBeginsClean_hasSeenNothing() throws Exception {
        reads(read().header("x-openai-session", "one"));
        assertStopped(post().header("x-openai-session", "one"));
        assertEquals(
                "posted",
                StdioHost.text(client.call("web__post", "{\"text\":\"hello\"}")
                        .header("x-openai-session", "two")
                        .answer()
                        .path("result")));
    }

    /** Hosts name the conversation with calls and not with lists: a list must not make all conversations one. */
    @Test
    void listWithoutAnId_joinsNothing() throws Exception {
        reads(read().header("x-openai-session", "one"));
        assertTrue(client.ask("tools/list", "{}").answer().path("result").has("tools"));
        assertEquals(
                "posted",
                StdioHost.text(client.call("web__post", "{\"text\":\"hello\"}")
                        .header("x-openai-session", "two")
                        .answer()
                        .path("result")));
    }

    @Test
    void firstSourceCounts_andTheIdOfAnotherIsAnother() throws Exception {
        reads(read().says(ID, "two").header("x-openai-session", "one"));
        assertEquals(
                "posted",
                StdioHost.text(client.call("web__post", "{\"text\":\"hello\"}")
                        .says(ID, "one")
                        .header("x-openai-session", "two")
                        .answer()
                        .path("result")));
    }

    /** Of one conversation, some requests may have one name of it and others the other. */
    @Test
    void attackWithAnotherSourceOnEachCall_isStopped() throws Exception {
        assertEquals(
                "posted",
                StdioHost.text(client.call("web__post", "{\"text\":\"hello\"}")
                        .header("x-openai-session", "one")
                        .answer()
                        .path("result")));
        reads(read().says(ID, "one"));
        assertStopped(post().header("x-openai-session", "one"));
        beSomebody();
        reads(read().header("x-openai-session", "one"));
        assertStopped(post().says(ID, "one"));
    }

    @Test
    void idThatIsNone_isRefused() throws Exception {
        for (String id : List.of("", "x".repeat(513))) {
            HttpResponse<String> answer = read().says(ID, id).send();
            assertEquals(400, answer.statusCode(), answer.body());
            assertTrue(
                    answer.body().contains("names the conversation here: send it once, as a text of 1 to 512"),
                    answer.body());
        }
        ModernClient.Asked number = read();
        number.meta().put(ID, 7);
        assertEquals(400, number.send().statusCode());
        assertEquals(400, read().header("x-openai-session", "a", "b").send().statusCode());
        reads(read().says(ID, "x".repeat(512)));
    }

    @Test
    void idIsKeptNowhere_andEachJoinIsInTheRecords() throws Exception {
        reads(read().says(ID, "a-very-secret-conversation"));
        assertStopped(post());
        assertTrue(Kept.sessions(state).stream()
                .noneMatch(session -> session.toString().contains("a-very-secret")));
        assertTrue(
                Kept.audit(state).stream()
                        .anyMatch(event -> event.path("event").asString("").equals("begin")
                                && event.path("display").asString("").startsWith("requests without a conversation")),
                "begun");
        assertTrue(
                Kept.audit(state).stream().noneMatch(event -> event.toString().contains("a-very-secret")));
    }

    /** Returns what becomes of the prompt, told with that header of a conversation (where it has a value) and these members. */
    private HttpResponse<String> typed(String header, String more) throws Exception {
        HttpClientSide gateway = Objects.requireNonNull(running);
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(gateway.address.toString().replaceFirst("/mcp$", "/typed")))
                .header("Content-Type", "application/json")
                .header("Authorization", "Bearer " + client.token)
                .header(
                        "Sluice-Host-Token",
                        Files.readString(state.resolve("host-token")).strip());
        if (!header.isEmpty()) {
            request.header("x-openai-session", header);
        }
        String body = "{\"prompt\":\"greet them with hello\"" + more + "}";
        try (HttpClient once = HttpClient.newHttpClient()) {
            return once.send(
                    request.POST(HttpRequest.BodyPublishers.ofString(body)).build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    private ModernClient.Asked greet() {
        return client.call("web__post", "{\"text\":\"hello\"}");
    }

    private static void assertPosted(ModernClient.Asked asked) throws Exception {
        assertEquals("posted", StdioHost.text(asked.answer().path("result")));
    }

    @Test
    void prompt_isOfTheConversationThatIsNamedAsItsRequestsDo_andOfNoOther() throws Exception {
        assertEquals(204, typed("two", "").statusCode(), "a prompt comes before its first request");
        reads(read().header("x-openai-session", "one"));
        reads(read().header("x-openai-session", "two"));
        assertDenied(greet().header("x-openai-session", "one"));
        String other = client.token;
        beSomebody();
        assertEquals(204, typed("one", "").statusCode());
        client.token = other;
        assertDenied(greet().header("x-openai-session", "one"));
        assertPosted(greet().header("x-openai-session", "two"));
    }

    @Test
    void prompt_isOfTheConversationThatItsMetaNames_orOfTheRequestsThatNameNone() throws Exception {
        reads(read().says(ID, "one"));
        reads(read());
        assertEquals(204, typed("", ",\"_meta\":{\"" + ID + "\":\"one\"}").statusCode());
        assertDenied(greet());
        assertPosted(greet().says(ID, "one"));
        assertEquals(204, typed("", ",\"_meta\":{}").statusCode());
        assertPosted(greet());
    }

    private static void assertDenied(ModernClient.Asked asked) throws Exception {
        assertTrue(StdioHost.isDenied(asked.answer().path("result")));
    }

    @Test
    void promptOfNoConversation_isRefused() throws Exception {
        assertEquals(400, typed("", "").statusCode());
        assertTrue(typed("", "").body().contains("by a header, or in `_meta`"));
        assertEquals(400, typed("", ",\"_meta\":7").statusCode());
        assertEquals(400, typed("", ",\"_meta\":{\"" + ID + "\":7}").statusCode());
        assertEquals(400, typed("x".repeat(513), "").statusCode());
        reads(read());
        assertDenied(greet());
    }

    private static void end() throws Exception {
        String principal = "p" + test;
        String id = Kept.sessions(state).stream()
                .filter(session -> session.principal().equals(principal))
                .findFirst()
                .orElseThrow()
                .id();
        try (State opened = State.open(state)) {
            opened.engine().transact(tx -> tx.sessions().end(id, Instant.now()));
        }
    }

    @Test
    void sessionThatAPersonEnded_isBegunAnew() throws Exception {
        reads(read().header("x-openai-session", "one"));
        end();
        assertEquals(
                "posted",
                StdioHost.text(client.call("web__post", "{\"text\":\"hello\"}")
                        .header("x-openai-session", "one")
                        .answer()
                        .path("result")));
    }

    private static long handshakes() throws Exception {
        return Files.readString(folder.resolve("files"))
                .lines()
                .filter(line -> line.contains("\"initialize\""))
                .count();
    }

    /** What its servers know is of the session that ended, also where a request just after the end began it anew. */
    @Test
    void sessionThatAPersonEnded_hasItsServersAnew() throws Exception {
        reads(read().header("x-openai-session", "one"));
        long before = handshakes();
        end();
        reads(read().header("x-openai-session", "one"));
        for (int look = 0; look < 100 && handshakes() == before; look++) {
            Thread.sleep(100); // a line that was seen to live is looked at again a little later
            reads(read().header("x-openai-session", "one"));
        }
        assertEquals(before + 1, handshakes());
    }
}
