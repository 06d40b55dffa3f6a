/** How messages travel: lines of standard input and output, child processes, and Streamable HTTP. */
@NullMarked
package dev.sluice.gateway.transport;

import org.jspecify.annotations.NullMarked;
