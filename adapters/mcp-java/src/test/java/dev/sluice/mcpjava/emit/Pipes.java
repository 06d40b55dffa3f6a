package dev.sluice.mcpjava.emit;

import dev.sluice.wire.json.JsonIndex;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** A client of raw lines, at the other end of a server's streams. */
final class Pipes implements AutoCloseable {

    private final PipedOutputStream toServer = new PipedOutputStream();
    private final PipedInputStream fromServer = new PipedInputStream(1 << 16);
    private final InputStream serverIn;
    private final OutputStream serverOut;
    private final BufferedReader answers;
    private final List<JsonNode> passed = new ArrayList<>();
    private int id;

    Pipes() throws IOException {
        serverIn = new PipedInputStream(toServer, 1 << 16);
        serverOut = new PipedOutputStream(fromServer);
        answers = new BufferedReader(new InputStreamReader(fromServer, StandardCharsets.UTF_8));
    }

    InputStream serverIn() {
        return serverIn;
    }

    OutputStream serverOut() {
        return serverOut;
    }

    void send(String line) throws IOException {
        toServer.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        toServer.flush();
    }

    /** Opens a session of the stack up to 2025-11-25 and returns the server's answer. */
    JsonNode initialize() throws IOException {
        JsonNode opened = request(
                "initialize",
                "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}");
        send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
        return opened;
    }

    /** Sends a request and returns the message that answers it; other messages are kept. */
    JsonNode request(String method, String params) throws IOException {
        id++;
        send("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params + "}");
        return awaited(id);
    }

    private JsonNode awaited(int wanted) throws IOException {
        while (true) {
            JsonNode message = next();
            if (message.path("id").intValue(-1) == wanted) {
                return message;
            }
            passed.add(message);
        }
    }

    /** Returns the first notification of that method, of those that passed and those to come. */
    JsonNode notification(String method) throws IOException {
        while (true) {
            for (JsonNode message : passed) {
                if (message.path("method").asString("").equals(method)) {
                    return message;
                }
            }
            passed.add(next());
        }
    }

    private JsonNode next() throws IOException {
        String line = answers.readLine();
        if (line == null) {
            throw new IOException("the server is gone");
        }
        return JsonIndex.parse(line.getBytes(StandardCharsets.UTF_8)).root().tree();
    }

    @Override
    public void close() throws IOException {
        toServer.close();
        fromServer.close();
    }
}
