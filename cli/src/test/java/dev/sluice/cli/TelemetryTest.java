package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a gateway in its own process tells of its work, and that it tells nothing else. */
class TelemetryTest {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String ALICE = "alice-token-0123456789";
    private static final String SCRAPER = "scraper-token-9876543210";
    private static final String COLLECTOR = "collector-secret-5555";
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String PARENT = "00-" + TRACE + "-b7ad6b7169203331-01";
    private static final String ARGUMENT = "my blood pressure is 180";
    private static final String RESULT = "the secret number is 4711";

    @TempDir
    private Path folder;

    private OtlpReceiver collector;

    @BeforeEach
    void collect() throws Exception {
        collector = new OtlpReceiver();
    }

    @AfterEach
    void stop() {
        collector.close();
    }

    private Path policy(String gateway) throws Exception {
        Path policy = folder.resolve("policy.yaml");
        Files.writeString(policy, """
                version: 1
                servers:
                  files:
                    command: %s
                    tools:
                      read: {effects: [reads], returns: {integrity: trusted, confidentiality: private}}
                      post: {effects: [sends], audience: public, payload: [text], returns: {integrity: trusted, confidentiality: public}}
                      echo: {effects: [reads], inert: [text], returns: {integrity: trusted, confidentiality: public}}
                gateway:
                %s
                """.formatted(
                        JSON.writeValueAsString(Children.fixture(folder.resolve("files"), "")), gateway.indent(2)));
        return policy;
    }

    private static final Map<String, String> VARIABLES = Map.of(
            "ALICE_TOKEN", ALICE,
            "SCRAPER_TOKEN", SCRAPER,
            "OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20" + COLLECTOR);

    private Path telling(String telemetry) throws Exception {
        return policy("ask: {wait: 0s}\nauth:\n  tokens:\n    - {principal: alice, token_env: ALICE_TOKEN}\n"
                + "    - {principal: prometheus, token_env: SCRAPER_TOKEN}\n" + telemetry);
    }

    private HttpClientSide gateway(String telemetry) throws Exception {
        HttpClientSide client = HttpClientSide.within(telling(telemetry), folder.resolve("state"), VARIABLES);
        client.token = ALICE;
        return client;
    }

    private static HttpResponse<String> metrics(HttpClientSide client, String token, String... headers)
            throws Exception {
        HttpRequest.Builder get =
                HttpRequest.newBuilder(URI.create(client.address.toString().replace("/mcp", "/metrics")));
        if (!token.isEmpty()) {
            get.header("Authorization", "Bearer " + token);
        }
        for (int i = 0; i < headers.length; i += 2) {
            get.header(headers[i], headers[i + 1]);
        }
        return client.send(get.build());
    }

    private static String call(String tool, String text) {
        return "{\"name\":\"" + tool + "\",\"arguments\":{\"text\":\"" + text + "\"},\"_meta\":{\"traceparent\":\""
                + PARENT + "\",\"tracestate\":\"v=1\"}}";
    }

    /** One run with everything on: what is told, and that no secret and no payload is. */
    @Test
    void everythingOn_tellsNamesAndNumbersAlone() throws Exception {
        String session;
        String metrics;
        // As a process, since what any library writes to standard error is looked at too.
        HttpClientSide client = HttpClientSide.process(
                telling("telemetry:\n  logs: json\n  metrics: {principals: prometheus}\n" + "  traces: {otlp: \""
                        + collector.address() + "\", propagate: true}\n"),
                folder.resolve("state"),
                folder,
                VARIABLES);
        client.token = ALICE;
        try (client) {
            client.initialize();
            session = client.session;
            assertTrue(
                    client.ask("tools/call", call("echo", ARGUMENT)).toString().contains(ARGUMENT));
            assertTrue(
                    client.ask("tools/call", call("read", ARGUMENT)).toString().contains(RESULT));
            JsonNode posted = client.ask("tools/call", call("post", RESULT));
            assertTrue(posted.path("result").path("isError").asBoolean(false), posted.toString());
            JsonNode unknown = client.ask("made/up\\n" + ARGUMENT, "{\"text\":\"" + ARGUMENT + "\"}");
            assertTrue(unknown.has("error"), unknown.toString());
            client.token = "guess-" + ALICE;
            assertEquals(401, client.post("{}").statusCode());
            assertEquals(403, metrics(client, ALICE).statusCode());
            HttpResponse<String> scraped = metrics(client, SCRAPER);
            assertEquals(200, scraped.statusCode());
            assertEquals(
                    "text/plain; version=0.0.4; charset=utf-8",
                    scraped.headers().firstValue("Content-Type").orElse(""));
            metrics = scraped.body();
        }
        String errors = client.errors();

        for (String told : List.of(errors, metrics, collector.raw())) {
            for (String secret : List.of(
                    ALICE, SCRAPER, COLLECTOR, session, ARGUMENT, "blood", RESULT, "4711", "made/up", "Be kind")) {
                assertFalse(told.contains(secret), secret + " in " + told);
            }
        }
        demandSpans();
        demandMetrics(metrics);
        demandLog(errors);
        assertEquals(Set.of("Bearer " + COLLECTOR), Set.copyOf(collector.headers));
    }

    private void demandSpans() throws Exception {
        List<OtlpReceiver.Span> servers = new ArrayList<>();
        for (OtlpReceiver.Span span : collector.spans()) {
            if (span.kind() == 2 && span.trace().equals(TRACE)) {
                servers.add(span);
            }
        }
        assertEquals(
                List.of("tools/call echo", "tools/call read", "tools/call post"),
                servers.stream().map(OtlpReceiver.Span::name).toList());
        for (OtlpReceiver.Span span : servers) {
            assertEquals("b7ad6b7169203331", span.parent());
            assertEquals(1, span.events().size(), span.toString());
            assertTrue(span.events()
                    .get(0)
                    .matches("sluice\\.decision\\{.*sluice\\.policy\\.digest=sha256:[0-9a-f]{64}, .*"
                            + "sluice\\.server=files\\}"));
            assertTrue(span.values().get("sluice.session").matches("[0-9a-f]{8}"));
            assertEquals("2025-11-25", span.values().get("mcp.protocol.version"));
            assertEquals("tcp", span.values().get("network.transport"));
        }
        OtlpReceiver.Span denied = servers.get(2);
        assertTrue(denied.failed());
        assertEquals("denied", denied.values().get("error.type"));
        assertTrue(denied.events().get(0).contains("sluice.decision.done=refused"), denied.toString());
        assertTrue(denied.events().get(0).contains("sluice.decision.rules=[permitted-flow"), denied.toString());
        assertFalse(servers.get(0).failed());

        OtlpReceiver.Span sent = collector.spans().stream()
                .filter(span ->
                        span.kind() == 3 && span.parent().equals(servers.get(0).id()))
                .findFirst()
                .orElseThrow();
        assertEquals("tools/call echo", sent.name());
        // The server got the client's message with our span in place of the client's, and nothing else changed.
        String received = Files.readString(folder.resolve("files"));
        assertTrue(
                received.contains(call("echo", ARGUMENT).replace(PARENT, "00-" + TRACE + "-" + sent.id() + "-01")),
                received);
        assertTrue(collector.spans().stream()
                .anyMatch(span -> span.kind() == 2 && span.name().equals("other")));
        assertTrue(collector.spans().stream()
                .anyMatch(span -> span.kind() == 3 && span.name().equals("initialize")));
    }

    private static void demandMetrics(String text) {
        for (String line : List.of(
                "sluice_decisions_total{server=\"files\",decision=\"allow\",code=\"allowed\",done=\"admitted\"} 3",
                "sluice_requests_total{server=\"files\",method=\"tools/call\",outcome=\"ok\"} 2",
                "sluice_requests_total{server=\"files\",method=\"tools/call\",outcome=\"denied\"} 1",
                "sluice_requests_total{server=\"files\",method=\"other\",outcome=\"error\"} 1",
                "sluice_requests_in_flight 0",
                "sluice_sessions_open 1",
                "sluice_backlog_given_up_total 0",
                "sluice_upstream_lines_open{server=\"files\"} 1",
                "sluice_upstream_starts_total{server=\"files\"} 1",
                "sluice_upstream_state{server=\"files\",state=\"open\"} 1",
                "sluice_http_refusals_total{status=\"401\"} 1",
                "sluice_http_refusals_total{status=\"403\"} 1",
                "mcp_server_operation_duration_seconds_count{mcp_method_name=\"tools/call\",error_type=\"\"} 2")) {
            assertTrue(text.lines().anyMatch(line::equals), line + " in " + text);
        }
        assertTrue(text.contains("\nsluice_store_transaction_duration_seconds_count{outcome=\"done\"} "));
    }

    private static void demandLog(String errors) {
        List<String> events = new ArrayList<>();
        errors.lines().filter(line -> line.startsWith("{")).forEach(line -> {
            JsonNode object = JSON.readTree(line);
            events.add(object.path("event").asString(""));
            if (object.path("event").asString("").equals("call.denied")) {
                assertEquals("warn", object.path("level").asString(""));
                assertEquals("alice", object.path("principal").asString(""));
                assertTrue(object.path("session").asString("").matches("[0-9a-f]{8}"), line);
                assertTrue(object.path("message").asString("").startsWith("denied `tools/call` ("), line);
            }
        });
        assertTrue(events.contains("call.denied"), errors);
        assertFalse(errors.contains("sluice: "), errors);
    }

    @Test
    void parentInTheHttpHeader_countsToo() throws Exception {
        try (HttpClientSide client = gateway("telemetry: {traces: {otlp: \"" + collector.address() + "/\"}}\n")) {
            client.initialize();
            HttpResponse<String> answer = client.send(client.request()
                    .header("Content-Type", "application/json")
                    .header("Accept", "application/json, text/event-stream")
                    .header("traceparent", PARENT)
                    .POST(HttpRequest.BodyPublishers.ofString(
                            "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\","
                                    + "\"arguments\":{\"text\":\"a\"}}}"))
                    .build());
            assertEquals(200, answer.statusCode());
        }

        OtlpReceiver.Span span = collector.spans().stream()
                .filter(each -> each.kind() == 2 && each.trace().equals(TRACE))
                .findFirst()
                .orElseThrow();
        assertEquals("b7ad6b7169203331", span.parent());
        assertFalse(
                Files.readString(folder.resolve("files")).contains("traceparent"), "nobody said that servers are told");
    }

    @Test
    void traceContextOfTheClient_passesUnchangedWhereServersAreNotTold() throws Exception {
        String sent = call("echo", "a");
        for (String telemetry : List.of("", "telemetry: {traces: {otlp: \"" + collector.address() + "\"}}\n")) {
            try (HttpClientSide client = gateway(telemetry)) {
                client.initialize();
                assertTrue(client.ask("tools/call", sent).has("result"));
            }
            Path files = folder.resolve("files");
            assertTrue(Files.readString(files).contains("\"params\":" + sent + "}"), telemetry);
            Files.delete(files);
        }
    }

    @Test
    void metrics_areReadByThoseWhoMayAndNobodyElse() throws Exception {
        try (HttpClientSide client = gateway("telemetry: {metrics: true}\n")) {
            assertEquals(401, metrics(client, "").statusCode());
            assertEquals(200, metrics(client, ALICE).statusCode());
            assertEquals(
                    403,
                    metrics(client, ALICE, "Origin", "https://evil.example").statusCode());
            HttpResponse<String> posted = client.send(
                    HttpRequest.newBuilder(URI.create(client.address.toString().replace("/mcp", "/metrics")))
                            .header("Authorization", "Bearer " + ALICE)
                            .POST(HttpRequest.BodyPublishers.noBody())
                            .build());
            assertEquals(405, posted.statusCode());
            assertEquals("GET", posted.headers().firstValue("Allow").orElse(""));
        }
        try (HttpClientSide client = gateway("")) {
            assertEquals(404, metrics(client, ALICE).statusCode());
        }
    }

    @Test
    void collectorThatRefuses_isSaidInOurWordsAndStopsNothing() throws Exception {
        collector.status = 400;
        HttpClientSide client = gateway("telemetry: {logs: json, traces: {otlp: \"" + collector.address() + "\"}}\n");
        try (client) {
            client.initialize();
            assertTrue(client.ask("tools/call", call("echo", "a")).has("result"));
        }
        assertTrue(client.errors().contains("\"event\":\"traces.lost\""), client.errors());
        client.errors().lines().forEach(line -> assertTrue(line.startsWith("{\"time\":"), line));
        assertFalse(client.errors().contains("mallory"), client.errors());
    }

    /** The start of a wrapper is paid many times a day: nothing of the library is loaded for it. */
    @Test
    void wrapperWithoutTelemetry_loadsNothingOfIt() throws Exception {
        Path loaded = folder.resolve("loaded");
        List<String> command = Children.run(
                Children.fixture(folder.resolve("files"), ""),
                "--policy",
                policy("telemetry: {metrics: true}").toString(),
                "--state",
                folder.resolve("state").toString());
        command.removeIf(word -> word.startsWith("-XX:SharedArchiveFile=")); // all of it counts as loaded
        command.add(command.indexOf(Main.class.getName()), "-Xlog:class+load:file=" + loaded);
        try (StdioHost host = new StdioHost(command, folder).initialize()) {
            assertTrue(host.ask("tools/call", call("echo", "a")).has("result"));
        }

        List<String> classes = Files.readAllLines(loaded);
        assertTrue(classes.stream().anyMatch(line -> line.contains("dev.sluice.gateway.proxy.ProxySession")));
        Set<String> wrong = new TreeSet<>();
        classes.stream()
                .filter(line -> line.contains("io.opentelemetry.")
                        || line.contains("telemetry.Otlp")
                        || line.contains("telemetry.Metrics "))
                .forEach(wrong::add);
        assertEquals(Set.of(), wrong);
    }

    @Test
    void wrapperWithTraces_tellsOfThePipe() throws Exception {
        Path environment = folder.resolve("environment");
        List<String> server = new ArrayList<>(List.of("sh", "-c", "env >\"$0\"; exec \"$@\"", environment.toString()));
        server.addAll(Children.fixture(folder.resolve("files"), ""));
        List<String> command = Children.run(
                server,
                "--policy",
                policy("telemetry: {logs: json, traces: {otlp: \"" + collector.address() + "\"}}")
                        .toString(),
                "--state",
                folder.resolve("state").toString());
        command.addAll(0, List.of("env", "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20" + COLLECTOR));
        StdioHost host = new StdioHost(command, folder).initialize();
        try (host) {
            assertTrue(host.ask("tools/call", call("read", "a")).has("result"));
            assertTrue(Files.readString(environment).contains("PATH="));
            assertFalse(Files.readString(environment).contains("OTEL_"), "what is secret is not the server's");
        }
        String joined = host.errors()
                .lines()
                .filter(line -> line.contains("session.joined"))
                .findFirst()
                .orElse("");
        assertTrue(JSON.readTree(joined).path("session").asString("").matches("[0-9a-f]{8}"), host.errors());

        OtlpReceiver.Span span = collector.spans().stream()
                .filter(each -> each.kind() == 2 && each.trace().equals(TRACE))
                .findFirst()
                .orElseThrow();
        assertEquals("pipe", span.values().get("network.transport"));
        assertEquals(1, span.events().size());
    }
}
