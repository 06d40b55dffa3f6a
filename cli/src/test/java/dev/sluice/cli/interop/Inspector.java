package dev.sluice.cli.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The command line of the MCP Inspector, and the file in which it has the servers that it is run on. */
final class Inspector {

    private final Path folder;
    private final ObjectNode root = JsonMapper.shared().createObjectNode();
    private final ObjectNode servers = root.putObject("mcpServers");

    Inspector(Path folder) {
        this.folder = folder;
    }

    /** Adds a server that the Inspector starts. */
    void add(String name, List<String> command) {
        ObjectNode entry = servers.putObject(name).put("command", command.get(0));
        command.stream().skip(1).forEach(entry.putArray("args")::add);
        Map<String, String> environment = Interop.environment(folder);
        environment.forEach(entry.putObject("env")::put);
    }

    /** Adds a server over HTTP. */
    void add(String name, HttpServer server) {
        servers.putObject(name)
                .put("type", "streamable-http")
                .put("url", server.address().toString());
    }

    /** Adds a server that is spoken to in 2026-07-28: by its address, or by its command. */
    void modern(String name, List<String> target) {
        if (target.size() == 1) {
            servers.putObject(name).put("type", "streamable-http").put("url", target.get(0));
        } else {
            add(name, target);
        }
        ((ObjectNode) servers.path(name)).put("protocolEra", "modern");
    }

    /** A run of the command line: a server, and a method with its arguments. */
    record Question(String server, List<String> methodAndArguments) {

        static Question of(String server, String... methodAndArguments) {
            return new Question(server, List.of(methodAndArguments));
        }

        @Override
        public String toString() {
            return String.join(" ", methodAndArguments) + " on " + server;
        }
    }

    /** Asks one question after the other, each over a connection of its own, and returns what was printed for each. */
    List<Interop.Ended> ask(List<Question> questions) throws IOException {
        Path config = Files.writeString(Files.createTempFile(folder, "servers", ".json"), root.toString());
        ArrayNode lists = JsonMapper.shared().createArrayNode();
        for (Question question : questions) {
            ArrayNode list = lists.addArray();
            List.of("--quiet", "--format", "json", "--config", config.toString(), "--server", question.server)
                    .forEach(list::add);
            list.add("--method");
            question.methodAndArguments.forEach(list::add);
        }
        Interop.Ended all = Interop.run(Interop.inspector(lists.toString()), Interop.environment(folder), folder);
        assertEquals(0, all.exitCode(), all.err());
        List<Interop.Ended> each = new ArrayList<>();
        for (JsonNode run : all.json()) {
            each.add(new Interop.Ended(
                    run.path("exitCode").asInt(),
                    run.path("out").asString(),
                    run.path("err").asString()));
        }
        assertEquals(questions.size(), each.size(), all.out() + all.err());
        return each;
    }

    /** Asks what must be answered, and returns the results. */
    List<JsonNode> results(List<Question> questions) throws IOException {
        List<Interop.Ended> all = ask(questions);
        List<JsonNode> results = new ArrayList<>();
        for (int i = 0; i < questions.size(); i++) {
            assertEquals(
                    0,
                    all.get(i).exitCode(),
                    questions.get(i) + ": " + all.get(i).err());
            results.add(all.get(i).json().get(0).path("result"));
        }
        return results;
    }
}
