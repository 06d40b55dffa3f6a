/** The scheme {@code data-class.v1}: open class names, and the vocabularies that give them a meaning. */
@NullMarked
package dev.sluice.schemes.dataclass;

import org.jspecify.annotations.NullMarked;
