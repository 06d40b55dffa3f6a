/**
 * For authors of MCP servers: what tools do and what results hold, in the words of the drafts, in a few lines.
 *
 * <p>What is for the SDK's stack of 2026-07-28 alone stands in classes that start with {@code Modern}; all others do
 * without it, so that they work with version 2.1.0 of the SDK.
 */
@NullMarked
package dev.sluice.mcpjava.emit;

import org.jspecify.annotations.NullMarked;
