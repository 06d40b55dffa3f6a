package dev.sluice.labels;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * For each part of a session's label, the first answers that brought it.
 *
 * <p>Bounded: {@link #PER_PART} origins a part, the earliest. Keeping the earliest of a union is itself associative,
 * commutative and idempotent, so lineages of replicas merge like their labels.
 */
public record Lineage(SortedMap<Part, List<Origin>> origins) {

    /** How many origins are kept for one part. */
    public static final int PER_PART = 3;

    /** Nothing has been seen. */
    public static final Lineage EMPTY = new Lineage(new TreeMap<>());

    /** A part of a label that an answer can bring. */
    public sealed interface Part extends Comparable<Part> {

        /** Returns one line that names this part and no other, and orders it. */
        String text();

        @Override
        default int compareTo(Part other) {
            return text().compareTo(other.text());
        }

        /** That outsiders could have written what came from this server. */
        record Untrusted(String server) implements Part {
            @Override
            public String text() {
                return "untrusted " + server;
            }
        }

        /** A source that restricts readers. */
        record From(Source source) implements Part {
            @Override
            public String text() {
                return "from " + source.text();
            }
        }

        /** A data class. */
        record OfClass(DataClass dataClass) implements Part {
            @Override
            public String text() {
                return "class " + Source.quoted(dataClass.name()) + " " + Source.quoted(dataClass.regulatory()) + " "
                        + Source.quoted(dataClass.label());
            }
        }
    }

    public Lineage {
        SortedMap<Part, List<Origin>> copy = new TreeMap<>();
        origins.forEach((part, list) -> copy.put(part, List.copyOf(list)));
        origins = Collections.unmodifiableSortedMap(copy);
    }

    /** Returns the lineage of one answer: each part of {@code label} came from {@code origin}. */
    public static Lineage of(Label label, Origin origin) {
        SortedMap<Part, List<Origin>> origins = new TreeMap<>();
        if (label.integrity() == Integrity.UNTRUSTED) {
            origins.put(new Part.Untrusted(origin.server()), List.of(origin));
        }
        label.confidentiality().sources().forEach(source -> origins.put(new Part.From(source), List.of(origin)));
        label.classes().forEach(dataClass -> origins.put(new Part.OfClass(dataClass), List.of(origin)));
        return new Lineage(origins);
    }

    /** Returns the servers that brought anything that outsiders could have written. */
    public SortedSet<String> untrustedServers() {
        SortedSet<String> servers = new TreeSet<>();
        for (Part part : origins.keySet()) {
            if (part instanceof Part.Untrusted untrusted) {
                servers.add(untrusted.server());
            }
        }
        return servers;
    }

    /** Returns the origins of everything outsiders could have written, the earliest first; bounded. */
    public List<Origin> untrusted() {
        return untrustedServers().stream()
                .flatMap(server -> of(new Part.Untrusted(server)).stream())
                .sorted()
                .limit(PER_PART)
                .toList();
    }

    /** Returns the origins of {@code part}, the earliest first; empty where it never came. */
    public List<Origin> of(Part part) {
        return origins.getOrDefault(part, List.of());
    }

    /** Returns the lineage of both, the earliest origins of each part. */
    public Lineage join(Lineage other) {
        SortedMap<Part, List<Origin>> merged = new TreeMap<>(origins);
        other.origins.forEach((part, list) -> merged.merge(part, list, Lineage::earliest));
        return new Lineage(merged);
    }

    /** Returns whether joining {@code other} would change nothing. */
    boolean holds(Lineage other) {
        for (Map.Entry<Part, List<Origin>> each : other.origins.entrySet()) {
            List<Origin> own = of(each.getKey());
            for (Origin origin : each.getValue()) {
                boolean tooLate = own.size() == PER_PART && origin.compareTo(own.get(PER_PART - 1)) >= 0;
                if (!tooLate && !own.contains(origin)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Returns this with {@code own} in place of all sources of {@code server}, and their earliest origins. */
    Lineage collapsed(String server, Source own) {
        SortedMap<Part, List<Origin>> merged = new TreeMap<>();
        origins.forEach((part, list) -> merged.merge(
                part instanceof Part.From from && from.source().server().equals(server) ? new Part.From(own) : part,
                list,
                Lineage::earliest));
        return new Lineage(merged);
    }

    /** Returns this with {@code rest} in place of every class that is not kept, and their earliest origins. */
    Lineage collapsed(Set<DataClass> kept, DataClass rest) {
        SortedMap<Part, List<Origin>> merged = new TreeMap<>();
        origins.forEach((part, list) -> merged.merge(
                part instanceof Part.OfClass of && !kept.contains(of.dataClass()) ? new Part.OfClass(rest) : part,
                list,
                Lineage::earliest));
        return new Lineage(merged);
    }

    private static List<Origin> earliest(List<Origin> one, List<Origin> other) {
        SortedSet<Origin> all = new TreeSet<>(one);
        all.addAll(other);
        return all.stream().limit(PER_PART).toList();
    }
}
