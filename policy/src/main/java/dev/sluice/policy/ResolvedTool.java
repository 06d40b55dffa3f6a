package dev.sluice.policy;

import dev.sluice.wire.ActionMetadata;
import dev.sluice.wire.Claim;
import dev.sluice.wire.Dimension;
import dev.sluice.wire.LegacyHints;

/**
 * What a server says that one call of a tool does, asked before that call ({@code tools/resolve}, SEP-1862).
 *
 * <p>It counts within what the tool's definition says of all its calls. Only what the two profiles of a tool are put
 * together from is kept: names, texts and schemas that come with it are nobody's definition.
 *
 * @param metadata what the server says of the call's effects
 * @param hints the four hints of MCP
 */
public record ResolvedTool(ActionMetadata metadata, LegacyHints hints) {

    /** Returns the metadata for the call: what it leaves unsaid is as the definition says. */
    ActionMetadata metadataWithin(ActionMetadata definition) {
        return new ActionMetadata(
                new ActionMetadata.Input(
                        said(metadata.input().destination(), definition.input().destination()),
                        definition.input().sensitivity(),
                        definition.input().others()),
                definition.returns(),
                said(metadata.outcome(), definition.outcome()),
                said(metadata.requiresReview(), definition.requiresReview()),
                definition.others());
    }

    /** Returns the hints for the call: those it leaves unsaid are as the definition says. */
    LegacyHints hintsWithin(LegacyHints definition) {
        return new LegacyHints(
                said(hints.readOnly(), definition.readOnly()),
                said(hints.destructive(), definition.destructive()),
                said(hints.idempotent(), definition.idempotent()),
                said(hints.openWorld(), definition.openWorld()));
    }

    private static <T> Dimension<T> said(Dimension<T> forCall, Dimension<T> always) {
        return forCall.stated() ? forCall : always;
    }

    private static Claim said(Claim forCall, Claim always) {
        return forCall == Claim.ABSENT ? always : forCall;
    }
}
