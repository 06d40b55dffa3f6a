/** Who is calling over HTTP: tokens that the operator gave out, and access tokens of OAuth 2.1. */
@NullMarked
package dev.sluice.gateway.auth;

import org.jspecify.annotations.NullMarked;
