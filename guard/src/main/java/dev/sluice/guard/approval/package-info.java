/** Questions to a person, in words. */
@NullMarked
package dev.sluice.guard.approval;

import org.jspecify.annotations.NullMarked;
