package dev.sluice.examples.attestation;

import dev.sluice.labels.DataClass;
import dev.sluice.schemes.Claims;
import dev.sluice.schemes.LabelScheme;
import dev.sluice.wire.Claim;
import dev.sluice.wire.Decoded;
import dev.sluice.wire.Finding;
import dev.sluice.wire.Finding.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/**
 * Reads the statements in which a company's data review says what it found, in the manner of in-toto attestations: a
 * {@code subject}, a {@code predicateType} and a {@code predicate}.
 *
 * <p>The predicate has {@code audience} ({@code everybody} or {@code staff}), {@code authors} ({@code staff} or {@code
 * anybody}) and, where wanted, {@code classes}. What is missing or unknown counts as the stricter of the two.
 */
public final class DataReviewScheme implements LabelScheme {

    /** The type of the records, and of their predicates. */
    public static final String TYPE = "example.review.data-review.v1";

    private static final String PREDICATE = "/predicate";

    /** Makes the scheme; {@link java.util.ServiceLoader} calls this. */
    public DataReviewScheme() {}

    @Override
    public String type() {
        return TYPE;
    }

    @Override
    public Decoded<Claims> read(JsonNode record) {
        List<Finding> findings = new ArrayList<>();
        if (!record.path("predicateType").asString("").equals(TYPE)) {
            findings.add(new Finding(
                    Code.UNKNOWN_VALUE,
                    "/predicateType",
                    "`predicateType` is not `" + TYPE + "`: write it; read as the strictest"));
            return new Decoded<>(Claims.STRICTEST, findings);
        }
        JsonNode predicate = record.path("predicate");
        Claim sensitive = oneOf(predicate, "audience", "staff", "everybody", findings);
        Claim untrusted = oneOf(predicate, "authors", "anybody", "staff", findings);
        SortedSet<DataClass> classes = new TreeSet<>();
        for (JsonNode each : predicate.path("classes")) {
            className(each).ifPresentOrElse(name -> classes.add(DataClass.of(name)), () -> {
                findings.add(new Finding(
                        Code.NOT_A_STRING,
                        PREDICATE + "/classes",
                        "`classes` holds no names: write an array of strings"));
                classes.add(DataClass.of("unknown"));
            });
        }
        return new Decoded<>(new Claims(untrusted, classes.isEmpty() ? sensitive : Claim.TRUE, classes), findings);
    }

    /** Returns TRUE for the word that restricts, FALSE for the one that does not, and TRUE for any other. */
    private static Claim oneOf(
            JsonNode predicate, String member, String restricts, String frees, List<Finding> findings) {
        String word = predicate.path(member).asString("");
        if (!word.equals(restricts) && !word.equals(frees)) {
            findings.add(new Finding(
                    Code.UNKNOWN_VALUE,
                    PREDICATE + "/" + member,
                    "`" + member + "` is neither `" + restricts + "` nor `" + frees + "`: write one of them; read as `"
                            + restricts + "`"));
        }
        return Claim.of(!word.equals(frees));
    }

    private static Optional<String> className(JsonNode node) {
        return node.isString() && !node.stringValue().isBlank() ? Optional.of(node.stringValue()) : Optional.empty();
    }
}
