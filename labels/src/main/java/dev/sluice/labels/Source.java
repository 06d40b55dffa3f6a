package dev.sluice.labels;

import java.util.Collection;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * One origin of data that restricts who may read what came from it.
 *
 * <p>Sources compare by their text, so that a set of them has one written form. A source never stands for readers by
 * itself: who may read it is asked only when a decision needs it. Every source permits the server it came from, which
 * had the data.
 */
public sealed interface Source extends Comparable<Source> {

    /** Returns the name of the server that the data came from. */
    String server();

    /** Returns one line that names this source and no other, and orders it. */
    String text();

    @Override
    default int compareTo(Source other) {
        return equals(other) ? 0 : text().compareTo(other.text());
    }

    /** Data of one server about which nothing more is known; permits that server alone. */
    record OfServer(String server) implements Source {
        @Override
        public String text() {
            return "server " + quoted(server);
        }
    }

    /** Data of one resource of a server, such as a repository; permits the server and that resource. */
    record OfResource(String server, String key) implements Source {
        @Override
        public String text() {
            return "resource " + quoted(server) + " " + quoted(key);
        }
    }

    /** Data that exactly these people may read, as the server or the operator named them. */
    record Readers(String server, SortedSet<String> readers) implements Source {
        public Readers {
            readers = java.util.Collections.unmodifiableSortedSet(new TreeSet<>(readers));
        }

        /** Returns the source that {@code readers} may read. */
        public static Readers of(String server, Collection<String> readers) {
            return new Readers(server, new TreeSet<>(readers));
        }

        @Override
        public String text() {
            StringBuilder text = new StringBuilder("readers ").append(quoted(server));
            readers.forEach(reader -> text.append(' ').append(quoted(reader)));
            return text.toString();
        }
    }

    /** Returns {@code name} in quotes, so that names next to each other stay apart. */
    static String quoted(String name) {
        return '"' + name.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
