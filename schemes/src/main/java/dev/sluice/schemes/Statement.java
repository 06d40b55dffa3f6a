package dev.sluice.schemes;

/**
 * Claims, and what they may do.
 *
 * <p>Part by part: claims always raise; where the operator lets them count in full they also replace a default.
 *
 * @param claims what is claimed
 * @param integrity whether the claim about integrity counts in full
 * @param confidentiality whether the claim about confidentiality counts in full
 * @param classes whether the claim about classes counts in full
 */
public record Statement(Claims claims, boolean integrity, boolean confidentiality, boolean classes) {

    /** Returns claims that can only raise. */
    public static Statement raising(Claims claims) {
        return new Statement(claims, false, false, false);
    }

    /** Returns claims that count in full in every part. */
    public static Statement full(Claims claims) {
        return new Statement(claims, true, true, true);
    }
}
