package dev.sluice.wire.canonical;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.upokecenter.cbor.CBORObject;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.MalformedJsonException;
import dev.sluice.wire.json.RandomJson;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** A text has canonical bytes or is refused; the bytes are CBOR, and the same however the text is spelled. */
final class CborCanonicalizerFuzzTest {

    @FuzzTest
    void canonicalize(byte[] bytes) {
        JsonIndex.Value root;
        try {
            root = JsonIndex.parse(bytes).root();
        } catch (MalformedJsonException refused) {
            return;
        }
        byte[] canonical;
        try {
            canonical = Canonicalizations.CBOR.canonicalize(root);
        } catch (CanonicalizationException refused) {
            return;
        }
        byte[] respelled =
                new RandomJson(new Random(bytes.length)).respelled(root).getBytes(StandardCharsets.UTF_8);
        assertArrayEquals(
                canonical,
                Canonicalizations.CBOR.canonicalize(JsonIndex.parse(respelled).root()));
        CBORObject.DecodeFromBytes(canonical);
    }
}
