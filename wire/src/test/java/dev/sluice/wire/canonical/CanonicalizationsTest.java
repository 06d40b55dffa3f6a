package dev.sluice.wire.canonical;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CanonicalizationsTest {

    @Test
    void knownForms_areFoundByTheirName() {
        assertEquals(List.of("jcs/rfc8785", "cbor/rfc8949"), Canonicalizations.ids());
        assertSame(Canonicalizations.JCS, Canonicalizations.of("jcs/rfc8785").orElseThrow());
        assertSame(Canonicalizations.CBOR, Canonicalizations.of("cbor/rfc8949").orElseThrow());
    }

    @Test
    void otherForms_areUnknown() {
        assertEquals(Optional.empty(), Canonicalizations.of("jcs/rfc8785 "));
        assertEquals(Optional.empty(), Canonicalizations.of("JCS/RFC8785"));
        assertEquals(Optional.empty(), Canonicalizations.of(""));
    }
}
