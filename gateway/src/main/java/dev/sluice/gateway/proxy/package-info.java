/** Where messages go: one client session, its upstreams, and the guard between them. */
@NullMarked
package dev.sluice.gateway.proxy;

import org.jspecify.annotations.NullMarked;
