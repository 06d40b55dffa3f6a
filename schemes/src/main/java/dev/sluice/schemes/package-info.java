/**
 * From what a server says to a label: {@link dev.sluice.schemes.DefaultLabels} says what silence means,
 * {@link dev.sluice.schemes.Labelling} what claims may change.
 */
@NullMarked
package dev.sluice.schemes;

import org.jspecify.annotations.NullMarked;
