package dev.sluice.policy;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Source;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What the operator says of answers; parts may be unsaid (null).
 *
 * @param integrity who could have written them
 * @param confidentiality who may read them
 * @param classes which kinds of data they hold
 * @param items what is said of their parts
 * @param spans what is said of stretches of their texts; these only add
 */
public record Returns(
        @Nullable Integrity integrity,
        @Nullable Privacy confidentiality,
        @Nullable Set<DataClass> classes,
        @Nullable ItemRule items,
        List<SpanRule> spans) {

    /** Nothing said. */
    public static final Returns NOTHING = new Returns(null, null, null);

    public Returns {
        spans = List.copyOf(spans);
    }

    /** What is said of whole answers, and nothing of their parts. */
    public Returns(@Nullable Integrity integrity, @Nullable Privacy confidentiality, @Nullable Set<DataClass> classes) {
        this(integrity, confidentiality, classes, null, List.of());
    }

    /** Returns this, with what it leaves unsaid taken from {@code less}, which is less precise; spans are those of both. */
    public Returns orElse(Returns less) {
        return new Returns(
                integrity != null ? integrity : less.integrity,
                confidentiality != null ? confidentiality : less.confidentiality,
                classes != null ? classes : less.classes,
                items != null ? items : less.items,
                Stream.concat(less.spans.stream(), spans.stream()).toList());
    }

    /** Returns whether nothing is said. */
    public boolean isNothing() {
        return integrity == null && confidentiality == null && classes == null && items == null && spans.isEmpty();
    }

    /** Who may read an answer. */
    public sealed interface Privacy {

        /** Returns the confidentiality of an answer of {@code server} about {@code own}, its narrowest own source. */
        Confidentiality of(String server, Source own, JsonNode structured);

        /** Anybody may read it. */
        record Public() implements Privacy {
            @Override
            public Confidentiality of(String server, Source own, JsonNode structured) {
                return Confidentiality.PUBLIC;
            }
        }

        /** Only the server, or the resource that the call was about. */
        record Private() implements Privacy {
            @Override
            public Confidentiality of(String server, Source own, JsonNode structured) {
                return Confidentiality.of(own);
            }
        }

        /**
         * These people: texts, or JSON Pointers into {@code structuredContent} at which such texts stand ({@code *} stands
         * for every element).
         *
         * <p>Where a pointer leads to anything but texts, to more than {@value #MOST} or to one that can't be kept, or no
         * reader is found at all, the answer is private to its server: a list that can't be read never widens.
         */
        record Named(List<String> entries) implements Privacy {
            /** More readers than this are kept by nobody: a label stays with its session for good. */
            static final int MOST = 256;

            public Named {
                entries = List.copyOf(entries);
            }

            @Override
            public Confidentiality of(String server, Source own, JsonNode structured) {
                Optional<SortedSet<String>> readers = readers(structured);
                return Confidentiality.of(readers.isPresent() ? Source.Readers.of(server, readers.get()) : own);
            }

            Optional<SortedSet<String>> readers(JsonNode structured) {
                SortedSet<String> readers = new TreeSet<>();
                boolean pointed = false;
                boolean found = false;
                for (String entry : entries) {
                    if (!entry.startsWith("/")) {
                        readers.add(entry);
                        continue;
                    }
                    pointed = true;
                    for (JsonNode value : at(structured, entry)) {
                        if (!value.isString() || !PlainName.canBeKept(value.stringValue()) || readers.size() == MOST) {
                            return Optional.empty();
                        }
                        readers.add(value.stringValue());
                        found = true;
                    }
                }
                return readers.isEmpty() || (pointed && !found) ? Optional.empty() : Optional.of(readers);
            }

            private static List<JsonNode> at(JsonNode root, String pointer) {
                // A pointer may lead to one text or to a list of texts.
                List<JsonNode> leaves = new ArrayList<>();
                for (JsonNode node : Pointers.find(root, pointer).values()) {
                    if (node.isArray()) {
                        node.forEach(leaves::add);
                    } else if (!node.isNull()) {
                        leaves.add(node);
                    }
                }
                return leaves;
            }
        }

        /** These people, at least one, found already; nothing among them is a pointer. */
        record Known(SortedSet<String> readers) implements Privacy {
            public Known {
                readers = Collections.unmodifiableSortedSet(new TreeSet<>(readers));
            }

            @Override
            public Confidentiality of(String server, Source own, JsonNode structured) {
                return Confidentiality.of(readers.isEmpty() ? own : Source.Readers.of(server, readers));
            }
        }
    }
}
