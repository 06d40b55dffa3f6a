package dev.sluice.guard;

import dev.sluice.labels.Label;
import tools.jackson.databind.node.ObjectNode;

/**
 * That a message may reach the agent, and what is written on it.
 *
 * @param label what it entered the session with
 * @param untrusted whether a claim or the operator, and not silence, makes it untrusted
 * @param sensitive whether a claim or the operator, and not silence, makes it private
 * @param meta members for {@code _meta}, all under our own keys
 */
public record Released(Label label, boolean untrusted, boolean sensitive, ObjectNode meta) {}
