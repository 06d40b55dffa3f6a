/** Where values and passages came from: what a session has seen, so that an argument can be traced to it. */
@NullMarked
package dev.sluice.guard.provenance;

import org.jspecify.annotations.NullMarked;
