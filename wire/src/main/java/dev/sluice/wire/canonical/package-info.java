/** Canonical bytes of JSON records, and digests over them. */
@NullMarked
package dev.sluice.wire.canonical;

import org.jspecify.annotations.NullMarked;
