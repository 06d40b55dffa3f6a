package dev.sluice.cli.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.sluice.wire.json.JsonIndex;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What two SDKs hand over of all that Sluice writes: nothing fails, and {@code docs/clients.md} has what is lost. */
@Tag("interop")
final class ClientsTest {

    private static final JsonMapper JSON = JsonMapper.shared();

    private static final Path PAGE = Path.of("../docs/clients.md");

    private static final String TRUST = "/_meta/io.modelcontextprotocol~1trust-annotations";
    private static final String ACTION = "/io.modelcontextprotocol~1action-metadata";
    private static final String NUMBERS = "/_meta/numbers.example~1all";

    /** A request, under the name of its answer. */
    private record Step(String name, String method, String params) {}

    private static final List<Step> PASSED = List.of(
            new Step("initialize", "initialize", "{}"),
            new Step("tools", "tools/list", "{}"),
            new Step("call", "tools/call", "{\"name\":\"report\",\"arguments\":{}}"),
            new Step("resource", "resources/read", "{\"uri\":\"report:2\"}"),
            new Step("prompt", "prompts/get", "{\"name\":\"ask\",\"arguments\":{}}"));

    private static final List<Step> DENIED = List.of(
            new Step("report", "tools/call", "{\"name\":\"report\",\"arguments\":{}}"),
            new Step("denied", "tools/call", "{\"name\":\"send\",\"arguments\":{}}"));

    /** A row of the table: what is looked for, and where. */
    private record Carrier(String words, String step, String pointer) {}

    private static final List<Carrier> CARRIERS = carriers();

    private static List<Carrier> carriers() {
        List<Carrier> all = new ArrayList<>();
        all.add(new Carrier("`initialize`: `capabilities.extensions`", "initialize", "/capabilities/extensions"));
        all.add(new Carrier("tool: MCP's hints in `annotations`", "tools", "/tools/1/annotations/openWorldHint"));
        all.add(new Carrier(
                "tool: action-metadata in `annotations`, values alone", "tools", "/tools/0/annotations" + ACTION));
        all.add(new Carrier(
                "tool: action-metadata in `annotations`, values in arrays", "tools", "/tools/1/annotations" + ACTION));
        all.add(new Carrier(
                "tool: another key in `annotations`", "tools", "/tools/1/annotations/vendor.example~1hint"));
        all.add(new Carrier("tool: action-metadata in `_meta`, values alone", "tools", "/tools/0/_meta" + ACTION));
        for (String member : List.of(
                "inputMetadata.destination",
                "inputMetadata.sensitivity",
                "inputMetadata.vendor.example/more",
                "returnMetadata.source",
                "returnMetadata.sensitivity",
                "returnMetadata.vendor.example/more",
                "outcome",
                "requiresReview",
                "vendor.example/more")) {
            String step = member.replace("/", "~1").replaceFirst("^(input|return)Metadata\\.", "$1Metadata/");
            all.add(new Carrier(
                    "tool: action-metadata in `_meta`, arrays: `" + member + "`",
                    "tools",
                    "/tools/1/_meta" + ACTION + "/" + step));
        }
        numbers(all, "tool: `_meta`", "tools", "/tools/0" + NUMBERS);
        all.add(new Carrier("list of tools: `_meta`: `1`", "tools", NUMBERS + "/one"));
        for (String member : List.of(
                "sensitive",
                "untrusted",
                "evidenceRef",
                "evidenceRef.dev.sluice/record",
                "evidenceRef.dev.sluice/envelope",
                "dev.sluice/evidence",
                "vendor.example/more")) {
            String step = member.replace("/", "~1").replaceFirst("^evidenceRef\\.", "evidenceRef/");
            all.add(new Carrier(
                    "tool result: trust-annotations in `_meta`: `" + member + "`", "call", TRUST + "/" + step));
        }
        numbers(all, "tool result: `_meta`", "call", NUMBERS);
        all.add(new Carrier("tool result: `dev.sluice/label` in `_meta`", "call", "/_meta/dev.sluice~1label"));
        numbers(all, "tool result: `structuredContent`", "call", "/structuredContent");
        List<String> kinds = List.of("text", "image", "audio", "resource link", "embedded text", "embedded blob");
        for (int i = 0; i < kinds.size(); i++) {
            all.add(new Carrier(
                    "block, " + kinds.get(i) + ": trust-annotations in `_meta`", "call", "/content/" + i + TRUST));
            if (kinds.get(i).startsWith("embedded")) {
                all.add(new Carrier(
                        "contents of the block, " + kinds.get(i) + ": trust-annotations in `_meta`",
                        "call",
                        "/content/" + i + "/resource" + TRUST));
            }
        }
        all.add(new Carrier("resource: trust-annotations in `_meta` of the result", "resource", TRUST));
        all.add(new Carrier(
                "resource: `dev.sluice/label` in `_meta` of the result", "resource", "/_meta/dev.sluice~1label"));
        all.add(new Carrier("resource, text: trust-annotations in `_meta`", "resource", "/contents/0" + TRUST));
        all.add(new Carrier("resource, blob: trust-annotations in `_meta`", "resource", "/contents/1" + TRUST));
        all.add(new Carrier("prompt: trust-annotations in `_meta` of the result", "prompt", TRUST));
        all.add(new Carrier(
                "prompt: `dev.sluice/label` in `_meta` of the result", "prompt", "/_meta/dev.sluice~1label"));
        all.add(new Carrier(
                "prompt, content of a message: trust-annotations in `_meta`", "prompt", "/messages/0/content" + TRUST));
        all.add(new Carrier("denied call: `isError`", "denied", "/isError"));
        all.add(new Carrier("denied call: `dev.sluice/decision` in `_meta`", "denied", "/_meta/dev.sluice~1decision"));
        return all;
    }

    private static void numbers(List<Carrier> all, String words, String step, String pointer) {
        for (String number : List.of("12345678901234567890", "9007199254740993", "1.10", "0.1234567890123456789")) {
            String member = Map.of("12345678901234567890", "integer", "9007199254740993", "long", "1.10", "decimal")
                    .getOrDefault(number, "exact");
            all.add(new Carrier(words + ": `" + number + "`", step, pointer + "/" + member));
        }
    }

    /** What came at each step: to a client without any SDK, and from those with one. */
    private record Seen(Map<String, JsonNode> sent, Map<String, JsonNode> java, Map<String, JsonNode> typeScript) {}

    @TempDir
    private static Path temp;

    private static Seen wrapped = new Seen(Map.of(), Map.of(), Map.of());
    private static Seen direct = wrapped;

    @BeforeAll
    static void ask() throws IOException {
        Interop.demand();
        wrapped =
                new Seen(through(ClientsTest::raw), through(ClientsTest::javaSdk), through(ClientsTest::typeScriptSdk));
        List<String> server = Interop.java(AnnotatedServer.class);
        direct = new Seen(raw(server, PASSED), javaSdk(server, PASSED), typeScriptSdk(server, PASSED));
    }

    @Test
    void whatClientsHandOver_isWhatTheTableSays() throws IOException {
        List<String> measured = new ArrayList<>(heading());
        for (Carrier carrier : CARRIERS) {
            measured.add("| " + carrier.words + " | " + verdict(carrier, wrapped.sent, wrapped.java) + " | "
                    + verdict(carrier, wrapped.sent, wrapped.typeScript) + " |");
        }
        List<String> stated = Files.readAllLines(PAGE).stream()
                .filter(line -> line.startsWith("|"))
                .toList();
        Set<String> unstated = new LinkedHashSet<>(measured);
        stated.forEach(unstated::remove);
        assertEquals(Set.of(), unstated, "measured, and not in docs/clients.md: write these rows there");
        assertEquals(measured, stated, "docs/clients.md has the rows in this order, and no others");
    }

    /** Sluice adds its marks; that a client loses something is never its doing. */
    @Test
    void whatClientsHandOver_withoutSluice_isTheSame() {
        int compared = 0;
        for (Carrier carrier : CARRIERS) {
            boolean ours = carrier.step.equals("denied") || carrier.pointer.contains("/_meta/dev.sluice~1");
            if (!ours) {
                compared++;
                assertEquals(
                        verdict(carrier, direct.sent, direct.java),
                        verdict(carrier, wrapped.sent, wrapped.java),
                        carrier.words + ", Java");
                assertEquals(
                        verdict(carrier, direct.sent, direct.typeScript),
                        verdict(carrier, wrapped.sent, wrapped.typeScript),
                        carrier.words + ", TypeScript");
            }
        }
        assertEquals(CARRIERS.size() - 5, compared);
    }

    private static List<String> heading() throws IOException {
        Matcher version =
                Pattern.compile("<java-sdk\\.version>([^<]+)<").matcher(Files.readString(Path.of("../pom.xml")));
        assertEquals(true, version.find());
        return List.of(
                "| carrier | MCP Java SDK " + version.group(1) + " | TypeScript SDK "
                        + JSON.readTree(Interop.typeScriptSdk()
                                        .resolve("package.json")
                                        .toFile())
                                .path("version")
                                .asString("")
                        + " |",
                "|---|---|---|");
    }

    /** Takes the steps with a command, and returns what a client hands over at each. */
    private interface Client {
        Map<String, JsonNode> take(List<String> command, List<Step> steps) throws IOException;
    }

    /** With Sluice between: everything passes in one session, a call is denied in another. */
    private static Map<String, JsonNode> through(Client client) throws IOException {
        Map<String, JsonNode> all = new LinkedHashMap<>(client.take(wrappedServer("audit"), PASSED));
        all.putAll(client.take(wrappedServer("enforce"), DENIED));
        return all;
    }

    private static List<String> wrappedServer(String mode) throws IOException {
        Path folder = Files.createTempDirectory(temp, mode);
        // Nobody is there to be asked: each client would wait 20 s for a person.
        Path policy = Files.writeString(
                folder.resolve("policy.yaml"), "version: 1\nmode: " + mode + "\ngateway: {ask: {wait: 0s}}\n");
        return Interop.wrapped(
                Interop.java(AnnotatedServer.class),
                "--policy",
                policy.toString(),
                "--state",
                folder.resolve("state").toString(),
                "--session",
                "clients");
    }

    private static Map<String, JsonNode> raw(List<String> command, List<Step> steps) throws IOException {
        Map<String, JsonNode> all = new LinkedHashMap<>();
        try (RawClient client = new RawClient(command, Interop.environment(temp), temp, Map.of())) {
            client.initialize("{}");
            for (Step step : steps) {
                if (!step.method.equals("initialize")) {
                    client.ask(step.method, step.params);
                }
                List<String> received = client.received();
                byte[] line = received.get(received.size() - 1).getBytes(StandardCharsets.ISO_8859_1);
                JsonNode result = JsonIndex.parse(line)
                        .root()
                        .member("result")
                        .orElseThrow()
                        .tree();
                assertEquals(step.name.equals("denied"), result.path("isError").asBoolean(false), step.name);
                all.put(step.name, result);
            }
        }
        return all;
    }

    private static Map<String, JsonNode> javaSdk(List<String> command, List<Step> steps) {
        StdioClientTransport transport =
                new StdioClientTransport(
                        ServerParameters.builder(command.get(0))
                                .args(command.subList(1, command.size()))
                                .env(Interop.environment(temp))
                                .build(),
                        new JacksonMcpJsonMapper(JSON)) {
                    @Override
                    protected ProcessBuilder getProcessBuilder() {
                        ProcessBuilder builder = super.getProcessBuilder();
                        builder.environment().clear();
                        return builder;
                    }
                };
        transport.setStdErrorHandler(line -> {});
        Map<String, JsonNode> all = new LinkedHashMap<>();
        McpSyncClient client = McpClient.sync(transport)
                .requestTimeout(Duration.ofSeconds(Interop.HANG_SECONDS))
                .initializationTimeout(Duration.ofSeconds(Interop.HANG_SECONDS))
                .build();
        try {
            client.initialize();
            for (Step step : steps) {
                JsonNode params = JSON.readTree(step.params);
                all.put(step.name, tree(JSON.writeValueAsString(javaSdk(client, step.method, params))));
            }
        } finally {
            client.closeGracefully();
        }
        return all;
    }

    private static Object javaSdk(McpSyncClient client, String method, JsonNode params) {
        String name = params.path("name").asString("");
        return switch (method) {
            case "initialize" -> Map.of("capabilities", client.getServerCapabilities());
            case "tools/list" -> client.listTools();
            case "tools/call" ->
                client.callTool(McpSchema.CallToolRequest.builder(name)
                        .arguments(Map.of())
                        .build());
            case "resources/read" ->
                client.readResource(
                        McpSchema.ReadResourceRequest.builder(params.path("uri").asString(""))
                                .build());
            default ->
                client.getPrompt(McpSchema.GetPromptRequest.builder(name)
                        .arguments(Map.of())
                        .build());
        };
    }

    private static Map<String, JsonNode> typeScriptSdk(List<String> command, List<Step> steps) throws IOException {
        String wanted = "["
                + String.join(
                        ",",
                        steps.stream()
                                .map(step -> "[\"" + step.method + "\"," + step.params + "]")
                                .toList())
                + "]";
        List<String> line = new ArrayList<>(Interop.typeScriptClient(wanted));
        line.addAll(command);
        Interop.Ended ended = Interop.run(line, Interop.environment(temp), temp);
        assertEquals(0, ended.exitCode(), ended.err());
        List<String> printed = ended.out().lines().toList();
        assertEquals(steps.size(), printed.size(), ended.err());
        Map<String, JsonNode> all = new LinkedHashMap<>();
        for (int i = 0; i < steps.size(); i++) {
            all.put(steps.get(i).name, tree(printed.get(i)));
        }
        return all;
    }

    /** Numbers stay as they are written. */
    private static JsonNode tree(String json) {
        return JsonIndex.parse(json.getBytes(StandardCharsets.UTF_8)).root().tree();
    }

    private static String verdict(Carrier carrier, Map<String, JsonNode> sent, Map<String, JsonNode> handed) {
        JsonNode there = asked(sent.get(carrier.step).at(carrier.pointer));
        assertNotEquals(true, there.isMissingNode(), carrier.words + " was not sent");
        JsonNode here = asked(handed.get(carrier.step).at(carrier.pointer));
        if (here.isMissingNode()) {
            return "**dropped**";
        }
        return same(there, here) ? "kept" : "becomes `" + here + "`";
    }

    /** The same call is another question in another run. */
    private static JsonNode asked(JsonNode node) {
        return node.isObject() && node.path("approval").path("id").isString()
                ? tree(node.toString().replace(node.path("approval").path("id").stringValue(), "question"))
                : node;
    }

    /** Numbers are the same if their digits are; {@code 1.10} and {@code 1.1} are two. */
    private static boolean same(JsonNode one, JsonNode other) {
        if (!one.isContainer() || one.getNodeType() != other.getNodeType() || one.size() != other.size()) {
            return one.toString().equals(other.toString());
        }
        if (one.isArray()) {
            for (int i = 0; i < one.size(); i++) {
                if (!same(one.get(i), other.get(i))) {
                    return false;
                }
            }
            return true;
        }
        Set<String> names = new TreeSet<>();
        one.properties().forEach(member -> names.add(member.getKey()));
        return names.stream().allMatch(name -> other.has(name) && same(one.get(name), other.get(name)));
    }
}
