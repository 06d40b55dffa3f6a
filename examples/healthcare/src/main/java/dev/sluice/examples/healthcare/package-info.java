/**
 * A clinic's MCP server that labels what it returns, a desk over which agents pass things on, and three agents whose
 * calls are judged by what they have read.
 */
@NullMarked
package dev.sluice.examples.healthcare;

import org.jspecify.annotations.NullMarked;
