package dev.sluice.wire.canonical;

import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonPointers;

/** What canonical forms refuse, in sentences that name the place and quote no values. */
final class Refusals {

    /** Most levels of objects and arrays inside each other. */
    static final int DEEPEST = 512;

    static final String TOO_DEEP = "it is nested deeper than " + DEEPEST + " levels; nest less deeply";
    static final String TOO_LARGE = "it is a number too large for a double; write it as a string";
    static final String ROUNDED =
            "it is an integer beyond 2^53 that would become another one in canonical form; write it as a string";
    static final String LONE_SURROGATE =
            "it holds half of a surrogate pair, which UTF-8 can't carry; write both halves or neither";

    private Refusals() {}

    /** Returns the refusal of a value at a place, a JSON Pointer. */
    static CanonicalizationException at(String pointer, String fault) {
        return new CanonicalizationException(place(pointer) + " can't be canonicalised: " + fault);
    }

    /** Returns how a sentence names the value at a place. */
    static String place(String pointer) {
        return pointer.isEmpty() ? "the value" : "the value at `" + pointer + "`";
    }

    /** Returns the refusal of {@code node}, seen from {@code root}. */
    static CanonicalizationException at(JsonIndex index, int root, int node, String fault) {
        return at(pointer(index, root, node), fault);
    }

    /** Returns the JSON Pointer that leads from {@code root} to {@code node}. */
    static String pointer(JsonIndex index, int root, int node) {
        StringBuilder pointer = new StringBuilder();
        int at = root;
        while (at != node) {
            boolean object = index.kind(at) == Kind.OBJECT;
            int step = object ? 1 : 0;
            int child = at + 1 + step;
            int place = 0;
            while (index.next(child) <= node) {
                child = index.next(child) + step;
                place++;
            }
            pointer.append(JsonPointers.step(object ? index.text(child - 1) : Integer.toString(place)));
            at = child;
        }
        return pointer.toString();
    }
}
