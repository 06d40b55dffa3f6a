/** Enforcement for agents that are built on LangChain4j: transports of its MCP clients, and tools, guarded. */
@NullMarked
package dev.sluice.langchain4j;

import org.jspecify.annotations.NullMarked;
