/**
 * What travels between MCP clients and servers about trust: the claims of {@code
 * io.modelcontextprotocol/trust-annotations}, the declarations of {@code io.modelcontextprotocol/action-metadata}, and
 * what was wrong with them.
 *
 * <p>Older words for the same (SEP-1913, SEP-2061, the bare {@code ifc} label) are read too and not written, but for the
 * annotations of requests.
 *
 * <p>Reading never fails: what is malformed becomes a {@link dev.sluice.wire.Finding} and the stricter value.
 */
@NullMarked
package dev.sluice.wire;

import org.jspecify.annotations.NullMarked;
