package dev.sluice.cli.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;
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

    /** Asks a server once, and returns what was printed. */
    Interop.Ended ask(String server, String... methodAndArguments) throws IOException {
        Path config = Files.writeString(Files.createTempFile(folder, "servers", ".json"), root.toString());
        List<String> command = new ArrayList<>(List.of(
                Interop.node().toString(),
                Interop.inspector().toString(),
                "--cli",
                "--quiet",
                "--format",
                "json",
                "--config",
                config.toString(),
                "--server",
                server,
                "--method"));
        command.addAll(List.of(methodAndArguments));
        return Interop.run(command, Interop.environment(folder), folder);
    }
}
