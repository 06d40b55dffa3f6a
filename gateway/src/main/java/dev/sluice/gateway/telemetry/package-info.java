/**
 * What the gateway tells of its own work: spans, numbers and how they are named.
 *
 * <p>Nothing of a payload, no secret and no text of a server or client is ever handed to what is here, but for names that
 * come from a list of our own, from the policy, or from a tool that its server listed.
 */
@NullMarked
package dev.sluice.gateway.telemetry;

import org.jspecify.annotations.NullMarked;
