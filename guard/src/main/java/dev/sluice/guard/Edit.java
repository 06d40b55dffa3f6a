package dev.sluice.guard;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * One change of a message. Two of one message never lie inside each other.
 *
 * @param pointer what is changed, a JSON Pointer (RFC 6901) from the top of the result or error; empty for all of it, and
 *     {@code -} at its end for a new last element
 * @param value what takes its place; null where it is taken out
 */
public record Edit(String pointer, @Nullable JsonNode value) {}
