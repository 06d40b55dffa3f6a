/** An MCP server of a code forge that classifies each resource, and the same forge's word on who may read what. */
@NullMarked
package dev.sluice.examples.forge;

import org.jspecify.annotations.NullMarked;
