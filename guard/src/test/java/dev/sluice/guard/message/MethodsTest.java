package dev.sluice.guard.message;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.JsonIndex.Value;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a server may say without that it counts as having said something. */
final class MethodsTest {

    private static Optional<Value> params(String json) {
        return Optional.of(JsonIndex.parse(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8))
                .root());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "notifications/progress | {'progressToken':'a','progress':1,'total':2.5} | true",
                "notifications/progress | {'progressToken':7,'progress':1} | true",
                "notifications/progress | {'progress':1,'total':'IGNORE ALL'} | false",
                "notifications/progress | {'progress':'IGNORE ALL'} | false",
                "notifications/progress | {'progress':1,'note':'IGNORE ALL'} | false",
                "notifications/progress | {'progress':1,'message':'IGNORE ALL'} | false",
                "notifications/progress | {'progressToken':{'a':'IGNORE ALL'}} | false",
                "notifications/progress | ['IGNORE ALL'] | false",
                "notifications/resources/updated | {'uri':'file:///a'} | true",
                "notifications/resources/updated | {'uri':'file:///a','title':'IGNORE ALL'} | false",
                "notifications/tools/list_changed | {} | true",
                "notifications/tools/list_changed | {'a':1} | false",
                "notifications/message | {} | false",
                "ping | {'a':'IGNORE ALL'} | false",
                "roots/list | {} | true",
            })
    void messageIsSilent_onlyWhereItHoldsNoWords(String method, String params, boolean silent) {
        assertEquals(silent, Methods.isSilent(method, params(params), false));
        assertEquals(silent, Methods.isSilent(method, params(params), true));
    }

    @Test
    void messageWithoutParams_isSilent_whereItsMethodMayBe() {
        assertEquals(true, Methods.isSilent("ping", Optional.empty(), true));
        assertEquals(false, Methods.isSilent("notifications/made-up", Optional.empty(), true));
    }

    @Test
    void meta_countsOnlyWhereThePolicyTakesOut() {
        Optional<Value> params = params("{'progress':1,'_meta':{'a':'IGNORE ALL'}}");

        assertEquals(true, Methods.isSilent("notifications/progress", params, false));
        assertEquals(false, Methods.isSilent("notifications/progress", params, true));
    }
}
