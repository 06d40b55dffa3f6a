package dev.sluice.cli.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A server without tools that ends when another one is told to end as well: when its input has ended it says so in a folder,
 * waits for the other to say it, and says that they have met.
 *
 * <p>Argument: the folder.
 */
final class MeetingServer {

    static final String READY = "ready-";
    static final String ENDING = "ending-";
    static final String MET = "met-";

    private MeetingServer() {}

    /** Ends when it has met the other, or is killed. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Path folder = Path.of(args[0]);
        String me = String.valueOf(ProcessHandle.current().pid());
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JsonNode message = JsonMapper.shared().readTree(line);
            if (message.has("id") && message.has("method")) {
                ObjectNode answer = JsonMapper.shared().createObjectNode().put("jsonrpc", "2.0");
                answer.set("id", message.get("id"));
                ObjectNode result = answer.putObject("result");
                if (message.path("method").asString("").equals("initialize")) {
                    result.put("protocolVersion", "2025-11-25").putObject("capabilities");
                    result.putObject("serverInfo").put("name", "meeting").put("version", "1");
                }
                System.out.println(answer);
            } else if (message.path("method").asString("").equals("notifications/initialized")) {
                Files.createFile(folder.resolve(READY + me));
            }
        }
        Files.createFile(folder.resolve(ENDING + me));
        while (count(folder, ENDING) < 2) {
            Thread.sleep(10);
        }
        Files.createFile(folder.resolve(MET + me));
    }

    /** How many have said a word. */
    static long count(Path folder, String word) throws IOException {
        try (Stream<Path> said = Files.list(folder)) {
            return said.filter(file -> file.getFileName().toString().startsWith(word))
                    .count();
        }
    }
}
