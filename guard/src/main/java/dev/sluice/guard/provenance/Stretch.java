package dev.sluice.guard.provenance;

import dev.sluice.labels.Label;

/**
 * A part of a text that has a label of its own.
 *
 * @param from where it begins, in characters of Java; never between the two halves of a pair
 * @param to where it ends; after {@code from}
 * @param label what it is
 */
public record Stretch(int from, int to, Label label) {}
