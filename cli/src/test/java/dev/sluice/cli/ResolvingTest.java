package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code tools/resolve} over real lines: what the server is asked, with which bytes, and what its answer does. */
class ResolvingTest {

    private static final String ARGUMENTS = "{ \"action\":\"read\", \"path\":\"a\\u00e9\", \"n\":1.50, \"m\":1E400 }";

    @TempDir
    private Path folder;

    private StdioHost host(boolean resolves, String policy) throws IOException {
        return StdioHost.under(policy, ResolvingServer.command(folder.resolve("received"), resolves), folder)
                .initialize();
    }

    private List<String> received(String method) throws IOException {
        return Files.readAllLines(folder.resolve("received")).stream()
                .filter(line -> line.contains("\"method\":\"" + method + "\""))
                .toList();
    }

    private static String arguments(String line) {
        return line.replaceFirst(".*\"arguments\":", "").replaceFirst("}}$", "");
    }

    private List<String> resolved() throws IOException {
        return Kept.decisions(folder.resolve("state")).stream()
                .map(each -> each.path("resolved").asString("not asked"))
                .toList();
    }

    @Test
    void serverIsAsked_withTheBytesOfTheCall_andItsAnswerLetsTheCallThrough() throws Exception {
        try (StdioHost host = host(true, "version: 1\ngateway: {ask: {wait: 0s}}\nservers: {files: {}}\n")) {
            host.call("manage", "{\"action\":\"write\"}");
            assertTrue(
                    StdioHost.isDenied(host.call("manage", "{\"action\":\"write\"}")), "the session is untrusted now");

            JsonNode read = host.call("manage", ARGUMENTS);

            assertEquals("done", StdioHost.text(read));
        }
        assertEquals(3, received("tools/resolve").size());
        assertEquals(2, received("tools/call").size());
        String asked = received("tools/resolve").get(2);
        assertEquals(ARGUMENTS, arguments(asked));
        assertEquals(ARGUMENTS, arguments(received("tools/call").get(1)));
        assertEquals(
                "manage",
                JsonMapper.shared().readTree(asked).path("params").path("name").asString(""));
        assertEquals(List.of("within", "within", "within"), resolved());
    }

    @Test
    void serverWithoutTheCapability_orThatTheOperatorLeavesOut_isNotAsked() throws Exception {
        try (StdioHost host = host(false, "version: 1\ngateway: {ask: {wait: 0s}}\nservers: {files: {}}\n")) {
            host.call("manage", ARGUMENTS);
        }
        try (StdioHost host =
                host(true, "version: 1\ngateway: {ask: {wait: 0s}}\nservers: {files: {resolve: false}}\n")) {
            host.call("manage", ARGUMENTS);
        }

        assertEquals(List.of(), received("tools/resolve"));
        assertEquals(2, Kept.decisions(folder.resolve("state")).size());
    }

    @Test
    void callThatTheServerMayNotSee_isNotSentToAsk() throws Exception {
        String rule = "rules: [{id: not-a, on: {servers: files}, when: \"call.arguments.path == 'a'\", then: deny}]\n";
        try (StdioHost host = host(true, "version: 1\ngateway: {ask: {wait: 0s}}\nservers: {files: {}}\n" + rule)) {
            assertTrue(StdioHost.isDenied(host.call("manage", "{\"action\":\"read\",\"path\":\"a\"}")));
            assertFalse(StdioHost.isDenied(host.call("manage", "{\"action\":\"read\",\"path\":\"b\"}")));
        }

        assertEquals(1, received("tools/resolve").size());
    }

    @Test
    void errorOfTheServer_reachesNobody_andTheDefinitionCounts() throws Exception {
        try (StdioHost host = host(true, "version: 1\ngateway: {ask: {wait: 0s}}\nservers: {files: {}}\n")) {
            JsonNode done = host.call("manage", "{\"action\":\"fail\"}");

            assertEquals("done", StdioHost.text(done));
            assertTrue(host.errors().contains("gave no answer: the definition in its list counts"), host.errors());
            assertFalse(host.errors().contains("mallory"), host.errors());
        }
        assertEquals(List.of("failed"), resolved());
    }

    @Test
    void clientsOwnQuestion_passes_butNoOtherDefinition() throws Exception {
        String question = "{\"name\":\"manage\",\"arguments\":%s}";
        try (StdioHost host = host(true, "version: 1\ngateway: {ask: {wait: 0s}}\nservers: {files: {}}\n")) {
            JsonNode read = host.ask("tools/resolve", question.formatted(ARGUMENTS));
            JsonNode obey = host.ask("tools/resolve", question.formatted("{\"action\":\"obey\"}"));

            assertTrue(read.path("result")
                    .path("tool")
                    .path("annotations")
                    .path("readOnlyHint")
                    .asBoolean(false));
            assertFalse(obey.toString().contains("mallory"), obey.toString());
            assertTrue(obey.has("error"), obey.toString());
            assertTrue(host.errors().contains("with another definition than the approved one"), host.errors());
        }
        assertEquals(ARGUMENTS, arguments(received("tools/resolve").get(0)));
    }

    @Test
    void behindASharedEndpoint_namesAreMapped() throws Exception {
        Path policy = Files.writeString(folder.resolve("gateway.yaml"), """
                version: 1
                gateway: {ask: {wait: 0s}}
                servers:
                  files: {command: %s}
                  other: {command: %s}
                """.formatted(
                JsonMapper.shared().writeValueAsString(ResolvingServer.command(folder.resolve("received"), true)),
                JsonMapper.shared().writeValueAsString(ResolvingServer.command(folder.resolve("other"), false))));
        try (HttpClientSide client =
                HttpClientSide.within(policy, folder.resolve("state")).initialize()) {
            client.call("files__manage", ARGUMENTS);
            client.call("other__manage", ARGUMENTS);
            JsonNode own =
                    client.ask("tools/resolve", "{\"name\":\"files__manage\",\"arguments\":{\"action\":\"read\"}}");
            JsonNode nobody = client.ask("tools/resolve", "{\"name\":\"manage\",\"arguments\":{}}");

            assertEquals(
                    "files__manage",
                    own.path("result").path("tool").path("name").asString(""),
                    own::toString);
            assertTrue(nobody.has("error"), nobody.toString());
        }
        assertEquals(2, received("tools/resolve").size());
        assertTrue(received("tools/resolve").stream().allMatch(line -> line.contains("\"name\":\"manage\"")));
        assertFalse(Files.readString(folder.resolve("other")).contains("tools/resolve"));
    }
}
