/** JSON texts as bytes: a strict index over the ranges of one text, and edits that leave all other bytes alone. */
@NullMarked
package dev.sluice.wire.json;

import org.jspecify.annotations.NullMarked;
