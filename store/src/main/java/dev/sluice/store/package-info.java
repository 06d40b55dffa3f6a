/**
 * What must outlive a process: session labels, the audit log, and pins; as interfaces, with an engine in memory.
 *
 * <p>{@link dev.sluice.store.Engine} is the way in. One engine is one state; its transactions are serial.
 */
@NullMarked
package dev.sluice.store;

import org.jspecify.annotations.NullMarked;
