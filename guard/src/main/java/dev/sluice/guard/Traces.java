// This file has more than 400 lines because what is asked of an argument is asked in one walk over it.
package dev.sluice.guard;

import dev.sluice.guard.provenance.Place;
import dev.sluice.guard.provenance.Provenance;
import dev.sluice.guard.provenance.Trace;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import dev.sluice.policy.ArgumentValue;
import dev.sluice.store.PromptStore;
import dev.sluice.store.Session;
import dev.sluice.store.Transaction;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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

    /** Values of more characters than this in one call, likewise: tracing them would keep other calls waiting. */
    private static final int MOST_CHARS = 1 << 18;

    /** More values of one bit each than this in one call are a text, spelled. */
    private static final int MOST_BITS = 16;

    /** More values than this in one call that are words of the user are a choice that can tell something too. */
    private static final int MOST_SAID = 4;

    /** So are more values than this that the user named. */
    private static final int MOST_NAMED = 32;

    /** Longer answers are not remembered to their end, so that one of them does not push out all else. */
    private static final long MOST_OF_ONE = Provenance.MOST_CHARS / 2;

    /** How many characters all sessions together remember; the session used least recently is forgotten first. */
    private static final long MOST_IN_ALL = 4L * Provenance.MOST_CHARS;

    /** What a session costs that has seen nothing, in characters. */
    private static final long EMPTY = 100;

    /** A name that a server may have given an argument which it did not list. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9_-]{0,31}");

    private static final Pattern BETWEEN_WORDS =
            Pattern.compile("[^A-Za-z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])");

    /** A name with one of these words says that a number under it is an amount. */
    private static final Set<String> AMOUNT = Set.of(
            "amount",
            "amounts",
            "total",
            "totals",
            "price",
            "prices",
            "cost",
            "costs",
            "fee",
            "fees",
            "budget",
            "sum",
            "count",
            "counts",
            "limit",
            "limits",
            "quantity",
            "quantities",
            "qty",
            "size",
            "length",
            "width",
            "height",
            "weight",
            "max",
            "min",
            "maximum",
            "minimum",
            "seconds",
            "minutes",
            "hours",
            "days",
            "weeks",
            "months",
            "years",
            "duration",
            "timeout",
            "percent",
            "percentage");

    /** A name that ends in one of these words is of what is meant, whatever it says before. */
    private static final Set<String> REFERENCE = Set.of(
            "id", "ids", "no", "nr", "number", "numbers", "key", "keys", "code", "codes", "ref", "refs", "index");

    private static final SecureRandom RANDOM = new SecureRandom();

    private final long mostInAll;
    private final boolean rehearsing;

    /** By this it is known, in all processes that share the state, whose memory this is. */
    private final String witness;

    private final Map<String, Held> sessions = new LinkedHashMap<>(16, 0.75f, true);

    /** The same by their keys, of which each has one session at a time. */
    private final Map<String, Held> live = new HashMap<>();

    private long size;

    /** What one session has seen, and how much of the room it took when last looked at. */
    private static final class Held {
        private final String key;
        private final Provenance seen = new Provenance();
        private final @Nullable Planner planner;
        private long size = EMPTY;
        private long typed;

        Held(String key, boolean rehearsing) {
            this.key = key;
            this.planner = rehearsing ? new Planner() : null;
        }

        void missed(Label label) {
            seen.missed(label);
            if (planner != null) {
                planner.read().missed(label);
            }
        }
    }

    Traces() {
        this(MOST_IN_ALL, false);
    }

    Traces(long mostInAll) {
        this(mostInAll, false);
    }

    private Traces(long mostInAll, boolean rehearsing) {
        this.mostInAll = mostInAll;
        this.rehearsing = rehearsing;
        byte[] name = new byte[8];
        RANDOM.nextBytes(name);
        this.witness = HexFormat.of().formatHex(name);
    }

    /** Returns one that also follows what a planner with handles could have written; that takes more memory. */
    static Traces rehearsing() {
        return new Traces(MOST_IN_ALL, true);
    }

    /**
     * Notes that an answer comes into a session here, before its texts are told by {@link #came}; and, where the last one came
     * in elsewhere, that its texts are not here. To be called while the state is held: else a call that is decided meanwhile
     * would find neither.
     *
     * @param session as it was before
     */
    void comes(Transaction tx, Session session, Label label) {
        if (!label.equals(Label.BOTTOM)) {
            missedElsewhere(session, held(session));
            if (!session.witness().equals(witness)) {
                tx.sessions().witness(session.id(), witness);
            }
        }
    }

    /** Whatever is found in a session may stand too in what another process, or one before this, let into it. */
    private void missedElsewhere(Session session, Held held) {
        if (!session.witness().isEmpty() && !session.witness().equals(witness)) {
            held.missed(session.label().label());
        }
    }

    /** Returns what the session has seen; where it has seen something that is not remembered, that counts as forgotten. */
    private Held held(Session session) {
        synchronized (sessions) {
            Held held = sessions.get(session.id());
            if (held == null) {
                held = new Held(session.key(), rehearsing);
                if (!session.label().label().equals(Label.BOTTOM)) {
                    held.seen.missed(session.label().label());
                }
                sessions.put(session.id(), held);
                live.put(held.key, held);
                size += held.size;
                makeRoom();
            }
            return held;
        }
    }

    private void settle(String session) {
        synchronized (sessions) {
            Held held = sessions.get(session);
            if (held != null) {
                size -= held.size;
                held.size = EMPTY + held.seen.size();
                size += held.size;
                makeRoom();
            }
        }
    }

    private void makeRoom() {
        Iterator<Held> eldest = sessions.values().iterator();
        while (size > mostInAll && sessions.size() > 1) {
            Held forgotten = eldest.next();
            size -= forgotten.size;
            live.remove(forgotten.key, forgotten);
            eldest.remove();
        }
    }

    void forget(String session) {
        synchronized (sessions) {
            Held held = sessions.remove(session);
            if (held != null) {
                size -= held.size;
                live.remove(held.key, held);
            }
        }
    }

    /** Returns how many sessions are remembered. */
    int sessions() {
        synchronized (sessions) {
            return sessions.size();
        }
    }

    /**
     * Takes note of what the user of a session typed since the last time.
     *
     * @param after gives what was typed after the prompt of a number
     */
    void typed(Session session, LongFunction<List<PromptStore.Prompt>> after) {
        Held held = held(session);
        synchronized (held) {
            List<PromptStore.Prompt> fresh = after.apply(held.typed);
            if (fresh.isEmpty()) {
                return;
            }
            for (PromptStore.Prompt prompt : fresh) {
                held.seen.typed(prompt.text());
                if (held.planner != null) {
                    held.planner.read().typed(prompt.text());
                }
                held.typed = prompt.number();
            }
        }
        settle(session.id());
    }

    /**
     * Takes note of an answer that came into a session.
     *
     * @param session as it was before
     */
    void came(Session session, Answered answered, Origin origin) {
        came(session, answered.parts(), answered.cut(), answered.label(), origin);
    }

    /** Takes note that a session counts as having seen what came into others, of which no text is here. */
    void missed(Session session, Label label) {
        if (label.equals(Label.BOTTOM)) {
            return;
        }
        held(session).missed(label);
        settle(session.id());
    }

    /** Takes note of texts that came into a session, all of which have {@code label} together. */
    void came(Session session, List<Part> parts, boolean cut, Label label, Origin origin) {
        Held held = held(session);
        note(held.seen, parts, cut, label, origin);
        if (held.planner != null) {
            note(held.planner.read(), parts, cut, label, origin);
        }
        settle(session.id());
    }

    private static void note(Provenance seen, List<Part> parts, boolean cut, Label label, Origin origin) {
        long room = MOST_OF_ONE;
        for (Part part : parts) {
            room -= part.text().length();
            if (room < 0) {
                seen.missed(label);
                break;
            }
            seen.seen(part.text(), new Place(part.label(), part.vouched(), part.named(), origin), part.stretches());
        }
        if (cut) {
            seen.missed(label);
        }
        seen.came(label);
    }

    /** Takes note of values that the agent has only handles of, where calls hold the values all the same. */
    void hidden(Session session, Hidden hidden, Origin origin) {
        Held held = held(session);
        hidden.values()
                .forEach(value -> value.parts()
                        .forEach(part -> held.seen.seen(
                                part.text(), new Place(part.label(), part.vouched(), part.named(), origin))));
        if (held.planner != null) {
            held.planner.hidden(hidden, origin);
        }
        settle(session.id());
    }

    /** Returns whether a planner with handles could have made the calls of the session; never where none is rehearsed. */
    Planned planned(Session session) {
        Planner planner = held(session).planner;
        return planner == null
                ? new Planned(false, false)
                : planner.planned(session.label().label().integrity() == Integrity.TRUSTED);
    }

    /** Returns which values of the session's last call stand for handles; none where it is no rehearsal. */
    List<StandIn> standIns(Session session) {
        Planner planner = held(session).planner;
        return planner == null ? List.of() : planner.standIns();
    }

    /**
     * Takes long texts apart that came into the session of a key, as far as {@link #values} will need that. It may take some
     * milliseconds, so it is not to be left to be done while the state is held.
     */
    void prepare(String key, JsonNode content, Set<String> known, boolean listed) {
        Held held;
        synchronized (sessions) {
            held = live.get(key);
        }
        if (held != null && held.seen.isBehind()) {
            walk(new Walk(held.seen, null, Label.BOTTOM, known, new ArrayList<>()), content, listed);
        }
    }

    /**
     * Returns where the texts and numbers in {@code content} were found.
     *
     * @param known names that the model did not make up, since the server or the operator stated them
     * @param listed whether every name that the server knows is among them
     */
    List<ArgumentValue> values(Session session, JsonNode content, Set<String> known, boolean listed) {
        List<ArgumentValue> values = new ArrayList<>();
        Held held = held(session);
        missedElsewhere(session, held);
        Walk walk = new Walk(held.seen, held.planner, session.label().label(), known, values);
        walk(walk, content, listed);
        if (walk.tooMuch || walk.bits > MOST_BITS || walk.said > MOST_SAID || walk.named > MOST_NAMED) {
            values.add(ArgumentValue.unknown("", ""));
            walk.untraced();
        }
        return values;
    }

    private static void walk(Walk walk, JsonNode content, boolean listed) {
        if (!content.isObject()) {
            walk.leaves("", false, "", content);
            return;
        }
        content.forEachEntry((name, value) -> {
            if (!walk.known.contains(name) && (listed || !PLAIN.matcher(name).matches())) {
                walk.text(name, "", name);
            }
            walk.leaves(name, isAmount(name), step("", name), value);
        });
    }

    /** A number stands for something unless its name says that it is an amount: {@code pull_number} and {@code row} do not. */
    static boolean isAmount(String name) {
        boolean amount = false;
        String last = "";
        for (String word : BETWEEN_WORDS.split(name)) {
            last = word.toLowerCase(Locale.ROOT);
            amount |= AMOUNT.contains(last);
        }
        return amount && !REFERENCE.contains(last);
    }

    private static String step(String pointer, String name) {
        return pointer + "/" + name.replace("~", "~0").replace("/", "~1");
    }

    private static final class Walk {

        private final Provenance seen;
        private final @Nullable Planner planner;
        private final Label session;
        private final Set<String> known;
        private final List<ArgumentValue> values;
        private int chars;
        private int bits;
        private int said;
        private int named;
        private boolean tooMuch;

        Walk(Provenance seen, @Nullable Planner planner, Label session, Set<String> known, List<ArgumentValue> values) {
            this.seen = seen;
            this.planner = planner;
            if (planner != null) {
                planner.begin();
            }
            this.session = session;
            this.known = known;
            this.values = values;
        }

        /**
         * Traces all values in {@code value}.
         *
         * @param amount whether the name that is nearest says that a number is an amount
         */
        void leaves(String argument, boolean amount, String pointer, JsonNode value) {
            if (tooMuch) {
                return;
            }
            if (value.isContainer() && !value.isEmpty() && value.size() <= 1) {
                bits++; // how deep a value lies can tell something too
            }
            if (value.isArray() && !value.isEmpty()) {
                int i = 0;
                for (JsonNode element : value) {
                    leaves(argument, amount, pointer + "/" + i++, element);
                }
            } else if (value.isObject() && !value.isEmpty()) {
                value.forEachEntry((name, member) -> {
                    if (known.contains(name)) {
                        bits++; // which of the names that the server states are there can tell something too
                    } else {
                        text(argument, step(pointer, name), name); // a model can put a secret into a name too
                    }
                    leaves(argument, known.contains(name) && isAmount(name), step(pointer, name), member);
                });
            } else if (value.isString()) {
                text(argument, pointer, value.stringValue());
            } else if (value.isNumber()) {
                value(argument, pointer, value.asString(), !amount);
            } else {
                bits++; // true, false, null and nothing carry one bit each, and a few are neither traced nor asked for
                untraced();
            }
        }

        private void untraced() {
            if (planner != null) {
                planner.wroteUntraced();
            }
        }

        /** A number that is written as a text stands for something: an amount is written as a number. */
        private void text(String argument, String pointer, String text) {
            value(argument, pointer, text, true);
        }

        private void value(String argument, String pointer, String text, boolean reference) {
            if (text.isBlank() && text.length() <= 1) {
                bits++;
                untraced();
                return;
            }
            chars += text.length();
            if (chars > MOST_CHARS || values.size() >= MOST_VALUES) {
                tooMuch = true;
                return;
            }
            Trace trace = seen.trace(text, reference, argument, session);
            if (planner != null) {
                for (String hidden : planner.wrote(text, reference, argument, pointer, session)) {
                    trace = with(trace, seen.trace(hidden, reference, argument, session));
                }
            }
            said += trace.said() ? 1 : 0;
            named += trace.named() ? 1 : 0;
            values.add(new ArgumentValue(
                    argument,
                    pointer,
                    trace.label(),
                    trace.named(),
                    trace.vouched(),
                    trace.unmatched(),
                    trace.origins()));
        }

        /** A text that has a hidden value in it carries what the handle there would have carried. */
        private static Trace with(Trace text, Trace hidden) {
            return new Trace(
                    text.label().join(hidden.label()),
                    text.named() && hidden.named(),
                    text.vouched() && hidden.vouched(),
                    text.unmatched(),
                    text.said(),
                    Stream.concat(text.origins().stream(), hidden.origins().stream())
                            .distinct()
                            .toList());
        }
    }
}
