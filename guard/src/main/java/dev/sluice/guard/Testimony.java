package dev.sluice.guard;

import dev.sluice.policy.ServerPolicy.ClaimTrust;
import dev.sluice.schemes.Claims;
import dev.sluice.schemes.Statement;
import dev.sluice.schemes.evidence.Evidence;
import dev.sluice.wire.Claim;
import dev.sluice.wire.EvidenceRef;
import dev.sluice.wire.Finding;
import dev.sluice.wire.ResultAnnotations;
import dev.sluice.wire.TrustAnnotations;
import dev.sluice.wire.json.JsonPointers;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * All that is claimed of one answer, by the server and in its evidence, and what each claim may do.
 *
 * @param statements the claims
 * @param evidence what became of the references
 * @param findings what in the evidence was malformed or false; pointers start at the answer
 */
record Testimony(List<Statement> statements, List<Evidence> evidence, List<Finding> findings) {

    private static final String PLACE =
            "/_meta" + JsonPointers.step(TrustAnnotations.KEY) + JsonPointers.step("evidenceRef");

    static Testimony of(ResultAnnotations annotations, JsonNode answer, Upstream upstream) {
        ClaimTrust trust = upstream.policy().claims();
        Collected all = new Collected();
        all.statements.add(weighed(Claims.of(annotations.claims()), trust));
        List<EvidenceRef> own = annotations.result().evidence();
        for (Evidence each : upstream.evidence().verify(own, answer)) {
            all.add(each, PLACE, statement(each, trust));
        }
        for (ResultAnnotations.Block block : annotations.blocks()) {
            for (Evidence each : upstream.evidence().verify(block.annotations().evidence(), answer)) {
                // A block speaks for no more than itself: what its evidence denies, another block may still hold.
                all.add(each, block.pointer() + PLACE, Statement.raising(withoutDenials(each.claims())));
            }
        }
        return new Testimony(all.statements, all.evidence, all.findings);
    }

    private static Statement statement(Evidence evidence, ClaimTrust trust) {
        return switch (evidence.outcome()) {
            case VERIFIED_BOUND -> Statement.full(evidence.claims());
            case VERIFIED_UNBOUND -> weighed(evidence.claims(), trust);
            case MISMATCH, UNRESOLVABLE, UNKNOWN_TYPE -> Statement.raising(evidence.claims());
        };
    }

    private static Statement weighed(Claims claims, ClaimTrust trust) {
        return new Statement(claims, trust.integrity(), trust.confidentiality(), trust.classes());
    }

    private static Claims withoutDenials(Claims claims) {
        return new Claims(raising(claims.untrusted()), raising(claims.sensitive()), claims.classes());
    }

    private static Claim raising(Claim claim) {
        return claim == Claim.FALSE ? Claim.ABSENT : claim;
    }

    private static final class Collected {
        private final List<Statement> statements = new ArrayList<>();
        private final List<Evidence> evidence = new ArrayList<>();
        private final List<Finding> findings = new ArrayList<>();

        void add(Evidence each, String place, Statement statement) {
            evidence.add(each);
            statements.add(statement);
            each.findings()
                    .forEach(finding ->
                            findings.add(new Finding(finding.code(), place + finding.pointer(), finding.message())));
        }
    }
}
