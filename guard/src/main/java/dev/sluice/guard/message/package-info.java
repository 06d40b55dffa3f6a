/**
 * JSON-RPC 2.0 messages of MCP as the bytes they came in: which of them carry data, how they are edited, refused and
 * answered. The gateway and an agent's own loop share it.
 */
@NullMarked
package dev.sluice.guard.message;

import org.jspecify.annotations.NullMarked;
