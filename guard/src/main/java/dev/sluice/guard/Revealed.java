package dev.sluice.guard;

import tools.jackson.databind.node.ObjectNode;

/**
 * What an agent is told of a value that it had only a handle of.
 *
 * @param text what it is told
 * @param found whether the handle is one of its session
 * @param meta members for {@code _meta}, all under our own keys
 */
public record Revealed(String text, boolean found, ObjectNode meta) {}
