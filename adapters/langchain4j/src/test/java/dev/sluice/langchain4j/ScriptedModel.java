package dev.sluice.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** A model that calls the tools of a script, one after the other, and then says that it is done. */
final class ScriptedModel implements ChatModel {

    private final Deque<ToolExecutionRequest> script = new ArrayDeque<>();

    /** What tools answered, as the model got it. */
    final List<String> heard = new ArrayList<>();

    ScriptedModel call(String tool, String arguments) {
        script.add(Clinic.request(tool, arguments).toBuilder()
                .id("call-" + script.size())
                .build());
        return this;
    }

    @Override
    public ChatResponse doChat(ChatRequest request) {
        if (request.messages().get(request.messages().size() - 1) instanceof ToolExecutionResultMessage result) {
            heard.add(result.text());
        }
        ToolExecutionRequest next = script.poll();
        return ChatResponse.builder()
                .aiMessage(next == null ? AiMessage.from("done") : AiMessage.from(next))
                .build();
    }
}
