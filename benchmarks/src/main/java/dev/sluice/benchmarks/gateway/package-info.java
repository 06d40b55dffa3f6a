/** The whole gateway under load, beside the bridges of others. */
@NullMarked
package dev.sluice.benchmarks.gateway;

import org.jspecify.annotations.NullMarked;
