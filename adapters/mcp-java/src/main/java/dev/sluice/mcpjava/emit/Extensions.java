package dev.sluice.mcpjava.emit;

import dev.sluice.wire.ActionMetadata;
import dev.sluice.wire.TrustAnnotations;
import java.util.LinkedHashMap;
import java.util.Map;

/** The two extensions, as {@code capabilities.extensions} declares them (SEP-2133): switched on, without settings. */
public final class Extensions {

    private Extensions() {}

    /** Returns both, for {@code ServerCapabilities.Builder.extensions}. */
    public static Map<String, Map<String, Object>> declared() {
        return with(Map.of());
    }

    /** Returns both beside others. */
    public static Map<String, Map<String, Object>> with(Map<String, Map<String, Object>> others) {
        Map<String, Map<String, Object>> all = new LinkedHashMap<>(others);
        all.putIfAbsent(TrustAnnotations.KEY, Map.of());
        all.putIfAbsent(ActionMetadata.KEY, Map.of());
        return all;
    }
}
