package dev.sluice.springai;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.ai.chat.memory.ChatMemory;
import tools.jackson.databind.JsonNode;

/**
 * Which conversation is named, and on whose behalf it runs; empty where nothing is said of that.
 */
record Said(String conversation, String principal) {

    private static final List<String> CONVERSATION = List.of(Sluice.CONVERSATION, ChatMemory.CONVERSATION_ID);
    private static final List<String> PRINCIPAL = List.of(Sluice.PRINCIPAL);

    /**
     * Returns what all of {@code places} say together.
     *
     * @throws IllegalArgumentException where they name two
     */
    @SafeVarargs
    static Said of(Map<String, ?>... places) {
        return new Said(one("conversation", CONVERSATION, places), one("principal", PRINCIPAL, places));
    }

    /** Returns the members of {@code meta} that name anything. */
    static Map<String, String> in(JsonNode meta) {
        Map<String, String> named = new HashMap<>();
        for (List<String> keys : List.of(CONVERSATION, PRINCIPAL)) {
            keys.stream()
                    .filter(key -> meta.path(key).isString() || meta.path(key).isNumber())
                    .forEach(key -> named.put(key, meta.path(key).asString()));
        }
        return named;
    }

    /** Returns what {@code place} says of other things. */
    static Map<String, Object> without(Map<String, Object> place) {
        Map<String, Object> others = new HashMap<>(place);
        others.keySet().removeAll(CONVERSATION);
        others.keySet().removeAll(PRINCIPAL);
        return others;
    }

    @SafeVarargs
    private static String one(String what, List<String> keys, Map<String, ?>... places) {
        Set<String> all = new LinkedHashSet<>();
        for (Map<String, ?> place : places) {
            for (String key : keys) {
                Object value = place.get(key);
                if (value != null && !value.toString().isBlank()) {
                    all.add(value.toString());
                }
            }
        }
        if (all.size() > 1) {
            throw new IllegalArgumentException("two are named as the " + what + " that this belongs to: name one");
        }
        return all.isEmpty() ? "" : all.iterator().next();
    }
}
