/** A scheme that does not ship with Sluice, and that Sluice knows nothing of. */
@NullMarked
package dev.sluice.examples.attestation;

import org.jspecify.annotations.NullMarked;
