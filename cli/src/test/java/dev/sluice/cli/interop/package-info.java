/** Sluice with real servers and clients of other makers; {@code interop/README.md} says which. */
@NullMarked
package dev.sluice.cli.interop;

import org.jspecify.annotations.NullMarked;
