package dev.sluice.cli.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * That nothing changes a byte of messages of 2026-07-28 but the declared edits: odd requests reach an {@link OddServer} as they
 * were sent, and its odd answers come back as they were made, over stdio and over HTTP.
 */
final class ModernLosslessTest {

    private static final int MESSAGES = 200;

    private static final String CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

    private static final List<String> EXTENSIONS =
            List.of("io.modelcontextprotocol/trust-annotations", "io.modelcontextprotocol/action-metadata");

    @TempDir
    private Path temp;

    /** One way from a client to the server and back. */
    @FunctionalInterface
    private interface Way {

        /** Sends a request and returns what came until its answer, that last. */
        List<String> ask(int number, String request) throws IOException, InterruptedException;
    }

    @Test
    void wrapper_changesNothingElse() throws Exception {
        Path policy = Files.writeString(temp.resolve("policy.yaml"), "version: 1\nmode: audit\n");
        List<String> command = Interop.wrapped(
                server(),
                "--policy",
                policy.toString(),
                "--state",
                temp.resolve("state").toString(),
                "--session",
                "odd");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectError(temp.resolve("stderr").toFile());
        builder.environment().putAll(Interop.environment(temp));
        Process process = builder.start();
        try (Writer out = process.outputWriter(StandardCharsets.UTF_8);
                BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
            compare((number, request) -> {
                out.write(request + "\n");
                out.flush();
                List<String> lines = new ArrayList<>();
                do {
                    String line = in.readLine();
                    assertTrue(line != null, Files.readString(temp.resolve("stderr")));
                    lines.add(line);
                } while (new RawJson(lines.get(lines.size() - 1))
                        .value("method")
                        .isPresent());
                return lines;
            });
        } finally {
            Interop.stop(process);
        }
    }

    @Test
    void gatewayOverStdio_changesNothingElse() throws Exception {
        compareOverHttp(HttpServer.freely(Map.of("odd", server())));
    }

    @Test
    void gatewayOverHttp_changesNothingElse() throws Exception {
        try (OddServer server = OddServer.start(temp.resolve("received"))) {
            compareOverHttp("""
                    version: 1
                    servers:
                      odd:
                        known: none
                        url: %s
                        defaults: {integrity: trusted, confidentiality: public}
                    """.formatted(server.url()));
        }
    }

    private List<String> server() {
        return Interop.java(OddServer.class, temp.resolve("received").toString());
    }

    private void compareOverHttp(String policy) throws Exception {
        try (HttpServer gateway = HttpServer.gateway(policy, temp);
                HttpClient client = HttpClient.newHttpClient()) {
            compare((number, request) -> post(client, gateway.address(), number, request));
        }
    }

    private static List<String> post(HttpClient client, URI address, int number, String request)
            throws IOException, InterruptedException {
        HttpRequest.Builder builder = HttpRequest.newBuilder(address)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .header("MCP-Protocol-Version", "2026-07-28")
                .header("Mcp-Method", OddMessages.method(number))
                .POST(HttpRequest.BodyPublishers.ofString(request));
        if (!OddMessages.name(number).isEmpty()) {
            builder.header("Mcp-Name", OddMessages.name(number));
        }
        HttpResponse<String> answer = client.send(builder.build(), HttpResponse.BodyHandlers.ofString());
        boolean events = answer.headers().firstValue("Content-Type").orElse("").startsWith("text/event-stream");
        return events
                ? answer.body()
                        .lines()
                        .filter(line -> line.startsWith("data: "))
                        .map(line -> line.substring(6))
                        .toList()
                : List.of(answer.body());
    }

    private void compare(Way way) throws Exception {
        List<String> sent = new ArrayList<>();
        int labelled = 0;
        int told = 0;
        for (int number = 0; number < MESSAGES; number++) {
            String request = OddMessages.request(number);
            sent.add(request);
            List<String> came = way.ask(number, request);
            String id = new RawJson(request).value("id").orElseThrow();
            String made = OddMessages.answer(number, id);
            String answer = came.get(came.size() - 1);
            labelled += answer.contains("\"dev.sluice/label\"") ? 1 : 0;
            assertEquals(notCached(made, answer).strip(), undone(answer, made, number), "the answer to " + request);
            var token = new RawJson(request).value("params", "_meta", "progressToken");
            if (token.isPresent()) {
                told++;
                assertEquals(OddMessages.progress(number, token.get()), came.get(0), "progress");
                assertEquals(2, came.size(), came.toString());
            } else {
                assertEquals(1, came.size(), came.toString());
            }
        }
        assertTrue(labelled > MESSAGES / 2, "results are labelled: " + labelled);
        assertTrue(told > MESSAGES / 4, "progress is told: " + told);
        List<String> received = Files.readAllLines(temp.resolve("received")).stream()
                .filter(line -> line.contains("\"" + OddMessages.NUMBER + "\"") && !line.contains("server/discover"))
                .toList();
        assertEquals(sent.size(), received.size());
        for (int i = 0; i < sent.size(); i++) {
            assertEquals(withoutForged(sent.get(i)), undeclared(received.get(i)), "to the server");
        }
    }

    /** An answer of which not all is trusted and public may not be kept: that is declared too. */
    private static String notCached(String made, String answer) {
        String label =
                new RawJson(answer).value("result", "_meta", "dev.sluice/label").orElse("");
        return label.isEmpty() || (label.contains("\"trusted\"") && label.contains("\"public\""))
                ? made
                : made.replace("\"ttlMs\":5e3,\"cacheScope\":\"public\"", "\"ttlMs\":0,\"cacheScope\":\"private\"");
    }

    /** The client's request as the server may see it, under no id. */
    private static String withoutForged(String request) {
        return withoutId(new RawJson(request)
                .without(name -> name.startsWith("dev.sluice/"), "params", "_meta")
                .text());
    }

    /** A request without the extensions that Sluice declares, under no id: Sluice may give it another. */
    private static String undeclared(String request) {
        String[] extensions = {"params", "_meta", CAPABILITIES, "extensions"};
        RawJson json = new RawJson(request);
        for (String key : EXTENSIONS) {
            assertEquals(
                    "{}",
                    json.value("params", "_meta", CAPABILITIES, "extensions", key)
                            .orElse("nothing"),
                    key + " is declared in " + request);
            json = json.without(key::equals, extensions);
        }
        boolean ours = json.value(extensions).filter("{}"::equals).isPresent();
        return withoutId(
                ours
                        ? json.without("extensions"::equals, "params", "_meta", CAPABILITIES)
                                .text()
                        : json.text());
    }

    private static String withoutId(String text) {
        String id = new RawJson(text).value("id").orElseThrow();
        return text.strip().replaceFirst("(\"id\"\\s*:\\s*)" + Pattern.quote(id), "$1" + Matcher.quoteReplacement("0"));
    }

    /** An answer as it was before Sluice wrote into it. */
    private static String undone(String answer, String made, int number) {
        RawJson json = new RawJson(answer)
                .without(
                        name -> name.startsWith("dev.sluice/")
                                || name.equals("io.modelcontextprotocol/trust-annotations"),
                        "result",
                        "_meta");
        RawJson before = new RawJson(made);
        if (before.value("result", "_meta").isEmpty()
                && json.value("result", "_meta").filter("{}"::equals).isPresent()) {
            json = json.without("_meta"::equals, "result");
        }
        List<String> may = OddMessages.method(number).equals("resources/read")
                ? List.of("resultType", "ttlMs", "cacheScope")
                : List.of("resultType");
        for (String member : may) {
            if (before.value("result", member).isEmpty()) {
                json = json.without(member::equals, "result");
            }
        }
        return json.text().strip();
    }
}
