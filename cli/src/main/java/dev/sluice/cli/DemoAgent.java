package dev.sluice.cli;

import dev.sluice.gateway.transport.MessageLines;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The demo's agent: a real MCP client over stdio, whose model is a script. */
final class DemoAgent implements AutoCloseable {

    private static final int LIMIT = 1 << 20;

    private final Process process;
    private final MessageLines answers;
    private int calls;

    /**
     * Starts the server that {@code command} is and shakes hands with it.
     *
     * @throws IOException where it does not start or does not speak MCP
     */
    DemoAgent(List<String> command) throws IOException {
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        answers = new MessageLines(process.getInputStream(), LIMIT);
        ObjectNode hello = JsonNodeFactory.instance.objectNode().put("protocolVersion", "2025-11-25");
        hello.putObject("capabilities");
        hello.putObject("clientInfo").put("name", "sluice-demo").put("version", "1");
        var _ = ask("initialize", hello);
        send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}".getBytes(StandardCharsets.UTF_8));
        var _ = ask("tools/list", JsonNodeFactory.instance.objectNode());
    }

    /** Returns the result of a tool call. */
    JsonNode call(String tool, ObjectNode arguments) throws IOException {
        ObjectNode params = JsonNodeFactory.instance.objectNode().put("name", tool);
        params.set("arguments", arguments);
        return ask("tools/call", params);
    }

    private JsonNode ask(String method, JsonNode params) throws IOException {
        RpcId id = RpcId.ofText("d" + ++calls);
        send(RpcWriter.request(id, method, params));
        Optional<MessageLines.Line> line = answers.next();
        while (line.isPresent()) {
            if (line.get() instanceof MessageLines.Text text) {
                switch (RpcMessage.parse(text.bytes())) {
                    case RpcMessage.Result result
                    when result.id().equals(id) -> {
                        return result.result().tree();
                    }
                    case RpcMessage.Failure failure
                    when failure.id().equals(id) ->
                        throw new IOException(
                                "`" + method + "` failed: " + failure.error().raw());
                    default -> {}
                }
            }
            line = answers.next();
        }
        throw new IOException("the demo's gateway ended before it answered `" + method + "`");
    }

    private void send(byte[] message) throws IOException {
        OutputStream out = process.getOutputStream();
        out.write(message);
        out.write('\n');
        out.flush();
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            process.waitFor();
        } catch (IOException e) {
            process.destroy();
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
        }
    }
}
