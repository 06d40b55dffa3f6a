package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** What only whole processes show: what a message of 1 GB costs, and what a killed wrapper leaves behind. */
class LoadTest {

    /** A server whose answers to {@code vast} have 1 GiB. */
    private static final String SERVER = """
            while IFS= read -r line; do
              id=${line#*\\"id\\":}
              id=${id%%[,\\}]*}
              case $line in
              *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}' ;;
              *'"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"quick","inputSchema":{"type":"object"}},{"name":"vast","inputSchema":{"type":"object"}}]}}' ;;
              *'"vast"'*) printf '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"'
                head -c 1073741824 /dev/zero | tr '\\\\0' x
                echo '"}]}}' ;;
              *'"tools/call"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"done"}]}}' ;;
              esac
            done
            """;

    /** A heap in which not even a tenth of that would fit. */
    private static final String SMALL_HEAP = "-Xmx64m";

    @TempDir
    private Path folder;

    private Path policy() throws Exception {
        Path server = Files.writeString(folder.resolve("server.sh"), SERVER);
        return Files.writeString(folder.resolve("policy.yaml"), """
                version: 1
                servers:
                  one:
                    command: %s
                    tools:
                      quick: {effects: [reads], returns: {integrity: trusted, confidentiality: public}}
                      vast: {effects: [reads], returns: {integrity: trusted, confidentiality: public}}
                """.formatted(
                        JsonMapper.shared().writeValueAsString(List.of("sh", server.toString()))));
    }

    @Test
    void upstreamOfAGigabyteInOneMessage_isRefusedInASmallHeap() throws Exception {
        List<String> command = new ArrayList<>(Children.sluice(
                HttpClientSide.words(policy(), folder.resolve("state")).toArray(String[]::new)));
        command.addAll(1, List.of(SMALL_HEAP, "-XX:+ExitOnOutOfMemoryError"));
        try (HttpClientSide client = HttpClientSide.process(command, folder)) {
            client.initialize();
            String refused = StdioHost.text(client.call("vast", "{}"));
            assertTrue(refused.contains("more than the limit"), refused);
            assertEquals("done", StdioHost.text(client.call("quick", "{}")), "the line goes on behind it");
            assertTrue(client.process().isAlive(), client.errors());
        }
    }

    @Test
    void killedWrapper_leavesNoChild() throws Exception {
        Path policy = policy();
        for (int i = 0; i < 3; i++) {
            List<String> command = Children.sluice(
                    "run",
                    "--policy",
                    policy.toString(),
                    "--state",
                    folder.resolve("state").toString(),
                    "--session",
                    "s" + i,
                    "--",
                    "sh",
                    folder.resolve("server.sh").toString());
            Process wrapper = new ProcessBuilder(command)
                    .redirectError(folder.resolve("log").toFile())
                    .start();
            wrapper.getOutputStream()
                    .write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n"
                            .getBytes(StandardCharsets.UTF_8));
            wrapper.getOutputStream().flush();
            assertTrue(wrapper.getInputStream().read() == '{', Files.readString(folder.resolve("log")));
            List<ProcessHandle> children = wrapper.descendants().toList();
            assertEquals(1, children.size());
            wrapper.destroyForcibly();
            wrapper.waitFor();
            for (ProcessHandle child : children) {
                child.onExit().get(60, TimeUnit.SECONDS);
            }
        }
    }
}
