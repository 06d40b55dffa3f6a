package dev.sluice.cli.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A well-formed JSON text in which members can be found and cut out, the rest staying as it is.
 *
 * <p>Shares nothing with the reader and the editor of Sluice, which it checks.
 */
record RawJson(String text) {

    /** One member: where its name begins, where its value begins, and where that ends. */
    private record Member(String name, int start, int value, int end) {}

    /** Returns the value that the names lead to from the root, as it is written. */
    Optional<String> value(String... path) {
        return find(path).map(at -> text.substring(at, end(at)));
    }

    /** Cuts the members out whose names are wanted out, from the object that {@code path} leads to. */
    RawJson without(Predicate<String> unwanted, String... path) {
        Optional<Integer> object = find(path);
        if (object.isEmpty() || text.charAt(object.get()) != '{') {
            return this;
        }
        List<Member> all = members(object.get());
        for (int i = all.size() - 1; i >= 0; i--) {
            Member member = all.get(i);
            if (unwanted.test(member.name())) {
                int from = i > 0 ? all.get(i - 1).end() : member.start();
                int to = i == 0 && all.size() > 1 ? all.get(1).start() : member.end();
                return new RawJson(text.substring(0, from) + text.substring(to)).without(unwanted, path);
            }
        }
        return this;
    }

    private Optional<Integer> find(String... path) {
        int at = blank(0);
        for (String name : path) {
            int object = at;
            Optional<Member> next = text.charAt(at) != '{'
                    ? Optional.empty()
                    : members(object).stream()
                            .filter(member -> member.name().equals(name))
                            .findFirst();
            if (next.isEmpty()) {
                return Optional.empty();
            }
            at = next.get().value();
        }
        return Optional.of(at);
    }

    private List<Member> members(int object) {
        List<Member> members = new ArrayList<>();
        int at = blank(object + 1);
        while (text.charAt(at) != '}') {
            int nameEnd = end(at);
            int value = blank(blank(nameEnd) + 1);
            int valueEnd = end(value);
            members.add(new Member(text.substring(at + 1, nameEnd - 1), at, value, valueEnd));
            at = blank(valueEnd);
            if (text.charAt(at) == ',') {
                at = blank(at + 1);
            }
        }
        return members;
    }

    private int blank(int from) {
        int at = from;
        while (" \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return at;
    }

    /** Returns where the value ends that begins at {@code from}. */
    private int end(int from) {
        int depth = 0;
        boolean quoted = false;
        for (int at = from; at < text.length(); at++) {
            char c = text.charAt(at);
            if (quoted) {
                if (c == '\\') {
                    at++;
                } else if (c == '"') {
                    quoted = false;
                    if (depth == 0) {
                        return at + 1;
                    }
                }
            } else if (c == '"') {
                quoted = true;
            } else if (c == '{' || c == '[') {
                depth++;
            } else if (c == '}' || c == ']') {
                if (depth == 0) {
                    return at; // the end of a number or literal before it
                }
                depth--;
                if (depth == 0) {
                    return at + 1;
                }
            } else if (depth == 0 && (c == ',' || " \t\r\n".indexOf(c) >= 0)) {
                return at;
            }
        }
        return text.length();
    }
}
