/**
 * Between any MCP client and any MCP servers: {@link dev.sluice.gateway.Gateway} puts the parts together.
 *
 * <p>{@code jsonrpc} knows messages, {@code transport} moves them, {@code proxy} decides where they go and asks the guard.
 */
@NullMarked
package dev.sluice.gateway;

import org.jspecify.annotations.NullMarked;
