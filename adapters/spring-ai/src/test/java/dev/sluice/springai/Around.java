package dev.sluice.springai;

import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** A transport that does what another does, for a test that changes one thing. */
class Around implements McpClientTransport {

    private final McpClientTransport transport;

    Around(McpClientTransport transport) {
        this.transport = transport;
    }

    @Override
    public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        return transport.connect(handler);
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
        return transport.sendMessage(message);
    }

    @Override
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
        return transport.unmarshalFrom(data, type);
    }

    @Override
    public Mono<Void> closeGracefully() {
        return transport.closeGracefully();
    }
}
