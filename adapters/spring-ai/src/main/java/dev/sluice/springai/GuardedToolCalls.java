package dev.sluice.springai;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.ai.model.tool.ToolCallingManager;
import org.springframework.ai.model.tool.ToolExecutionResult;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.definition.ToolDefinition;

/** What calls the tools that a model asks for: guarded ones alone, whoever offered them. */
final class GuardedToolCalls implements ToolCallingManager {

    private final ToolCallingManager calls;
    private final Sluice sluice;

    GuardedToolCalls(ToolCallingManager calls, Sluice sluice) {
        this.calls = calls;
        this.sluice = sluice;
    }

    @Override
    public List<ToolDefinition> resolveToolDefinitions(ToolCallingChatOptions options) {
        return calls.resolveToolDefinitions(options);
    }

    @Override
    public ToolExecutionResult executeToolCalls(Prompt prompt, ChatResponse response) {
        Prompt guarded = prompt.getOptions() instanceof ToolCallingChatOptions options
                ? new Prompt(prompt.getInstructions(), sluice.guard(options).build())
                : prompt;
        if (!Inside.findsGuarded(calls)) {
            onlyOffered(guarded, response);
        }
        return calls.executeToolCalls(guarded, response);
    }

    /** Whatever name a model writes, {@code calls} may find a tool for it that nobody guards. */
    private static void onlyOffered(Prompt prompt, ChatResponse response) {
        List<ToolCallback> tools =
                prompt.getOptions() instanceof ToolCallingChatOptions options ? options.getToolCallbacks() : null;
        Set<String> offered = tools == null
                ? Set.of()
                : tools.stream().map(tool -> tool.getToolDefinition().name()).collect(Collectors.toSet());
        for (Generation each : response.getResults()) {
            for (AssistantMessage.ToolCall call : each.getOutput().getToolCalls()) {
                if (!offered.contains(call.name())) {
                    throw new IllegalStateException(
                            "sluice lets no tool be called that was not offered, and `" + call.name()
                                    + "` was not; offer it with the request, or find it with `sluice.guard(resolver)`");
                }
            }
        }
    }
}
