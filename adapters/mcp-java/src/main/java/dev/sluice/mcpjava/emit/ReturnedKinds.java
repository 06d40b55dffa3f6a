package dev.sluice.mcpjava.emit;

import dev.sluice.schemes.dataclass.DataClassScheme;
import dev.sluice.wire.EvidenceRef;
import dev.sluice.wire.Sensitivity;
import dev.sluice.wire.Sensitivity.Kind;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * The kinds of data that a tool declares to return, and what labels name beyond them.
 *
 * <p>Compared are the words of SEP-2061, which is what a tool declares in: {@code user}, {@code pii}, {@code financial},
 * {@code credentials}, {@code regulated}, and the names of regimes. A class of another vocabulary, such as {@code
 * confidential}, says nothing about these.
 */
final class ReturnedKinds {

    private static final String VOCABULARY = "urn:sluice:vocabulary:sep-2061";
    private static final Set<Kind> COMPARED =
            Set.of(Kind.USER, Kind.PII, Kind.FINANCIAL, Kind.CREDENTIALS, Kind.REGULATED);

    /** Longest text of somebody's record that a message repeats, in characters. */
    private static final int SHOWN = 80;

    private final Set<Kind> kinds = new LinkedHashSet<>();
    private final Set<String> regimes = new LinkedHashSet<>();

    ReturnedKinds(Set<Sensitivity> declared) {
        for (Sensitivity each : declared) {
            kinds.add(each.kind());
            each.scopes().forEach(scope -> regimes.add(folded(scope)));
        }
    }

    private static String folded(String word) {
        return word.toLowerCase(Locale.ROOT);
    }

    /**
     * Returns what is named and not declared, and where to declare it; empty where all is declared that can be compared. A
     * record that does not stand in its reference can't.
     */
    Optional<String> beyond(PresentLabels present) {
        for (Sensitivity named : present.annotations().claims().kinds()) {
            Optional<String> more = kind(named.kind()).or(() -> regimes(named.scopes()));
            if (more.isPresent()) {
                return more;
            }
        }
        for (EvidenceRef reference : present.evidence()) {
            Optional<String> more = reference
                    .inlineRecord()
                    .filter(record -> reference.type().equals(DataClassScheme.TYPE))
                    .flatMap(this::beyond);
            if (more.isPresent()) {
                return more;
            }
        }
        return Optional.empty();
    }

    private Optional<String> beyond(JsonNode record) {
        if (record.has("policyRef") && !record.path("policyRef").asString("").equals(VOCABULARY)) {
            return Optional.empty(); // words of another vocabulary, whichever they are
        }
        String name = folded(record.path("class").asString(""));
        Optional<String> more = COMPARED.stream()
                .filter(each -> folded(each.name()).equals(name))
                .findFirst()
                .flatMap(this::kind);
        if (more.isPresent()) {
            return more;
        }
        JsonNode regulatory = record.path("regulatory");
        Set<String> names = new LinkedHashSet<>();
        for (JsonNode each : regulatory.isArray() ? regulatory : List.of(regulatory)) {
            each.stringValueOpt().ifPresent(names::add);
        }
        return regimes(names);
    }

    private Optional<String> kind(Kind named) {
        return !COMPARED.contains(named) || kinds.contains(named)
                ? Optional.empty()
                : Optional.of(told(folded(named.name()), named == Kind.REGULATED ? "regulated" : "sensitivity"));
    }

    private Optional<String> regimes(Set<String> named) {
        return named.stream()
                .filter(each -> !regimes.contains(folded(each)))
                .findFirst()
                .map(each -> told(each.length() <= SHOWN ? each : each.substring(0, SHOWN) + "…", "regulated"));
    }

    private static String told(String word, String member) {
        return "does not declare that it returns `" + word + "`, and the label of this result names it: declare it in `"
                + member + "`; the result is not sent";
    }
}
