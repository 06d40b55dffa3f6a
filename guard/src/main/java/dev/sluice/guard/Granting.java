package dev.sluice.guard;

import dev.sluice.labels.Label;
import dev.sluice.policy.Grant;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The grants that one answer comes under, and which of them changed a label: relabelling is a privilege, so each use is
 * recorded. An error comes under none: its text is not what somebody answers for.
 */
final class Granting {

    private final List<Grant> grants;
    private final Ticket ticket;
    private final Set<Grant> used = new LinkedHashSet<>();

    Granting(Ticket ticket, boolean well, Instant now) {
        this.ticket = ticket;
        this.grants = well ? ticket.upstream().grants(ticket.name(), now) : List.of();
    }

    /** Returns whether there is no grant. */
    boolean isIdle() {
        return grants.isEmpty();
    }

    /**
     * Returns what grants leave of {@code label}.
     *
     * @param item the item that has it; null for what belongs to none
     */
    Label apply(Label label, @Nullable JsonNode item) {
        Label left = label;
        for (Grant grant : grants) {
            if (grant.isAbout(item, ticket.arguments(), ticket.upstream().name(), ticket.principal())) {
                Label less = grant.apply(left);
                if (!less.equals(left)) {
                    used.add(grant);
                }
                left = less;
            }
        }
        return left;
    }

    /** Returns those that changed a label. */
    List<Grant> used() {
        return new ArrayList<>(used);
    }
}
