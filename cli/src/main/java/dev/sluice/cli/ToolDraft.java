package dev.sluice.cli;

import dev.sluice.policy.AudienceMember;
import dev.sluice.policy.AudienceRule;
import dev.sluice.policy.Effect;
import dev.sluice.policy.ServerOffer;
import dev.sluice.policy.ToolProfile;
import dev.sluice.policy.ToolProfiles;
import dev.sluice.policy.ToolStatement;
import dev.sluice.wire.ActionMetadata;
import dev.sluice.wire.Claim;
import dev.sluice.wire.LegacyHints;
import dev.sluice.wire.Outcome;
import dev.sluice.wire.Sensitivity;
import dev.sluice.wire.json.JsonPointers;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The lines of a drafted policy on one tool.
 *
 * <p>What holds says the same as the engine would assume without it: the words of a shipped profile, and what a server
 * says of itself that only makes things stricter. All else is a suggestion, behind {@link #SUGGESTED}.
 */
final class ToolDraft {

    /** What stands before a suggestion; without it, the line holds. */
    static final String SUGGESTED = "#- ";

    private static final int LONGEST_TEXT = 160;
    private static final int LONGEST_NAME = 40;
    private static final int MOST_ARGUMENTS = 12;

    private final ServerOffer.Tool tool;
    private final Hunches hunches;
    private final List<String> lines = new ArrayList<>();

    private ToolDraft(ServerOffer.Tool tool) {
        this.tool = tool;
        this.hunches = Hunches.of(tool);
    }

    /**
     * Returns the lines under the tool's name, without indentation.
     *
     * @param shipped what a shipped profile says of it; null where none does
     */
    static List<String> lines(ServerOffer.Tool tool, @Nullable ToolStatement shipped, String profile) {
        ToolDraft draft = new ToolDraft(tool);
        draft.introduce();
        if (shipped != null) {
            draft.note("Reviewed, from the shipped profile `" + profile + "`:");
            draft.statement(shipped);
        } else {
            draft.declared();
            draft.suggest();
        }
        draft.returns();
        draft.holds("definition", tool.definition().digest());
        return draft.lines;
    }

    private void note(String text) {
        lines.add("# " + text);
    }

    private void holds(String key, String value) {
        lines.add(key + ": " + value);
    }

    private void suggested(String key, String value) {
        lines.add(SUGGESTED + key + ": " + value);
    }

    private void introduce() {
        String description = tool.text().path("description").asString("");
        if (!description.isBlank()) {
            note("It says: " + YamlWords.cited(description, LONGEST_TEXT));
        }
        List<String> names = tool.arguments().stream()
                .limit(MOST_ARGUMENTS)
                .map(name -> YamlWords.cited(name, LONGEST_NAME))
                .toList();
        int more = tool.arguments().size() - names.size();
        note(
                names.isEmpty()
                        ? "It takes no arguments."
                        : "Arguments: " + String.join(", ", names) + (more > 0 ? " and " + more + " more" : ""));
    }

    /** The words of a profile, which hold anyway. */
    private void statement(ToolStatement said) {
        if (said.effects() != null) {
            holds("effects", effects(said.effects()));
        }
        if (said.audience() != null) {
            holds("audience", audience(said.audience()));
        }
        if (said.outcome() != null) {
            holds("outcome", said.outcome().wire());
        }
        flag("review", said.review());
        names("payload", said.payload());
        names("resource", said.resource());
        names("steers", said.steers());
        names("inert", said.inert());
        names("accepts", said.accepts());
        flag("alone", said.alone());
        flag("derives", said.derives());
        if (said.declassifies() != null) {
            holds("user_named", said.declassifies() ? "declassify" : "keep");
        }
    }

    private void flag(String key, @Nullable Boolean value) {
        if (value != null) {
            holds(key, value.toString());
        }
    }

    private void names(String key, @Nullable Collection<String> names) {
        if (names != null) {
            holds(key, YamlWords.list(names));
        }
    }

    private static String effects(Set<Effect> effects) {
        return YamlWords.list(EnumSet.copyOf(effects).stream()
                .map(effect -> effect.name().toLowerCase(Locale.ROOT))
                .toList());
    }

    private static String audience(AudienceRule rule) {
        if (rule.equals(AudienceRule.PUBLIC)) {
            return "public";
        }
        if (rule.equals(AudienceRule.SERVER_ONLY)) {
            return "server";
        }
        if (rule.resource()) {
            return "resource";
        }
        List<String> members = new ArrayList<>();
        rule.arguments().forEach(name -> members.add(YamlWords.scalar(name)));
        for (AudienceMember member : rule.constants()) {
            String person = switch (member) {
                case AudienceMember.Person of -> of.address();
                case AudienceMember.Account of -> of.name();
                default -> throw new IllegalStateException("a shipped profile names somebody that no policy can name");
            };
            members.add("{person: " + YamlWords.scalar(person) + "}");
        }
        return "[" + String.join(", ", members) + "]";
    }

    private void declared() {
        LegacyHints hints = tool.definition().hints();
        ActionMetadata metadata = tool.definition().metadata();
        List<String> words = new ArrayList<>();
        word(words, "readOnlyHint", hints.readOnly());
        word(words, "destructiveHint", hints.destructive());
        word(words, "idempotentHint", hints.idempotent());
        word(words, "openWorldHint", hints.openWorld());
        metadata.widestDestination().ifPresent(to -> words.add("destination " + to.wire()));
        metadata.gravestOutcome().ifPresent(outcome -> words.add("outcome " + outcome.wire()));
        metadata.leastTrustedSource().ifPresent(from -> words.add("returns data from " + from.wire()));
        if (metadata.requiresReview() == Claim.TRUE) {
            words.add("requiresReview true");
        }
        if (words.isEmpty()) {
            note("It declares nothing of what it does: it counts as one that reads, writes and sends to anybody.");
        } else {
            note("It declares: " + String.join(", ", words) + ". Believed while the session holds nothing of others.");
        }
        if (metadata.gravestOutcome().filter(Outcome.IRREVERSIBLE::equals).isPresent()) {
            holds("outcome", Outcome.IRREVERSIBLE.wire());
        }
        if (metadata.requiresReview() == Claim.TRUE) {
            holds("review", "true");
        }
    }

    private static void word(List<String> words, String hint, Claim claim) {
        if (claim != Claim.ABSENT) {
            words.add(hint + " " + claim.name().toLowerCase(Locale.ROOT));
        }
    }

    private void suggest() {
        boolean silent = tool.definition().hints().equals(LegacyHints.NONE)
                && tool.definition().metadata().equals(ActionMetadata.NONE);
        ToolProfile declared = ToolProfiles.resolve(tool.definition(), ToolStatement.NOTHING, true);
        Set<Effect> effects = EnumSet.noneOf(Effect.class);
        effects.addAll(hunches.effects());
        String why = "from its name, which proves nothing";
        if (!silent) {
            effects.addAll(declared.effects());
            why = effects.equals(declared.effects()) ? "from what it declares" : "from what it declares and its name";
        } else if (effects.isEmpty()) {
            effects.addAll(declared.effects());
            why = "though nothing says what it does";
        }
        note("Suggested, " + why + "; look at what it really does first:");
        suggested("effects", effects(effects));
        boolean sends = effects.contains(Effect.SENDS);
        if (sends) {
            if (hunches.recipients().isEmpty()) {
                suggested("audience", "public");
            } else {
                suggested("audience", YamlWords.list(hunches.recipients()));
            }
        }
        if (hunches.destroys() && declared.outcome() != Outcome.IRREVERSIBLE) {
            suggested("outcome", Outcome.IRREVERSIBLE.wire());
        }
        if (sends || effects.contains(Effect.WRITES)) {
            list("payload", hunches.payload());
        }
        list("resource", hunches.resource());
        list("inert", hunches.inert());
        if (!hunches.addresses().isEmpty()) {
            note("Whoever an address in these arguments belongs to sees the call: "
                    + String.join(
                            ", ",
                            hunches.addresses().stream()
                                    .map(name -> YamlWords.cited(name, LONGEST_NAME))
                                    .toList()));
        }
    }

    private void list(String key, List<String> names) {
        if (!names.isEmpty()) {
            suggested(key, YamlWords.list(names));
        }
    }

    /** What holds of answers where nothing is said, so that a person need only change a word. */
    private void returns() {
        List<String> parts = new ArrayList<>();
        items().ifPresent(pointer -> parts.add("items: " + YamlWords.scalar(pointer)));
        parts.add("integrity: untrusted");
        parts.add("confidentiality: private");
        Set<String> classes = classes();
        if (!classes.isEmpty()) {
            parts.add("classes: " + YamlWords.list(classes));
        }
        suggested("returns", "{" + String.join(", ", parts) + "}");
    }

    private Set<String> classes() {
        Set<String> classes = new TreeSet<>();
        for (Sensitivity kind :
                tool.definition().metadata().returnedSensitivity().orElse(Set.of())) {
            switch (kind.kind()) {
                case USER, PII, FINANCIAL, CREDENTIALS ->
                    classes.add(kind.kind().name().toLowerCase(Locale.ROOT));
                default -> {}
            }
        }
        return classes;
    }

    /** Where the only list of objects stands that the output schema knows. */
    private Optional<String> items() {
        List<String> lists = new ArrayList<>();
        for (Map.Entry<String, JsonNode> member :
                tool.text().path("outputSchema").path("properties").properties()) {
            JsonNode schema = member.getValue();
            boolean listed = schema.path("type").asString("").equals("array")
                    && schema.path("items").path("type").asString("").equals("object");
            if (listed
                    && YamlWords.canBeWritten(member.getKey())
                    && !member.getKey().contains("*")) {
                lists.add(JsonPointers.step(member.getKey()) + "/*");
            }
        }
        return lists.size() == 1 ? Optional.of(lists.get(0)) : Optional.empty();
    }
}
