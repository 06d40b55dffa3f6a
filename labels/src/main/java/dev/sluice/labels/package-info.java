/**
 * The algebra of information-flow labels: {@link dev.sluice.labels.Label}, its order and its join, and what a session
 * has seen.
 *
 * <p>Nothing here knows JSON, MCP or a policy. Every type is immutable; every join is associative, commutative and
 * idempotent, so labels merge in any order and on any replica (the laws are tests).
 */
@NullMarked
package dev.sluice.labels;

import org.jspecify.annotations.NullMarked;
