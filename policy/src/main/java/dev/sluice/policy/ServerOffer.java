package dev.sluice.policy;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/**
 * What a live server has, as far as a policy can name it.
 *
 * @param tools its tools, in its order
 * @param instructions the digest of its instructions; empty where it gives none
 */
public record ServerOffer(List<Tool> tools, String instructions) {

    private static final int DEEPEST = 16;

    public ServerOffer {
        tools = List.copyOf(tools);
    }

    /**
     * One tool.
     *
     * @param definition what is pinned of it
     * @param text the whole definition, as {@code tools/list} has it
     */
    public record Tool(ToolDefinition definition, JsonNode text) {

        /** Returns the tool's name. */
        public String name() {
            return definition.name();
        }

        /** Returns the names of all arguments that the input schema knows, in any of its alternatives. */
        public Set<String> arguments() {
            Set<String> names = new TreeSet<>(definition.arguments());
            collect(text.path("inputSchema"), names, 0);
            return names;
        }

        private static void collect(JsonNode schema, Set<String> names, int depth) {
            if (depth > DEEPEST
                    || !schema.isObject()) { // of what is missing everything would be missing too, at each level twice
                return;
            }
            names.addAll(schema.path("properties").propertyNames());
            for (String several : List.of("allOf", "anyOf", "oneOf")) {
                schema.path(several).forEach(each -> collect(each, names, depth + 1));
            }
            for (String one : List.of("then", "else")) {
                collect(schema.path(one), names, depth + 1);
            }
        }
    }
}
