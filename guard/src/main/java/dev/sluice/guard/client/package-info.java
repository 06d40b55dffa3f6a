/**
 * Enforcement in an agent's own loop, whatever carries its messages: a policy, conversations under it, and lines to servers.
 */
@NullMarked
package dev.sluice.guard.client;

import org.jspecify.annotations.NullMarked;
