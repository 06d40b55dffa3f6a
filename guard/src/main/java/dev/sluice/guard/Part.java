package dev.sluice.guard;

import dev.sluice.labels.Label;

/**
 * One text of an answer.
 *
 * @param text the text, or a number as text
 * @param label what it is
 * @param vouched whether the operator says that the service itself made it
 * @param named whether it is also the only one that a call could give, of which the user named every argument
 */
record Part(String text, Label label, boolean vouched, boolean named) {

    Part(String text, Label label, boolean vouched) {
        this(text, label, vouched, false);
    }
}
