/** Measurements, side by side in one run. */
@NullMarked
package dev.sluice.benchmarks;

import org.jspecify.annotations.NullMarked;
