package dev.sluice.examples.mail;

import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpServerSession;
import io.modelcontextprotocol.spec.McpServerTransport;
import io.modelcontextprotocol.spec.McpServerTransportProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * MCP over a pair of streams, one JSON-RPC message a line, one call after the other.
 *
 * <p>The SDK has a transport of this kind. It drops the answers that it still owes when its input ends, so that a script
 * cannot pipe its requests in, and it stops for good at a line that is not JSON; this one does neither.
 */
final class StdioTransport implements McpServerTransportProvider {

    private final McpJsonMapper mapper;
    private final BufferedReader in;
    private final OutputStream out;
    private final PrintStream log;
    private @Nullable McpServerSession session;

    /**
     * A transport that is not read from yet.
     *
     * @param log where lines are reported that cannot be answered
     */
    StdioTransport(McpJsonMapper mapper, InputStream in, OutputStream out, PrintStream log) {
        this.mapper = mapper;
        this.in = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        this.out = out;
        this.log = log;
    }

    @Override
    public void setSessionFactory(McpServerSession.Factory factory) {
        session = factory.create(new Wire());
    }

    /**
     * Answers what comes in until the input ends.
     *
     * @throws IOException if the input cannot be read or the output cannot be written: the client is gone
     */
    void serve() throws IOException {
        McpServerSession server = Objects.requireNonNull(session, "no server is built on this transport");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.isBlank()) {
                continue;
            }
            JSONRPCMessage message;
            try {
                message = McpSchema.deserializeJsonRpcMessage(mapper, line);
            } catch (IOException | RuntimeException e) {
                log.println("mail-server: a line that is no JSON-RPC message is left out");
                continue;
            }
            try {
                server.handle(message).toFuture().join();
            } catch (CompletionException e) {
                if (e.getCause() instanceof UncheckedIOException unwritable) {
                    throw unwritable.getCause();
                }
                log.println("mail-server: a message is left without an answer: " + e.getMessage());
            }
        }
    }

    @Override
    public Mono<Void> notifyClients(String method, Object params) {
        return session == null ? Mono.empty() : session.sendNotification(method, params);
    }

    @Override
    public Mono<Void> closeGracefully() {
        return session == null ? Mono.empty() : session.closeGracefully();
    }

    /** The side on which the server writes. */
    private final class Wire implements McpServerTransport {

        @Override
        public Mono<Void> sendMessage(JSONRPCMessage message) {
            return Mono.fromRunnable(() -> write(message));
        }

        private synchronized void write(JSONRPCMessage message) {
            try {
                out.write((mapper.writeValueAsString(message) + "\n").getBytes(StandardCharsets.UTF_8));
                out.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
            return mapper.convertValue(data, type);
        }

        @Override
        public Mono<Void> closeGracefully() {
            return Mono.empty();
        }
    }
}
