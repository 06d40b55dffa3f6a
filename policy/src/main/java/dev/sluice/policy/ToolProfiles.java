package dev.sluice.policy;

import dev.sluice.wire.ActionMetadata;
import dev.sluice.wire.Claim;
import dev.sluice.wire.Destination;
import dev.sluice.wire.LegacyHints;
import dev.sluice.wire.Outcome;
import java.lang.ref.WeakReference;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * How a tool profile is put together.
 *
 * <p>In order of precision: the operator, a shipped profile, what the server says of the call, {@code action-metadata}, the
 * four hints of MCP; and MCP's own defaults where all are silent. What a server says of its own tool is believed for data that came from that server alone,
 * which it could leak anyway; for other data it can only tighten what MCP's defaults say.
 */
public final class ToolProfiles {

    private static final Set<Effect> EVERYTHING = EnumSet.allOf(Effect.class);

    /** The profiles that were put together last: a call asks for its own several times, and many calls are of one tool. */
    private static final AtomicReferenceArray<@Nullable Resolved> RECENT = new AtomicReferenceArray<>(256);

    /** A profile, and of what it was put together; only of these very objects, which costs less to see than equal ones. */
    private record Resolved(
            WeakReference<ToolDefinition> tool,
            WeakReference<ToolStatement> stated,
            boolean ownDataOnly,
            ToolProfile profile) {

        boolean isOf(ToolDefinition otherTool, ToolStatement otherStated, boolean otherOwnDataOnly) {
            return ownDataOnly == otherOwnDataOnly && tool.refersTo(otherTool) && stated.refersTo(otherStated);
        }
    }

    private ToolProfiles() {}

    /**
     * Returns the profile of {@code tool}.
     *
     * @param stated what the operator says of it, with a shipped profile for what is left unsaid
     * @param ownDataOnly whether all that the session carries came from the tool's server
     */
    public static ToolProfile resolve(ToolDefinition tool, ToolStatement stated, boolean ownDataOnly) {
        int pair = 31 * System.identityHashCode(tool) + System.identityHashCode(stated);
        int place = (2 * pair + (ownDataOnly ? 1 : 0)) & (RECENT.length() - 1);
        Resolved recent = RECENT.get(place);
        if (recent != null && recent.isOf(tool, stated, ownDataOnly)) {
            return recent.profile();
        }
        ToolProfile profile = putTogether(tool, stated, ownDataOnly);
        RECENT.set(place, new Resolved(new WeakReference<>(tool), new WeakReference<>(stated), ownDataOnly, profile));
        return profile;
    }

    private static ToolProfile putTogether(ToolDefinition tool, ToolStatement stated, boolean ownDataOnly) {
        Declared declared = Declared.of(tool, ownDataOnly);
        if (!ownDataOnly) {
            declared = declared.tightened();
        }
        return new ToolProfile(
                tool.server(),
                tool.name(),
                effects(stated, declared),
                stated.audience() != null ? stated.audience() : declared.audience(),
                stated.outcome() != null
                        ? stated.outcome()
                        : stated.effects() != null ? outcomeOf(stated.effects()) : declared.outcome(),
                stated.review() != null ? stated.review() : review(tool, ownDataOnly),
                stated.payload() != null ? new TreeSet<>(stated.payload()) : Set.of(),
                tool.arguments(),
                stated.resource() != null ? stated.resource() : List.of(),
                stated.derives() == null || stated.derives(),
                stated.returns() != null ? stated.returns() : Returns.NOTHING,
                stated.inert() != null ? new TreeSet<>(stated.inert()) : Set.of(),
                stated.accepts(),
                stated.steers() != null ? new TreeSet<>(stated.steers()) : Set.of(),
                stated.alone() != null && stated.alone(),
                stated.declassifies() != null && stated.declassifies(),
                stated.effects() != null);
    }

    /** An operator who says who sees the data says that it is sent, whatever the server says. */
    private static Set<Effect> effects(ToolStatement stated, Declared declared) {
        if (stated.effects() != null) {
            return stated.effects();
        }
        Set<Effect> effects = EnumSet.copyOf(declared.effects());
        if (stated.audience() != null && !stated.audience().equals(AudienceRule.SERVER_ONLY)) {
            effects.add(Effect.SENDS);
        }
        return effects;
    }

    /** A server that asks for a review of a call gets it; it can do without one that it asks for always where it is believed. */
    private static boolean review(ToolDefinition tool, boolean believed) {
        boolean always = tool.metadata().requiresReview() == Claim.TRUE;
        ResolvedTool forCall = tool.resolved();
        if (forCall == null) {
            return always;
        }
        Claim said = forCall.metadata().requiresReview();
        boolean without = believed && said == Claim.FALSE && isWithin(tool);
        return said == Claim.TRUE || (always && !without);
    }

    /** Returns whether what the server says of a call, if it says anything, is within what its definition says of all. */
    public static boolean isWithin(ToolDefinition tool) {
        ResolvedTool forCall = tool.resolved();
        return forCall == null || Declared.of(forCall, tool).isWithin(Declared.of(tool.metadata(), tool.hints()));
    }

    private static Outcome outcomeOf(Set<Effect> effects) {
        return effects.contains(Effect.WRITES) || effects.contains(Effect.SENDS)
                ? Outcome.CONSEQUENTIAL
                : Outcome.BENIGN;
    }

    /** What the server says, with MCP's defaults where it is silent. */
    private record Declared(Set<Effect> effects, AudienceRule audience, Outcome outcome) {

        /** What MCP's defaults say of a tool without hints: it may change and destroy, and reaches an open world. */
        private static final Declared SILENT = new Declared(EVERYTHING, AudienceRule.PUBLIC, Outcome.CONSEQUENTIAL);

        /**
         * What is said of a call narrows what is said of all calls where the server is believed. Else it narrows nothing, and
         * neither does what goes beyond the definition, since one of the two is false then: the worse of both holds.
         */
        static Declared of(ToolDefinition tool, boolean believed) {
            Declared always = of(tool.metadata(), tool.hints());
            ResolvedTool resolved = tool.resolved();
            if (resolved == null) {
                return always;
            }
            Declared forCall = of(resolved, tool);
            return believed && forCall.isWithin(always) ? forCall : always.or(forCall);
        }

        static Declared of(ResolvedTool forCall, ToolDefinition tool) {
            return of(forCall.metadataWithin(tool.metadata()), forCall.hintsWithin(tool.hints()));
        }

        static Declared of(ActionMetadata metadata, LegacyHints hints) {
            boolean sends = sends(metadata, hints);
            boolean writes = writes(metadata, hints);
            Set<Effect> effects = EnumSet.of(Effect.READS);
            if (writes) {
                effects.add(Effect.WRITES);
            }
            if (sends) {
                effects.add(Effect.SENDS);
            }
            Outcome outcome =
                    metadata.gravestOutcome().orElse(writes || sends ? Outcome.CONSEQUENTIAL : Outcome.BENIGN);
            // Where the server says that nothing is sent and the operator says that it is, nobody has said to whom.
            return new Declared(effects, sends ? audience(metadata) : AudienceRule.PUBLIC, outcome);
        }

        /** Where the server says where data goes, that; an explicit stricter hint counts too. */
        private static boolean sends(ActionMetadata metadata, LegacyHints hints) {
            boolean open = hints.openWorld() == Claim.TRUE;
            return metadata.widestDestination()
                    .map(to -> open || to == Destination.INTERNAL || to == Destination.PUBLIC)
                    .orElse(hints.openWorld() != Claim.FALSE);
        }

        /** Where a tool is read-only MCP gives {@code destructiveHint} no meaning, and some SDKs then write its default. */
        private static boolean writes(ActionMetadata metadata, LegacyHints hints) {
            boolean changes = hints.readOnly() == Claim.FALSE
                    || (hints.destructive() == Claim.TRUE && hints.readOnly() == Claim.ABSENT);
            return metadata.gravestOutcome()
                    .map(outcome -> changes || outcome != Outcome.BENIGN)
                    .orElse(hints.readOnly() != Claim.TRUE);
        }

        /** An internal audience is described by nobody, so nobody can be shown to belong to it. */
        private static AudienceRule audience(ActionMetadata metadata) {
            return metadata.widestDestination()
                            .filter(Destination.INTERNAL::equals)
                            .isPresent()
                    ? new AudienceRule(
                            List.of(),
                            List.of(new AudienceMember.Unresolved("an internal audience that nobody described")),
                            false)
                    : AudienceRule.PUBLIC;
        }

        boolean isWithin(Declared other) {
            return other.effects.containsAll(effects)
                    && outcome.compareTo(other.outcome) <= 0
                    && (!effects.contains(Effect.SENDS)
                            || audience.equals(other.audience)
                            || other.audience.equals(AudienceRule.PUBLIC));
        }

        /** The worse of both; of two audiences that differ, nobody knows the bounds. */
        Declared or(Declared other) {
            Set<Effect> all = EnumSet.copyOf(effects);
            all.addAll(other.effects);
            boolean alone = effects.contains(Effect.SENDS) != other.effects.contains(Effect.SENDS);
            AudienceRule either = effects.contains(Effect.SENDS) ? audience : other.audience;
            return new Declared(
                    all,
                    alone || audience.equals(other.audience) ? either : AudienceRule.PUBLIC,
                    outcome.compareTo(other.outcome) > 0 ? outcome : other.outcome);
        }

        Declared tightened() {
            return new Declared(
                    EVERYTHING, SILENT.audience, outcome == Outcome.IRREVERSIBLE ? outcome : SILENT.outcome);
        }
    }
}
