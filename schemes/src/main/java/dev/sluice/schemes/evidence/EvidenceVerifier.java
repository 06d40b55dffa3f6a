package dev.sluice.schemes.evidence;

import dev.sluice.schemes.Claims;
import dev.sluice.schemes.LabelScheme;
import dev.sluice.schemes.Schemes;
import dev.sluice.schemes.evidence.Evidence.Outcome;
import dev.sluice.wire.Decoded;
import dev.sluice.wire.EvidenceRef;
import dev.sluice.wire.Finding;
import dev.sluice.wire.canonical.Canonicalization;
import dev.sluice.wire.canonical.CanonicalizationException;
import dev.sluice.wire.canonical.Canonicalizations;
import dev.sluice.wire.canonical.Digest;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.MalformedJsonException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Checks evidence references: fetches the record, makes its digest anew, and reads it only if that is the one stated.
 *
 * <p>Never throws for what a server wrote: whatever can't be checked has an outcome that adds nothing, whatever is false
 * one that raises.
 */
public final class EvidenceVerifier {

    /** Most references of one result that are checked. */
    public static final int MOST_REFERENCES = 16;

    /** After this long no further reference of a result is begun: its answer waits. */
    private static final Duration LONGEST = Duration.ofSeconds(10);

    /** Clocks of two machines differ. */
    private static final Duration CLOCKS_DIFFER = Duration.ofMinutes(5);

    /** Flat enough for a record that people write, so that no scheme meets a depth bomb. */
    private static final JsonIndex.Limits LIMITS = new JsonIndex.Limits(64, 1000, 100_000);

    private final Schemes schemes;
    private final EvidenceResolver resolver;
    private final SignatureVerifier signatures;
    private final TrustStore trusted;
    private final Clock clock;

    /**
     * Makes a verifier for the references of one source.
     *
     * @param schemes read records
     * @param resolver fetches records
     * @param signatures checks signatures
     * @param trusted whose signatures bind
     * @param clock tells how old a binding is
     */
    public EvidenceVerifier(
            Schemes schemes, EvidenceResolver resolver, SignatureVerifier signatures, TrustStore trusted, Clock clock) {
        this.schemes = schemes;
        this.resolver = resolver;
        this.signatures = signatures;
        this.trusted = trusted;
        this.clock = clock;
    }

    /**
     * Checks all references of {@code result}, {@value #MOST_REFERENCES} at most.
     *
     * @return what became of each, in their order; one more, UNRESOLVABLE, stands for all that are over the limit
     */
    public List<Evidence> verify(List<EvidenceRef> references, JsonNode result) {
        List<Evidence> all = new ArrayList<>();
        long begun = System.nanoTime();
        for (EvidenceRef reference : references) {
            boolean late = System.nanoTime() - begun > LONGEST.toNanos();
            if (late || all.size() == MOST_REFERENCES) {
                all.add(nothing(
                        reference,
                        Outcome.UNRESOLVABLE,
                        late
                                ? "fetching the references before took " + LONGEST.toSeconds() + " seconds: state fewer"
                                : "more than " + MOST_REFERENCES + " references in one result: state fewer"));
                break;
            }
            all.add(verify(reference, result));
        }
        return all;
    }

    /** Checks one reference of {@code result}. */
    public Evidence verify(EvidenceRef reference, JsonNode result) {
        Optional<Canonicalization> form = Canonicalizations.of(reference.canonicalization());
        if (form.isEmpty() || !Digest.isDigest(reference.digest())) {
            return nothing(
                    reference,
                    Outcome.UNRESOLVABLE,
                    form.isEmpty()
                            ? "the reference names no canonical form known here: name one of "
                                    + String.join(", ", Canonicalizations.ids())
                            : "the reference has no digest: write `sha256:` and 64 lower-case hex digits");
        }
        JsonIndex record;
        try {
            Optional<byte[]> resolved = resolve(reference);
            if (resolved.isEmpty()) {
                return nothing(
                        reference,
                        Outcome.UNRESOLVABLE,
                        "the reference holds no record, and leads to none that may be fetched");
            }
            byte[] bytes = resolved.get();
            if (bytes.length > EvidenceResolver.MOST_BYTES) {
                return nothing(
                        reference,
                        Outcome.UNRESOLVABLE,
                        "the record is larger than " + EvidenceResolver.MOST_BYTES + " bytes: make it smaller");
            }
            record = JsonIndex.parse(bytes, 0, bytes.length, LIMITS);
            if (!Digest.sha256(form.get().canonicalize(record.root())).text().equals(reference.digest())) {
                return mismatch(reference, "the record has another digest than the reference states");
            }
        } catch (UnresolvableException e) {
            return nothing(reference, Outcome.UNRESOLVABLE, String.valueOf(e.getMessage()));
        } catch (MalformedJsonException | CanonicalizationException e) {
            return mismatch(reference, "the record has no digest: " + e.getMessage());
        }
        Optional<LabelScheme> scheme = schemes.of(reference.type());
        if (scheme.isEmpty()) {
            return nothing(
                    reference, Outcome.UNKNOWN_TYPE, "nobody here reads records of this type: install a scheme for it");
        }
        Decoded<Claims> claims = read(scheme.get(), record.root().tree());
        Optional<String> unbound;
        try {
            unbound = unbound(reference, form.get(), result);
        } catch (IllegalArgumentException | MalformedJsonException e) {
            return mismatch(reference, String.valueOf(e.getMessage()));
        }
        return new Evidence(
                reference,
                unbound.isEmpty() ? Outcome.VERIFIED_BOUND : Outcome.VERIFIED_UNBOUND,
                claims.value(),
                unbound.orElse(""),
                claims.findings());
    }

    /** A resolver may be somebody else's code: what it fails on can't be had. */
    private Optional<byte[]> resolve(EvidenceRef reference) throws UnresolvableException {
        try {
            return Objects.requireNonNull(resolver.resolve(reference));
        } catch (CanonicalizationException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new UnresolvableException("fetching the record failed: have the author of the resolver look");
        }
    }

    /** A scheme may be somebody else's code: what it fails on is claimed strictly. */
    private static Decoded<Claims> read(LabelScheme scheme, JsonNode record) {
        try {
            Decoded<Claims> claims = scheme.read(record);
            Objects.requireNonNull(claims.value());
            return claims;
        } catch (RuntimeException e) {
            return new Decoded<>(
                    Claims.STRICTEST,
                    List.of(new Finding(
                            Finding.Code.UNKNOWN_VALUE,
                            "",
                            "the scheme for `" + scheme.type()
                                    + "` failed on this record: have its author look; read as the strictest")));
        }
    }

    /**
     * Returns why nothing binds the record to the result; empty where a trusted key does.
     *
     * @throws IllegalArgumentException where a binding is there that is false, so that somebody moved or changed it
     */
    private Optional<String> unbound(EvidenceRef reference, Canonicalization form, JsonNode result) {
        Optional<JsonNode> written = reference.envelope();
        if (written.isEmpty()) {
            return Optional.of("nothing binds the record to this result");
        }
        Envelope envelope = Envelope.decode(written.get());
        if (!envelope.payloadType().equals(Binding.PAYLOAD_TYPE)) {
            return Optional.of("the envelope holds no binding that is known here");
        }
        if (!envelope.isSignedBy(trusted.keys(), signatures)) {
            if (envelope.names(trusted.keys())) {
                throw new IllegalArgumentException("the envelope names a trusted key that did not sign it");
            }
            return Optional.of("no trusted key signed the envelope: have the operator add the key of this source");
        }
        Binding binding = Binding.decode(envelope.payload());
        if (!binding.type().equals(reference.type()) || !binding.record().text().equals(reference.digest())) {
            throw new IllegalArgumentException("the signature is for another record");
        }
        if (!binding.source().equals(trusted.source())) {
            throw new IllegalArgumentException("the signature is for another source");
        }
        if (!binding.content().equals(CanonicalBytes.content(result, form))) {
            throw new IllegalArgumentException("the signature is for another result");
        }
        Instant now = clock.instant();
        if (binding.issuedAt().isAfter(now.plus(CLOCKS_DIFFER))) {
            return Optional.of("the signature is from the future: set the clocks right");
        }
        if (binding.issuedAt().isBefore(now.minus(trusted.oldest()))) {
            return Optional.of("the signature is older than " + trusted.oldest() + ": sign anew");
        }
        return Optional.empty();
    }

    private static Evidence nothing(EvidenceRef reference, Outcome outcome, String because) {
        return new Evidence(reference, outcome, Claims.NONE, because, List.of());
    }

    private static Evidence mismatch(EvidenceRef reference, String because) {
        return new Evidence(
                reference,
                Outcome.MISMATCH,
                Claims.STRICTEST,
                because,
                List.of(new Finding(
                        Finding.Code.EVIDENCE_MISMATCH,
                        "",
                        "the evidence `" + shown(reference.type()) + "` is false: " + because
                                + "; read as the strictest")));
    }

    private static String shown(String type) {
        String cut = type.length() <= 80 ? type : type.substring(0, 80) + "…";
        return cut.replaceAll("[\\p{Cntrl}\\p{Cf}]", "?");
    }
}
