package dev.sluice.guard;

import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import dev.sluice.policy.ArgumentValue;
import dev.sluice.policy.Decision;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A message on its way to a server, with values in the place of their handles.
 *
 * @param content what the server gets
 * @param own what of it the sender wrote, without the handles
 * @param edits how the message becomes that
 * @param places the values, by where they stand
 * @param denial why it must not be sent: a handle in it is none; empty where it may
 */
record Expansion(
        JsonNode content, JsonNode own, List<Edit> edits, Map<String, Place> places, Optional<Decision> denial) {

    /** Values at one place, in their order; {@code whole} where nothing else stands there. */
    record Place(String argument, List<Variables.Known> values, boolean whole) {}

    /** Returns that of a message without handles. */
    static Expansion none(JsonNode content) {
        return new Expansion(content, content, List.of(), Map.of(), Optional.empty());
    }

    /** Returns where the values of the message came from: {@code traced} is that of what its sender wrote. */
    List<ArgumentValue> values(List<ArgumentValue> traced) {
        if (places.isEmpty()) {
            return traced;
        }
        Map<String, Place> left = new LinkedHashMap<>(places);
        List<ArgumentValue> all = new ArrayList<>();
        for (ArgumentValue value : traced) {
            Place place = places.get(value.pointer());
            left.remove(value.pointer());
            all.add(place == null ? value : with(value, place));
        }
        left.forEach((pointer, place) -> all.add(
                with(new ArgumentValue(place.argument, pointer, Label.BOTTOM, true, true, false, List.of()), place)));
        return all;
    }

    /** A value beside other words is neither the one that was vouched for nor the one that the user named. */
    private static ArgumentValue with(ArgumentValue value, Place place) {
        Label label = value.label();
        List<Origin> origins = new ArrayList<>(value.origins());
        boolean named = value.named() && place.whole;
        boolean vouched = value.vouched() && place.whole;
        for (Variables.Known known : place.values) {
            label = label.join(known.label());
            named &= known.named();
            vouched &= known.vouched();
            if (!origins.contains(known.origin())) {
                origins.add(known.origin());
            }
        }
        return new ArgumentValue(value.argument(), value.pointer(), label, named, vouched, value.unmatched(), origins);
    }
}
