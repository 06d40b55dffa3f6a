package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A client takes a request back. */
final class CancellationTest {

    @TempDir
    private Path temp;

    @Test
    void cancelledRequest_holdsItsIdNoLonger() throws IOException {
        String[] options = {"--state", temp.resolve("state").toString(), "--session", "cancelled"};
        try (StdioHost host =
                new StdioHost(Children.run(Children.fixture(temp.resolve("received"), ""), options), temp)) {
            host.initialize("{\"sampling\":{}}");
            // The server asks first and waits for the answer, which never comes.
            host.send(
                    "{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"tools/call\",\"params\":{\"name\":\"sample\",\"arguments\":{}}}");
            JsonNode asked = host.next();
            assertEquals("sampling/createMessage", asked.path("method").asString(), asked.toString());
            host.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":77}}");
            host.send("{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"ping\"}");
            JsonNode answer = host.await(77);
            assertEquals("method not found", answer.at("/error/message").asString(), "the server's own answer");
        }
    }
}
