/** Records of what was done with data, which say nothing of the data itself. */
@NullMarked
package dev.sluice.schemes.trace;

import org.jspecify.annotations.NullMarked;
