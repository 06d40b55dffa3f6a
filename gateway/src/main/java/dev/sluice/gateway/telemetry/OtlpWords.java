package dev.sluice.gateway.telemetry;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the environment says of the collector and of the spans, in OpenTelemetry's own variables; the headers, which may hold
 * a secret, can be said nowhere else.
 *
 * <p>Source: OpenTelemetry, Environment variable specification and OTLP exporter configuration.
 *
 * @param headers what is sent with spans
 * @param service {@code service.name}
 * @param resource what else is said of this process
 * @param sampler {@code OTEL_TRACES_SAMPLER}; empty for what the client decided, and else all
 * @param ratio {@code OTEL_TRACES_SAMPLER_ARG}, from 0 to 1
 */
record OtlpWords(
        Map<String, String> headers, String service, Map<String, String> resource, String sampler, double ratio) {

    /** The variables that may hold a secret. */
    static final Set<String> SECRET = Set.of("OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS");

    private static final Set<String> SAMPLERS = Set.of(
            "",
            "always_on",
            "always_off",
            "traceidratio",
            "parentbased_always_on",
            "parentbased_always_off",
            "parentbased_traceidratio");

    OtlpWords {
        headers = Map.copyOf(headers);
        resource = Map.copyOf(resource);
    }

    /** Returns whether the environment says that there must be no telemetry of this kind. */
    static boolean isDisabled(Function<String, @Nullable String> environment) {
        return "true".equalsIgnoreCase(environment.apply("OTEL_SDK_DISABLED"));
    }

    /**
     * Reads them.
     *
     * @param environment gives the value of a variable, or null
     * @throws IllegalArgumentException where one can't be used; the message names it and says the mend, without its value
     */
    static OtlpWords read(Function<String, @Nullable String> environment) {
        String headers = environment.apply("OTEL_EXPORTER_OTLP_TRACES_HEADERS") != null
                ? "OTEL_EXPORTER_OTLP_TRACES_HEADERS"
                : "OTEL_EXPORTER_OTLP_HEADERS";
        Map<String, String> resource = pairs(environment, "OTEL_RESOURCE_ATTRIBUTES");
        String service = Optional.ofNullable(environment.apply("OTEL_SERVICE_NAME"))
                .filter(name -> !name.isBlank())
                .orElse(resource.getOrDefault("service.name", "sluice"));
        resource.remove("service.name");
        String sampler = Optional.ofNullable(environment.apply("OTEL_TRACES_SAMPLER"))
                .map(String::strip)
                .orElse("");
        if (!SAMPLERS.contains(sampler)) {
            throw new IllegalArgumentException(
                    "`OTEL_TRACES_SAMPLER` names no sampler that is known here; write such as"
                            + " parentbased_traceidratio, or take it out");
        }
        return new OtlpWords(pairs(environment, headers), service, resource, sampler, ratio(environment));
    }

    private static double ratio(Function<String, @Nullable String> environment) {
        String text = environment.apply("OTEL_TRACES_SAMPLER_ARG");
        if (text == null || text.isBlank()) {
            return 1;
        }
        if (!text.strip().matches("[01]|[01]?\\.[0-9]{1,9}") || Double.parseDouble(text.strip()) > 1) {
            throw new IllegalArgumentException("`OTEL_TRACES_SAMPLER_ARG` must be a number from 0 to 1, such as 0.1");
        }
        return Double.parseDouble(text.strip());
    }

    private static Map<String, String> pairs(Function<String, @Nullable String> environment, String variable) {
        Map<String, String> pairs = new LinkedHashMap<>();
        String text = environment.apply(variable);
        if (text == null || text.isBlank()) {
            return pairs;
        }
        for (String pair : text.split(",", -1)) {
            int equals = pair.indexOf('=');
            String name = equals < 1 ? "" : pair.substring(0, equals).strip();
            String value;
            try {
                // A plus sign is one here, and no blank.
                value = URLDecoder.decode(
                        pair.substring(equals + 1).strip().replace("+", "%2B"), StandardCharsets.UTF_8);
            } catch (IllegalArgumentException e) {
                value = "\n";
            }
            if (!name.matches("[A-Za-z0-9!#$%&'*+.^_`|~-]+") || !value.chars().allMatch(c -> c >= 0x20 && c != 0x7f)) {
                throw new IllegalArgumentException(
                        "`" + variable + "` must be name=value pairs with commas between them, values percent-encoded");
            }
            pairs.put(name, value);
        }
        return pairs;
    }
}
