package dev.sluice.mcpjava.emit;

import io.modelcontextprotocol.modern.McpSchema.CallToolResult;

/** Labels of results of the stack of 2026-07-28, which version 2.1.0 of the SDK does not have. */
public final class ModernLabels {

    private ModernLabels() {}

    /** Begins the label of a result, as {@link Labels#of} does. */
    public static Labels<CallToolResult> of(CallToolResult result) {
        return new Labels<>(new ModernOutgoing(result));
    }
}
