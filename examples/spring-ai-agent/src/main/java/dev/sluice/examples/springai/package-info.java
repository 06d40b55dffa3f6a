/** An agent on Spring AI that a mail attacks. */
@NullMarked
package dev.sluice.examples.springai;

import org.jspecify.annotations.NullMarked;
