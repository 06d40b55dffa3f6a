package dev.sluice.schemes.dataclass;

import dev.sluice.labels.DataClass;
import dev.sluice.labels.Vocabulary;
import dev.sluice.labels.Vocabulary.Meaning;
import dev.sluice.schemes.Claims;
import dev.sluice.schemes.LabelScheme;
import dev.sluice.wire.Claim;
import dev.sluice.wire.Decoded;
import dev.sluice.wire.Finding;
import dev.sluice.wire.Finding.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/**
 * Reads {@code data-class.v1}: {@code class}, {@code regulatory}, {@code labels}, {@code policyRef}.
 *
 * <p>Names are open: one that no vocabulary has is kept and is sensitive. A public class is a claim that the data is not
 * sensitive, unless the record names a regulation or a label beside it. The drafts' examples also state an
 * {@code origin}: {@code first_party} claims nothing, every other one that an outsider may have written the data; no origin
 * claims the opposite.
 */
public final class DataClassScheme implements LabelScheme {

    /** The type of its records. */
    public static final String TYPE = "data-class.v1";

    /** Most regulations, and most labels, that one record may name: the classes are all pairs of them. */
    static final int MOST_NAMES = 16;

    /** What is claimed of a class that can't be read. */
    private static final String UNKNOWN = "unknown";

    private static final String MEND = "write strings of 1 to " + DataClass.LONGEST_NAME + " visible characters";

    private static final String FIRST_PARTY = "first_party";
    private static final Set<String> OPEN_ORIGINS = Set.of("open_world", "unestablished");

    private final Vocabularies vocabularies;

    /** Makes the scheme with the shipped vocabularies. */
    public DataClassScheme() {
        this(Vocabularies.shipped());
    }

    /** Makes the scheme with these vocabularies. */
    public DataClassScheme(Vocabularies vocabularies) {
        this.vocabularies = vocabularies;
    }

    @Override
    public String type() {
        return TYPE;
    }

    @Override
    public Decoded<Claims> read(JsonNode record) {
        return new Reading(record).claims();
    }

    /** One record being read. */
    private final class Reading {

        private final JsonNode record;
        private final List<Finding> findings = new ArrayList<>();

        Reading(JsonNode record) {
            this.record = record;
        }

        Decoded<Claims> claims() {
            if (!record.isObject()) {
                report(Code.NOT_AN_OBJECT, "", "a data-class record is an object with `class`; read as the strictest");
                return new Decoded<>(Claims.STRICTEST, findings);
            }
            Optional<String> name = text("class");
            String policy = text("policyRef").orElse("");
            List<String> regulatory = names("regulatory");
            List<String> labels = names("labels");
            Meaning meaning = meaning(name, policy);
            boolean isPublic = meaning == Meaning.PUBLIC && regulatory.isEmpty() && labels.isEmpty();
            if (meaning == Meaning.PUBLIC && !isPublic) {
                report(
                        Code.CONFLICT,
                        "/class",
                        "`" + name.orElse("")
                                + "` is public, but the record names a regulation or a label: state what it"
                                + " is; read as sensitive");
            }
            SortedSet<DataClass> classes = new TreeSet<>();
            if (!isPublic) {
                for (String regulation : regulatory.isEmpty() ? List.of("") : regulatory) {
                    for (String label : labels.isEmpty() ? List.of("") : labels) {
                        classes.add(new DataClass(name.orElse(UNKNOWN), regulation, label));
                    }
                }
            }
            return new Decoded<>(new Claims(untrusted(), Claim.of(!isPublic), classes), findings);
        }

        private Claim untrusted() {
            if (!record.has("origin")) {
                return Claim.ABSENT;
            }
            Optional<String> origin = text("origin").map(name -> name.toLowerCase(Locale.ROOT));
            if (origin.isPresent() && origin.get().equals(FIRST_PARTY)) {
                return Claim.ABSENT;
            }
            if (origin.isPresent() && !OPEN_ORIGINS.contains(origin.get())) {
                report(
                        Code.UNKNOWN_VALUE,
                        "/origin",
                        "`" + shown(origin.get()) + "` is no origin known here: use `first_party`, `open_world` or"
                                + " `unestablished`; read as untrusted");
            }
            return Claim.TRUE;
        }

        private Meaning meaning(Optional<String> name, String policy) {
            if (name.isEmpty()) {
                if (!record.has("class")) {
                    report(Code.NOT_A_STRING, "/class", "`class` is missing: name one; read as sensitive");
                }
                return Meaning.SENSITIVE;
            }
            if (policy.isEmpty() && record.has("policyRef")) {
                return Meaning.SENSITIVE; // told already: it names something, and nobody knows what
            }
            Optional<Vocabulary> named = vocabularies.of(policy);
            if (!policy.isEmpty() && named.isEmpty()) {
                report(
                        Code.UNKNOWN_VALUE,
                        "/policyRef",
                        "`" + shown(policy) + "` is no vocabulary known here: have the operator add it; its classes are"
                                + " read as sensitive");
                return Meaning.SENSITIVE;
            }
            named.ifPresent(this::checkNames);
            Optional<Meaning> meaning =
                    named.isPresent() ? named.get().meaning(name.get()) : vocabularies.meaning(name.get());
            if (meaning.isEmpty()) {
                report(
                        Code.UNKNOWN_VALUE,
                        "/class",
                        "`" + shown(name.get()) + "` is no class of "
                                + (named.isPresent() ? "`" + shown(policy) + "`" : "a vocabulary known here")
                                + ": name one of its classes, or the vocabulary in `policyRef`; kept, and read as sensitive");
            }
            return meaning.orElse(Meaning.SENSITIVE);
        }

        private void checkNames(Vocabulary vocabulary) {
            for (String name : names("regulatory", false)) {
                if (!vocabulary.hasRegulatory(name)) {
                    report(
                            Code.UNKNOWN_VALUE,
                            "/regulatory",
                            "`" + shown(name) + "` is no regulation of `" + shown(vocabulary.id()) + "`; kept");
                }
            }
            for (String name : names("labels", false)) {
                if (!vocabulary.hasLabel(name)) {
                    report(
                            Code.UNKNOWN_VALUE,
                            "/labels",
                            "`" + shown(name) + "` is no label of `" + shown(vocabulary.id()) + "`; kept");
                }
            }
        }

        /** Returns a member that is a text which a label can keep; a present one that is not is reported. */
        private Optional<String> text(String member) {
            JsonNode node = record.get(member);
            if (node == null) {
                return Optional.empty();
            }
            if (isName(node)) {
                return Optional.of(node.stringValue());
            }
            report(Code.NOT_A_STRING, "/" + member, "`" + member + "` is no name: " + MEND + "; read as unknown");
            return Optional.empty();
        }

        private List<String> names(String member) {
            return names(member, true);
        }

        /** Returns the names in a member that is one or a list; what is no name counts as one that is not known. */
        private List<String> names(String member, boolean reports) {
            JsonNode node = record.get(member);
            if (node == null) {
                return List.of();
            }
            List<String> names = new ArrayList<>();
            for (JsonNode each : node.isArray() ? node : List.of(node)) {
                boolean isName = isName(each);
                if (!isName && reports) {
                    report(
                            Code.NOT_A_STRING,
                            "/" + member,
                            "`" + member + "` holds what is no name: " + MEND + "; read as unknown");
                }
                names.add(isName ? each.stringValue() : UNKNOWN);
            }
            if (names.size() > MOST_NAMES) {
                if (reports) {
                    report(
                            Code.UNKNOWN_VALUE,
                            "/" + member,
                            "`" + member + "` names more than " + MOST_NAMES
                                    + ": write several records; the rest is read as unknown");
                }
                List<String> first = new ArrayList<>(names.subList(0, MOST_NAMES - 1));
                first.add(UNKNOWN);
                return first;
            }
            return names;
        }

        private void report(Code code, String pointer, String message) {
            findings.add(new Finding(code, pointer, message));
        }
    }

    private static boolean isName(JsonNode node) {
        return node.isString() && DataClass.isName(node.stringValue());
    }

    private static String shown(String text) {
        return text.length() <= 80 ? text : text.substring(0, 80) + "…";
    }
}
