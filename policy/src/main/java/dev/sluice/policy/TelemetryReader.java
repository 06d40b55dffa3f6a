package dev.sluice.policy;

import dev.sluice.policy.GatewaySettings.Telemetry;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;

/** Reads {@code telemetry} of {@code gateway}: what it tells of its work, and to whom. */
final class TelemetryReader {

    /** Where collectors take spans, unless the operator names a path. */
    private static final String SPANS = "/v1/traces";

    /** Lines for people; the other kind of log is {@code json}. */
    private static final String LINES = "text";

    private TelemetryReader() {}

    static Telemetry telemetry(YamlMap map) {
        Optional<YamlMap> traces = map.map("traces");
        String collector = traces.map(TelemetryReader::collector).orElse("");
        boolean propagate = traces.flatMap(each -> each.bool("propagate")).orElse(false);
        traces.ifPresent(each -> each.end("`traces`"));
        Set<String> scrapers = new TreeSet<>();
        boolean metrics = metrics(map, scrapers);
        String logs = map.text("logs").orElse(LINES);
        if (!Set.of(LINES, "json").contains(logs)) {
            map.problem(map.node("logs").orElseThrow(), "`logs` can't be `" + logs + "`; write one of json, text");
        }
        map.end("`telemetry`");
        return new Telemetry(collector, propagate, metrics, scrapers, logs.equals("json"));
    }

    private static String collector(YamlMap map) {
        String text = map.text("otlp").orElse("");
        Optional<URI> uri = GatewayReader.uri(text)
                .filter(each -> Set.of("http", "https").contains(String.valueOf(each.getScheme()))
                        && each.getHost() != null
                        && each.getRawUserInfo() == null
                        && each.getRawQuery() == null);
        if (uri.isEmpty()) {
            map.problem(
                    map.node("otlp").orElse(map.whole()),
                    "`traces` needs `otlp`, the http or https address of a collector without user and query, such as"
                            + " http://127.0.0.1:4318; its headers come from OTEL_EXPORTER_OTLP_HEADERS");
            return "";
        }
        String path = String.valueOf(uri.get().getRawPath());
        return path.isEmpty() || path.equals("/") ? text.replaceFirst("/$", "") + SPANS : text;
    }

    private static boolean metrics(YamlMap map, Set<String> scrapers) {
        Optional<Node> node = map.node("metrics");
        if (node.isEmpty() || !(node.get() instanceof MappingNode)) {
            return map.bool("metrics").orElse(false);
        }
        YamlMap who = map.map(node.get(), "`metrics`");
        Set<String> named = new TreeSet<>(who.texts("principals").orElse(List.of()));
        who.end("`metrics`");
        if (named.isEmpty()) {
            who.problem("`metrics` needs `principals`, who may read them; write `metrics: true` for whoever is let in");
        }
        for (String principal : named) {
            if (principal.isBlank() || principal.length() > 256) {
                who.problem("`principals` of `metrics` must be names of callers, such as prometheus");
            }
        }
        scrapers.addAll(named);
        return true;
    }
}
