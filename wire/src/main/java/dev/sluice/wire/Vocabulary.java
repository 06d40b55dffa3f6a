package dev.sluice.wire;

import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** How values of a closed set, and names of members, are written: lower camel case (SEP-1913), read also in Pascal case (SEP-2061). */
final class Vocabulary {

    private Vocabulary() {}

    /** Returns the constant's name in lower camel case: {@code UNTRUSTED_PUBLIC} is {@code untrustedPublic}. */
    static String wire(Enum<?> constant) {
        StringBuilder out = new StringBuilder();
        for (String word : constant.name().split("_", -1)) {
            String lower = word.toLowerCase(Locale.ROOT);
            out.append(out.isEmpty() ? lower : capital(lower));
        }
        return out.toString();
    }

    static <E extends Enum<E>> Optional<E> read(Class<E> type, String text) {
        for (E constant : type.getEnumConstants()) {
            String wire = wire(constant);
            if (text.equals(wire) || text.equals(capital(wire))) {
                return Optional.of(constant);
            }
        }
        return Optional.empty();
    }

    /** Returns a reader of nodes from one of texts: what is no string is no value. */
    static <T> Function<JsonNode, Optional<T>> word(Function<String, Optional<T>> read) {
        return node -> node.isString() ? read.apply(node.stringValue()) : Optional.empty();
    }

    static String capital(String word) {
        return word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
    }
}
