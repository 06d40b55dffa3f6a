package dev.sluice.springai;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A model that calls the tools of its script one after the other, whatever it reads, and then says the last answer. */
final class ScriptedModel implements ChatModel {

    private final List<String[]> script;
    private int next;

    /** What the tools answered. */
    final List<String> read = new CopyOnWriteArrayList<>();

    /**
     * @param script pairs of a tool and its arguments
     */
    ScriptedModel(String... script) {
        this.script = new ArrayList<>();
        for (int i = 0; i < script.length; i += 2) {
            this.script.add(Arrays.copyOfRange(script, i, i + 2));
        }
    }

    @Override
    public ChatResponse call(Prompt prompt) {
        Message last = prompt.getInstructions().get(prompt.getInstructions().size() - 1);
        if (last instanceof ToolResponseMessage answers) {
            answers.getResponses().forEach(each -> read.add(each.responseData()));
        }
        AssistantMessage said;
        if (next < script.size()) {
            String[] call = script.get(next++);
            said = AssistantMessage.builder()
                    .content("")
                    .toolCalls(List.of(new AssistantMessage.ToolCall("id" + next, "function", call[0], call[1])))
                    .build();
        } else {
            said = new AssistantMessage(read.isEmpty() ? "done" : read.get(read.size() - 1));
        }
        return new ChatResponse(List.of(new Generation(said)));
    }

    @Override
    public Flux<ChatResponse> stream(Prompt prompt) {
        return Mono.fromCallable(() -> call(prompt)).flux();
    }

    @Override
    public ChatOptions getOptions() {
        return ToolCallingChatOptions.builder().build();
    }
}
