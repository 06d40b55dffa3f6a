package dev.sluice.mcpjava.emit;

import dev.sluice.wire.ActionMetadata;
import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.server.McpServerFeatures.AsyncToolSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpStatelessServerFeatures;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tools of the stack up to 2025-11-25 that say what they do. For the other stack see {@link ModernTools}.
 *
 * <p>What the definition says is checked when it is made; what a result says, when it is returned. A result that
 * contradicts the definition is not sent: the client has decided on the call by what was declared.
 */
public final class LabelledTools {

    private LabelledTools() {}

    /**
     * Returns {@code tools}, each answered by the method of {@code owner} that has {@link Action} and {@link Returns} for
     * it. A method takes {@code CallToolRequest} and {@code McpSyncServerExchange}, or less.
     *
     * @throws IllegalArgumentException where a tool has no method or a method no tool, or a declaration makes no sense
     */
    public static List<SyncToolSpecification> annotated(Object owner, Tool... tools) {
        AnnotatedMethods methods = methods(owner, McpSyncServerExchange.class, tools);
        return Stream.of(tools)
                .map(tool -> declare(
                        methods.declaration(tool.name()),
                        new SyncToolSpecification(
                                tool, (exchange, request) -> result(methods.call(tool.name(), exchange, request)))))
                .toList();
    }

    /**
     * Returns the same for a stateless server; a method takes {@code McpTransportContext} in the place of the exchange.
     *
     * @throws IllegalArgumentException as {@link #annotated} does
     */
    public static List<McpStatelessServerFeatures.SyncToolSpecification> annotatedStateless(
            Object owner, Tool... tools) {
        AnnotatedMethods methods = methods(owner, McpTransportContext.class, tools);
        return Stream.of(tools)
                .map(tool -> declare(
                        methods.declaration(tool.name()),
                        new McpStatelessServerFeatures.SyncToolSpecification(
                                tool, (context, request) -> result(methods.call(tool.name(), context, request)))))
                .toList();
    }

    private static AnnotatedMethods methods(Object owner, Class<?> context, Tool... tools) {
        AnnotatedMethods methods =
                new AnnotatedMethods(owner, List.of(context, CallToolRequest.class), CallToolResult.class);
        methods.match(Stream.of(tools).map(Tool::name).toList());
        return methods;
    }

    private static CallToolResult result(@Nullable Object returned) {
        return (CallToolResult) Objects.requireNonNull(returned, "a tool returned no result: return one");
    }

    /**
     * Returns a tool that says what is declared.
     *
     * @throws IllegalArgumentException where its hints or its {@code _meta} say otherwise
     */
    public static Tool declare(Declaration declaration, Tool tool) {
        declaration.check(
                tool.name(),
                tool.annotations() == null ? null : tool.annotations().readOnlyHint(),
                tool.annotations() == null ? null : tool.annotations().openWorldHint());
        return new Tool(
                tool.name(),
                tool.title(),
                tool.description(),
                tool.inputSchema(),
                tool.outputSchema(),
                tool.annotations(),
                declaration.meta(tool.meta(), tool.name()),
                tool.icons());
    }

    /** Returns a tool that says what is declared, and whose results keep to it; throws as for a tool alone. */
    public static SyncToolSpecification declare(Declaration declaration, SyncToolSpecification tool) {
        return new SyncToolSpecification(
                declare(declaration, tool.tool()), kept(declaration, tool.tool().name(), tool.callHandler()));
    }

    /** Returns a tool that says what is declared, and whose results keep to it; throws as for a tool alone. */
    public static AsyncToolSpecification declare(Declaration declaration, AsyncToolSpecification tool) {
        String name = tool.tool().name();
        return new AsyncToolSpecification(
                declare(declaration, tool.tool()),
                (exchange, request) ->
                        tool.callHandler().apply(exchange, request).map(result -> admit(declaration, name, result)));
    }

    /** Returns a tool that says what is declared, and whose results keep to it; throws as for a tool alone. */
    public static McpStatelessServerFeatures.SyncToolSpecification declare(
            Declaration declaration, McpStatelessServerFeatures.SyncToolSpecification tool) {
        return new McpStatelessServerFeatures.SyncToolSpecification(
                declare(declaration, tool.tool()), kept(declaration, tool.tool().name(), tool.callHandler()));
    }

    /** Returns a tool that says what is declared, and whose results keep to it; throws as for a tool alone. */
    public static McpStatelessServerFeatures.AsyncToolSpecification declare(
            Declaration declaration, McpStatelessServerFeatures.AsyncToolSpecification tool) {
        String name = tool.tool().name();
        return new McpStatelessServerFeatures.AsyncToolSpecification(
                declare(declaration, tool.tool()),
                (context, request) ->
                        tool.callHandler().apply(context, request).map(result -> admit(declaration, name, result)));
    }

    private static <C> BiFunction<C, CallToolRequest, CallToolResult> kept(
            Declaration declaration, String tool, BiFunction<C, CallToolRequest, CallToolResult> handler) {
        return (context, request) -> admit(declaration, tool, handler.apply(context, request));
    }

    private static CallToolResult admit(Declaration declaration, String tool, CallToolResult result) {
        return declaration.admit(tool, new LegacyOutgoing(result));
    }

    /**
     * Puts a tool into a running server, in the place of one of the same name, and has clients told that the list changed:
     * metadata that changed is another definition, which clients must not take from their memory.
     *
     * @return whether the action metadata of the tool is another than before, or the tool is new
     * @throws IllegalArgumentException where {@link #declare} has not made the tool, so that it declares nothing
     * @throws IllegalStateException where the server did not declare that its list of tools changes
     */
    public static boolean replace(McpSyncServer server, SyncToolSpecification tool) {
        Declaration.requireDeclared(tool.tool().name(), tool.tool().meta(), "LabelledTools.declare");
        ServerCapabilities.ToolCapabilities declared =
                server.getServerCapabilities().tools();
        if (declared == null || !Boolean.TRUE.equals(declared.listChanged())) {
            throw new IllegalStateException(
                    "the server does not declare `tools.listChanged`, so that clients would keep the"
                            + " old definition of `" + tool.tool().name()
                            + "`: build it with `capabilities` of `tools(true)`");
        }
        Optional<Tool> before = server.listTools().stream()
                .filter(each -> each.name().equals(tool.tool().name()))
                .findFirst();
        server.addTool(tool); // which tells the clients
        return before.map(LabelledTools::metadata)
                .filter(metadata(tool.tool())::equals)
                .isEmpty();
    }

    private static Optional<Object> metadata(Tool tool) {
        return Optional.ofNullable(tool.meta()).map(meta -> meta.get(ActionMetadata.KEY));
    }
}
