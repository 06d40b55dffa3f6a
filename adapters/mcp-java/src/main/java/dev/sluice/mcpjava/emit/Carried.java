package dev.sluice.mcpjava.emit;

import dev.sluice.wire.Claim;
import dev.sluice.wire.Decoded;
import dev.sluice.wire.Finding;
import dev.sluice.wire.RequestAnnotations;
import dev.sluice.wire.SensitiveHint;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a client says of the context that a call comes from ({@code params._meta.annotations}, SEP-1913), so that a server
 * can refuse. Most clients say nothing, which is ABSENT and neither yes nor no.
 *
 * @param untrusted whether the context holds text of an untrusted origin
 * @param sensitive whether it holds what is not for everybody, whichever hint says so
 * @param attribution where it comes from, mostly as URIs
 * @param findings what is malformed; it counts as the value that raises
 */
public record Carried(Claim untrusted, Claim sensitive, List<String> attribution, List<Finding> findings) {

    /** Takes copies of the lists. */
    public Carried {
        attribution = List.copyOf(attribution);
        findings = List.copyOf(findings);
    }

    /** Reads a call of the stack up to 2025-11-25. */
    public static Carried from(CallToolRequest request) {
        return from(request.meta());
    }

    /** Reads {@code _meta} of a request of either stack; null says nothing. */
    public static Carried from(@Nullable Map<String, Object> meta) {
        Map<String, @Nullable Object> params = new LinkedHashMap<>();
        params.put("_meta", meta);
        Decoded<RequestAnnotations> read = RequestAnnotations.decode(PlainJson.tree(params));
        RequestAnnotations said = read.value();
        Claim sensitive = said.sensitive() == SensitiveHint.ABSENT ? said.privateData() : Claim.TRUE;
        return new Carried(said.openWorld(), sensitive, said.attribution(), read.findings());
    }
}
