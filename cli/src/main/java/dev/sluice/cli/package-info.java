/** The command line: {@link dev.sluice.cli.Main} and one class a verb. */
@NullMarked
package dev.sluice.cli;

import org.jspecify.annotations.NullMarked;
