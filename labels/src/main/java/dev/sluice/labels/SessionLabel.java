package dev.sluice.labels;

import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a session's model context has seen: the join of everything that entered it, and where each part came from.
 *
 * <p>It only grows. {@link #observe} returns the next one and changes nothing.
 *
 * @param label the join of all labels that entered
 * @param untrustedPublic whether an outsider's words entered that anybody may read. Such words can steer a call though no
 *     private data restricts where it goes, so a rule that excuses steering by private mail must know of them
 * @param lineage the first answers that brought each part
 */
public record SessionLabel(Label label, boolean untrustedPublic, Lineage lineage) {

    /** How many sources of one server are kept apart; beyond it they count as the server's own, which permits fewer. */
    public static final int SOURCES_PER_SERVER = 64;

    /** How many classes are kept; those that come later count as {@link #TOO_MANY_CLASSES}. */
    public static final int CLASSES = 512;

    /** What stands for more classes than are kept; whoever lists what is accepted does not list this. */
    public static final DataClass TOO_MANY_CLASSES = DataClass.of("(more classes than are kept)");

    /** A session that has seen nothing. */
    public static final SessionLabel EMPTY = new SessionLabel(Label.BOTTOM, false, Lineage.EMPTY);

    /** Returns this session after an answer of {@code entered} reached it. */
    public SessionLabel observe(Label entered, Origin origin) {
        return join(new SessionLabel(entered, entered.isUntrustedPublic(), Lineage.of(entered, origin)));
    }

    /** Returns whether everything that restricts or endangers this session came from {@code server} alone. */
    public boolean isOnlyFrom(String server) {
        // Untrusted words that nobody is named for could be anybody's.
        boolean named = label.integrity() == Integrity.TRUSTED;
        for (Lineage.Part part : lineage.origins().keySet()) {
            if (part instanceof Lineage.Part.Untrusted untrusted) {
                if (!untrusted.server().equals(server)) {
                    return false;
                }
                named = true;
            }
        }
        for (Source source : label.confidentiality().sources()) {
            if (!source.server().equals(server)) {
                return false;
            }
        }
        return named;
    }

    /** Returns the session label of both contexts together. */
    public SessionLabel join(SessionLabel other) {
        if (holds(other)) {
            return this;
        }
        if (equals(EMPTY) && other.label.classes().size() <= CLASSES) {
            return other.bounded();
        }
        SessionLabel more = other.withoutNewClasses(label.classes());
        return new SessionLabel(
                        label.join(more.label), untrustedPublic || more.untrustedPublic, lineage.join(more.lineage))
                .bounded();
    }

    /** Most answers bring nothing new: this tells so without making anything. */
    private boolean holds(SessionLabel other) {
        return other.label.canFlowTo(label)
                && (untrustedPublic || !other.untrustedPublic)
                && label.classes().containsAll(other.label.classes())
                && label.confidentiality()
                        .sources()
                        .containsAll(other.label.confidentiality().sources())
                && lineage.holds(other.lineage);
    }

    /** One server can't make a label as long as it likes: past the limit, all its sources become the server's own. */
    private SessionLabel bounded() {
        SessionLabel bounded = this;
        Map<String, Integer> count = new TreeMap<>();
        for (Source source : label.confidentiality().sources()) {
            count.merge(source.server(), 1, Integer::sum);
        }
        for (Map.Entry<String, Integer> server : count.entrySet()) {
            if (server.getValue() > SOURCES_PER_SERVER) {
                bounded = bounded.collapsed(server.getKey());
            }
        }
        return bounded;
    }

    /**
     * Nor with names of classes: where both together would be too many, those that were there first stay, so that none of
     * them can be pushed out, and the others become one that nobody accepts.
     */
    private SessionLabel withoutNewClasses(SortedSet<DataClass> there) {
        SortedSet<DataClass> both = new TreeSet<>(there);
        both.addAll(label.classes());
        both.remove(TOO_MANY_CLASSES);
        if (both.size() <= CLASSES) {
            return this;
        }
        SortedSet<DataClass> kept = new TreeSet<>(label.classes());
        kept.retainAll(there);
        kept.add(TOO_MANY_CLASSES);
        return new SessionLabel(
                new Label(label.integrity(), label.confidentiality(), kept),
                untrustedPublic,
                lineage.collapsed(kept, TOO_MANY_CLASSES));
    }

    private SessionLabel collapsed(String server) {
        SortedSet<Source> kept = new TreeSet<>(label.confidentiality().sources());
        kept.removeIf(source -> source.server().equals(server));
        Source own = new Source.OfServer(server);
        kept.add(own);
        Label shorter = new Label(label.integrity(), Confidentiality.of(kept), label.classes());
        return new SessionLabel(shorter, untrustedPublic, lineage.collapsed(server, own));
    }
}
