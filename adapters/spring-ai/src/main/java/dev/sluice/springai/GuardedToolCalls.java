package dev.sluice.springai;

import java.util.List;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.ai.model.tool.ToolCallingManager;
import org.springframework.ai.model.tool.ToolExecutionResult;
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
        return calls.executeToolCalls(
                prompt.getOptions() instanceof ToolCallingChatOptions options
                        ? new Prompt(
                                prompt.getInstructions(), sluice.guard(options).build())
                        : prompt,
                response);
    }
}
