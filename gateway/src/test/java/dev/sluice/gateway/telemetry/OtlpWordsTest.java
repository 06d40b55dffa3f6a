package dev.sluice.gateway.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.GatewaySettings;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the environment may say of a collector. */
class OtlpWordsTest {

    private static OtlpWords read(Map<String, String> environment) {
        return OtlpWords.read(environment::get);
    }

    private static String refused(Map<String, String> environment) {
        return String.valueOf(assertThrows(IllegalArgumentException.class, () -> read(environment))
                .getMessage());
    }

    @Test
    void nothingSaid_isTheUsual() {
        assertEquals(new OtlpWords(Map.of(), "sluice", Map.of(), "", 1), read(Map.of()));
        assertEquals(new OtlpWords(Map.of(), "sluice", Map.of(), "", 1), read(Map.of("OTEL_SERVICE_NAME", " ")));
    }

    @Test
    void everythingSaid_isRead() {
        assertEquals(
                new OtlpWords(
                        Map.of("authorization", "Bearer a+b=", "x-team", "ops, all"),
                        "front",
                        Map.of("deployment.environment.name", "test"),
                        "parentbased_traceidratio",
                        0.25),
                read(Map.of(
                        "OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20a+b=, x-team = ops%2C%20all",
                        "OTEL_SERVICE_NAME", "front",
                        "OTEL_RESOURCE_ATTRIBUTES", "service.name=other,deployment.environment.name=test",
                        "OTEL_TRACES_SAMPLER", "parentbased_traceidratio",
                        "OTEL_TRACES_SAMPLER_ARG", "0.25")));
        assertEquals(
                "other",
                read(Map.of("OTEL_RESOURCE_ATTRIBUTES", "service.name=other")).service());
        assertEquals(
                Map.of("a", "1"),
                read(Map.of("OTEL_EXPORTER_OTLP_HEADERS", "b=2", "OTEL_EXPORTER_OTLP_TRACES_HEADERS", "a=1"))
                        .headers());
        assertTrue(OtlpWords.isDisabled(Map.of("OTEL_SDK_DISABLED", "True")::get));
        assertFalse(OtlpWords.isDisabled(Map.of("OTEL_SDK_DISABLED", "yes")::get));
        assertFalse(OtlpWords.isDisabled(name -> null));
    }

    @Test
    void whatCantBeUsed_isNamedWithoutItsValue() {
        String pairs = "`OTEL_EXPORTER_OTLP_HEADERS` must be name=value pairs with commas between them,"
                + " values percent-encoded";
        for (String bad :
                new String[] {"secret", "=secret", "a b=secret", "a=%zzsecret", "a=secret%0d%0ax: y", "a=1,"}) {
            assertEquals(pairs, refused(Map.of("OTEL_EXPORTER_OTLP_HEADERS", bad)), bad);
        }
        assertEquals(
                "`OTEL_TRACES_SAMPLER` names no sampler that is known here; write such as parentbased_traceidratio,"
                        + " or take it out",
                refused(Map.of("OTEL_TRACES_SAMPLER", "jaeger_remote")));
        for (String bad : new String[] {"2", "1.5", "-1", "NaN", "1e-3", "half"}) {
            assertEquals(
                    "`OTEL_TRACES_SAMPLER_ARG` must be a number from 0 to 1, such as 0.1",
                    refused(Map.of("OTEL_TRACES_SAMPLER_ARG", bad)),
                    bad);
        }
    }

    @Test
    void headersInTheClear_areRefused() {
        GatewaySettings.Telemetry settings =
                new GatewaySettings.Telemetry("http://c.example/v1/traces", false, false, Set.of(), false);

        IOException refused = assertThrows(
                IOException.class,
                () -> Telemetry.start(
                                settings,
                                true,
                                Map.of("OTEL_EXPORTER_OTLP_HEADERS", "authorization=x")::get,
                                line -> {})
                        .close());

        assertEquals(
                "`otlp` is reached unencrypted, so the headers of OTEL_EXPORTER_OTLP_HEADERS could be read on the way;"
                        + " write an https address, or take the headers out",
                refused.getMessage());
    }
}
