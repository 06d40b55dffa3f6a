/**
 * What travels between MCP clients and servers about trust: the claims of {@code
 * io.modelcontextprotocol/trust-annotations}, the declarations of {@code io.modelcontextprotocol/action-metadata}, and
 * what was wrong with them.
 *
 * <p>Reading never fails: what is malformed becomes a {@link dev.sluice.wire.Finding} and the stricter value.
 */
@NullMarked
package dev.sluice.wire;

import org.jspecify.annotations.NullMarked;
