package dev.sluice.wire.canonical;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.MalformedJsonException;

/** A text has canonical bytes or is refused; canonical bytes are their own canonical form, and a tree has the same. */
final class JcsCanonicalizerFuzzTest {

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
            canonical = Canonicalizations.JCS.canonicalize(root);
        } catch (CanonicalizationException refused) {
            rounded(root);
            return;
        }
        assertArrayEquals(canonical, again(canonical));
        assertArrayEquals(canonical, JcsCanonicalizer.canonicalize(root.tree()));
        JcsCanonicalizer.Written written = Canonicalizations.JCS_ROUNDING.write(root);
        assertArrayEquals(canonical, written.bytes());
        assertEquals(false, written.rounded());
    }

    private static void rounded(JsonIndex.Value root) {
        try {
            byte[] canonical = Canonicalizations.JCS_ROUNDING.canonicalize(root);
            // Rounding what was rounded changes nothing.
            assertArrayEquals(
                    canonical,
                    Canonicalizations.JCS_ROUNDING.canonicalize(
                            JsonIndex.parse(canonical).root()));
        } catch (CanonicalizationException refused) {
            // For another reason than an integer.
        }
    }

    private static byte[] again(byte[] canonical) {
        return Canonicalizations.JCS.canonicalize(JsonIndex.parse(canonical).root());
    }
}
