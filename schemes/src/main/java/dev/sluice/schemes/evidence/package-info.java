/** From an evidence reference to a record that was checked: resolving, digests, signatures. */
@NullMarked
package dev.sluice.schemes.evidence;

import org.jspecify.annotations.NullMarked;
