/** The scheme {@code ifc.fides.v1}: integrity and confidentiality of two levels each. */
@NullMarked
package dev.sluice.schemes.fides;

import org.jspecify.annotations.NullMarked;
