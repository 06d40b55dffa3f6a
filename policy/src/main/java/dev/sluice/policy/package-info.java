/**
 * What a call may do: tool profile, labels and rules to a {@link dev.sluice.policy.Decision}.
 *
 * <p>Pure: no clock, no network, no store; the same call, label and policy give the same decision. It names no labelling
 * scheme. {@link dev.sluice.policy.PolicyEngine} is the way in; {@link dev.sluice.policy.PolicyParser} reads the file.
 */
@NullMarked
package dev.sluice.policy;

import org.jspecify.annotations.NullMarked;
