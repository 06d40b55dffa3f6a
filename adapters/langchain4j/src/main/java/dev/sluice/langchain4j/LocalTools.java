package dev.sluice.langchain4j;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
import dev.sluice.guard.client.Enforcement;
import dev.sluice.guard.client.Lines;
import dev.sluice.guard.client.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/** Tools of the agent itself, as those of a server that is called without any transport: the same messages are judged. */
final class LocalTools {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final AgentGuard guard;
    private final List<AiServiceTool> tools;
    private final Lines lines;
    private final AtomicLong ids = new AtomicLong();

    LocalTools(AgentGuard guard, Enforcement enforcement, String server, List<AiServiceTool> tools) {
        this.guard = guard;
        this.tools = List.copyOf(tools);
        this.lines = new Lines(enforcement, server, this::list);
    }

    List<AiServiceTool> guarded() {
        return tools.stream()
                .map(tool -> tool.toBuilder().toolExecutor(new Guarded(tool)).build())
                .toList();
    }

    /** Sluice asks for the definitions before the first call in a conversation. */
    private CompletionStage<?> list(byte[] message) {
        JsonNode request = Messages.exact(message);
        if (request.has("id")) {
            ObjectNode result = JSON.objectNode();
            tools.forEach(tool -> result.withArray("tools").add(definition(tool)));
            lines.fromServer(answer(request.path("id"), result));
        }
        return CompletableFuture.completedFuture(null);
    }

    private static ObjectNode definition(AiServiceTool tool) {
        ObjectNode definition = JSON.objectNode().put("name", tool.name());
        String description = tool.toolSpecification().description();
        if (description != null) {
            definition.put("description", description);
        }
        JsonNode schema = read(tool.toolSpecification().toJson()).path("parameters");
        definition.set(
                "inputSchema", schema.isObject() ? schema : JSON.objectNode().put("type", "object"));
        return definition;
    }

    private static JsonNode read(String json) {
        try {
            return Messages.EXACT.readTree(json);
        } catch (JsonProcessingException e) {
            throw new ToolArgumentsException(e);
        }
    }

    private static byte[] answer(JsonNode id, ObjectNode result) {
        ObjectNode message = JSON.objectNode().put("jsonrpc", "2.0");
        message.set("id", id);
        message.set("result", result);
        return Messages.bytes(message);
    }

    private static byte[] call(long id, String tool, JsonNode arguments) {
        ObjectNode message =
                JSON.objectNode().put("jsonrpc", "2.0").put("id", id).put("method", "tools/call");
        message.putObject("params").put("name", tool).set("arguments", arguments);
        return Messages.bytes(message);
    }

    /** One of them. */
    private final class Guarded implements ToolExecutor {
        private final AiServiceTool tool;

        Guarded(AiServiceTool tool) {
            this.tool = tool;
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
            long id = ids.incrementAndGet();
            String said = request.arguments();
            byte[] message = call(id, tool.name(), read(said == null || said.isBlank() ? "{}" : said));
            Step step = decided(context, message);
            if (step instanceof Step.Reply reply) {
                return GuardedExecutor.error(Messages.textOf(reply.message()));
            }
            if (!(step instanceof Step.Pass pass)) {
                return GuardedExecutor.error(((Step.Drop) step).why());
            }
            JsonNode arguments = Messages.exact(pass.message()).at("/params/arguments");
            return called(
                    id, request.toBuilder().arguments(arguments.toString()).build(), context);
        }

        private Step decided(InvocationContext context, byte[] message) {
            CompletionStage<Step> step = guard.conversationOf(context)
                    .map(conversation -> lines.fromClient(conversation, message))
                    .orElseGet(() -> lines.fromClient(message));
            try {
                return step.toCompletableFuture().get();
            } catch (InterruptedException e) {
                lines.forget(message);
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while a call was decided", e);
            } catch (ExecutionException e) {
                throw new IllegalStateException("a call could not be decided", e);
            }
        }

        private ToolExecutionResult called(long id, ToolExecutionRequest request, InvocationContext context) {
            ToolExecutionResult result;
            try {
                result = tool.toolExecutor().executeWithContext(request, context);
            } catch (RuntimeException e) {
                return released(id, GuardedExecutor.error(words(e))).orElseThrow(() -> e);
            }
            return released(id, result).orElse(result);
        }

        /** What LangChain4j tells a model of an error, which is the cause's message where there is a cause. */
        private static String words(RuntimeException fault) {
            Throwable told = fault.getCause() == null ? fault : fault.getCause();
            String message = told.getMessage();
            return message == null || message.isBlank() ? told.getClass().getName() : message;
        }

        /** Returns what goes on in place of {@code result}; nothing where it goes on as it is. */
        private Optional<ToolExecutionResult> released(long id, ToolExecutionResult result) {
            ObjectNode written = JSON.objectNode();
            ArrayNode content = written.putArray("content");
            result.resultContents().forEach(each -> content.add(block(each)));
            if (result.isError()) {
                written.put("isError", true);
            }
            Step step = lines.fromServer(answer(JSON.numberNode(id), written));
            if (!(step instanceof Step.Pass pass)) {
                return Optional.of(GuardedExecutor.error(((Step.Drop) step).why()));
            }
            JsonNode message = Messages.toClient(pass.message());
            JsonNode released = message.path("result");
            boolean whole = bare(released.path("content")).equals(Messages.toClient(Messages.bytes(content)))
                    && released.path("isError").asBoolean() == result.isError();
            return whole ? Optional.empty() : Optional.of(edited(message));
        }

        /** Labels are no part of what the model gets. */
        private static JsonNode bare(JsonNode content) {
            JsonNode bare = content.deepCopy();
            bare.forEach(each -> {
                if (each instanceof ObjectNode block) {
                    block.remove("_meta");
                }
            });
            return bare;
        }

        private static ToolExecutionResult edited(JsonNode message) {
            List<Content> contents = new ArrayList<>();
            for (JsonNode block : message.at("/result/content")) {
                contents.add(
                        block.path("type").asText("").equals("image")
                                ? ImageContent.from(
                                        block.path("data").asText(""),
                                        block.path("mimeType").asText(""))
                                : TextContent.from(block.path("text").asText("")));
            }
            if (contents.isEmpty()) {
                contents.add(TextContent.from(message.at("/error/message").asText("nothing")));
            }
            return ToolExecutionResult.builder()
                    .isError(message.has("error")
                            || message.at("/result/isError").asBoolean())
                    .resultContents(contents)
                    .build();
        }

        /** What is neither text nor an image in the message itself is judged by its words. */
        private static ObjectNode block(Content content) {
            ObjectNode block = JSON.objectNode();
            if (content instanceof ImageContent image && image.image().base64Data() != null) {
                Image data = image.image();
                String type = data.mimeType();
                return block.put("type", "image")
                        .put("data", data.base64Data())
                        .put("mimeType", type == null ? "application/octet-stream" : type);
            }
            return block.put("type", "text")
                    .put("text", content instanceof TextContent text ? text.text() : String.valueOf(content));
        }
    }
}
