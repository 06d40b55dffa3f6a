/** Enforcement for agents that are built on Spring AI: their MCP clients, their own tools and their chat clients, guarded. */
@NullMarked
package dev.sluice.springai;

import org.jspecify.annotations.NullMarked;
