package dev.sluice.wire.json;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;

/** Whatever bytes come, the index reads them or refuses them; what it reads, Jackson reads as the same values. */
final class JsonIndexFuzzTest {

    @FuzzTest
    void parse(byte[] bytes) {
        JsonIndex index;
        try {
            index = JsonIndex.parse(bytes);
        } catch (MalformedJsonException refused) {
            return;
        }
        JsonIndex.Value root = index.root();
        assertEquals(RandomJson.jackson(bytes), root.tree());
        assertEquals(new String(bytes, StandardCharsets.UTF_8).strip(), root.raw());
        assertEquals(root.tree(), JsonIndex.parse(root.bytes()).root().tree());
    }
}
