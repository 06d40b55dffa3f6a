package dev.sluice.cli.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reference server over Streamable HTTP, wrapped for a client that speaks stdio. */
@Tag("interop")
final class HttpServerTest {

    @TempDir
    private Path temp;

    private Path policy;
    private Path files;
    private int port;
    private @Nullable Process server;

    @BeforeAll
    static void demand() {
        Interop.demand();
    }

    @BeforeEach
    void start() throws IOException {
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        files = temp.resolve("files"); // not the folder above: that holds Sluice's state, and no server is told of it
        Interop.fill(files);
        policy = Files.writeString(temp.resolve("policy.yaml"), "version: 1\nmode: audit\n");
        startServer();
    }

    private void startServer() throws IOException {
        List<String> command = new ArrayList<>(Interop.everything());
        command.add("streamableHttp");
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        Map<String, String> environment = Interop.environment(temp);
        builder.environment().clear();
        builder.environment().putAll(environment);
        builder.environment().put("PORT", String.valueOf(port));
        Process started = builder.start();
        server = started;
        BufferedReader out =
                new BufferedReader(new InputStreamReader(started.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        while (line != null && !line.contains("listening")) {
            line = out.readLine();
        }
        assertTrue(line != null, "the server did not start");
        Thread.ofPlatform().daemon().start(() -> out.lines().forEach(each -> {}));
    }

    @AfterEach
    void stop() {
        if (server != null) {
            Interop.stop(server);
        }
    }

    private RawClient client() throws IOException {
        return new RawClient(
                Interop.sluice(
                        "run",
                        "--policy",
                        policy.toString(),
                        "--state",
                        temp.resolve("state").toString(),
                        "--session",
                        "http",
                        "--url",
                        "http://127.0.0.1:" + port + "/mcp"),
                Interop.environment(temp),
                temp,
                Scripts.answers(files));
    }

    @Test
    void everythingThatItsScriptDoes_isAnswered() throws IOException {
        try (RawClient client = client()) {
            Scripts.everythingOverHttp(client);
            for (String method : List.of(
                    "notifications/progress",
                    "notifications/message",
                    "sampling/createMessage",
                    "elicitation/create",
                    "roots/list")) {
                assertTrue(
                        client.received().stream().anyMatch(line -> line.contains("\"" + method + "\"")),
                        method + " came");
            }
        }
    }

    @Test
    void serverThatIsStartedAgain_isSpokenToInANewSession() throws Exception {
        try (RawClient client = client()) {
            client.initialize("{}");
            assertEquals(
                    "Echo: one",
                    client.call("echo", "{\"message\":\"one\"}")
                            .at("/content/0/text")
                            .asString(""));
            Process first = Objects.requireNonNull(server);
            first.destroyForcibly();
            first.waitFor();
            startServer();
            assertTrue(
                    client.call("echo", "{\"message\":\"two\"}").path("isError").asBoolean(false),
                    "not repeated unasked");
            assertEquals(
                    "Echo: two",
                    client.call("echo", "{\"message\":\"two\"}")
                            .at("/content/0/text")
                            .asString(""));
        }
    }
}
