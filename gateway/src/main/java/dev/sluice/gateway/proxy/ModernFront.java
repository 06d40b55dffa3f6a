package dev.sluice.gateway.proxy;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.transport.ClientSide;
import dev.sluice.gateway.transport.ModernSide;
import dev.sluice.guard.message.MessageEdits;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The front that modern clients meet: it stands between their transport and a {@link ProxySession}, and puts what they say
 * and what is said to them into the form that the other side knows.
 *
 * <p>Source: MCP revision 2026-07-28.
 */
public final class ModernFront implements ClientSide, ModernSide, AutoCloseable {

    private final ClientSide out;
    private final AtomicLong ids = new AtomicLong();
    private final Map<String, RpcId> clientIds = new ConcurrentHashMap<>();
    private volatile Consumer<RpcMessage> core = message -> {};

    /**
     * Makes a front, which takes nothing before it is connected.
     *
     * @param out the way to the clients
     */
    public ModernFront(ClientSide out, Log log) {
        this.out = out;
        var _ = log;
    }

    /** Says what takes the messages of the clients: {@link ProxySession#fromClient(RpcMessage)} of a session of theirs. */
    public void connect(Consumer<RpcMessage> to) {
        core = to;
    }

    /** Returns what a client says of itself with a request, in the form of the parameters of {@code initialize}. */
    public static JsonNode handshake(RequestMeta meta) {
        JsonNode tree = meta.meta().tree();
        ObjectNode handshake = JsonNodeFactory.instance.objectNode().put("protocolVersion", meta.version());
        handshake.set(
                "capabilities",
                tree.path(RequestMeta.CAPABILITIES) instanceof ObjectNode all
                        ? all
                        : JsonNodeFactory.instance.objectNode());
        if (tree.path(RequestMeta.CLIENT_INFO) instanceof ObjectNode info) {
            handshake.set("clientInfo", info);
        } else {
            handshake.putObject("clientInfo").put("name", "unknown").put("version", "unknown");
        }
        return handshake;
    }

    @Override
    public RpcMessage.Request admitted(RpcMessage.Request request) {
        RpcId id = RpcId.ofText("modern-" + ids.incrementAndGet());
        clientIds.put(id.key(), request.id());
        return new RpcMessage.Request(request.index(), id, request.method(), request.params());
    }

    @Override
    public void fromClient(RpcMessage message) {
        core.accept(message);
    }

    @Override
    public void gone(String request) {
        clientIds.remove(request);
    }

    @Override
    public void answer(byte[] message, String request) {
        RpcId id = clientIds.remove(request);
        if (id != null) {
            out.answer(new MessageEdits(RpcMessage.parse(message)).id(id).apply(), request);
        }
    }

    @Override
    public boolean send(byte[] message, String request) {
        return out.send(message, request);
    }

    @Override
    public void finish(String request) {
        clientIds.remove(request);
        out.finish(request);
    }

    @Override
    public void close() {
        clientIds.clear();
    }
}
