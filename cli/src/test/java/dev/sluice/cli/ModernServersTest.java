package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Servers of 2026-07-28 alone, over stdio and HTTP, for clients that begin with a handshake. */
class ModernServersTest {

    private static final JsonMapper JSON = JsonMapper.shared();

    /** Ends a wait that would never end; no assertion on speed. */
    private static final long HANG_SECONDS = 120;

    @TempDir
    private Path folder;

    private final List<AutoCloseable> opened = new ArrayList<>();

    private Path received() {
        return folder.resolve("received");
    }

    private List<String> command(String special) {
        List<String> command = new ArrayList<>(Children.java(ModernServer.class));
        command.add(received().toString());
        if (!special.isEmpty()) {
            command.add(special);
        }
        return command;
    }

    private String entry(String kind, String special) throws IOException {
        if (kind.equals("stdio")) {
            return "command: " + JSON.writeValueAsString(command(special));
        }
        ModernServer server = ModernServer.overHttp(received(), special);
        opened.add(server);
        return "url: " + server.url();
    }

    private Path policy(String entry, String more) throws IOException {
        return Files.writeString(folder.resolve("policy.yaml"), """
                version: 1
                gateway: {ask: {wait: 0s}}
                servers:
                  m:
                    %s
                    defaults: {integrity: trusted, confidentiality: public}
                    tools:
                      read: {effects: [reads], returns: {confidentiality: private}}
                %s
                """.formatted(entry, more));
    }

    /** A client of {@code sluice run} around such a server, which has shaken hands. */
    private StdioHost run(String kind) throws IOException {
        String entry = entry(kind, "");
        List<String> options = new ArrayList<>(List.of(
                "--session",
                "t",
                "--state",
                folder.resolve("state").toString(),
                "--policy",
                policy(entry, "").toString()));
        List<String> command;
        if (kind.equals("stdio")) {
            command = Children.run(command(""), options.toArray(String[]::new));
        } else {
            options.add(0, "run");
            options.addAll(List.of("--url", entry.substring(5)));
            command = Children.sluice(options.toArray(String[]::new));
        }
        StdioHost host = new StdioHost(command, folder);
        opened.add(host);
        return host.initialize("{\"elicitation\":{},\"roots\":{}}");
    }

    private List<String> heard() throws IOException {
        return Files.readAllLines(received());
    }

    private void untilHeard(String text) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(HANG_SECONDS);
        while (heard().stream().noneMatch(line -> line.contains(text))) {
            assertTrue(System.nanoTime() < end, "it never heard `" + text + "`: " + heard());
            Thread.sleep(20);
        }
    }

    @AfterEach
    void stop() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    /** Answers what the client is asked until the answer to the request of that id comes, which is returned. */
    private static JsonNode answering(StdioHost client, int id, String answer) throws IOException {
        while (true) {
            JsonNode message = client.next();
            if (message.path("method").asString("").equals("elicitation/create")
                    || message.path("method").asString("").equals("roots/list")) {
                client.send("{\"jsonrpc\":\"2.0\",\"id\":" + message.path("id") + ",\"result\":" + answer + "}");
            } else if (message.path("id").asInt(-1) == id) {
                return message.path("result");
            }
        }
    }

    private static JsonNode asked(StdioHost client, int id, String tool, String answer) throws IOException {
        client.send("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"tools/call\",\"params\":{\"name\":\"" + tool
                + "\",\"arguments\":{}}}");
        return answering(client, id, answer);
    }

    @ParameterizedTest
    @ValueSource(strings = {"stdio", "http"})
    void clientWithAHandshake_callsReadsAndIsAsked(String kind) throws Exception {
        StdioHost client = run(kind);
        assertEquals("hi", StdioHost.text(client.call("echo", "{\"text\":\"hi\"}")));
        assertEquals("Zürich", StdioHost.text(client.call("mirror", "{\"region\":\"Zürich\"}")));
        assertEquals(
                "a note",
                client.ask("resources/read", "{\"uri\":\"note:1\"}")
                        .at("/result/contents/0/text")
                        .asString(""));
        assertEquals("now", StdioHost.text(client.call("later", "{}")));
        String person = "{\"action\":\"accept\",\"content\":{\"name\":\"Ann\"}}";
        assertEquals("hello Ann", StdioHost.text(asked(client, 101, "ask", person)));
        String done = StdioHost.text(asked(client, 102, "twice", person));
        assertTrue(done.startsWith("done with {\"c\":"), done);
        String roots = StdioHost.text(asked(client, 103, "roots", "{\"roots\":[{\"uri\":\"file:///x\"}]}"));
        assertEquals("roots file:///x", roots);
        assertTrue(StdioHost.text(client.call("sample", "{}")).contains("this client can't do"));

        assertTrue(client.ask("logging/setLevel", "{\"level\":\"info\"}").has("result"));
        assertEquals("said at info", StdioHost.text(client.call("say", "{}")));
        assertEquals("notifications/message", client.next().path("method").asString(""));
        assertEquals("the secret number is 4711", StdioHost.text(client.call("read", "{}")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"stdio", "http"})
    void changes_areTold_andACallThatIsTakenBackEndsThere(String kind) throws Exception {
        StdioHost client = run(kind);
        assertTrue(client.ask("resources/subscribe", "{\"uri\":\"note:1\"}").has("result"));
        untilHeard("\"resourceSubscriptions\":[\"note:1\"]");
        client.call("touch", "{}");
        JsonNode updated = client.next();
        assertEquals("{\"uri\":\"note:1\"}", updated.path("params").toString());
        assertEquals("grown", StdioHost.text(client.call("grow", "{}")));
        assertEquals(
                "notifications/tools/list_changed", client.next().path("method").asString(""));
        assertTrue(client.ask("tools/list", "{}").toString().contains("more0"));

        client.send("{\"jsonrpc\":\"2.0\",\"id\":\"slow\",\"method\":\"tools/call\",\"params\":{\"name\":\"slow\","
                + "\"arguments\":{},\"_meta\":{\"progressToken\":\"p\"}}}");
        assertEquals("notifications/progress", client.next().path("method").asString(""));
        client.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"slow\"}}");
        untilHeard("cancelled \"slow\"");
        assertTrue(
                heard().stream()
                        .noneMatch(line -> line.contains("resources/subscribe")
                                || (kind.equals("http") && line.contains("notifications/cancelled"))),
                heard().toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"stdio", "http", "shared stdio", "shared http"})
    void behindAGateway_itIsAServerLikeOthers(String kind) throws Exception {
        String entry = entry(kind.replace("shared ", ""), "") + (kind.startsWith("shared") ? "\n    shared: true" : "");
        Path policy = policy(
                entry,
                "  files: {command: " + JSON.writeValueAsString(Children.fixture(folder.resolve("files"), "")) + "}");
        try (HttpClientSide client = HttpClientSide.within(policy, folder.resolve("state"))) {
            client.initialize();
            assertEquals("eu", StdioHost.text(client.call("m__mirror", "{\"region\":\"eu\"}")));
            assertTrue(client.call("m__ask", "{}").path("isError").asBoolean(false), "this client has no elicitation");
            JsonNode read = client.call("m__read", "{}");
            assertEquals("the secret number is 4711", StdioHost.text(read));
            assertEquals(
                    "private",
                    read.at("/_meta/dev.sluice~1label/confidentiality").asString(""),
                    "what it answers is labelled");
            JsonNode echo = client.call("files__echo", "{\"text\":\"4711\"}");
            assertTrue(StdioHost.isDenied(echo), () -> "and so judged: " + echo);
        }
        assertTrue(heard().stream().noneMatch(line -> line.contains("notifications/initialized")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"stdio", "http"})
    void inventory_isTaken(String kind) throws Exception {
        Path policy = policy(entry(kind, ""), "");
        Told told = Told.by("check", "--inventory", "--json", policy.toString());
        assertEquals(13, told.json().get(0).path("inventory").path("m").intValue(), told.out() + told.err());
    }

    @Test
    void serverOfOtherRevisionsAlone_isSaidToBeWhatItIs() throws Exception {
        Told told = Told.by(
                "check",
                "--inventory",
                policy(entry("stdio", "other-revision"), "").toString());
        assertTrue(told.out().contains("speaks only `2027-01-01` of MCP"), told.out() + told.err());
    }

    @Test
    void serverOfBothEras_isSpokenWithAsItsClientDoes_orAsTheOperatorSays() throws Exception {
        Path policy = policy(entry("http", "dual"), "");
        try (HttpClientSide client = HttpClientSide.within(policy, folder.resolve("state"))) {
            client.initialize();
            assertEquals("hi", StdioHost.text(client.call("echo", "{\"text\":\"hi\"}")));
        }
        assertTrue(heard().stream().noneMatch(line -> line.contains("server/discover")), heard().toString());
        Files.delete(received());
        Path modern = policy(entry("http", "dual") + "\n    era: modern", "");
        try (HttpClientSide client = HttpClientSide.within(modern, folder.resolve("state"))) {
            client.initialize();
            assertEquals("hi", StdioHost.text(client.call("echo", "{\"text\":\"hi\"}")));
        }
        assertTrue(heard().stream().noneMatch(line -> line.contains("\"initialize\"")), heard().toString());
    }
}
