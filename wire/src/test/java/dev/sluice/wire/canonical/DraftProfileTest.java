package dev.sluice.wire.canonical;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.wire.json.JsonIndex;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DraftProfileTest {

    @Test
    void everythingThatItHas_fits() {
        assertDoesNotThrow(() -> DraftProfile.check(
                value("{\"a\":[\"\\ud83d\\ude00\",true,false,null,{}],\"n\":[0,1,9007199254740991]}")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = (char) 1,
            value = {
                "{\"a\":[0,{\"b\":-1}]}|the value at `/a/1/b` doesn't fit an evidence record: it is a negative number; write it as a string",
                "[-0]|the value at `/0` doesn't fit an evidence record: it is a negative number; write it as a string",
                "{\"a\":1,\"b\":0.5}|the value at `/b` doesn't fit an evidence record: it is a number with a fraction or an exponent; write it as a string",
                "1.0|the value doesn't fit an evidence record: it is a number with a fraction or an exponent; write it as a string",
                "[[],1e3]|the value at `/1` doesn't fit an evidence record: it is a number with a fraction or an exponent; write it as a string",
                "[9007199254740992]|the value at `/0` doesn't fit an evidence record: it is an integer beyond 2^53-1; write it as a string",
                "[10000000000000000]|the value at `/0` doesn't fit an evidence record: it is an integer beyond 2^53-1; write it as a string",
                "{\"a\":{},\"s\":\"\\ud800\"}|the value at `/s` doesn't fit an evidence record: it holds half of a surrogate pair, which UTF-8 can't carry; write both halves or neither"
            })
    void anythingElse_isRefused(String json, String message) {
        CanonicalizationException error =
                assertThrows(CanonicalizationException.class, () -> DraftProfile.check(value(json)));
        assertEquals(message, error.getMessage());
    }

    @Test
    void rest_ofTheText_isNotLookedAt() {
        assertDoesNotThrow(() -> DraftProfile.check(
                value("{\"a\":-1,\"b\":{\"n\":1},\"c\":0.5}").member("b").orElseThrow()));
    }

    private static JsonIndex.Value value(String json) {
        return JsonIndex.parse(json.getBytes(StandardCharsets.UTF_8)).root();
    }
}
