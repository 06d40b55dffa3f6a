package dev.sluice.springai.starter;

import dev.sluice.policy.PolicyException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Tells why an application does not start where its policy can't be used. */
final class PolicyFailureAnalyzer extends AbstractFailureAnalyzer<PolicyException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable root, PolicyException cause) {
        return new FailureAnalysis(
                "Sluice has no policy to enforce:\n\n" + cause.getMessage(),
                "Mend that; `sluice check <file>` finds what is wrong with a policy file.",
                cause);
    }
}
