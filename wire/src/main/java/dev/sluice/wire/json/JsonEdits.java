package dev.sluice.wire.json;

import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Edits of one indexed JSON text, collected in any order and applied to a new array; all bytes that no edit names stay
 * as they are.
 *
 * <p>Values, names and element numbers always mean the text as indexed, never the text as edited so far. Of two edits
 * of the same value or member the later wins. An edit inside a value that another edit replaces or removes is a mistake
 * of the caller, and {@link #apply()} refuses it. What is put in must be one JSON value.
 */
public final class JsonEdits {

    private final JsonIndex index;
    private final Map<Integer, byte[]> replacements = new HashMap<>();
    private final Map<Integer, Container> containers = new HashMap<>();
    private final Set<Integer> removed = new HashSet<>();
    private final Map<Integer, Map<String, Integer>> members = new HashMap<>();
    private final Map<Integer, int[]> elements = new HashMap<>();

    /** Starts without edits. */
    public JsonEdits(JsonIndex index) {
        this.index = index;
    }

    /** Puts {@code json} in the place of a value. */
    public JsonEdits replace(Value value, byte[] json) {
        requireOwn(value);
        replacements.put(value.id(), requireJson(json));
        removed.remove(value.id());
        return this;
    }

    /** Replaces the value of a member, or appends the member where the object has none of that name. */
    public JsonEdits setMember(Value object, String name, byte[] json) {
        requireJson(json);
        Container container = container(object, Kind.OBJECT);
        Integer present = members(object.id()).get(name);
        if (present != null) {
            removed.remove(present);
            replacements.put(present, json);
        } else {
            container.added.put(requireName(name), json);
        }
        return this;
    }

    /**
     * Appends a member.
     *
     * @throws IllegalArgumentException where the object has a member of that name, or got one by another edit
     */
    public JsonEdits insertMember(Value object, String name, byte[] json) {
        requireJson(json);
        Container container = container(object, Kind.OBJECT);
        if (members(object.id()).containsKey(name) || container.added.containsKey(name)) {
            throw new IllegalArgumentException("`" + name + "` is there already: set it instead of inserting it");
        }
        container.added.put(requireName(name), json);
        return this;
    }

    /** Takes a member out; nothing where the object has none of that name. */
    public JsonEdits removeMember(Value object, String name) {
        Container container = container(object, Kind.OBJECT);
        container.added.remove(name);
        Integer value = members(object.id()).get(name);
        if (value != null) {
            replacements.remove(value);
            removed.add(value);
        }
        return this;
    }

    /**
     * Takes an element out.
     *
     * @throws IndexOutOfBoundsException where the array has no element {@code i}
     */
    public JsonEdits removeElement(Value array, int i) {
        Container container = container(array, Kind.ARRAY);
        int element = container.children[Objects.checkIndex(i, container.children.length)];
        replacements.remove(element);
        removed.add(element);
        return this;
    }

    /**
     * Puts an element before element {@code i}, or after the last where {@code i} is the size; several at one place stay
     * in the order of the calls.
     *
     * @throws IndexOutOfBoundsException where {@code i} is over the size
     */
    public JsonEdits insertElement(Value array, int i, byte[] json) {
        requireJson(json);
        Container container = container(array, Kind.ARRAY);
        Objects.checkIndex(i, container.children.length + 1);
        container.inserted.computeIfAbsent(i, place -> new ArrayList<>()).add(json);
        return this;
    }

    /** Puts an element after the last. */
    public JsonEdits appendElement(Value array, byte[] json) {
        return insertElement(array, array.size(), json);
    }

    /**
     * Puts {@code json} in the place of the value to which a JSON Pointer leads from {@code from}; where its last token is
     * {@code -}, after the last element of that array. A member that is missing is added to its object; else nothing is
     * done where it leads nowhere.
     *
     * @throws IllegalArgumentException where the text is no JSON Pointer
     */
    public JsonEdits replaceAt(Value from, String pointer, byte[] json) {
        if (pointer.endsWith("/-")) {
            find(from, pointer.substring(0, pointer.length() - 2)).ifPresent(array -> appendElement(array, json));
        } else {
            Optional<Value> there = find(from, pointer);
            if (there.isPresent()) {
                replace(there.get(), json);
            } else {
                find(from, pointer.substring(0, pointer.lastIndexOf('/')))
                        .filter(holder -> holder.kind() == Kind.OBJECT)
                        .ifPresent(holder -> setMember(holder, last(pointer), json));
            }
        }
        return this;
    }

    /**
     * Returns the value to which a JSON Pointer leads from {@code from}, as {@link Value#pointer} does; what was found of a
     * list or an object is kept, so that edits of each of its parts take no longer than the text is long.
     *
     * @throws IllegalArgumentException where the text is no JSON Pointer
     */
    public Optional<Value> find(Value from, String pointer) {
        requireOwn(from);
        int at = from.id();
        for (String token : JsonPointers.tokens(pointer)) {
            Integer next = index.kind(at) == Kind.ARRAY
                    ? element(at, token)
                    : members(at).get(token);
            if (next == null) {
                return Optional.empty();
            }
            at = next;
        }
        return Optional.of(index.value(at));
    }

    private @Nullable Integer element(int array, String token) {
        int wanted = JsonPointers.arrayIndex(token);
        int[] all = elements.computeIfAbsent(array, index::children);
        return wanted < 0 || wanted >= all.length ? null : all[wanted];
    }

    private Map<String, Integer> members(int object) {
        if (index.kind(object) != Kind.OBJECT) {
            return Map.of();
        }
        return members.computeIfAbsent(object, id -> {
            Map<String, Integer> named = new HashMap<>();
            for (int child : index.children(id)) {
                named.put(index.text(child - 1), child);
            }
            return named;
        });
    }

    private static String last(String pointer) {
        List<String> tokens = JsonPointers.tokens(pointer);
        return tokens.get(tokens.size() - 1);
    }

    /**
     * Takes the member or element out to which a JSON Pointer leads from {@code from}. Nothing where it leads nowhere.
     *
     * @throws IllegalArgumentException where the text is no JSON Pointer, or the empty one
     */
    public JsonEdits removeAt(Value from, String pointer) {
        List<String> tokens = JsonPointers.tokens(pointer);
        if (tokens.isEmpty()) {
            throw new IllegalArgumentException("the whole value can't be taken out: replace it");
        }
        String last = tokens.get(tokens.size() - 1);
        Optional<Value> holder = find(from, pointer.substring(0, pointer.lastIndexOf('/')));
        if (holder.isPresent() && holder.get().kind() == Kind.OBJECT) {
            removeMember(holder.get(), last);
        } else if (holder.isPresent() && find(from, pointer).isPresent()) {
            removeElement(holder.get(), JsonPointers.arrayIndex(last));
        }
        return this;
    }

    /** Returns whether no edit was made, so that the text can be forwarded as it is. */
    public boolean isEmpty() {
        return replacements.isEmpty()
                && removed.isEmpty()
                && containers.values().stream().allMatch(c -> c.added.isEmpty() && c.inserted.isEmpty());
    }

    /**
     * Returns the text with all edits made, white space around it included.
     *
     * @throws IllegalStateException where one edit lies inside what another replaces or removes
     */
    public byte[] apply() {
        List<Splice> splices = new ArrayList<>();
        replacements.forEach((id, json) -> splices.add(new Splice(index.start(id), index.end(id), json)));
        containers.values().forEach(container -> container.splice(splices));
        // An insertion at the first byte of a replaced range belongs before it.
        splices.sort(Comparator.comparingInt(Splice::start).thenComparingInt(Splice::end));
        byte[] source = index.array();
        int at = index.offset();
        int length = index.length();
        for (Splice splice : splices) {
            if (splice.start < at) {
                throw new IllegalStateException("two edits change the byte at " + (splice.start - index.offset())
                        + ": don't edit inside a value that is replaced or removed");
            }
            length = Math.addExact(length, splice.bytes.length - (splice.end - splice.start));
            at = splice.end;
        }
        byte[] out = new byte[length]; // long texts are copied once only
        int to = 0;
        at = index.offset();
        for (Splice splice : splices) {
            to = copied(source, at, splice.start - at, out, to);
            to = copied(splice.bytes, 0, splice.bytes.length, out, to);
            at = splice.end;
        }
        copied(source, at, index.offset() + index.length() - at, out, to);
        return out;
    }

    private static int copied(byte[] source, int from, int length, byte[] out, int to) {
        System.arraycopy(source, from, out, to, length);
        return to + length;
    }

    private Container container(Value value, Kind kind) {
        requireOwn(value);
        if (value.kind() != kind) {
            throw new IllegalArgumentException("the value at byte " + (value.start() - index.offset()) + " is no "
                    + (kind == Kind.OBJECT ? "object" : "array"));
        }
        return containers.computeIfAbsent(value.id(), Container::new);
    }

    private void requireOwn(Value value) {
        if (value.index() != index) {
            throw new IllegalArgumentException("a value of another text can't be edited here");
        }
    }

    private static byte[] requireJson(byte[] json) {
        try {
            JsonIndex.parse(json);
        } catch (MalformedJsonException e) {
            throw new IllegalArgumentException("what an edit puts in must be one JSON value: " + e.getMessage(), e);
        }
        return json;
    }

    private static String requireName(String name) {
        if (!JsonStrings.isWellFormed(name)) {
            throw new IllegalArgumentException(
                    "a member name holds half of a surrogate pair: write both halves or neither");
        }
        return name;
    }

    /** Bytes that take the place of a range. */
    private static final class Splice {

        private final int start;
        private final int end;
        private final byte[] bytes;

        Splice(int start, int end, byte[] bytes) {
            this.start = start;
            this.end = end;
            this.bytes = bytes;
        }

        int start() {
            return start;
        }

        int end() {
            return end;
        }
    }

    /** What happens to the members or elements of one object or array. */
    private final class Container {

        private final int id;
        private final int[] children;
        private final boolean object;
        private final Map<String, byte[]> added = new LinkedHashMap<>();
        private final NavigableMap<Integer, List<byte[]>> inserted = new TreeMap<>();

        Container(int id) {
            this.id = id;
            this.children = index.children(id);
            this.object = index.kind(id) == Kind.OBJECT;
        }

        /**
         * Handles each stretch between two kept neighbours as one splice: behind a kept child everything up to the end
         * of the last removed one goes, so that the separator before the next kept child stays.
         */
        void splice(List<Splice> splices) {
            int kept = -1;
            for (int next = 0; next <= children.length; next++) {
                if (next < children.length && removed.contains(children[next])) {
                    continue;
                }
                List<byte[]> items = items(kept + 1, next);
                if (next > kept + 1 || !items.isEmpty()) {
                    splices.add(between(kept, next, items));
                }
                kept = next;
            }
        }

        private Splice between(int kept, int next, List<byte[]> items) {
            if (kept >= 0) {
                return new Splice(end(kept), end(next - 1), joined(items, ",", ""));
            }
            if (next < children.length) {
                return new Splice(start(0), start(next), joined(items, "", ","));
            }
            byte[] all = joined(items, "", ",");
            byte[] bytes = all.length == 0 ? all : Arrays.copyOf(all, all.length - 1);
            return children.length == 0
                    ? new Splice(index.start(id) + 1, index.start(id) + 1, bytes)
                    : new Splice(start(0), end(children.length - 1), bytes);
        }

        private List<byte[]> items(int from, int to) {
            List<byte[]> items = new ArrayList<>();
            if (object) {
                if (to == children.length) {
                    added.forEach((name, json) -> {
                        ByteArrayOutputStream member = new ByteArrayOutputStream();
                        member.writeBytes(JsonStrings.encode(name));
                        member.write(':');
                        member.writeBytes(json);
                        items.add(member.toByteArray());
                    });
                }
            } else {
                inserted.subMap(from, true, to, true).values().forEach(items::addAll);
            }
            return items;
        }

        private int start(int child) {
            return index.start(object ? children[child] - 1 : children[child]);
        }

        private int end(int child) {
            return index.end(children[child]);
        }
    }

    private static byte[] joined(List<byte[]> items, String before, String after) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] item : items) {
            out.writeBytes(before.getBytes(StandardCharsets.US_ASCII));
            out.writeBytes(item);
            out.writeBytes(after.getBytes(StandardCharsets.US_ASCII));
        }
        return out.toByteArray();
    }
}
