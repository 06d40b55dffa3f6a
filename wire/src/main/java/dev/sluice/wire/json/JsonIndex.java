package dev.sluice.wire.json;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * The values of one JSON text (RFC 8259, UTF-8) as ranges of its bytes.
 *
 * <p>Strict: what two readers could understand in two ways is refused with a {@link MalformedJsonException}: duplicate
 * member names (compared after unescaping), a byte order mark, bytes that are not UTF-8, and whatever RFC 8259 has no
 * rule for. An escaped half of a surrogate pair is JSON: it is kept in string values, and reported by
 * {@link #hasLoneSurrogate()}.
 *
 * <p>Code that visits every value does so by node ids: nodes are numbered in the order of the text from 0, the root,
 * and a member's name is the node before its value. Only ids of this index may be asked about.
 *
 * <p>The index keeps the given array and copies nothing; nobody may write to the array as long as the index is in use.
 * Immutable, and safe to share between threads.
 */
public final class JsonIndex {

    /**
     * What one text may hold.
     *
     * @param depth most levels of objects and arrays inside each other; at least 1
     * @param numberChars longest number, in characters; at least 1
     * @param values most values, members' names not counted; from 1 to 100,000,000
     */
    public record Limits(int depth, int numberChars, int values) {

        /** 256 levels, numbers of 1,000 characters, 2,000,000 values. */
        public static final Limits DEFAULT = new Limits(256, 1000, 2_000_000);

        /**
         * Takes the limits.
         *
         * @throws IllegalArgumentException for a limit out of its range
         */
        public Limits {
            if (depth < 1 || numberChars < 1 || values < 1 || values > 100_000_000) {
                throw new IllegalArgumentException("limits `" + depth + "`, `" + numberChars + "`, `" + values
                        + "` are out of range: levels and number length start at 1, values run from 1 to 100000000");
            }
        }
    }

    /** The kinds of JSON value. */
    public enum Kind {
        /** Members in braces. */
        OBJECT(0),
        /** Elements in brackets. */
        ARRAY(1),
        /** A string in quotes. */
        STRING(2),
        /** A number. */
        NUMBER(3),
        /** The literal true. */
        TRUE(4),
        /** The literal false. */
        FALSE(5),
        /** The literal null. */
        NULL(6);

        private static final Kind[] BY_CODE = {OBJECT, ARRAY, STRING, NUMBER, TRUE, FALSE, NULL};

        /** How the tape writes this kind. */
        final int code;

        Kind(int code) {
            this.code = code;
        }
    }

    private final byte[] bytes;
    private final int offset;
    private final int length;
    private final int[] tape;
    private final boolean loneSurrogate;

    private JsonIndex(byte[] bytes, int offset, int length, int[] tape, boolean loneSurrogate) {
        this.bytes = bytes;
        this.offset = offset;
        this.length = length;
        this.tape = tape;
        this.loneSurrogate = loneSurrogate;
    }

    /**
     * Indexes the text in all of {@code bytes}, within {@link Limits#DEFAULT}.
     *
     * @throws MalformedJsonException where it is not one JSON text, or over a limit
     */
    public static JsonIndex parse(byte[] bytes) {
        return parse(bytes, 0, bytes.length, Limits.DEFAULT);
    }

    /**
     * Indexes the text in {@code length} bytes from {@code offset} on.
     *
     * @throws MalformedJsonException where they are not one JSON text, or over a limit
     * @throws IndexOutOfBoundsException where the range is not in the array
     */
    public static JsonIndex parse(byte[] bytes, int offset, int length, Limits limits) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        JsonScanner scanner = new JsonScanner(bytes, offset, length, limits);
        scanner.scan();
        return new JsonIndex(bytes, offset, length, scanner.tape(), scanner.loneSurrogate());
    }

    /** Returns the one value of the text. */
    public Value root() {
        return new Value(this, 0);
    }

    /** Returns whether a string value holds an escaped half of a surrogate pair, which has no UTF-8 form. */
    public boolean hasLoneSurrogate() {
        return loneSurrogate;
    }

    /** Returns the array that the ranges refer to, not a copy. */
    public byte[] array() {
        return bytes;
    }

    /** Returns the first byte of the text in {@link #array()}, white space included. */
    public int offset() {
        return offset;
    }

    /** Returns the bytes of the text, white space included. */
    public int length() {
        return length;
    }

    /** Returns the first byte of a node, an index into {@link #array()}. */
    public int start(int id) {
        return tape[id * JsonScanner.WIDTH];
    }

    /** Returns the byte after a node's last. */
    public int end(int id) {
        return tape[id * JsonScanner.WIDTH + JsonScanner.END];
    }

    /** Returns the id of the node after this one and all below it. */
    public int next(int id) {
        return tape[id * JsonScanner.WIDTH + JsonScanner.NEXT];
    }

    /** Returns what kind of value a node is; a member's name is a string. */
    public Kind kind(int id) {
        return Kind.BY_CODE[tape[id * JsonScanner.WIDTH + JsonScanner.ABOUT] & JsonScanner.KIND_MASK];
    }

    /** Returns the number of a container's members or elements; 0 for any other node. */
    public int size(int id) {
        return tape[id * JsonScanner.WIDTH + JsonScanner.ABOUT] >>> JsonScanner.SIZE_SHIFT;
    }

    /** Returns the text of a string node, unescaped. */
    public String text(int id) {
        return JsonStrings.decode(bytes, start(id), end(id), isEscaped(id));
    }

    /** Returns whether a string node holds a backslash. */
    public boolean isEscaped(int id) {
        return (tape[id * JsonScanner.WIDTH + JsonScanner.ABOUT] & JsonScanner.ESCAPED) != 0;
    }

    Value value(int id) {
        return new Value(this, id);
    }

    /** Returns the ids of the values in a container, in their order. */
    int[] children(int id) {
        int step = kind(id) == Kind.OBJECT ? 1 : 0;
        int[] children = new int[size(id)];
        int child = id + 1 + step;
        for (int i = 0; i < children.length; i++) {
            children[i] = child;
            child = next(child) + step;
        }
        return children;
    }

    /** Returns the id of a member's value, or -1. */
    private int member(int object, String name) {
        if (kind(object) != Kind.OBJECT || !JsonStrings.isWellFormed(name)) {
            return -1;
        }
        byte[] wanted = name.getBytes(StandardCharsets.UTF_8);
        int end = next(object);
        for (int key = object + 1; key < end; key = next(key + 1)) {
            boolean same = isEscaped(key)
                    ? text(key).equals(name)
                    : Arrays.equals(bytes, start(key) + 1, end(key) - 1, wanted, 0, wanted.length);
            if (same) {
                return key + 1;
            }
        }
        return -1;
    }

    /** One value of an index. Equal where both stand for the same value of the same index. */
    public static final class Value {

        private final JsonIndex index;
        private final int id;

        private Value(JsonIndex index, int id) {
            this.index = index;
            this.id = id;
        }

        /** Returns the index that this value is in. */
        public JsonIndex index() {
            return index;
        }

        /** Returns the node of this value. */
        public int id() {
            return id;
        }

        /** Returns what kind of value this is. */
        public Kind kind() {
            return index.kind(id);
        }

        /** Returns the first byte, an index into {@link JsonIndex#array()}. */
        public int start() {
            return index.start(id);
        }

        /** Returns the byte after the last, an index into {@link JsonIndex#array()}. */
        public int end() {
            return index.end(id);
        }

        /** Returns the number of members or elements; 0 for any other kind. */
        public int size() {
            return index.size(id);
        }

        /** Returns the value of a member of that name; empty where there is none or this is no object. */
        public Optional<Value> member(String name) {
            int found = index.member(id, name);
            return found < 0 ? Optional.empty() : Optional.of(new Value(index, found));
        }

        /** Returns the members in their order; none where this is no object. */
        public List<Member> members() {
            if (kind() != Kind.OBJECT) {
                return List.of();
            }
            List<Member> members = new ArrayList<>(size());
            for (int child : index.children(id)) {
                members.add(new Member(index, child));
            }
            return members;
        }

        /** Returns the elements in their order; none where this is no array. */
        public List<Value> elements() {
            if (kind() != Kind.ARRAY) {
                return List.of();
            }
            List<Value> elements = new ArrayList<>(size());
            for (int child : index.children(id)) {
                elements.add(new Value(index, child));
            }
            return elements;
        }

        /**
         * Returns the value that a JSON Pointer (RFC 6901) leads to from here; empty where it leads nowhere.
         *
         * @throws IllegalArgumentException where the text is no JSON Pointer
         */
        public Optional<Value> pointer(String jsonPointer) {
            Value at = this;
            for (String token : JsonPointers.tokens(jsonPointer)) {
                Optional<Value> next = at.kind() == Kind.ARRAY ? at.element(token) : at.member(token);
                if (next.isEmpty()) {
                    return next;
                }
                at = next.get();
            }
            return Optional.of(at);
        }

        private Optional<Value> element(String token) {
            int wanted = JsonPointers.arrayIndex(token);
            if (wanted < 0 || wanted >= size()) {
                return Optional.empty();
            }
            int child = id + 1;
            for (int i = 0; i < wanted; i++) {
                child = index.next(child);
            }
            return Optional.of(new Value(index, child));
        }

        /**
         * Returns the text of a string, unescaped.
         *
         * @throws IllegalStateException where this is no string
         */
        public String string() {
            if (kind() != Kind.STRING) {
                throw new IllegalStateException("the value at byte " + (start() - index.offset) + " is no string");
            }
            return index.text(id);
        }

        /** Returns the value as it was written. */
        public String raw() {
            return new String(index.bytes, start(), end() - start(), StandardCharsets.UTF_8);
        }

        /** Returns a copy of the value's bytes. */
        public byte[] bytes() {
            return Arrays.copyOfRange(index.bytes, start(), end());
        }

        /**
         * Returns the value as a Jackson tree, all numbers exact.
         *
         * <p>A decimal node may have an exponent of two thousand million: compare it or write it, but never ask for its
         * plain digits or its big integer.
         */
        public JsonNode tree() {
            return JsonTree.build(index, id);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Value value && value.index == index && value.id == id;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(index) * 31 + id;
        }

        /** Returns kind and range; not the text, which may be private. */
        @Override
        public String toString() {
            return kind() + "[" + start() + "," + end() + ")";
        }
    }

    /** One member of an object: its name, the name's range with quotes, and its value. */
    public static final class Member {

        private final JsonIndex index;
        private final int value;

        private Member(JsonIndex index, int value) {
            this.index = index;
            this.value = value;
        }

        /** Returns the name, unescaped. */
        public String name() {
            return index.text(value - 1);
        }

        /** Returns the first byte of the name, its quote. */
        public int keyStart() {
            return index.start(value - 1);
        }

        /** Returns the byte after the name's closing quote. */
        public int keyEnd() {
            return index.end(value - 1);
        }

        /** Returns the value. */
        public Value value() {
            return new Value(index, value);
        }
    }
}
