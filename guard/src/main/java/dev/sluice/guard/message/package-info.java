/** JSON-RPC 2.0 messages as the bytes they came in, and the few that Sluice writes itself. */
@NullMarked
package dev.sluice.guard.message;

import org.jspecify.annotations.NullMarked;
