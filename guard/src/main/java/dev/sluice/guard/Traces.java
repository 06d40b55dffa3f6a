package dev.sluice.guard;

import dev.sluice.guard.provenance.Provenance;
import dev.sluice.guard.provenance.Trace;
import dev.sluice.policy.ArgumentValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * What each live session has seen, and where the values of a call were found in it.
 *
 * <p>Kept in memory and bounded: what is forgotten, and all after a restart, counts as not found, which is the stricter
 * answer.
 */
final class Traces {

    /** More values than this in one call are not traced: all of them may hold anything. */
    private static final int MOST_VALUES = 2_000;

    /** Values of more characters than this in one call, likewise. */
    private static final int MOST_CHARS = 1 << 20;

    /** How many sessions are remembered; the one used least recently is forgotten first. */
    private static final int MOST_SESSIONS = 200;

    private final Map<String, Provenance> sessions = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Provenance> eldest) {
            return size() > MOST_SESSIONS;
        }
    };

    /** Returns what the session has seen. */
    Provenance of(String session) {
        synchronized (sessions) {
            return sessions.computeIfAbsent(session, id -> new Provenance());
        }
    }

    void forget(String session) {
        synchronized (sessions) {
            sessions.remove(session);
        }
    }

    /** Returns where the texts and numbers in {@code content} were found. */
    List<ArgumentValue> values(String session, JsonNode content) {
        List<ArgumentValue> values = new ArrayList<>();
        Walk walk = new Walk(of(session), values);
        if (content.isObject()) {
            content.forEachEntry((name, value) -> walk.leaves(name, step("", name), value));
        } else {
            walk.leaves("", "", content);
        }
        if (walk.tooMuch) {
            values.add(ArgumentValue.unknown("", ""));
        }
        return values;
    }

    private static String step(String pointer, String name) {
        return pointer + "/" + name.replace("~", "~0").replace("/", "~1");
    }

    private static final class Walk {

        private final Provenance seen;
        private final List<ArgumentValue> values;
        private int chars;
        private boolean tooMuch;

        Walk(Provenance seen, List<ArgumentValue> values) {
            this.seen = seen;
            this.values = values;
        }

        void leaves(String argument, String pointer, JsonNode value) {
            if (tooMuch) {
                return;
            }
            if (value.isArray()) {
                int i = 0;
                for (JsonNode element : value) {
                    leaves(argument, pointer + "/" + i++, element);
                }
            } else if (value.isObject()) {
                value.forEachEntry((name, member) -> {
                    text(argument, step(pointer, name), name); // a model can put a secret into a name too
                    leaves(argument, step(pointer, name), member);
                });
            } else if (value.isString()) {
                text(argument, pointer, value.stringValue());
            } else if (value.isNumber()) {
                text(argument, pointer, value.asString());
            }
            // true, false and null carry one bit, and are neither traced nor asked for
        }

        private void text(String argument, String pointer, String text) {
            chars += text.length();
            if (chars > MOST_CHARS || values.size() >= MOST_VALUES) {
                tooMuch = true;
                return;
            }
            Trace trace = seen.trace(text);
            values.add(new ArgumentValue(
                    argument,
                    pointer,
                    trace.label(),
                    trace.named(),
                    trace.vouched(),
                    trace.unmatched(),
                    trace.origins()));
        }
    }
}
