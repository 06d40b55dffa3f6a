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
        // All at once, since there is one limit for a result: its own references are checked first.
        List<Cited> cited = new ArrayList<>();
        annotations.result().evidence().forEach(each -> cited.add(new Cited(each, PLACE, false)));
        for (ResultAnnotations.Block block : annotations.blocks()) {
            block.annotations().evidence().forEach(each -> cited.add(new Cited(each, block.pointer() + PLACE, true)));
        }
        List<Evidence> checked = cited.isEmpty()
                ? List.of()
                : upstream.evidence()
                        .verify(cited.stream().map(Cited::reference).toList(), answer);
        for (int i = 0; i < checked.size(); i++) {
            Evidence each = checked.get(i);
            // A block speaks for no more than itself: what its evidence denies, another block may still hold.
            all.add(
                    each,
                    cited.get(i).place,
                    cited.get(i).ofBlock ? Statement.raising(withoutDenials(each.claims())) : statement(each, trust));
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

    /** A reference, where it stands, and whether a block cites it and not the result. */
    private record Cited(EvidenceRef reference, String place, boolean ofBlock) {}

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
