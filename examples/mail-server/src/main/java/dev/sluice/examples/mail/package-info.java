/**
 * A small MCP mail server over stdio that says, in the terms of the drafts, what its tools do and what its results hold.
 *
 * <p>It uses the MCP Java SDK and nothing of Sluice, so that it can stand for any server that labels its results.
 */
@NullMarked
package dev.sluice.examples.mail;

import org.jspecify.annotations.NullMarked;
