package dev.sluice.policy;

import java.util.Map;
import java.util.Optional;

/**
 * The definitions of one server that a policy file pins. What it pins is decided by it alone; all else is trusted on first
 * use.
 *
 * @param instructions the digest of the server's instructions; empty where the file does not say
 * @param tools the digests of definitions, by the name of the tool
 */
public record DefinitionPins(String instructions, Map<String, String> tools) {

    /** A file that pins nothing. */
    public static final DefinitionPins NONE = new DefinitionPins("", Map.of());

    public DefinitionPins {
        tools = Map.copyOf(tools);
    }

    /** Returns the digest of the definition of {@code tool}, or empty where the file does not say. */
    public Optional<String> tool(String tool) {
        return Optional.ofNullable(tools.get(tool));
    }

    /** Returns the digest of the instructions, or empty where the file does not say. */
    public Optional<String> instructed() {
        return instructions.isEmpty() ? Optional.empty() : Optional.of(instructions);
    }
}
