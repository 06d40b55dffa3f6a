package dev.sluice.examples.healthcare;

import dev.sluice.mcpjava.emit.Labels;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** What tools are asked and what they answer, in the SDK's words. */
final class Replies {

    private Replies() {}

    /** Returns the schema of a tool whose arguments are texts, all required. */
    static Map<String, Object> schema(String... arguments) {
        Map<String, Object> properties = new LinkedHashMap<>();
        for (String argument : arguments) {
            properties.put(argument, Map.of("type", "string"));
        }
        return Map.of(
                "type",
                "object",
                "properties",
                properties,
                "required",
                List.of(arguments),
                "additionalProperties",
                false);
    }

    /** Returns an argument as text; the empty one where it is not there. */
    static String argument(CallToolRequest request, String name) {
        Map<String, Object> arguments = request.arguments();
        Object value = arguments == null ? null : arguments.get(name);
        return value == null ? "" : String.valueOf(value);
    }

    /** Returns an answer without a label: structured content, and a text that repeats it. */
    static CallToolResult json(Map<String, Object> content) {
        return CallToolResult.builder()
                .addTextContent(JsonMapper.shared().writeValueAsString(content))
                .structuredContent(content)
                .build();
    }

    /** Returns an answer that anybody may see and that nobody outside has written. */
    static CallToolResult harmless(Map<String, Object> content) {
        return Labels.of(json(content)).notSensitive().trusted().build();
    }

    /** Returns an error in the server's own words. */
    static CallToolResult refused(String why) {
        return Labels.of(CallToolResult.builder()
                        .addTextContent(why)
                        .isError(true)
                        .build())
                .notSensitive()
                .trusted()
                .build();
    }
}
