/**
 * Between any MCP client and any MCP servers: {@link dev.sluice.gateway.StdioGateway} and
 * {@link dev.sluice.gateway.HttpGateway} put the parts together.
 *
 * <p>{@code jsonrpc} knows messages, {@code transport} moves them, {@code proxy} decides where they go and asks the guard.
 */
@NullMarked
package dev.sluice.gateway;

import org.jspecify.annotations.NullMarked;
