package dev.sluice.guard;

import dev.sluice.labels.Label;

/**
 * One text of an answer.
 *
 * @param text the text, or a number as text
 * @param label what it is
 * @param vouched whether the operator says that the service itself made it
 */
record Part(String text, Label label, boolean vouched) {}
