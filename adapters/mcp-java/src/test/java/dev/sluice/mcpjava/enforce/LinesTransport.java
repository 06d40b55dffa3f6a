package dev.sluice.mcpjava.enforce;

import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** A client's transport for the first stack: one message a line, over a connection. The SDK's own starts a process. */
final class LinesTransport implements McpClientTransport {

    private final Wire wire;
    private final McpJsonMapper mapper;

    LinesTransport(Wire wire, McpJsonMapper mapper) {
        this.wire = wire;
        this.mapper = mapper;
    }

    @Override
    public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        Thread reader = new Thread(() -> read(handler), "lines");
        reader.setDaemon(true);
        reader.start();
        return Mono.empty();
    }

    private void read(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(wire.client().getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                handler.apply(Mono.just(McpSchema.deserializeJsonRpcMessage(mapper, line)))
                        .subscribe();
            }
        } catch (IOException e) {
            // The connection is closed.
        }
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
        return Mono.fromCallable(() -> {
            byte[] line = (mapper.writeValueAsString(message) + "\n").getBytes(StandardCharsets.UTF_8);
            OutputStream out = wire.client().getOutputStream();
            synchronized (this) {
                out.write(line);
                out.flush();
            }
            return null;
        });
    }

    @Override
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
        return mapper.convertValue(data, type);
    }

    @Override
    public Mono<Void> closeGracefully() {
        return Mono.fromRunnable(wire::close);
    }
}
