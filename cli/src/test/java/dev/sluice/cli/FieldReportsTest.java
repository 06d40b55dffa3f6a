package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What users of other gateways reported as broken, each kind with its right outcome here. */
final class FieldReportsTest {

    private static final JsonMapper JSON = JsonMapper.shared();

    @TempDir
    private static Path shared;

    /** Two servers behind one endpoint, for all tests that need no other policy. */
    private static @Nullable HttpClientSide both;

    @TempDir
    private Path folder;

    @BeforeAll
    static void startBoth() throws Exception {
        both = gateway(shared, "", "one", "two");
    }

    @AfterAll
    static void stopBoth() {
        if (both != null) {
            both.close();
        }
    }

    private static HttpClientSide both() {
        if (both == null) {
            throw new IllegalStateException("it was not started");
        }
        return both;
    }

    private static List<String> server(Path folder, String name, String... special) {
        List<String> command = Children.java(FieldServer.class);
        command.addAll(List.of(name, received(folder, name).toString()));
        command.addAll(List.of(special));
        return command;
    }

    private static Path received(Path folder, String name) {
        return folder.resolve("received-" + name);
    }

    /** A gateway with this {@link #policy}, and a client that has shaken hands. */
    private static HttpClientSide gateway(Path folder, String rules, String... servers) throws Exception {
        return HttpClientSide.within(policy(folder, rules, servers), folder.resolve("state"))
                .initialize();
    }

    /** These servers, whose data may go anywhere. Behind the name of a server may stand more of its policy. */
    private static Path policy(Path folder, String rules, String... servers) throws Exception {
        StringBuilder policy = new StringBuilder("version: 1\n").append(rules).append("servers:\n");
        for (String each : servers) {
            String name = each.split("\\|", 2)[0];
            List<String> command = name.equals("mute") ? server(folder, name, "mute") : server(folder, name);
            policy.append("  ").append(name).append(":\n    command: [");
            policy.append(String.join(
                    ", ", command.stream().map(JSON::writeValueAsString).toList()));
            policy.append("]\n    defaults: {integrity: trusted, confidentiality: public}\n");
            policy.append(each.substring(name.length()).replaceFirst("^\\|", ""))
                    .append('\n');
        }
        return Files.writeString(folder.resolve("policy.yaml"), policy.toString());
    }

    private static String call(String id, String tool) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"tools/call\",\"params\":{\"name\":\"" + tool
                + "\",\"arguments\":{},\"_meta\":{\"progressToken\":" + id + "}}}";
    }

    private static BufferedReader events(HttpResponse<InputStream> answer) {
        return new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
    }

    private static JsonNode event(BufferedReader events) throws IOException {
        for (String line = events.readLine(); line != null; line = events.readLine()) {
            if (line.startsWith("data: ")) {
                return JSON.readTree(line.substring(6));
            }
        }
        throw new IOException("the stream ended early");
    }

    @Test
    void nameCollision_bothServersAreCalled_andRulesDoNotCross() throws Exception {
        String rules = """
                rules:
                  - id: not-this-one
                    on: {servers: [one], tools: [search]}
                    when: "true"
                    then: deny
                    because: nobody searches there
                """;
        String described = "{search: {effects: [reads], returns: {integrity: trusted, confidentiality: public}}}";
        try (HttpClientSide client = gateway(folder, rules, "one|    tools: " + described, "two")) {
            JsonNode one = client.call("one__search", "{}");
            assertTrue(StdioHost.isDenied(one), one.toString());
            assertEquals("found by two", StdioHost.text(client.call("two__search", "{}")));
            assertFalse(
                    Files.readString(received(folder, "one")).contains("tools/call"), "the denied call reached nobody");
        }
    }

    @Test
    void nameCollision_withoutRules_eachAnswersItself() throws Exception {
        assertEquals("found by one", StdioHost.text(both().call("one__search", "{}")));
        assertEquals("found by two", StdioHost.text(both().call("two__search", "{}")));
        JsonNode bare = both().ask("tools/call", "{\"name\":\"search\",\"arguments\":{}}");
        assertEquals(-32602, bare.at("/error/code").asInt(), "no server is guessed: " + bare);
    }

    @Test
    void toolsList_keepsAnnotationsMetaAndOutputSchema_byteForByte() throws Exception {
        String body = both().post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}")
                .body();
        for (String name : List.of("one", "two")) {
            String definition = FieldServer.SEARCH.replace("\"search\"", "\"" + name + "__search\"");
            assertTrue(body.contains(definition), body);
        }
    }

    /** With one server, which keeps its names. */
    @Test
    void sessions404AfterRestart_everySessionIsThereAgain() throws Exception {
        List<String> sessions = new ArrayList<>();
        Path policy = policy(folder, "", "one");
        HttpClientSide before =
                HttpClientSide.process(policy, folder.resolve("state"), folder).initialize();
        String body = before.post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}")
                .body();
        assertTrue(body.contains(FieldServer.SEARCH), body);
        elicit(before, "ask");
        sessions.add(before.session);
        for (int i = 0; i < 2; i++) {
            sessions.add(before.initialize().session);
        }
        before.kill();
        try (HttpClientSide after = HttpClientSide.within(policy, folder.resolve("state"))) {
            for (String session : sessions) {
                after.session = session;
                assertEquals("{}", after.ask("ping", "{}").path("result").toString(), "the session is there again");
            }
            assertEquals("found by one", StdioHost.text(after.call("search", "{}")));
        }
    }

    @Test
    void listChangedProgressAndLog_duringACall_arriveInOrder() throws Exception {
        List<String> order = List.of(
                "notifications/progress",
                "notifications/tools/list_changed",
                "notifications/message",
                "notifications/resources/list_changed",
                "notifications/progress",
                "all told");
        List<String> overHttp = new ArrayList<>();
        for (JsonNode message :
                HttpClientSide.messages(both().post(call("7", "two__told")).body())) {
            overHttp.add(message.path("method").asString(StdioHost.text(message.path("result"))));
        }
        assertEquals(order, overHttp, "over http");
        try (StdioHost host = run()) {
            host.send(call("7", "told"));
            String answer = StdioHost.text(host.await(7).path("result"));
            List<String> overStdio = new ArrayList<>();
            for (int i = 1; i < order.size(); i++) {
                overStdio.add(host.next().path("method").asString(""));
            }
            overStdio.add(answer);
            assertEquals(order, overStdio, "over stdio");
        }
    }

    private StdioHost run() throws IOException {
        Path state = Files.createTempDirectory(folder, "state");
        return new StdioHost(
                        Children.run(server(folder, "one"), "--state", state.toString(), "--session", "field"), folder)
                .initialize("{\"elicitation\":{}}");
    }

    /** The server answers its call only when it has its answer: a question that is held back until then never comes. */
    @Test
    void elicitation_isNotBuffered_onAnyPath() throws Exception {
        elicit(both(), "one__ask");
        elicit(both(), "two__ask");
        try (StdioHost host = run()) {
            host.send(call("7", "ask"));
            JsonNode asked = host.next();
            assertEquals("elicitation/create", asked.path("method").asString(""));
            host.send(accepted(asked));
            assertEquals("answered accept", StdioHost.text(host.await(7).path("result")));
        }
    }

    private static void elicit(HttpClientSide client, String tool) throws Exception {
        try (BufferedReader events = events(client.open(call("7", tool)))) {
            JsonNode asked = event(events);
            assertEquals("elicitation/create", asked.path("method").asString(""), asked.toString());
            assertEquals(202, client.post(accepted(asked)).statusCode());
            assertEquals("answered accept", StdioHost.text(event(events).path("result")));
        }
    }

    private static String accepted(JsonNode asked) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + asked.path("id")
                + ",\"result\":{\"action\":\"accept\",\"content\":{}}}";
    }

    /** Both servers use the same id and the same token; what the client says of it is for the one that asks now. */
    @Test
    void progressOfTheClient_goesOnlyToTheServerThatAsked() throws Exception {
        String progress = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
                + "\"params\":{\"progressToken\":\"asked\",\"progress\":1}}";
        try (BufferedReader events = events(both().open(call("8", "two__ask")))) {
            JsonNode asked = event(events);
            both().post(progress);
            both().post(accepted(asked));
            assertEquals("answered accept", StdioHost.text(event(events).path("result")));
        }
        both().call("one__search", "{}");
        assertTrue(Files.readAllLines(received(shared, "two")).contains(progress));
        assertFalse(Files.readAllLines(received(shared, "one")).contains(progress));
    }

    @Test
    void sameUriAtTwoServers_isListedOnce_andReadFromTheFirst() throws Exception {
        List<String> listed = new ArrayList<>();
        both().ask("resources/list", "{}")
                .at("/result/resources")
                .forEach(each -> listed.add(each.path("uri").asString("")));
        assertEquals(List.of("note:shared", "note:one", "note:two"), listed);
        for (String note : List.of("shared", "one", "two")) {
            JsonNode read = both().ask("resources/read", "{\"uri\":\"note:" + note + "\"}");
            assertEquals(
                    "of " + (note.equals("two") ? "two" : "one"),
                    read.at("/result/contents/0/text").asString(""),
                    read.toString());
        }
    }

    @Test
    void level_isSetAtEveryServer_andRefusedWhereItIsNone() throws Exception {
        assertEquals(
                "{}",
                both().ask("logging/setLevel", "{\"level\":\"warning\"}")
                        .path("result")
                        .toString());
        for (String server : List.of("one", "two")) {
            assertTrue(Files.readString(received(shared, server)).contains("\"level\":\"warning\""), server);
        }
        JsonNode refused = both().ask("logging/setLevel", "{\"level\":\"loud\"}");
        assertEquals(-32602, refused.at("/error/code").asInt(), refused.toString());
        assertEquals(
                "`level` must be one of debug, info, notice, warning, error, critical, alert, emergency",
                refused.at("/error/message").asString(""));
        assertFalse(Files.readString(received(shared, "one")).contains("loud"));
    }

    /** Two ids that some take for the same, and one that a double does not hold. */
    @Test
    void cancel_goesToTheServerThatHasTheCall_underItsId() throws Exception {
        try (BufferedReader one = events(both().open(call("101", "one__wait")));
                BufferedReader two = events(both().open(call("\"101\"", "two__wait")));
                BufferedReader large = events(both().open(call("9007199254740993", "one__wait")))) {
            for (BufferedReader each : List.of(one, two, large)) {
                assertEquals("waiting", event(each).at("/params/message").asString(""));
            }
            both().post(cancel("\"101\""));
            both().post(cancel("9007199254740993"));
            // What comes behind the cancellations has come, and so have they.
            both().call("one__search", "{}");
            both().call("two__search", "{}");
            assertEquals(List.of(cancel("9007199254740993")), cancellations("one"));
            assertEquals(List.of(cancel("\"101\"")), cancellations("two"));
            assertEquals(
                    0, large.lines().filter(line -> line.contains("\"result\"")).count(), "it is over, unanswered");
            both().post(cancel("101"));
        }
    }

    /** Sluice itself asks under names of its own; a client's id may be the same, and is another one at the server then. */
    @Test
    void cancel_ofACallThatHasAnotherIdAtTheServer_isToldUnderThatOne() throws Exception {
        try (HttpClientSide client = gateway(folder, "", "mute")) {
            CompletableFuture<HttpResponse<InputStream>> list =
                    client.start("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
            String asked = awaited("mute", "tools/list").path("id").asString("");
            HttpResponse<InputStream> read = client.open("{\"jsonrpc\":\"2.0\",\"id\":\"" + asked
                    + "\",\"method\":\"resources/read\",\"params\":{\"uri\":\"note:1\"}}");
            JsonNode sent = awaited("mute", "resources/read");
            assertFalse(sent.path("id").asString("").equals(asked), "two requests have two ids");
            client.post(cancel("\"" + asked + "\""));
            assertEquals(
                    cancel(sent.path("id").toString()),
                    awaited("mute", "notifications/cancelled").toString());
            assertFalse(list.isDone(), "what Sluice asked for itself goes on");
            read.body().close();
        }
    }

    private static String cancel(String id) {
        return "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" + id + "}}";
    }

    private static List<String> cancellations(String server) throws IOException {
        return Files.readAllLines(received(shared, server)).stream()
                .filter(line -> line.contains("notifications/cancelled"))
                .toList();
    }

    /** Waits until a server has a message of that method. */
    private JsonNode awaited(String server, String method) throws IOException, InterruptedException {
        while (true) {
            for (String line : Files.readAllLines(received(folder, server))) {
                if (line.contains("\"method\":\"" + method + "\"")) {
                    return JSON.readTree(line);
                }
            }
            Thread.sleep(20);
        }
    }
}
