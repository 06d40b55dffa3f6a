package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.Label;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Handles over real stdio: what the client gets, what the server gets, and what outlives the gateway. */
class VariablesTest {

    private static final Pattern HANDLE = Pattern.compile("sluice:var:[a-z2-7]{26}");

    @TempDir
    private Path folder;

    private static final String POLICY = """
                version: 1
                gateway: {ask: {wait: 0s}}
                hide: untrusted
                servers:
                  fixture:
                    tools:
                      echo: {effects: [reads], payload: [text]}
                      post: {effects: [writes], steers: [text]}
                """;

    private StdioHost host() throws IOException {
        return StdioHost.under(POLICY, folder).initialize();
    }

    private static String handle(JsonNode answer) {
        Matcher matcher = HANDLE.matcher(answer.toString());
        assertTrue(matcher.find(), answer.toString());
        return matcher.group();
    }

    private List<String> received() throws IOException {
        return Files.readAllLines(folder.resolve("received")).stream()
                .filter(line -> line.contains("\"tools/call\""))
                .toList();
    }

    @Test
    void handle_goesThroughTheClient_andItsValueToTheServer() throws Exception {
        String call =
                "{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"tools/call\",\"params\":{ \"name\":\"echo\",\"n\":1.50,"
                        + "\"arguments\":{\"text\":\"so: %s\"}}}";
        String handle;
        try (StdioHost host = host()) {
            JsonNode read = host.call("read", "{}");
            handle = handle(read);
            host.send(call.formatted(handle));
            JsonNode echoed = host.await(77).path("result");

            assertFalse(read.toString().contains("4711"), read.toString());
            assertEquals(handle + " (text, from read)", StdioHost.text(read));
            assertFalse(echoed.toString().contains("4711"), "what comes back is hidden again");
            assertFalse(handle(echoed).equals(handle));
            assertEquals(
                    1,
                    read.path("_meta").path("dev.sluice/hidden").path("count").asInt(0));
        }
        assertEquals(call.formatted("the secret number is 4711"), received().get(1), "and else byte for byte");
        assertEquals(
                Label.BOTTOM,
                Kept.sessions(folder.resolve("state")).get(0).label().label());
    }

    @Test
    void handle_outlivesTheGateway_andRevealsItsValueOnceAsked() throws Exception {
        String handle;
        List<String> server = Children.fixture(folder.resolve("received"), "");
        try (StdioHost host = StdioHost.processUnder(POLICY, server, folder).initialize()) {
            handle = handle(host.call("read", "{}"));
            host.kill();
        }
        try (StdioHost host = host()) {
            JsonNode described = host.call("sluice_describe", "{\"handle\":\"" + handle + "\"}");
            assertEquals("{\"kind\":\"text\",\"length\":25}", StdioHost.text(described));
            assertFalse(StdioHost.isDenied(host.call("echo", "{\"text\":\"" + handle + "\"}")));
            assertTrue(StdioHost.isDenied(host.call("post", "{\"text\":\"" + handle + "\"}")), "it would steer");
            assertFalse(StdioHost.isDenied(host.call("post", "{\"text\":\"nine\"}")), "a trusted session may");

            JsonNode inspected = host.call("sluice_inspect", "{\"handle\":\"" + handle + "\"}");

            assertEquals("the secret number is 4711", StdioHost.text(inspected));
            assertEquals(
                    "untrusted",
                    inspected
                            .path("_meta")
                            .path("dev.sluice/label")
                            .path("integrity")
                            .asString(""));
            assertTrue(StdioHost.isDenied(host.call("post", "{\"text\":\"nine\"}")), "it has read it now");
        }
        assertTrue(Kept.audit(folder.resolve("state")).stream()
                .anyMatch(event -> event.path("kind").asString("").equals("variable")));
    }

    @Test
    void madeUpHandle_reachesNoServer() throws Exception {
        try (StdioHost host = host()) {
            JsonNode answer = host.call("echo", "{\"text\":\"sluice:var:aaaaaaaaaaaaaaaaaaaaaaaaaa\"}");

            assertTrue(StdioHost.isDenied(answer));
            assertEquals(
                    "unknown-variable",
                    answer.path("_meta")
                            .path("dev.sluice/decision")
                            .path("code")
                            .asString(""));
            assertTrue(host.call("sluice_inspect", "{\"handle\":\"x\"}")
                    .path("isError")
                    .asBoolean(false));
        }
        assertFalse(Files.readString(folder.resolve("received")).contains("sluice:var"));
    }

    @Test
    void ownTools_areListedOnce() throws Exception {
        try (StdioHost host = host()) {
            List<String> names = host.ask("tools/list", "{}")
                    .path("result")
                    .path("tools")
                    .valueStream()
                    .map(tool -> tool.path("name").asString(""))
                    .toList();

            assertTrue(names.contains("read"));
            assertEquals(List.of("sluice_inspect", "sluice_describe"), names.subList(names.size() - 2, names.size()));
            assertEquals(names.size(), names.stream().distinct().count());
        }
    }
}
