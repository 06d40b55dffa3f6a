package dev.sluice.guard;

import dev.sluice.policy.PlainName;
import dev.sluice.store.Session;
import dev.sluice.store.Transaction;
import dev.sluice.store.VariableStore;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import tools.jackson.databind.JsonNode;

/** The values of one answer that are kept from the agent, and their handles. */
final class Hidden {

    /** More values than this are kept for no session. */
    static final long MOST = 10_000;

    /** More characters than this, labels and all, are kept for no session. */
    static final long MOST_CHARS = 16L << 20;

    /** So many handles are told of in words. */
    private static final int MOST_TOLD = 50;

    /** What stands where there is no room for another. */
    static final String WITHHELD = "[withheld: this session keeps as much as it can]";

    /**
     * One value.
     *
     * @param text the value as JSON
     * @param part what it is
     * @param place where it stood, in words that the server's data did not choose
     */
    record Value(String id, String text, Part part, String place, Description description) {

        /** An estimate that is rather too large: the label is not written yet. */
        long size() {
            return text.length()
                    + 500L
                    + part.label().confidentiality().sources().size() * 100L;
        }

        /** Returns the value as it stands in a text. */
        String plain() {
            JsonNode value = Variables.tree(text);
            return value.isString() ? value.stringValue() : text;
        }

        List<Part> parts() {
            return Variables.parts(Variables.tree(text), part);
        }
    }

    private final VariableStore.Room taken;
    private final List<Value> values = new ArrayList<>();
    private final Set<String> described = new HashSet<>();
    private long size;
    private int withheld;
    private int left;

    /** Starts with what the session keeps already. */
    Hidden(VariableStore.Room taken) {
        this.taken = taken;
    }

    /** Returns one with no room: everything is withheld. */
    static Hidden full() {
        return new Hidden(new VariableStore.Room(MOST, MOST_CHARS));
    }

    /** Returns the handle that stands for {@code value}, or words that say that it is not kept. */
    String handle(JsonNode value, Part part, String place, KnownShape shape) {
        if (taken.count() + values.size() >= MOST || taken.size() + size >= MOST_CHARS) {
            withheld++;
            return WITHHELD;
        }
        Value kept = new Value(Handle.next(), value.toString(), part, place, Description.of(value, shape));
        if (taken.size() + size + kept.size() > MOST_CHARS) {
            withheld++;
            return WITHHELD;
        }
        values.add(kept);
        size += kept.size();
        return kept.id();
    }

    /** Returns the handle of the only value of a text, with words about it. */
    String described(JsonNode value, Part part, String place, KnownShape shape, String from) {
        String handle = handle(value, part, place, shape);
        described.add(handle);
        return handle.equals(WITHHELD) ? handle : told(values.get(values.size() - 1), from);
    }

    /** Notes that something was left out that has no place for a handle. */
    void leftOut() {
        left++;
    }

    /** Takes everything back. */
    void clear() {
        values.clear();
        described.clear();
        size = 0;
        withheld = 0;
        left = 0;
    }

    /** Returns whether there is something of which no words stand in its place. */
    boolean mustBeTold() {
        return withheld() > 0 || values.stream().anyMatch(each -> !described.contains(each.id()));
    }

    List<Value> values() {
        return values;
    }

    /** Returns whether this still fits beside what the session keeps by now. */
    boolean fits(Transaction tx, Session session) {
        if (values.isEmpty()) {
            return true;
        }
        VariableStore.Room now = tx.variables().taken(session.id());
        return now.count() + values.size() <= MOST && now.size() + size <= MOST_CHARS;
    }

    int count() {
        return values.size();
    }

    int withheld() {
        return withheld + left;
    }

    private static String told(Value value, String from) {
        return value.id() + " (" + value.description().kind() + ", from " + PlainName.of(from)
                + (value.place().isEmpty() ? "" : " " + PlainName.of(value.place())) + ")";
    }

    /** Returns what the handles stand for, for the model. */
    String told(String from) {
        StringJoiner told = new StringJoiner("\n");
        told.add("Untrusted parts of this answer are kept back. Pass a handle on wherever its value is wanted:");
        List<Value> silent =
                values.stream().filter(each -> !described.contains(each.id())).toList();
        silent.stream().limit(MOST_TOLD).forEach(each -> told.add(told(each, from)));
        if (silent.size() > MOST_TOLD) {
            told.add("and " + (silent.size() - MOST_TOLD) + " more");
        }
        if (withheld() > 0) {
            told.add(withheld() + " parts are not kept at all");
        }
        return told.toString();
    }
}
