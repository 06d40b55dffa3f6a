package dev.sluice.wire;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The claims of one result: its own, and those of the blocks that state any.
 *
 * @param result the claims about all of it
 * @param ifc the same in the words of the bare {@code ifc} label
 * @param legacy the same in the words of SEP-1913
 * @param blocks the claims about single blocks, in their order
 */
public record ResultAnnotations(TrustAnnotations result, IfcLabel ifc, LegacyClaims legacy, List<Block> blocks) {

    /**
     * The claims about one block.
     *
     * @param pointer the block, a JSON Pointer (RFC 6901) from the result, such as {@code /content/0/resource}
     * @param annotations the claims
     * @param ifc the same in the words of the bare {@code ifc} label
     * @param legacy the same in the words of SEP-1913
     */
    public record Block(String pointer, TrustAnnotations annotations, IfcLabel ifc, LegacyClaims legacy) {

        /** Creates a block without legacy claims. */
        public Block(String pointer, TrustAnnotations annotations) {
            this(pointer, annotations, IfcLabel.NONE, LegacyClaims.NONE);
        }
    }

    /** Takes a copy of the list. */
    public ResultAnnotations {
        blocks = List.copyOf(blocks);
    }

    /** Creates annotations without legacy claims of the whole. */
    public ResultAnnotations(TrustAnnotations result, List<Block> blocks) {
        this(result, IfcLabel.NONE, LegacyClaims.NONE, blocks);
    }

    /**
     * Returns what holds for the whole, from all vocabularies: a block adds and never weakens. One TRUE anywhere is TRUE;
     * FALSE remains only where the result itself states it (D-TA-2), since a block speaks for no more than itself. Kinds
     * and references of all parts are kept.
     */
    public ResultClaims claims() {
        Claim sensitive = result.sensitive().or(ifc.sensitive()).or(legacy.sensitive());
        Claim untrusted = result.untrusted().or(ifc.untrusted()).or(legacy.untrusted());
        Set<Sensitivity> kinds = new LinkedHashSet<>(legacy.kinds());
        Set<EvidenceRef> evidence = new LinkedHashSet<>(result.evidence());
        for (Block block : blocks) {
            sensitive =
                    raised(sensitive, block.annotations.sensitive(), block.ifc.sensitive(), block.legacy.sensitive());
            untrusted =
                    raised(untrusted, block.annotations.untrusted(), block.ifc.untrusted(), block.legacy.untrusted());
            kinds.addAll(block.legacy.kinds());
            evidence.addAll(block.annotations.evidence());
        }
        return new ResultClaims(sensitive, untrusted, kinds, List.copyOf(evidence));
    }

    private static Claim raised(Claim whole, Claim... part) {
        return List.of(part).contains(Claim.TRUE) ? Claim.TRUE : whole;
    }
}
