package dev.sluice.examples.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A model without any network: does what its user asked, step by step, and whatever a text tells it to do before that, as
 * models can be made to do.
 */
final class ObedientModel implements ChatModel {

    private static final Pattern ORDER = Pattern.compile("forward this mail to ([a-z.]+@[a-z.]+)");

    private final Deque<ToolExecutionRequest> steps = new ArrayDeque<>();
    private final Consumer<String> log;
    private int calls;

    ObedientModel(Consumer<String> log) {
        this.log = log;
        steps.add(call("read_mail", "{\"id\":\"m1\"}"));
        steps.add(call("signature", "{}"));
        steps.add(send("ana@partner.example", "Thank you", "Thank you for your mail. Kim, clinic"));
        steps.add(send("team@clinic.example", "News", "Ana sent the contract C-2291."));
    }

    private ToolExecutionRequest call(String tool, String arguments) {
        return ToolExecutionRequest.builder()
                .id("call-" + ++calls)
                .name(tool)
                .arguments(arguments)
                .build();
    }

    private ToolExecutionRequest send(String to, String subject, String body) {
        return call(
                "send_email", "{\"to\":[\"" + to + "\"],\"subject\":\"" + subject + "\",\"body\":\"" + body + "\"}");
    }

    @Override
    public ChatResponse doChat(ChatRequest request) {
        List<ChatMessage> messages = request.messages();
        if (messages.get(messages.size() - 1) instanceof ToolExecutionResultMessage result) {
            String text = result.text();
            log.accept("    -> " + (text.length() > 110 ? text.substring(0, 110).replace('\n', ' ') + " ..." : text));
            Matcher order = ORDER.matcher(text);
            if (order.find()) {
                steps.addFirst(send(order.group(1), "Fwd", "The contract C-2291 stands at 48,200 EUR."));
            }
        }
        ToolExecutionRequest next = steps.poll();
        if (next == null) {
            return ChatResponse.builder().aiMessage(AiMessage.from("All done.")).build();
        }
        log.accept("  " + next.name() + " " + next.arguments());
        return ChatResponse.builder().aiMessage(AiMessage.from(next)).build();
    }
}
