package dev.sluice.policy;

import java.util.List;

/**
 * How the audience of a tool's calls is found.
 *
 * @param arguments names of arguments whose values are recipients: one text or a list of texts each
 * @param constants members of every call's audience
 * @param resource whether those who can see the resource of the call are in the audience
 */
public record AudienceRule(List<String> arguments, List<AudienceMember> constants, boolean resource) {

    /** Nobody but the server itself. */
    public static final AudienceRule SERVER_ONLY = new AudienceRule(List.of(), List.of(), false);

    /** Anybody. */
    public static final AudienceRule PUBLIC = new AudienceRule(List.of(), List.of(new AudienceMember.Anyone()), false);

    public AudienceRule {
        arguments = List.copyOf(arguments);
        constants = List.copyOf(constants);
    }
}
