package dev.sluice.wire;

import dev.sluice.wire.Finding.Code;
import dev.sluice.wire.json.JsonPointers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** One reading of annotations: the rules for single members, and the faults met so far. */
final class Decoding {

    /** Longest text of an unknown value that is kept, in UTF-16 units; the rest is for nobody to read. */
    private static final int LONGEST_TEXT = 200;

    private final List<Finding> findings = new ArrayList<>();

    <T> Decoded<T> result(T value) {
        return new Decoded<>(value, findings);
    }

    void report(Code code, String pointer, String message) {
        findings.add(new Finding(code, pointer, message));
    }

    /** Returns a member that says yes or no; {@code strict} where it says something else. */
    Claim claim(JsonNode object, String name, Claim strict, String pointer) {
        JsonNode member = object.get(name);
        if (member == null) {
            return Claim.ABSENT;
        }
        if (member.isBoolean()) {
            return Claim.of(member.booleanValue());
        }
        report(
                Code.NOT_A_BOOLEAN,
                pointer + JsonPointers.step(name),
                "`" + name + "` is " + kind(member) + ": write true or false; read as "
                        + (strict == Claim.TRUE ? "true" : "false"));
        return strict;
    }

    /** Returns a member's text, or an empty one where it is absent or no string. */
    String text(JsonNode object, String name, String pointer) {
        JsonNode member = object.get(name);
        if (member == null) {
            return "";
        }
        if (member.isString()) {
            return member.stringValue();
        }
        report(
                Code.NOT_A_STRING,
                pointer + JsonPointers.step(name),
                "`" + name + "` is " + kind(member) + ": write a string; read as absent");
        return "";
    }

    /**
     * Returns a member that carries annotations, such as {@code _meta}; empty where it is absent, null, or no object.
     * Null is how some serialisers write an absent member.
     */
    Optional<ObjectNode> carrier(JsonNode object, String name, String pointer) {
        JsonNode member = object.get(name);
        if (member == null || member.isNull()) {
            return Optional.empty();
        }
        if (member instanceof ObjectNode carrier) {
            return Optional.of(carrier);
        }
        report(
                Code.NOT_AN_OBJECT,
                pointer + JsonPointers.step(name),
                "`" + name + "` is " + kind(member) + ": write an object; read as absent");
        return Optional.empty();
    }

    void notAnObject(String name, JsonNode found, String pointer) {
        report(
                Code.NOT_AN_OBJECT,
                pointer,
                "`" + name + "` is " + kind(found) + ": write an object; read as the strictest");
    }

    void unknown(String name, JsonNode found, String pointer, String vocabulary) {
        report(
                Code.UNKNOWN_VALUE,
                pointer,
                "`" + shown(found) + "` is no known value of `" + name + "`: use " + vocabulary
                        + "; read as the strictest");
    }

    /** Reports two statements of one matter that are not the same. */
    void conflict(String name, Dimension<?> one, Dimension<?> other, String pointer) {
        if (one.stated() && other.stated() && !one.equals(other)) {
            conflict(name, pointer);
        }
    }

    /** Reports two claims of one matter of which one says yes and the other no. */
    void conflict(String name, Claim one, Claim other, String pointer) {
        if (one != Claim.ABSENT && other != Claim.ABSENT && one != other) {
            conflict(name, pointer);
        }
    }

    private void conflict(String name, String pointer) {
        report(
                Code.CONFLICT,
                pointer,
                "`" + name + "` is stated in two places that differ: state the same in both; the stricter holds");
    }

    /** Returns the texts of a member that is one string or a list of them, each once; others are left out. */
    List<String> texts(JsonNode object, String name, String pointer) {
        JsonNode member = object.get(name);
        if (member == null) {
            return List.of();
        }
        String place = pointer + JsonPointers.step(name);
        Set<String> texts = new LinkedHashSet<>();
        int i = 0;
        for (JsonNode node : member.isArray() ? member : List.of(member)) {
            if (node.isString() && !node.stringValue().isEmpty()) {
                texts.add(node.stringValue());
            } else {
                report(
                        Code.NOT_A_STRING,
                        member.isArray() ? place + "/" + i : place,
                        "`" + name + "` holds `" + shown(node) + "`: write strings that are not empty; left out");
            }
            i++;
        }
        return List.copyOf(texts);
    }

    /**
     * Returns the values that a member states, alone or in an array.
     *
     * @param read gives the value of one node, or empty for one outside the vocabulary
     * @param vocabulary the values to name in a message
     */
    <T> Dimension<T> dimension(
            JsonNode object, String name, String pointer, Function<JsonNode, Optional<T>> read, String vocabulary) {
        JsonNode member = object.get(name);
        if (member == null) {
            return Dimension.absent();
        }
        String place = pointer + JsonPointers.step(name);
        Set<T> values = new LinkedHashSet<>();
        Set<String> unknown = new LinkedHashSet<>();
        int i = 0;
        for (JsonNode node : member.isArray() ? member : List.of(member)) {
            Optional<T> value = read.apply(node);
            if (value.isPresent()) {
                values.add(value.get());
            } else {
                unknown.add(shown(node));
                unknown(name, node, member.isArray() ? place + "/" + i : place, vocabulary);
            }
            i++;
        }
        if (i == 0) {
            report(
                    Code.EMPTY_LIST,
                    place,
                    "`" + name + "` lists no value: use " + vocabulary
                            + ", or leave the member out; read as the strictest");
        }
        return new Dimension<>(true, values, unknown);
    }

    /**
     * Returns the values that a member states in either spelling, lower camel or Pascal case (SEP-2061).
     *
     * @param stricter makes one of both where both are there
     */
    <T> Dimension<T> dimension(
            JsonNode object,
            String name,
            String pointer,
            Function<JsonNode, Optional<T>> read,
            String vocabulary,
            BinaryOperator<Dimension<T>> stricter) {
        String pascal = Vocabulary.capital(name);
        Dimension<T> one = dimension(object, name, pointer, read, vocabulary);
        Dimension<T> other = dimension(object, pascal, pointer, read, vocabulary);
        conflict(name, one, other, pointer + JsonPointers.step(pascal));
        return stricter.apply(one, other);
    }

    /** Returns what stands for a value that can't be read: its text, or its JSON, cut and on one line. */
    static String shown(JsonNode node) {
        String text = node.isString() ? node.stringValue() : node.toString();
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            boolean plain = !Character.isISOControl(c)
                    && Character.getType(c) != Character.FORMAT
                    && Character.getType(c) != Character.LINE_SEPARATOR
                    && Character.getType(c) != Character.PARAGRAPH_SEPARATOR
                    && Character.getType(c) != Character.SURROGATE;
            if (out.length() + Character.charCount(c) >= LONGEST_TEXT && i + Character.charCount(c) < text.length()) {
                return out.append('\u2026').toString();
            }
            out.appendCodePoint(plain ? c : '\uFFFD');
            i += Character.charCount(c);
        }
        return out.toString();
    }

    /** Returns the names in both spellings. */
    static Set<String> spellings(String... names) {
        Set<String> all = new LinkedHashSet<>();
        for (String name : names) {
            all.add(name);
            all.add(Vocabulary.capital(name));
        }
        return Collections.unmodifiableSet(all);
    }

    /** Returns copies of the members that are not among the known ones. */
    static Map<String, JsonNode> others(JsonNode object, Set<String> known) {
        Map<String, JsonNode> others = new LinkedHashMap<>();
        object.forEachEntry((name, value) -> {
            if (!known.contains(name)) {
                others.put(name, value);
            }
        });
        return others;
    }

    /**
     * Returns an unmodifiable deep copy.
     *
     * @throws IllegalArgumentException where a name is one of the known ones
     */
    static Map<String, JsonNode> copyOfOthers(Map<String, JsonNode> others, Set<String> known) {
        Map<String, JsonNode> copy = new LinkedHashMap<>();
        others.forEach((name, value) -> {
            if (known.contains(name)) {
                throw new IllegalArgumentException("`" + name + "` has a place of its own: give it there");
            }
            copy.put(name, value.deepCopy());
        });
        return Collections.unmodifiableMap(copy);
    }

    private static String kind(JsonNode node) {
        return switch (node.getNodeType()) {
            case ARRAY -> "an array";
            case BOOLEAN -> "a boolean";
            case NULL -> "null";
            case NUMBER -> "a number";
            case OBJECT -> "an object";
            case STRING -> "a string";
            case BINARY, MISSING, POJO -> "no JSON";
        };
    }
}
