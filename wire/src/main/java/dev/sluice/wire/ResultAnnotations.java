package dev.sluice.wire;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The claims of one result: its own, and those of the blocks that state any.
 *
 * @param result the claims about all of it
 * @param blocks the claims about single blocks, in their order
 */
public record ResultAnnotations(TrustAnnotations result, List<Block> blocks) {

    /**
     * The claims about one block.
     *
     * @param pointer the block, a JSON Pointer (RFC 6901) from the result, such as {@code /content/0/resource}
     * @param annotations the claims
     */
    public record Block(String pointer, TrustAnnotations annotations) {}

    /** Takes a copy of the list. */
    public ResultAnnotations {
        blocks = List.copyOf(blocks);
    }

    /**
     * Returns what holds for the whole: a block adds and never weakens. One TRUE anywhere is TRUE; FALSE remains only
     * where the result itself states it (D-TA-2), since a block speaks for no more than itself. References of all parts
     * are kept, unknown members are the result's own.
     */
    public TrustAnnotations union() {
        Claim sensitive = result.sensitive();
        Claim untrusted = result.untrusted();
        Set<EvidenceRef> evidence = new LinkedHashSet<>(result.evidence());
        for (Block block : blocks) {
            sensitive = block.annotations.sensitive() == Claim.TRUE ? Claim.TRUE : sensitive;
            untrusted = block.annotations.untrusted() == Claim.TRUE ? Claim.TRUE : untrusted;
            evidence.addAll(block.annotations.evidence());
        }
        return new TrustAnnotations(sensitive, untrusted, List.copyOf(evidence), result.others());
    }
}
