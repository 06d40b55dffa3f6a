// This file has more than 400 lines because the clients, the servers and the steps make one table.
package dev.sluice.cli.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.cli.Children;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Clients of both eras through Sluice to servers of both: each is a process of its own and takes the same steps. {@code
 * docs/eras.md} has the table that comes of it, and what a step that fails says.
 */
@Tag("interop")
final class ErasTest {

    private static final JsonMapper JSON = JsonMapper.shared();

    private static final Path PAGE = Path.of("../docs/eras.md");
    private static final String HEADING = "## Who works with whom";

    /** What each client does, in this order; the last two need more of a client than the others do. */
    private static final List<String> STEPS = List.of("list", "call", "read", "ask", "watch");

    private static final String NOT_ASKED = "not asked";

    /** Two at a time: more would only wait for one another. */
    private static final int AT_ONCE = 2;

    /** A row: a client, and how it is started, before the ways that it takes. */
    private record Client(String name, List<String> command) {

        /** The Inspector takes no plans: it is asked step by step. */
        boolean isInspector() {
            return command.isEmpty();
        }
    }

    /** A column: a server, what to ask of it, and what must come. */
    private record Server(
            String name, String words, List<String> command, ObjectNode plan, Map<String, String> expected) {

        /** The plan for this server behind an endpoint that has several, where tools have the server's name before theirs. */
        ObjectNode planBeside() {
            ObjectNode beside = plan.deepCopy();
            for (String call : List.of("call", "ask", "touch", "untouch")) {
                if (beside.get(call) instanceof ObjectNode named) {
                    named.put("name", name + "__" + named.path("name").asString(""));
                }
            }
            return beside;
        }
    }

    /** A connection: to a wrapper around one server, or to the gateway before all; and what to do on it. */
    private record Way(String words, List<String> target, List<Server> servers, List<ObjectNode> plans) {}

    /** What came of the steps of one client with one server. */
    private record Cell(Map<String, String> failures) {

        String words() {
            if (failures.isEmpty()) {
                return "works";
            }
            if (failures.containsKey("connect")) {
                return "refused";
            }
            return failures.containsValue(NOT_ASKED)
                    ? "works, of "
                            + String.join(
                                    ", ",
                                    STEPS.stream()
                                            .filter(step -> !failures.containsKey(step))
                                            .toList())
                    : "all but " + String.join(", ", failures.keySet());
        }
    }

    @TempDir
    private static Path temp;

    private static List<Client> clients = List.of();
    private static List<Server> servers = List.of();

    /** By client and column. */
    private static final Map<String, Map<String, Cell>> CELLS = new LinkedHashMap<>();

    @BeforeAll
    static void ask() throws IOException, InterruptedException, ExecutionException {
        Interop.demand();
        clients = List.of(
                java("MCP Java SDK 2.1.0", "ErasClient", ""),
                java("MCP Java SDK 2.2.0, 2026-07-28", "ErasModernClient", "newer-java-sdk"),
                new Client("TypeScript SDK 1.32.2", Interop.erasClient("1")),
                new Client("TypeScript SDK 2.4.0, `legacy`", Interop.erasClient("legacy")),
                new Client("TypeScript SDK 2.4.0, `auto`", Interop.erasClient("auto")),
                new Client("TypeScript SDK 2.4.0, `pin`", Interop.erasClient("pin")),
                new Client("Inspector 2.12.0, `modern`", List.of()));
        servers = List.of(
                new Server(
                        "everything",
                        "server-everything 2026.8.31: to 2025-11-25",
                        Interop.everything(),
                        plan(
                                "trigger-elicitation-request",
                                "toggle-subscriber-updates",
                                "demo://resource/static/document/architecture.md"),
                        Map.of("read", "Everything Server", "ask", "Name: Ada")),
                new Server(
                        "modern",
                        "TypeScript SDK 2.4.0: 2026-07-28 alone",
                        Interop.erasServer("modern"),
                        plan("ask", "touch", "eras:modern"),
                        Map.of("read", "a note", "ask", "Hello, Ada")),
                new Server(
                        "both",
                        "TypeScript SDK 2.4.0: both",
                        Interop.erasServer("both"),
                        plan("ask", "touch", "eras:both"),
                        Map.of("read", "a note", "ask", "Hello, Ada")));
        try (ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
                HttpServer modern = HttpServer.start(Interop.erasServer("modern", "0"), temp);
                HttpServer both = HttpServer.start(Interop.erasServer("both", "0"), temp);
                HttpServer one = HttpServer.gateway(policy(modern, both), Files.createDirectory(temp.resolve("one")));
                HttpServer other =
                        HttpServer.gateway(policy(modern, both), Files.createDirectory(temp.resolve("other")))) {
            // Each has one client at a time: calls of several that name no conversation are in one, and a legacy server
            // that
            // asks something in there can't be told which call it means.
            BlockingQueue<HttpServer> gateways = new ArrayBlockingQueue<>(AT_ONCE, false, List.of(one, other));
            List<Future<?>> rows = new ArrayList<>();
            for (Client client : clients) {
                CELLS.put(client.name, new LinkedHashMap<>());
                rows.add(threads.submit(() -> {
                    HttpServer gateway = gateways.take();
                    try {
                        take(client, gateway);
                    } finally {
                        gateways.add(gateway);
                    }
                    return client;
                }));
            }
            for (Future<?> row : rows) {
                row.get();
            }
        }
    }

    private static Client java(String name, String program, String folder) throws IOException {
        List<String> jars = new ArrayList<>();
        if (!folder.isEmpty()) {
            try (Stream<Path> files = Files.list(Path.of("target", folder))) {
                files.map(file -> file.toAbsolutePath().toString()).forEach(jars::add);
            }
        }
        jars.add(Children.usualClassPath());
        return new Client(
                name,
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        String.join(System.getProperty("path.separator"), jars),
                        Path.of("../interop/java", program + ".java").toString()));
    }

    private static ObjectNode plan(String ask, String touch, String resource) {
        ObjectNode plan = JSON.createObjectNode().put("resource", resource);
        plan.putObject("call").put("name", "echo").putObject("arguments").put("message", "hi");
        plan.putObject("ask").put("name", ask);
        plan.putObject("touch").put("name", touch);
        if (touch.startsWith("toggle")) {
            plan.putObject("untouch").put("name", touch);
        }
        plan.putObject("answer").put("name", "Ada").put("check", true);
        return plan;
    }

    /**
     * One endpoint for all of them: one is started for each session, two are reached over HTTP. The one of both eras has no
     * sessions for legacy clients and so asks them nothing, which is why it is said which era to speak with it.
     */
    private static String policy(HttpServer modern, HttpServer both) {
        StringBuilder policy = new StringBuilder(HttpServer.freely(Map.of("everything", Interop.everything())));
        Map.of("modern", modern, "both", both)
                .forEach((name, server) -> policy.append("""
                          %s:
                            known: none
                            url: %s
                            era: modern
                            defaults: {integrity: trusted, confidentiality: public}
                        """.formatted(name, server.address())));
        return policy.toString();
    }

    /** One process of the client takes all ways, each over a connection of its own. */
    private static void take(Client client, HttpServer gateway) throws IOException {
        List<Way> ways = new ArrayList<>();
        Path policy = Files.writeString(Files.createTempFile(temp, "audit", ".yaml"), "version: 1\nmode: audit\n");
        for (Server server : servers) {
            List<String> command = Interop.wrapped(
                    server.command,
                    "--policy",
                    policy.toString(),
                    "--state",
                    temp.resolve("state-of-wrappers").toString(),
                    "--session",
                    "client-" + clients.indexOf(client) + "-" + server.name);
            ways.add(new Way("`run`", command, List.of(server), List.of(server.plan)));
        }
        ways.add(new Way(
                "`gateway`",
                List.of(gateway.address().toString()),
                servers,
                servers.stream().map(Server::planBeside).toList()));
        List<JsonNode> seen = client.isInspector() ? inspected(ways) : steps(client, ways);
        int next = 0;
        for (Way way : ways) {
            for (int i = 0; i < way.plans.size(); i++) {
                keep(client, way.servers.get(i), way.words, seen.get(next++), way.plans.get(i));
            }
        }
        assertEquals(next, seen.size(), client.name + ": " + seen);
    }

    /** Returns what came of each plan, in their order. */
    private static List<JsonNode> steps(Client client, List<Way> ways) throws IOException {
        ArrayNode all = JSON.createArrayNode();
        for (Way way : ways) {
            ObjectNode said = all.addObject();
            way.target.forEach(said.putArray("target")::add);
            said.putArray("plans").addAll(way.plans);
        }
        List<String> command = new ArrayList<>(client.command);
        command.add(all.toString());
        Interop.Ended ended = Interop.run(command, Interop.environment(temp), temp);
        assertEquals(0, ended.exitCode(), client.name + ": " + ended.err());
        return ended.json();
    }

    /** The Inspector neither answers forms nor listens, so it is asked the first three steps. */
    private static List<JsonNode> inspected(List<Way> ways) throws IOException {
        Inspector inspector = new Inspector(temp);
        List<Inspector.Question> questions = new ArrayList<>();
        for (int i = 0; i < ways.size(); i++) {
            String server = "server-" + i;
            inspector.modern(server, ways.get(i).target);
            for (ObjectNode plan : ways.get(i).plans) {
                String tool = plan.at("/call/name").asString("");
                String resource = plan.path("resource").asString("");
                questions.add(Inspector.Question.of(server, "tools/list"));
                questions.add(
                        Inspector.Question.of(server, "tools/call", "--tool-name", tool, "--tool-arg", "message=hi"));
                questions.add(Inspector.Question.of(server, "resources/read", "--uri", resource));
            }
        }
        List<JsonNode> results =
                inspector.ask(questions).stream().map(ErasTest::resultOrFailure).toList();
        List<JsonNode> all = new ArrayList<>();
        for (int i = 0; i < results.size(); i += 3) {
            JsonNode tools = results.get(i);
            ObjectNode seen = JSON.createObjectNode()
                    .put("connect", "")
                    .put("ask", NOT_ASKED)
                    .put("watch", NOT_ASKED);
            seen.set("list", tools.has("failed") ? tools : names(tools));
            seen.set("call", text(results.get(i + 1), "content"));
            seen.set("read", text(results.get(i + 2), "contents"));
            all.add(seen);
        }
        return all;
    }

    private static JsonNode resultOrFailure(Interop.Ended ended) {
        return ended.exitCode() == 0
                ? ended.json().get(0).path("result")
                : JSON.createObjectNode().put("failed", ended.err().strip());
    }

    private static ArrayNode names(JsonNode tools) {
        ArrayNode names = JSON.createArrayNode();
        tools.path("tools").forEach(tool -> names.add(tool.path("name").asString("")));
        return names;
    }

    private static JsonNode text(JsonNode result, String member) {
        return result.has("failed") ? result : result.path(member).path(0).path("text");
    }

    private static void keep(Client client, Server server, String way, JsonNode seen, ObjectNode plan) {
        Map<String, String> failures = new LinkedHashMap<>();
        if (seen.path("connect").has("failed")) {
            failures.put("connect", failure(seen.path("connect")));
        } else {
            for (String step : STEPS) {
                JsonNode came = seen.path(step);
                String expected = switch (step) {
                    case "list" -> plan.at("/call/name").asString("");
                    case "call" -> "Echo: hi";
                    case "watch" -> plan.path("resource").asString("");
                    default -> server.expected.getOrDefault(step, "");
                };
                if (came.asString("").equals(NOT_ASKED)) {
                    failures.put(step, NOT_ASKED);
                } else if (came.has("failed") || !came.toString().contains(expected)) {
                    failures.put(step, failure(came));
                }
            }
        }
        synchronized (CELLS) {
            Map<String, Cell> row = CELLS.get(client.name);
            assertTrue(row != null, client.name);
            row.put(column(server, way), new Cell(failures));
        }
    }

    private static String failure(JsonNode came) {
        String words = came.has("failed") ? came.path("failed").asString("") : "came: " + came;
        return (came.has("code") ? came.path("code") + ": " : "") + words;
    }

    private static String column(Server server, String way) {
        return server.words + ", by " + way;
    }

    private static List<String> columns() {
        return Stream.of("`run`", "`gateway`")
                .flatMap(way -> servers.stream().map(server -> column(server, way)))
                .toList();
    }

    /** Whatever else an era lacks, tools and resources are there for all. */
    @Test
    void listsCallsAndReads_workForEveryClientWithEveryServer() {
        CELLS.forEach((client, row) -> {
            assertEquals(columns().size(), row.size(), client);
            row.forEach((column, cell) -> {
                for (String step : List.of("connect", "list", "call", "read")) {
                    assertEquals("", cell.failures.getOrDefault(step, ""), client + ", " + column + ": " + step);
                }
            });
        });
    }

    @Test
    void whatWorks_isWhatThePageSays() throws IOException {
        StringBuilder table = new StringBuilder("| client | way |");
        servers.forEach(server -> table.append(' ').append(server.words).append(" |"));
        table.append("\n|---|---|").append("---|".repeat(servers.size())).append('\n');
        List<String> errors = new ArrayList<>();
        CELLS.forEach((client, row) -> {
            for (String way : List.of("`run`", "`gateway`")) {
                table.append("| ").append(client).append(" | ").append(way).append(" |");
                for (Server server : servers) {
                    Cell cell = row.getOrDefault(column(server, way), new Cell(Map.of("connect", "nothing came")));
                    table.append(' ').append(cell.words()).append(" |");
                    cell.failures.forEach((step, words) -> {
                        if (!words.equals(NOT_ASKED)) {
                            errors.add("- " + client + ", " + way + ", " + server.words + ", " + step + ": `" + words
                                    + "`");
                        }
                    });
                }
                table.append('\n');
            }
        });
        String page = Files.readString(PAGE);
        int from = page.indexOf(HEADING);
        assertTrue(from >= 0, "docs/eras.md has the heading");
        int end = page.indexOf("\n## ", from + 1);
        List<String> stated = page.substring(from, end < 0 ? page.length() : end)
                .lines()
                .filter(line -> line.startsWith("|") || line.startsWith("- "))
                .toList();
        assertEquals(
                table.toString() + String.join("\n", errors),
                String.join("\n", stated) + (errors.isEmpty() ? "\n" : ""),
                "write this into docs/eras.md");
    }

    /** The versions in the table are those that were asked. */
    @Test
    void versions_areThoseOfTheBuild() throws IOException {
        String build = Files.readString(Path.of("../pom.xml"));
        for (String version : List.of("java-sdk.version", "newer-java-sdk.version")) {
            String start = "<" + version + ">";
            int at = build.indexOf(start) + start.length();
            assertStated("MCP Java SDK " + build.substring(at, build.indexOf('<', at)));
        }
        Map.of(
                        "@modelcontextprotocol/sdk", "TypeScript SDK ",
                        "@modelcontextprotocol/client", "TypeScript SDK ",
                        "@modelcontextprotocol/server", "TypeScript SDK ",
                        "@modelcontextprotocol/server-everything", "server-everything ",
                        "@modelcontextprotocol/inspector", "Inspector ")
                .forEach((name, words) -> assertStated(words + Interop.version(name)));
    }

    private static void assertStated(String name) {
        assertTrue(
                clients.stream().anyMatch(client -> client.name.startsWith(name))
                        || servers.stream().anyMatch(server -> server.words.startsWith(name)),
                name);
    }
}
