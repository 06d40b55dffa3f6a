package dev.sluice.mcpjava.emit;

import io.modelcontextprotocol.modern.McpException;
import io.modelcontextprotocol.modern.McpSchema;
import io.modelcontextprotocol.modern.McpSchema.CallToolOutcome;
import io.modelcontextprotocol.modern.McpSchema.CallToolRequest;
import io.modelcontextprotocol.modern.McpSchema.CallToolResult;
import io.modelcontextprotocol.modern.McpSchema.InputRequiredResult;
import io.modelcontextprotocol.modern.McpSchema.Tool;
import io.modelcontextprotocol.modern.server.McpAsyncResponse;
import io.modelcontextprotocol.modern.server.McpFeature;
import io.modelcontextprotocol.modern.server.McpRequestContext;
import io.modelcontextprotocol.modern.server.McpSyncResponse;
import io.modelcontextprotocol.modern.server.feature.McpAsyncTool;
import io.modelcontextprotocol.modern.server.feature.McpChangeFeed;
import io.modelcontextprotocol.modern.server.feature.McpChangePublisher;
import io.modelcontextprotocol.modern.server.feature.McpSyncTool;
import io.modelcontextprotocol.modern.server.feature.McpSyncToolRepository;
import io.modelcontextprotocol.modern.server.feature.ServerChange;
import io.modelcontextprotocol.modern.server.feature.ToolsFeature;
import io.modelcontextprotocol.modern.server.feature.ToolsPage;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The tools of a server of the stack of 2026-07-28, which version 2.1.0 of the SDK does not have. They say what they do, and
 * can be replaced while the server runs.
 *
 * <p>Give {@link #feature} and {@link #changes} to the server's builder. What {@link LabelledTools} says of checks holds
 * here too.
 */
public final class ModernTools implements McpSyncToolRepository {

    private final Map<String, McpSyncTool> tools = Collections.synchronizedMap(new LinkedHashMap<>());
    private final McpChangeFeed changes = new McpChangeFeed();

    private ModernTools(List<McpSyncTool> tools) {
        for (McpSyncTool tool : tools) {
            requireDeclared(tool);
            if (this.tools.put(tool.definition().name(), tool) != null) {
                throw new IllegalArgumentException(
                        "the tool `" + tool.definition().name() + "` is given twice: give it once");
            }
        }
    }

    /**
     * Returns these tools, which {@link #declare} has made.
     *
     * @throws IllegalArgumentException where one is given twice, or declares nothing
     */
    public static ModernTools of(McpSyncTool... tools) {
        return new ModernTools(List.of(tools));
    }

    private static void requireDeclared(McpSyncTool tool) {
        Declaration.requireDeclared(tool.definition().name(), tool.definition().meta(), "ModernTools.declare");
    }

    /**
     * Returns {@code tools}, each answered by the method of {@code owner} that has {@link Action} and {@link Returns} for
     * it. A method takes {@code CallToolRequest} and {@code McpRequestContext}, or less, and returns a {@code
     * CallToolOutcome}.
     *
     * @throws IllegalArgumentException where a tool has no method or a method no tool, or a declaration makes no sense
     */
    public static ModernTools annotated(Object owner, Tool... tools) {
        AnnotatedMethods methods = new AnnotatedMethods(
                owner, List.of(McpRequestContext.class, CallToolRequest.class), CallToolOutcome.class);
        methods.match(Stream.of(tools).map(Tool::name).toList());
        return new ModernTools(Stream.of(tools)
                .map(tool -> declare(
                        methods.declaration(tool.name()),
                        McpSyncTool.of(
                                tool,
                                (context, request) ->
                                        McpSyncResponse.result(outcome(methods.call(tool.name(), context, request))))))
                .toList());
    }

    private static CallToolOutcome outcome(@Nullable Object returned) {
        return (CallToolOutcome) Objects.requireNonNull(returned, "a tool returned no result: return one");
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
    public static McpSyncTool declare(Declaration declaration, McpSyncTool tool) {
        String name = tool.definition().name();
        return McpSyncTool.of(
                declare(declaration, tool.definition()), tool.requiredCapabilities(), (context, request) -> {
                    McpSyncResponse<CallToolOutcome> response = tool.handler().call(context, request);
                    if (response instanceof McpSyncResponse.Result<CallToolOutcome> result) {
                        return McpSyncResponse.result(admit(declaration, name, result.result()));
                    }
                    McpSyncResponse.Body<CallToolOutcome> body =
                            ((McpSyncResponse.Streaming<CallToolOutcome>) response).body();
                    return McpSyncResponse.streaming(notifier -> admit(declaration, name, body.run(notifier)));
                });
    }

    /** Returns a tool that says what is declared, and whose results keep to it; throws as for a tool alone. */
    public static McpAsyncTool declare(Declaration declaration, McpAsyncTool tool) {
        String name = tool.definition().name();
        return McpAsyncTool.of(
                declare(declaration, tool.definition()),
                tool.requiredCapabilities(),
                (context, request) -> tool.handler().call(context, request).map(response -> {
                    if (response instanceof McpAsyncResponse.Result<CallToolOutcome> result) {
                        return McpAsyncResponse.result(admit(declaration, name, result.result()));
                    }
                    McpAsyncResponse.Body<CallToolOutcome> body =
                            ((McpAsyncResponse.Streaming<CallToolOutcome>) response).body();
                    return McpAsyncResponse.streaming(
                            notifier -> body.run(notifier).map(outcome -> admit(declaration, name, outcome)));
                }));
    }

    private static CallToolOutcome admit(Declaration declaration, String tool, CallToolOutcome outcome) {
        try {
            if (outcome instanceof CallToolResult result) {
                return declaration.admit(tool, new ModernOutgoing(result));
            }
            if (outcome instanceof InputRequiredResult question) {
                return declaration.admit(tool, new ModernQuestion(question));
            }
            throw new IllegalStateException("`" + tool + "` returned what can't be labelled here: return a"
                    + " `CallToolResult` or an `InputRequiredResult`; it is not sent");
        } catch (IllegalStateException e) {
            // Of other exceptions this stack sends no message; this one is the mend.
            throw new McpException(McpSchema.ErrorCodes.INTERNAL_ERROR, String.valueOf(e.getMessage()));
        }
    }

    @Override
    public ToolsPage list(McpRequestContext context, String cursor) {
        synchronized (tools) {
            return ToolsPage.of(
                    tools.values().stream().map(McpSyncTool::definition).toList());
        }
    }

    @Override
    @SuppressWarnings("NullAway") // the SDK asks for null where there is none, and says so nowhere
    public McpSyncTool find(McpRequestContext context, String name) {
        return tools.get(name);
    }

    /** Returns the feature for a server: the tools, and the two extensions among its capabilities. */
    public McpFeature feature() {
        return extended(ToolsFeature.ofSync(this));
    }

    /** Returns a feature that does what {@code feature} does, and declares the two extensions. */
    public static McpFeature extended(McpFeature feature) {
        return new Extended(feature);
    }

    /** Returns what tells clients of changes, for {@code subscriptions} of a server. */
    public McpChangePublisher changes() {
        return changes;
    }

    /**
     * Puts a tool in the place of one of the same name, or beside the others. Clients that listen are told where its
     * definition is another than before, its action metadata included.
     *
     * @return whether it is
     * @throws IllegalArgumentException where {@link #declare} has not made it, so that it declares nothing
     */
    public boolean replace(McpSyncTool tool) {
        requireDeclared(tool);
        McpSyncTool before = tools.put(tool.definition().name(), tool);
        boolean changed = before == null || !before.definition().equals(tool.definition());
        if (changed) {
            changes.broadcast(new ServerChange.ToolsListChanged());
        }
        return changed;
    }

    /** Another feature, with two more capabilities. */
    private record Extended(McpFeature feature) implements McpFeature {

        @Override
        public Set<String> methods() {
            return feature.methods();
        }

        @Override
        public Mono<? extends McpAsyncResponse<? extends McpSchema.Result>> handle(
                McpRequestContext context, Object params) {
            return feature.handle(context, params);
        }

        @Override
        public void capabilities(McpSchema.ServerCapabilities.Builder builder) {
            feature.capabilities(builder);
            Extensions.declared().forEach(builder::extension);
        }

        @Override
        public Set<String> inputRequiredMethods() {
            return feature.inputRequiredMethods();
        }

        @Override
        public Set<String> completionRefTypes() {
            return feature.completionRefTypes();
        }

        @Override
        public Mono<McpSchema.CompleteResult> complete(McpRequestContext context, McpSchema.CompleteRequest request) {
            return feature.complete(context, request);
        }

        @Override
        public McpSchema.SubscriptionFilter honouredSubscriptions(
                McpRequestContext context, McpSchema.SubscriptionFilter filter) {
            return feature.honouredSubscriptions(context, filter);
        }
    }
}
