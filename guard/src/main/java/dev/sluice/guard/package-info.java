/**
 * The one path of every message: {@link dev.sluice.guard.Guard#admit} before it reaches a server, and
 * {@link dev.sluice.guard.Guard#release} before it reaches the agent.
 *
 * <p>Gateways and adapters call these two and add no check of their own. No network, and no clock but a given one.
 */
@NullMarked
package dev.sluice.guard;

import org.jspecify.annotations.NullMarked;
