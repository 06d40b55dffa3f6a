/** Enforcement for clients that are built on the MCP Java SDK: their transports, wrapped. */
@NullMarked
package dev.sluice.mcpjava.enforce;

import org.jspecify.annotations.NullMarked;
