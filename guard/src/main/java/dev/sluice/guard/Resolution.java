package dev.sluice.guard;

import dev.sluice.policy.ResolvedTool;
import dev.sluice.policy.ToolDefinition;
import dev.sluice.policy.ToolProfiles;
import dev.sluice.wire.ActionMetadata;
import dev.sluice.wire.Decoded;
import dev.sluice.wire.Finding;
import dev.sluice.wire.LegacyHints;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * What came of asking a server what a call does.
 *
 * @param result how it went
 * @param said what the server says; null where that does not count
 * @param content the arguments that it was asked about
 */
record Resolution(Result result, @Nullable ResolvedTool said, JsonNode content) {

    /** How it went. */
    enum Result {
        /** The answer lies within the definition. */
        WITHIN,
        /** The answer says worse of the call than the definition says of all: it narrows nothing, and the worse holds. */
        BEYOND,
        /** The answer is no tool of that name, or malformed: the definition holds. */
        UNUSABLE,
        /** No answer came in time, or an error did: the definition holds. */
        FAILED,
        /** The server was not asked, since it failed too often: the definition holds. */
        PAUSED
    }

    static final Resolution PAUSED = new Resolution(Result.PAUSED, null, MissingNode.getInstance());

    static Resolution failed(JsonNode content) {
        return new Resolution(Result.FAILED, null, content);
    }

    /** Returns what {@code answer}, the result of {@code tools/resolve}, says of a call of {@code tool}. */
    static Resolution of(ToolDefinition tool, JsonNode content, JsonNode answer) {
        JsonNode resolved = answer.path("tool");
        Decoded<ActionMetadata> metadata = ActionMetadata.decodeTool(resolved);
        Decoded<LegacyHints> hints = LegacyHints.decodeTool(resolved);
        boolean malformed = Stream.concat(metadata.findings().stream(), hints.findings().stream())
                .anyMatch(finding -> finding.code() != Finding.Code.MALICIOUS_ACTIVITY);
        if (malformed
                || !resolved.isObject()
                || !resolved.path("name").asString("").equals(tool.name())) {
            return new Resolution(Result.UNUSABLE, null, content);
        }
        ResolvedTool said = new ResolvedTool(metadata.value(), hints.value());
        boolean within = ToolProfiles.isWithin(tool.with(said));
        return new Resolution(within ? Result.WITHIN : Result.BEYOND, said, content);
    }

    /** Returns {@code tool}, for the call that was asked about; the definition where anything else is called. */
    ToolDefinition of(ToolDefinition tool, JsonNode arguments) {
        ResolvedTool forCall = said;
        return forCall != null && content.equals(arguments) ? tool.with(forCall) : tool;
    }

    /** Returns the stable word for the record. */
    String word() {
        return result.name().toLowerCase(Locale.ROOT);
    }
}
