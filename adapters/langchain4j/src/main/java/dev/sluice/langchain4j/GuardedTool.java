package dev.sluice.langchain4j;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.image.Image;
import dev.langchain4j.data.message.Content;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.exception.ToolArgumentsException;
import dev.langchain4j.invocation.InvocationContext;
import dev.langchain4j.service.tool.AiServiceTool;
import dev.langchain4j.service.tool.ToolExecutionResult;
import dev.langchain4j.service.tool.ToolExecutor;
import dev.sluice.guard.client.Conversation;
import dev.sluice.guard.client.LocalFunctions;
import dev.sluice.guard.client.LocalFunctions.Outcome;
import dev.sluice.guard.client.LocalFunctions.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A tool of the agent itself, with policy enforced on its calls. A denial is what the model gets as its answer. */
final class GuardedTool implements ToolExecutor {

    private final AgentGuard guard;
    private final String server;
    private final AiServiceTool tool;
    private final LocalFunctions.Function function;

    GuardedTool(AgentGuard guard, String server, AiServiceTool tool) {
        this.guard = guard;
        this.server = server;
        this.tool = tool;
        String description = tool.toolSpecification().description();
        this.function = new LocalFunctions.Function(
                tool.name(),
                description == null ? "" : description,
                read(tool.toolSpecification().toJson()).path("parameters").toString());
    }

    private static JsonNode read(String json) {
        try {
            return Messages.EXACT.readTree(json);
        } catch (JsonProcessingException e) {
            throw new ToolArgumentsException(e);
        }
    }

    @Override
    public String execute(ToolExecutionRequest request, Object memoryId) {
        return executeWithContext(
                        request,
                        InvocationContext.builder().chatMemoryId(memoryId).build())
                .resultText();
    }

    @Override
    public ToolExecutionResult executeWithContext(ToolExecutionRequest request, InvocationContext context) {
        String said = request.arguments();
        String arguments = said == null ? "" : said;
        if (!arguments.isBlank()) {
            read(arguments); // what is no JSON is for the agent's own handler of such errors
        }
        Optional<Conversation> conversation = guard.conversationOf(context);
        if (conversation.isEmpty()) {
            return GuardedExecutor.error(AgentGuard.NO_CONVERSATION);
        }
        AtomicReference<@Nullable ToolExecutionResult> given = new AtomicReference<>();
        Outcome outcome;
        try {
            outcome = conversation.get().functions(server).callForParts(function, arguments, expanded -> {
                ToolExecutionResult result = tool.toolExecutor()
                        .executeWithContext(
                                request.toBuilder().arguments(expanded).build(), context);
                given.set(result);
                return new LocalFunctions.Given(
                        result.resultContents().stream().map(GuardedTool::part).toList(), result.isError());
            });
        } catch (IllegalStateException e) {
            return GuardedExecutor.error(String.valueOf(e.getMessage())); // no call can be made
        }
        if (outcome instanceof Outcome.Answered answered) {
            ToolExecutionResult whole = given.get();
            return answered.isWhole() && whole != null ? whole : edited(answered.given());
        }
        if (outcome instanceof Outcome.Failed failed && failed.isWhole()) {
            throw failed.fault();
        }
        return GuardedExecutor.error(outcome.text());
    }

    /** What is neither text nor an image in the message itself is judged by its words. */
    private static Part part(Content content) {
        if (content instanceof ImageContent image && image.image().base64Data() != null) {
            Image data = image.image();
            String type = data.mimeType();
            return new Part.Image(data.base64Data(), type == null ? "application/octet-stream" : type);
        }
        return new Part.Text(content instanceof TextContent text ? text.text() : String.valueOf(content));
    }

    private static ToolExecutionResult edited(LocalFunctions.Given given) {
        List<Content> contents = new ArrayList<>();
        for (Part part : given.parts()) {
            contents.add(
                    part instanceof Part.Image image
                            ? ImageContent.from(image.data(), image.mimeType())
                            : TextContent.from(((Part.Text) part).text()));
        }
        if (contents.isEmpty()) {
            contents.add(TextContent.from("nothing"));
        }
        return ToolExecutionResult.builder()
                .isError(given.isError())
                .resultContents(contents)
                .build();
    }
}
