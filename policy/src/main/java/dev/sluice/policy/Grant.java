package dev.sluice.policy;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Source;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * That somebody answers for answers being less than their label says: trusted, or not private to some sources, or not of
 * some classes. It covers also what the call brought into the answer.
 *
 * @param id its name, unlike that of any control, rule or sequence
 * @param servers whose answers
 * @param tools of which tools; empty for whatever the server answers
 * @param when true of the items that it is about; null for all
 * @param endorse whether they are trusted
 * @param declassify what is taken from them
 * @param owner who answers for it
 * @param until when it ends
 * @param because why; empty where nobody said
 * @param line where it stands in the file
 */
public record Grant(
        String id,
        Set<String> servers,
        Set<String> tools,
        @Nullable Expression when,
        boolean endorse,
        Declassified declassify,
        String owner,
        Instant until,
        String because,
        int line) {

    /**
     * What is taken from a label.
     *
     * @param servers all sources of these servers
     * @param resources these sources alone
     * @param classes classes of these names
     */
    public record Declassified(Set<String> servers, Set<Source> resources, Set<String> classes) {

        static final Declassified NOTHING = new Declassified(Set.of(), Set.of(), Set.of());

        public Declassified {
            servers = java.util.Collections.unmodifiableSet(new TreeSet<>(servers));
            resources = java.util.Collections.unmodifiableSet(new TreeSet<>(resources));
            classes = java.util.Collections.unmodifiableSet(new TreeSet<>(classes));
        }

        boolean isOf(Source source) {
            return servers.contains(source.server()) || resources.contains(source);
        }
    }

    public Grant {
        servers = java.util.Collections.unmodifiableSet(new TreeSet<>(servers));
        tools = java.util.Collections.unmodifiableSet(new TreeSet<>(tools));
    }

    /** Returns whether this holds at {@code now} for answers of {@code tool}. */
    public boolean covers(String server, String tool, Instant now) {
        return now.isBefore(until) && servers.contains(server) && (tools.isEmpty() || tools.contains(tool));
    }

    /**
     * Returns whether this is about an item. Where that can't be evaluated it is not.
     *
     * @param item the item; null for what belongs to none
     */
    public boolean isAbout(@Nullable JsonNode item, JsonNode args, String server, String principal) {
        if (when == null) {
            return true;
        }
        if (item == null) {
            return false;
        }
        try {
            return Rules.holds(
                    when,
                    Map.of(
                            "item",
                            Expression.value(item),
                            "args",
                            Expression.value(args),
                            "server",
                            server,
                            "principal",
                            principal));
        } catch (Expression.Failure e) {
            return false;
        }
    }

    /** Returns what is left of {@code label}. Private data has a class all the same. */
    public Label apply(Label label) {
        SortedSet<Source> sources = new TreeSet<>(label.confidentiality().sources());
        sources.removeIf(declassify::isOf);
        SortedSet<DataClass> classes = new TreeSet<>(label.classes());
        classes.removeIf(each -> declassify.classes().contains(each.name()));
        if (classes.isEmpty() && !sources.isEmpty()) {
            classes.add(DataClass.UNCLASSIFIED);
        }
        return new Label(endorse ? Integrity.TRUSTED : label.integrity(), Confidentiality.of(sources), classes);
    }

    /** Returns this as if it stood at no place in particular. */
    Grant anywhere() {
        return new Grant(id, servers, tools, when, endorse, declassify, owner, until, because, 0);
    }
}
