package dev.sluice.guard;

import dev.sluice.guard.provenance.Provenance;
import dev.sluice.guard.provenance.Trace;
import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What the planner of a rehearsed session read, what it had handles of, and which of its calls it could not have written
 * with those.
 *
 * <p>A recorded call holds values, so one that is the whole of a hidden value, or is put together of such values and of what
 * was read, could have been written with handles. Whatever else was found nowhere is made of what was hidden.
 */
final class Planner {

    /** Shorter values stand in longer texts by chance. */
    private static final int SHORTEST = 4;

    /** Where a hidden value stood: in which answer, and at which place in any item of it. */
    private record Where(String call, String place) {}

    private final Provenance read = new Provenance();
    private final Map<String, Set<Where>> hidden =
            new TreeMap<>(Comparator.comparingInt(String::length).reversed().thenComparing(Comparator.naturalOrder()));
    private final Map<Where, Set<String>> alike = new HashMap<>();
    private final Set<String> unserved = new HashSet<>();
    private final List<StandIn> standIns = new ArrayList<>();
    private boolean hides;
    private boolean lacks;
    private boolean chooses;

    /** Returns what the planner read; what is added to it counts as read. */
    Provenance read() {
        return read;
    }

    /** Takes note of what was hidden of an answer. */
    void hidden(Hidden values, Origin origin) {
        if (values.count() + values.withheld() == 0) {
            return;
        }
        hides = true;
        unserved.add(origin.call());
        for (Hidden.Value value : values.values()) {
            Where where = new Where(origin.call(), value.place().replaceAll("/\\d+(?=/|$)", "/*"));
            hidden.computeIfAbsent(value.plain(), text -> new HashSet<>()).add(where);
            alike.computeIfAbsent(where, place -> new HashSet<>()).add(value.plain());
        }
    }

    /** Begins a call: what is noted from now on are its values. */
    void begin() {
        standIns.clear();
    }

    /** Returns which values of the last call stand for handles. */
    List<StandIn> standIns() {
        return List.copyOf(standIns);
    }

    /** Takes note of a value that is none to be looked for, such as a truth value: it may tell of anything. */
    void wroteUntraced() {
        lacks |= hides;
    }

    /**
     * Takes note of a value of a call; what is said of it is as in {@link Provenance#trace}.
     *
     * @param pointer where in the arguments it stands
     * @return the hidden values that it has in it among others, which a handle would have stood for
     */
    List<String> wrote(String text, boolean reference, String argument, String pointer, Label session) {
        if (!hides) {
            return List.of();
        }
        Trace trace = read.trace(text, reference, argument, session);
        if (!trace.unmatched()) {
            trace.origins().forEach(origin -> unserved.remove(origin.call()));
            return List.of();
        }
        Set<Where> whole = hidden.get(text);
        if (whole != null) {
            pass(whole);
            standsIn(pointer, true, List.of(whole));
            return List.of();
        }
        List<String> texts = new ArrayList<>();
        List<Set<Where>> inside = new ArrayList<>();
        String own = text;
        for (Map.Entry<String, Set<Where>> value : hidden.entrySet()) {
            if (value.getKey().length() >= SHORTEST && own.contains(value.getKey())) {
                own = own.replace(value.getKey(), " ");
                texts.add(value.getKey());
                inside.add(value.getValue());
            }
        }
        if (!inside.isEmpty()) {
            standsIn(pointer, false, inside);
        }
        boolean silent = own.codePoints().noneMatch(Character::isLetterOrDigit);
        if (inside.isEmpty()
                || (!silent && read.trace(own.strip(), true, argument, session).unmatched())) {
            lacks = true;
            return texts;
        }
        inside.forEach(this::pass);
        return texts;
    }

    private void standsIn(String pointer, boolean whole, List<Set<Where>> values) {
        standIns.add(new StandIn(
                pointer,
                whole,
                values.stream().flatMap(Set::stream).map(Where::call).collect(Collectors.toSet())));
    }

    private void pass(Set<Where> places) {
        places.forEach(where -> unserved.remove(where.call()));
        chooses |= places.stream()
                .noneMatch(where -> alike.getOrDefault(where, Set.of()).size() == 1);
    }

    /** Returns what came of it, where {@code trusted} says that no untrusted text was read. */
    Planned planned(boolean trusted) {
        boolean unread = trusted && !lacks;
        return new Planned(unread, unread && !chooses && unserved.isEmpty());
    }
}
