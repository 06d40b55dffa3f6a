package dev.sluice.policy;

import dev.sluice.labels.DataClass;
import dev.sluice.labels.Label;
import dev.sluice.labels.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/** The variable {@code call} of a rule. */
final class CallVariables {

    /** Where the audience keeps who all its members are; no policy can write this name. */
    private static final String WITHIN = "@within";

    private static final List<String> OF_CALLS = List.of("server", "tool", "effects", "arguments", "label", "audience");
    private static final List<String> OF_LABELS = List.of("integrity", "confidentiality", "sources", "classes");

    private CallVariables() {}

    /** Returns the variables of a rule for one call; of the policy's audiences, only those in {@code asked} can be asked. */
    static Map<String, Object> of(
            ToolProfile profile,
            JsonNode arguments,
            Label carried,
            Set<AudienceMember> audience,
            Map<String, Audience> audiences,
            Set<String> asked) {
        return Map.of("call", new Structure(ExpressionCompiler.CALL, OF_CALLS, name -> switch (name) {
            case "server" -> profile.server();
            case "tool" -> profile.tool();
            case "effects" ->
                profile.effects().stream()
                        .map(effect -> effect.name().toLowerCase(Locale.ROOT))
                        .toList();
            case "arguments" -> Expression.value(arguments);
            case "label" -> label(carried);
            default -> audience(profile.server(), audience, audiences, asked);
        }));
    }

    /** Returns what an expression sees of a label. */
    static Object label(Label label) {
        return new Structure(ExpressionCompiler.LABEL, OF_LABELS, name -> switch (name) {
            case "integrity" -> label.integrity().name().toLowerCase(Locale.ROOT);
            case "confidentiality" -> label.confidentiality().isPublic() ? "public" : "private";
            case "sources" ->
                label.confidentiality().sources().stream().map(Source::text).toList();
            default -> classes(label);
        });
    }

    private static List<Map<String, String>> classes(Label label) {
        List<Map<String, String>> classes = new ArrayList<>();
        for (DataClass each : label.classes()) {
            classes.add(Map.of("name", each.name(), "regulatory", each.regulatory(), "label", each.label()));
        }
        return classes;
    }

    private static Map<String, Object> audience(
            String server, Set<AudienceMember> members, Map<String, Audience> audiences, Set<String> asked) {
        List<AudienceMember> others = members.stream()
                .filter(member -> !member.equals(new AudienceMember.Upstream(server)))
                .toList();
        Set<String> within = new TreeSet<>();
        for (String name : asked) {
            Audience audience = audiences.get(name);
            if (audience != null && others.stream().allMatch(audience::has)) {
                within.add(name);
            }
        }
        return Map.of("members", others.stream().map(CallVariables::text).toList(), WITHIN, List.copyOf(within));
    }

    private static String text(AudienceMember member) {
        if (member instanceof AudienceMember.Person person) {
            return person.address();
        }
        if (member instanceof AudienceMember.Account account) {
            return account.name();
        }
        if (member instanceof AudienceMember.Named named) {
            return text(named.who());
        }
        if (member instanceof AudienceMember.OfResource of) {
            return of.server() + "/" + of.key();
        }
        return member instanceof AudienceMember.Anyone ? "anybody" : "unknown";
    }

    static boolean isWithin(Map<?, ?> audience, String name) {
        return audience.get(WITHIN) instanceof List<?> within && within.contains(name);
    }
}
