package dev.sluice.gateway.transport;

import dev.sluice.guard.message.RpcWriter;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.MalformedJsonException;
import java.util.Optional;
import java.util.Set;

/**
 * The HTTP status of an answer to a modern client, whose intermediaries may read that and no more.
 *
 * <p>Source: MCP revision 2026-07-28, Streamable HTTP.
 */
final class ModernStatus {

    /** That a header does not say what the body says. */
    static final int HEADER_MISMATCH = -32020;

    private static final int VERSION_UNSUPPORTED = -32022;

    /** Longer answers are no refusals, and not looked through. */
    private static final int LONGEST_REFUSAL = 64 << 10;

    private static final Set<Integer> BAD = Set.of(HEADER_MISMATCH, RpcWriter.CAPABILITY_MISSING, VERSION_UNSUPPORTED);

    private ModernStatus() {}

    /** Returns the status of {@code answer}, a message. */
    static int of(byte[] answer) {
        if (answer.length > LONGEST_REFUSAL) {
            return 200;
        }
        try {
            Optional<Integer> code = JsonIndex.parse(answer)
                    .root()
                    .pointer("/error/code")
                    .filter(value -> value.kind() == Kind.NUMBER)
                    .map(value -> value.tree())
                    .filter(value -> value.canConvertToInt())
                    .map(value -> value.intValue());
            return code.filter(each -> each == RpcWriter.METHOD_NOT_FOUND).isPresent()
                    ? 404
                    : code.filter(BAD::contains).isPresent() ? 400 : 200;
        } catch (MalformedJsonException e) {
            return 200;
        }
    }
}
