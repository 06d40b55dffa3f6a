package dev.sluice.springai;

import dev.sluice.guard.client.LocalFunctions;
import dev.sluice.guard.client.LocalFunctions.Outcome;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.definition.ToolDefinition;
import org.springframework.ai.tool.execution.ToolExecutionException;
import org.springframework.ai.tool.metadata.ToolMetadata;

/**
 * A tool of the application itself, or of a server to which no guarded transport leads, with policy enforced on its calls. A
 * denial is what the model gets as its answer.
 */
final class GuardedToolCallback implements ToolCallback {

    private final ToolCallback tool;
    private final Sluice sluice;

    GuardedToolCallback(ToolCallback tool, Sluice sluice) {
        this.tool = tool;
        this.sluice = sluice;
    }

    @Override
    public ToolDefinition getToolDefinition() {
        return tool.getToolDefinition();
    }

    @Override
    public ToolMetadata getToolMetadata() {
        return tool.getToolMetadata();
    }

    @Override
    public String call(String input) {
        return call(input, null);
    }

    @Override
    public String call(String input, @Nullable ToolContext context) {
        ToolDefinition definition = tool.getToolDefinition();
        Outcome outcome = sluice.functions(context == null ? Map.of() : context.getContext())
                .call(
                        new LocalFunctions.Function(
                                definition.name(), definition.description(), definition.inputSchema()),
                        input,
                        arguments -> context == null ? tool.call(arguments) : tool.call(arguments, own(context)));
        if (outcome instanceof Outcome.Failed failed) {
            // Its words reach the model too, so those that policy kept back must not be in what is thrown.
            throw failed.isWhole()
                    ? failed.fault()
                    : new ToolExecutionException(definition, new IllegalStateException(failed.text()));
        }
        return outcome.text();
    }

    /** The context of a tool of a server goes there, which need not know what conversation this is. */
    private ToolContext own(ToolContext context) {
        return Inside.isOfServer(tool) ? new ToolContext(Said.without(context.getContext())) : context;
    }
}
