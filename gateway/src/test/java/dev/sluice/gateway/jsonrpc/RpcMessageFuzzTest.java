package dev.sluice.gateway.jsonrpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sluice.guard.message.InvalidMessageException;
import dev.sluice.guard.message.OversizeId;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.wire.json.MalformedJsonException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** A message is read or refused; the skimming of one that is too large finds the same id as the reading of the whole. */
final class RpcMessageFuzzTest {

    @FuzzTest
    void parse(byte[] bytes) {
        OversizeId skimmed = new OversizeId();
        for (byte b : bytes) {
            skimmed.accept(b);
        }
        Optional<RpcId> answers = skimmed.ofAnswer();
        Optional<RpcId> asks = skimmed.ofRequest();
        RpcMessage message;
        try {
            message = RpcMessage.parse(bytes);
        } catch (MalformedJsonException | InvalidMessageException refused) {
            return;
        }
        assertEquals(
                new String(bytes, StandardCharsets.UTF_8).strip(), new String(message.bytes(), StandardCharsets.UTF_8));
        if (message instanceof RpcMessage.Request request) {
            same(request.id(), asks);
            assertEquals(Optional.empty(), answers);
        } else if (message instanceof RpcMessage.Result result) {
            same(result.id(), answers);
            assertEquals(Optional.empty(), asks);
        } else if (message instanceof RpcMessage.Failure failure) {
            same(failure.id(), answers);
            assertEquals(Optional.empty(), asks);
        }
    }

    private static void same(RpcId id, Optional<RpcId> skimmed) {
        assertEquals(Optional.of(id.json()), skimmed.map(RpcId::json));
        assertEquals(Optional.of(id.key()), skimmed.map(RpcId::key));
    }
}
