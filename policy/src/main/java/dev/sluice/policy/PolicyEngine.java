package dev.sluice.policy;

import dev.sluice.labels.DataClass;
import dev.sluice.labels.Label;
import dev.sluice.labels.Lineage;
import dev.sluice.labels.Origin;
import dev.sluice.labels.SessionLabel;
import dev.sluice.labels.Source;
import dev.sluice.wire.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Decides calls: asks every control, keeps every violation, and lets the strongest decide.
 *
 * <p>What a call carries is what its values were found in; what was found nowhere may be anything that the session has seen.
 * Sources: P-T and P-F of FIDES (arXiv 2505.23643 v2, section 5), over sets of sources instead of two levels.
 */
public final class PolicyEngine {

    private final Policy policy;
    private final Rules rules;
    private final Sequences sequences;

    public PolicyEngine(Policy policy) {
        this.policy = policy;
        this.rules = new Rules(policy.rules(), policy.audiences());
        this.sequences = new Sequences(policy.sequences(), policy.audiences());
    }

    /** Returns the decision on {@code call}; a fault while deciding is a denial, never an exception. */
    public Decision decide(Call call) {
        List<Violation> violations;
        try {
            violations = violations(call);
        } catch (RuntimeException e) {
            violations = List.of(new Violation(
                    Control.WELL_FORMED,
                    "erring-rule",
                    Strength.DENY,
                    "the policy could not be evaluated for this call",
                    "evaluating the policy failed; the log of the process has the fault",
                    List.of()));
        }
        Strength strongest = Strength.WARN;
        for (Violation violation : violations) {
            strongest = violation.strength().compareTo(strongest) > 0 ? violation.strength() : strongest;
        }
        return switch (strongest) {
            case WARN -> new Decision.Allow(violations);
            case ASK -> new Decision.Ask(violations);
            case DENY -> new Decision.Deny(violations);
        };
    }

    private List<Violation> violations(Call call) {
        if (!call.arguments().isObject()) {
            return List.of(new Violation(
                    Control.WELL_FORMED,
                    "malformed-call",
                    Strength.DENY,
                    "the arguments are no JSON object; call again with an object",
                    "the arguments are no JSON object",
                    List.of()));
        }
        ToolProfile profile = call.profile();
        Set<AudienceMember> audience = profile.audienceOf(call.arguments());
        Label carried = carried(call, audience);
        Set<AudienceMember> outside = unpermitted(call, carried, audience);
        Optional<Violation> action = TrustedAction.violation(
                new TrustedAction.Question(policy.isFirstUse(), profileOf(call), call, profile, carried),
                outside::isEmpty);
        Optional<Violation> flow = permittedFlow(call, outside, carried);
        List<Violation> all = new ArrayList<>();
        action.ifPresent(all::add);
        // Steered by an outsider and leaving its readers: that is the attack, and no question to bother a person with.
        boolean both = action.isPresent() && action.get().strength() != Strength.WARN;
        flow.map(violation -> both || profileOf(call) == Profile.STRICT ? violation.with(Strength.DENY) : violation)
                .ifPresent(all::add);
        classClearance(call, profile, carried).ifPresent(all::add);
        if (profile.review()) {
            all.add(new Violation(
                    Control.REVIEW_REQUIRED,
                    "review-required",
                    Strength.ASK,
                    "this tool asks for a person's review of each call",
                    "the tool asks for a person's review of each call",
                    List.of()));
        } else if (profileOf(call) == Profile.STRICT && profile.outcome() == Outcome.IRREVERSIBLE) {
            all.add(new Violation(
                    Control.REVIEW_REQUIRED,
                    "irreversible",
                    Strength.ASK,
                    "what this tool does can't be undone, so a person must look at each call",
                    "what the tool does can't be undone, and the profile is strict",
                    List.of()));
        }
        if (!call.pinned()) {
            all.add(new Violation(
                    Control.DEFINITION_PINNED,
                    "definition-changed",
                    Strength.DENY,
                    "the tool's definition changed since it was approved",
                    "the definition of `" + PlainName.of(profile.tool())
                            + "` changed since it was approved; read what it says now, and if you agree "
                            + accept(profile),
                    List.of()));
        }
        Occurrence occurrence = sequences.occurrence(call, profile, audience, carried);
        all.addAll(sequences.violations(call.circumstances(), occurrence));
        all.addAll(rules.violations(call, profile, audience, carried));
        return all;
    }

    /** Returns {@code call} as the steps of sequences ask about it. */
    public Occurrence occurrence(Call call) {
        if (policy.sequences().isEmpty()) {
            return Occurrence.NONE;
        }
        Set<AudienceMember> audience =
                call.arguments().isObject() ? call.profile().audienceOf(call.arguments()) : Set.of();
        return sequences.occurrence(call, call.profile(), audience, carried(call));
    }

    /** Returns how far the session is in the sequences that a call changes when it is let through, by their automaton. */
    public Map<String, Integer> called(Circumstances circumstances, Occurrence call) {
        return sequences.called(circumstances, call);
    }

    /**
     * Returns how far the session is in the sequences that an answer changes, by their automaton.
     *
     * @param well whether the call did what it was asked
     */
    public Map<String, Integer> answered(Circumstances circumstances, Occurrence call, Label label, boolean well) {
        return sequences.answered(circumstances, call, label, well);
    }

    /** Returns the label of what a call carries, which an answer to it may hold too. */
    public Label carried(Call call) {
        return call.arguments().isObject()
                ? carried(call, call.profile().audienceOf(call.arguments()))
                : call.session().label();
    }

    /**
     * Returns what the call carries. In {@code strict} that is all that the session has seen, and the values it has only
     * handles of; in {@code balanced} what its
     * values were found in, and where one was not found, all that the session has seen, since a model can paraphrase. Only
     * the readers of that are waived, where everybody in the audience is inside.
     */
    private Label carried(Call call, Set<AudienceMember> audience) {
        Label session = call.session().label();
        Label found = Label.BOTTOM;
        boolean unmatched = false;
        for (ArgumentValue value : call.values()) {
            found = found.join(value.label());
            unmatched |= value.unmatched();
        }
        if (profileOf(call) == Profile.STRICT) {
            return session.join(found);
        }
        if (!unmatched) {
            return found;
        }
        return found.join(
                policy.isInside(audience)
                        ? new Label(session.integrity(), found.confidentiality(), session.classes())
                        : session);
    }

    private Profile profileOf(Call call) {
        return policy.profiles().of(call.tool().server(), call.tool().name());
    }

    /** May everybody who sees the data after the call read it? */
    private Optional<Violation> permittedFlow(Call call, Set<AudienceMember> outside, Label carried) {
        SessionLabel session = call.session();
        if (outside.isEmpty()) {
            return Optional.empty();
        }
        if (isDeclassified(call, carried, outside)) {
            return Optional.of(new Violation(
                    Control.PERMITTED_FLOW,
                    "declassified-by-user",
                    Strength.WARN,
                    "private data goes to recipients whom the user named",
                    "private data goes to " + displayed(outside) + ", who may not read it, because the user named them",
                    List.of()));
        }
        Set<Origin> origins = new LinkedHashSet<>();
        for (Source source : carried.confidentiality().sources()) {
            if (outside.stream().anyMatch(member -> !permits(call, source, member))) {
                origins.addAll(session.lineage().of(new Lineage.Part.From(source)));
            }
        }
        if (origins.isEmpty()) { // what the session has only a handle of
            call.values().forEach(value -> origins.addAll(value.origins()));
        }
        List<Origin> first = origins.stream().sorted().limit(Lineage.PER_PART).toList();
        return Optional.of(new Violation(
                Control.PERMITTED_FLOW,
                "flow-not-permitted",
                Strength.ASK,
                "this session has read private data (" + named(first)
                        + "), and the call would show data to somebody who may not read it",
                "private data came in with " + named(first) + ", and the call would show it to " + displayed(outside)
                        + ", who may not read it",
                first));
    }

    /**
     * Returns whether the operator lets the user's word decide, the user named everybody who may not read what the call
     * carries, and none of that has a class that somebody gave it.
     */
    private boolean isDeclassified(Call call, Label carried, Set<AudienceMember> outside) {
        if (!call.profile().declassifies()
                || profileOf(call) == Profile.STRICT
                || carried.classes().stream().anyMatch(each -> !each.equals(DataClass.UNCLASSIFIED))) {
            return false;
        }
        Set<AudienceMember> named = new LinkedHashSet<>();
        for (ArgumentValue value : call.values()) {
            JsonNode text = value.pointer().isEmpty()
                    ? JsonNodeFactory.instance.missingNode()
                    : call.arguments().at(value.pointer());
            if (value.named() && text.isString()) {
                named.add(AudienceMember.recipient(call.tool().server(), text.stringValue()));
            }
        }
        return named.containsAll(outside);
    }

    /** May data of these classes go in? Waived by nothing. */
    private static Optional<Violation> classClearance(Call call, ToolProfile profile, Label carried) {
        Set<String> accepted = profile.accepts();
        if (accepted == null) {
            return Optional.empty();
        }
        List<DataClass> refused = carried.classes().stream()
                .filter(each -> !accepted.contains(each.name()))
                .toList();
        if (refused.isEmpty()) {
            return Optional.empty();
        }
        List<Origin> origins = refused.stream()
                .flatMap(each -> call.session().lineage().of(new Lineage.Part.OfClass(each)).stream())
                .distinct()
                .sorted()
                .limit(Lineage.PER_PART)
                .toList();
        return Optional.of(new Violation(
                Control.CLASS_CLEARANCE,
                "class-not-accepted",
                Strength.DENY,
                "the call would carry a kind of data (" + named(origins) + ") that this tool must not get",
                "the tool must not get data of the class "
                        + String.join(
                                ", ",
                                refused.stream()
                                        .map(each -> "`" + PlainName.of(each.name()) + "`")
                                        .distinct()
                                        .limit(3)
                                        .toList())
                        + ", which came in with " + named(origins),
                origins));
    }

    /** Returns who of the audience may not read what the call carries. */
    private Set<AudienceMember> unpermitted(Call call, Label carried, Set<AudienceMember> audience) {
        Set<AudienceMember> outside = new LinkedHashSet<>();
        for (AudienceMember member : audience) {
            for (Source source : carried.confidentiality().sources()) {
                if (!permits(call, source, member)) {
                    outside.add(member);
                    break;
                }
            }
        }
        return outside;
    }

    private boolean permits(Call call, Source source, AudienceMember member) {
        return call.circumstances().readers().permit(policy, source, member);
    }

    /** Returns the resources whose readers must be asked for, since nothing else can show that they permit the call. */
    public Set<Source> missing(Call call) {
        if (policy.readers().isEmpty() || !call.arguments().isObject()) {
            return Set.of();
        }
        Set<AudienceMember> audience = call.profile().audienceOf(call.arguments());
        Set<Source> sources = carried(call, audience).confidentiality().sources();
        return call.circumstances().readers().missing(policy, sources, audience);
    }

    /** The command that a person may copy: it holds a tool's name only where a shell reads that as one word. */
    private String accept(ToolProfile profile) {
        ServerPolicy server = policy.servers().get(profile.server());
        if (server != null && server.pins().tool(profile.tool()).isPresent()) {
            return "write its `definition` anew into the policy, as `sluice check --inventory` says";
        }
        String command = "sluice pins accept " + PlainName.of(profile.server());
        return "run `" + (PlainName.isWord(profile.tool()) ? command + " " + profile.tool() : command) + "`";
    }

    static String named(List<Origin> origins) {
        return origins.isEmpty()
                ? "an earlier answer"
                : String.join(
                        ", ",
                        origins.stream()
                                .map(origin -> "`" + PlainName.of(origin.name()) + "` of `"
                                        + PlainName.of(origin.server()) + "`, call " + PlainName.of(origin.call()))
                                .toList());
    }

    private static String displayed(Set<AudienceMember> members) {
        List<String> shown =
                members.stream().map(AudienceMember::display).limit(3).toList();
        return String.join(", ", shown) + (members.size() > 3 ? " and " + (members.size() - 3) + " more" : "");
    }
}
