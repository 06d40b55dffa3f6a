package dev.sluice.cli;

import dev.sluice.schemes.Schemes;
import dev.sluice.schemes.evidence.Evidence;
import dev.sluice.schemes.evidence.EvidenceResolver;
import dev.sluice.schemes.evidence.EvidenceVerifier;
import dev.sluice.schemes.evidence.SignatureVerifier;
import dev.sluice.schemes.evidence.TrustStore;
import dev.sluice.wire.ActionMetadata;
import dev.sluice.wire.Claim;
import dev.sluice.wire.Decoded;
import dev.sluice.wire.EvidenceRef;
import dev.sluice.wire.Finding;
import dev.sluice.wire.LegacyHints;
import dev.sluice.wire.ResultAnnotations;
import dev.sluice.wire.ResultClaims;
import dev.sluice.wire.Sensitivity;
import dev.sluice.wire.TrustAnnotations;
import dev.sluice.wire.canonical.Digest;
import dev.sluice.wire.json.JsonPointers;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/**
 * What is claimed in one document of a server, in words, and what is wrong with it.
 *
 * @param claims a sentence for each claim
 * @param findings the faults, with pointers from the root of the document
 */
record AnnotationReport(List<String> claims, List<Finding> findings) {

    private static final String RESULT = "result";
    private static final String TOOLS = "tools";
    private static final Set<String> CARRIERS =
            Set.of("content", "contents", "messages", "structuredContent", "isError", "_meta");

    /**
     * Returns the report on a document.
     *
     * @throws Main.InputFailure where it is none that carries annotations
     */
    static AnnotationReport of(JsonNode document) {
        Writing writing = new Writing();
        String at = document.has("jsonrpc") && document.path(RESULT).isObject() ? JsonPointers.step(RESULT) : "";
        JsonNode subject = at.isEmpty() ? document : document.path(RESULT);
        if (subject.path(TOOLS).isArray()) {
            int i = 0;
            for (JsonNode tool : subject.path(TOOLS)) {
                writing.tool(tool, at + JsonPointers.step(TOOLS) + "/" + i);
                i++;
            }
            if (i == 0) {
                writing.claims.add("no tools");
            }
        } else if (subject.path("name").isString() && !subject.has("content")) {
            writing.tool(subject, at);
        } else if (subject.isObject() && CARRIERS.stream().anyMatch(subject::has)) {
            writing.result(subject, at);
        } else {
            throw new Main.InputFailure("this is no result and no tool: give the result of tools/list or tools/call,"
                    + " or a single tool with its `name`");
        }
        return new AnnotationReport(writing.claims, writing.findings);
    }

    private static final class Writing {

        private final List<String> claims = new ArrayList<>();
        private final List<Finding> findings = new ArrayList<>();

        void tool(JsonNode tool, String at) {
            String name = tool.path("name").asString("");
            if (!tool.isObject() || name.isEmpty()) {
                findings.add(new Finding(
                        Finding.Code.NOT_AN_OBJECT, at, "a tool is an object with a string `name`: write one"));
                return;
            }
            Decoded<ActionMetadata> metadata = ActionMetadata.decodeTool(tool);
            Decoded<LegacyHints> hints = LegacyHints.decodeTool(tool);
            add(metadata.findings(), at);
            add(hints.findings(), at);
            ActionMetadata declared = metadata.value();
            List<String> words = new ArrayList<>();
            declared.widestDestination().ifPresent(to -> words.add("arguments may reach `" + to.wire() + "`"));
            declared.acceptedSensitivity().ifPresent(kinds -> words.add("accepts " + kinds(kinds)));
            declared.leastTrustedSource().ifPresent(from -> words.add("returns come from `" + from.wire() + "`"));
            declared.returnedSensitivity().ifPresent(kinds -> words.add("returns may hold " + kinds(kinds)));
            declared.gravestOutcome().ifPresent(outcome -> words.add("outcome `" + outcome.wire() + "` at worst"));
            if (declared.requiresReview() == Claim.TRUE) {
                words.add("wants a human's review");
            }
            words.addAll(hints(hints.value()));
            claims.add("`" + shown(name) + "` " + (words.isEmpty() ? "declares nothing" : String.join(", ", words)));
        }

        private static List<String> hints(LegacyHints hints) {
            List<String> words = new ArrayList<>();
            word(words, "readOnlyHint", hints.readOnly());
            word(words, "destructiveHint", hints.destructive());
            word(words, "idempotentHint", hints.idempotent());
            word(words, "openWorldHint", hints.openWorld());
            return words;
        }

        private static void word(List<String> words, String hint, Claim claim) {
            if (claim != Claim.ABSENT) {
                words.add("`" + hint + "` " + claim.name().toLowerCase(Locale.ROOT));
            }
        }

        void result(JsonNode result, String at) {
            Decoded<ResultAnnotations> annotations = TrustAnnotations.decodeResult(result);
            add(annotations.findings(), at);
            ResultClaims whole = annotations.value().claims();
            claims.add("the result is " + claimed(whole.untrusted(), "untrusted", "trusted") + ", and "
                    + claimed(whole.sensitive(), "sensitive", "public")
                    + (whole.kinds().isEmpty() ? "" : ", and holds " + kinds(whole.kinds())));
            TrustAnnotations own = annotations.value().result();
            evidence(own, result, at, "");
            for (ResultAnnotations.Block block : annotations.value().blocks()) {
                Claim untrusted = block.annotations()
                        .untrusted()
                        .or(block.ifc().untrusted())
                        .or(block.legacy().untrusted());
                Claim sensitive = block.annotations()
                        .sensitive()
                        .or(block.ifc().sensitive())
                        .or(block.legacy().sensitive());
                claims.add("`" + block.pointer() + "` is " + claimed(untrusted, "untrusted", "trusted") + ", and "
                        + claimed(sensitive, "sensitive", "public"));
                evidence(block.annotations(), result, at, block.pointer());
            }
        }

        private static String claimed(Claim claim, String yes, String no) {
            return switch (claim) {
                case TRUE -> "claimed " + yes;
                case FALSE -> "claimed " + no + " (counts only where the operator lets it)";
                case ABSENT -> "not said to be " + yes + " or " + no;
            };
        }

        private void evidence(TrustAnnotations annotations, JsonNode result, String at, String carrier) {
            String place = at + carrier + "/_meta" + JsonPointers.step(TrustAnnotations.KEY) + "/evidenceRef";
            EvidenceVerifier verifier = new EvidenceVerifier(
                    Schemes.installed(),
                    EvidenceResolver.INLINE,
                    SignatureVerifier.JDK,
                    TrustStore.EMPTY,
                    Clock.systemUTC());
            for (Evidence each : verifier.verify(annotations.evidence(), result)) {
                EvidenceRef reference = each.reference();
                claims.add("evidence `" + shown(reference.type()) + "` is "
                        + each.outcome().text() + (each.because().isEmpty() ? "" : ": " + each.because()));
                add(each.findings(), place);
                form(reference).ifPresent(fault -> findings.add(new Finding(Finding.Code.UNKNOWN_VALUE, place, fault)));
                boolean verified = each.outcome() == Evidence.Outcome.VERIFIED_UNBOUND;
                if (verified && each.claims().sensitive() == Claim.TRUE && annotations.sensitive() != Claim.TRUE) {
                    dropped(place, "sensitive");
                }
                if (verified && each.claims().untrusted() == Claim.TRUE && annotations.untrusted() != Claim.TRUE) {
                    dropped(place, "untrusted");
                }
            }
        }

        /** Clients that can't read the record have only the claim, so it must not be left to the record. */
        private void dropped(String place, String claim) {
            findings.add(new Finding(
                    Finding.Code.CONFLICT,
                    place,
                    "the record says `" + claim + "`, the annotation does not: state `" + claim
                            + "` true beside it, for clients that can't read records"));
        }

        /** Returns what is wrong with the form of a reference. */
        private static Optional<String> form(EvidenceRef reference) {
            if (reference.type().isEmpty()) {
                return Optional.of("the reference has no `type`: name the scheme of its record");
            }
            if (!Digest.isDigest(reference.digest())) {
                return Optional.of(
                        "the reference has no `digest` that can be checked: write `sha256:` and 64 lower-case"
                                + " hex digits");
            }
            if (reference.canonicalization().isEmpty()) {
                return Optional.of(
                        "the reference has no `canonicalization`, so that its digest can't be made anew: name"
                                + " one, such as `jcs/rfc8785`");
            }
            return Optional.empty();
        }

        private void add(List<Finding> found, String at) {
            found.forEach(each -> findings.add(new Finding(each.code(), at + each.pointer(), each.message())));
        }

        private static String kinds(Set<Sensitivity> kinds) {
            Set<String> words = new LinkedHashSet<>();
            for (Sensitivity kind : kinds) {
                String word = kind.kind().name().toLowerCase(Locale.ROOT);
                words.add(
                        kind.scopes().isEmpty()
                                ? "`" + word + "`"
                                : "`" + word + "` (" + shown(String.join(", ", new TreeSet<>(kind.scopes()))) + ")");
            }
            return String.join(" or ", words);
        }

        /** Names are the server's own, and may hold what a terminal would obey. */
        private static String shown(String text) {
            StringBuilder shown = new StringBuilder();
            text.codePoints()
                    .limit(200)
                    .forEach(c -> shown.appendCodePoint(
                            Character.isISOControl(c) || Character.getType(c) == Character.FORMAT ? '?' : c));
            return shown.toString();
        }
    }
}
