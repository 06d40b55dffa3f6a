/** The engine that keeps its state in one SQLite file, which many local processes share. */
@NullMarked
package dev.sluice.store.sqlite;

import org.jspecify.annotations.NullMarked;
