package dev.sluice.policy;

import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Lineage;
import dev.sluice.labels.Origin;
import dev.sluice.labels.SessionLabel;
import dev.sluice.wire.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import tools.jackson.databind.JsonNode;

/** The control that asks whether a consequential call is steered by trusted data only (P-T of FIDES, section 5). */
final class TrustedAction {

    private TrustedAction() {}

    /**
     * What is asked about.
     *
     * @param firstUse whether no policy file was given
     * @param strength how strong the controls are for the call
     * @param call the call
     * @param profile what it can do
     * @param carried what it carries
     */
    record Question(boolean firstUse, Profile strength, Call call, ToolProfile profile, Label carried) {}

    /**
     * Returns what speaks against a call; empty where nothing does.
     *
     * @param stays whether everybody in its audience may read all that it carries
     */
    static Optional<Violation> violation(Question question, BooleanSupplier stays) {
        Call call = question.call;
        ToolProfile profile = question.profile;
        SessionLabel session = call.session();
        boolean harmless = !profile.isConsequential()
                || (profile.isPureSend() && profile.outcome() == Outcome.BENIGN && profile.isAlone(call.arguments()));
        boolean trusted = session.label().integrity() == Integrity.TRUSTED;
        List<ArgumentValue> foreign = new ArrayList<>();
        for (ArgumentValue value : call.values()) {
            if (profile.isAuthority(value.argument()) && value.label().integrity() == Integrity.UNTRUSTED) {
                foreign.add(value);
            }
        }
        if ((trusted && foreign.isEmpty()) || harmless) {
            return Optional.empty();
        }
        if (question.strength == Profile.BALANCED && (isNamed(call, profile) || isAmongReaders(question, stays))) {
            return Optional.empty();
        }
        boolean ownDoubtOnly = question.firstUse
                && session.isOnlyFrom(profile.server())
                && !profile.effects().contains(Effect.SENDS);
        if (trusted && !ownDoubtOnly) {
            return Optional.of(untrustedArgument(question.strength, foreign));
        }
        List<Origin> origins = session.lineage().untrusted();
        Strength strength =
                ownDoubtOnly ? Strength.WARN : question.strength == Profile.STRICT ? Strength.DENY : Strength.ASK;
        return Optional.of(new Violation(
                Control.TRUSTED_ACTION,
                ownDoubtOnly ? "untrusted-same-server" : "untrusted-session",
                strength,
                "this session has read content that an outsider could have written (" + PolicyEngine.named(origins)
                        + "), and that content must not steer a call that changes or sends anything",
                "content that an outsider could have written came in with " + PolicyEngine.named(origins)
                        + " and may have steered this call" + unnamed(call, profile),
                origins));
    }

    /** The agent has not seen the value, and so was not steered by it; the call would be. */
    private static Violation untrustedArgument(Profile strength, List<ArgumentValue> foreign) {
        List<Origin> origins = foreign.stream()
                .flatMap(value -> value.origins().stream())
                .distinct()
                .sorted()
                .limit(Lineage.PER_PART)
                .toList();
        String arguments = String.join(
                ", ",
                foreign.stream()
                        .map(value -> "`" + PlainName.of(value.argument()) + "`")
                        .distinct()
                        .limit(3)
                        .toList());
        return new Violation(
                Control.TRUSTED_ACTION,
                "untrusted-argument",
                strength == Profile.STRICT ? Strength.DENY : Strength.ASK,
                "an argument that steers the call (" + arguments
                        + ") holds a value that an outsider could have written",
                "what stands in " + arguments + " came in with " + PolicyEngine.named(origins)
                        + ", an outsider could have written it, and it steers the call",
                origins);
    }

    /**
     * Returns whether the user chose the call: one value that steers it was typed by the user, and every other one too, or
     * it comes from a place that vouches for it. A vouched value is trusted as a reference, never as a choice, so that
     * alone it is not enough.
     */
    private static boolean isNamed(Call call, ToolProfile profile) {
        boolean chosen = false;
        for (ArgumentValue value : call.values()) {
            if (profile.isAuthority(value.argument())) {
                if (!value.named() && !value.vouched()) {
                    return false;
                }
                chosen |= value.named();
            }
        }
        return chosen;
    }

    /**
     * Returns whether a call only passes private data on among those who may read all of it: a person who may see it sees
     * what was done with it. Never for public data, which an outsider could have written for anybody.
     */
    private static boolean isAmongReaders(Question question, BooleanSupplier stays) {
        Call call = question.call;
        ToolProfile profile = question.profile;
        boolean unmatched = call.values().stream().anyMatch(ArgumentValue::unmatched);
        boolean publicWords = unmatched
                ? call.session().untrustedPublic()
                        || call.values().stream().map(ArgumentValue::label).anyMatch(Label::isUntrustedPublic)
                : call.values().stream()
                        .anyMatch(value -> !value.named() && value.label().isUntrustedPublic());
        return profile.isPureSend()
                && !publicWords
                && call.values().stream().noneMatch(value -> leadsOut(call, profile, value))
                && !question.carried.confidentiality().isPublic()
                && stays.getAsBoolean();
    }

    /**
     * Returns whether content that an outsider may have written has a link in it: what that leads to is public, whoever may
     * read the text.
     */
    private static boolean leadsOut(Call call, ToolProfile profile, ArgumentValue value) {
        if (value.named()
                || profile.isAuthority(value.argument())
                || value.pointer().isEmpty()
                || (!value.unmatched() && value.label().integrity() == Integrity.TRUSTED)) {
            return false;
        }
        JsonNode text = call.arguments().at(value.pointer());
        return text.isString() && Links.isIn(text.stringValue());
    }

    /** Names for a person the arguments that nobody vouches for. */
    private static String unnamed(Call call, ToolProfile profile) {
        List<String> arguments = call.values().stream()
                .filter(value -> profile.isAuthority(value.argument()) && !value.named() && !value.vouched())
                .filter(value -> !value.argument().isEmpty()) // one stands for what none of them says
                .map(value -> "`" + PlainName.of(value.argument()) + "`"
                        + (value.origins().isEmpty() ? "" : " (seen in " + PolicyEngine.named(value.origins()) + ")"))
                .distinct()
                .limit(3)
                .toList();
        return arguments.isEmpty() ? "" : "; the user did not name " + String.join(", ", arguments);
    }
}
