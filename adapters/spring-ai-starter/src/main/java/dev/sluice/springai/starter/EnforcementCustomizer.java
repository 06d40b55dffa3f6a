package dev.sluice.springai.starter;

import dev.sluice.guard.client.Enforcement;

/** Says more of the enforcement of an application than properties can, such as who may read a resource. Beans, in order. */
@FunctionalInterface
public interface EnforcementCustomizer {

    /** Says it; afterwards the enforcement is made. */
    void customize(Enforcement.Builder enforcement);
}
