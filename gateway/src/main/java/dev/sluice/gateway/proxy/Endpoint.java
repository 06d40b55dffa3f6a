package dev.sluice.gateway.proxy;

import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import tools.jackson.databind.JsonNode;

/** The upstreams' side of a session: who answers what. */
sealed interface Endpoint permits DirectEndpoint, SharedEndpoint {

    /** Makes an endpoint whose upstreams speak to {@code messages}. */
    @FunctionalInterface
    interface Maker {
        Endpoint make(UpstreamMessages messages);
    }

    /** Where a request goes. */
    sealed interface Way permits Route, Nowhere, Away {}

    /** Nobody here has what it names. */
    record Nowhere() implements Way {}

    /**
     * Who has it can't be had now.
     *
     * @param why what happened and when it is tried again, for the model
     */
    record Away(String why) implements Way {}

    /**
     * Where a request goes.
     *
     * @param connection the line
     * @param name the name there of the tool, prompt or resource that is asked for; empty where nothing is named
     * @param pointer where that name stands in the message, if the client may know it by another; else empty
     * @param isToolCall whether a tool is called
     */
    record Route(Connection connection, String name, String pointer, boolean isToolCall) implements Way {}

    /** Starts what must run from the beginning. */
    void start() throws IOException;

    /** Sees to a request that carries no data to judge; it is answered through {@code answer} or by its upstream. */
    void plain(RpcMessage.Request request, BiConsumer<RpcId, byte[]> answer);

    /** Returns where a request that carries data goes. */
    Way route(RpcMessage.Request request);

    /** Returns the input schema of the tool that clients know by that name, where arguments of it stand in headers too. */
    Optional<JsonNode> mirrored(String tool);

    /** Returns the lines that a notification of the client goes to. */
    List<Connection> receivers(String method);

    /** Returns the lines that are open. */
    List<Connection> connections();

    /** Ends all lines. */
    void close();
}
