/** Questions to a person, in words. */
@NullMarked
package dev.sluice.gateway.approval;

import org.jspecify.annotations.NullMarked;
