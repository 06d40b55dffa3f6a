package dev.sluice.labels;

import java.util.Arrays;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What must be remembered about data: who could have written it, who may read it, and which kinds of data it holds.
 *
 * <p>The product of three join-semilattices, ordered part by part: integrity (trusted below untrusted), confidentiality
 * (sets of sources, public lowest) and data classes (sets). Source: FIDES, arXiv 2505.23643 v2, section 4, with the
 * confidentiality of ruling D-IFC-1.
 */
public record Label(Integrity integrity, Confidentiality confidentiality, SortedSet<DataClass> classes) {

    /** The lowest label: written by trusted people, for anybody, of no class. */
    public static final Label BOTTOM = new Label(Integrity.TRUSTED, Confidentiality.PUBLIC, new TreeSet<>());

    public Label {
        classes = Collections.unmodifiableSortedSet(new TreeSet<>(classes));
    }

    /** Returns the label with these parts. */
    public static Label of(Integrity integrity, Confidentiality confidentiality, DataClass... classes) {
        return new Label(integrity, confidentiality, new TreeSet<>(Arrays.asList(classes)));
    }

    /** Returns whether data of this label may go wherever data of {@code other} may go. */
    public boolean canFlowTo(Label other) {
        return integrity.canFlowTo(other.integrity)
                && confidentiality.canFlowTo(other.confidentiality)
                && other.classes.containsAll(classes);
    }

    /** Returns the label of data mixed from both: the lowest that both may flow to. */
    public Label join(Label other) {
        if (other.canFlowTo(this)) {
            return this;
        }
        if (canFlowTo(other)) {
            return other;
        }
        SortedSet<DataClass> union = new TreeSet<>(classes);
        union.addAll(other.classes);
        return new Label(integrity.join(other.integrity), confidentiality.join(other.confidentiality), union);
    }

    /** Returns whether this data could be an outsider's words that anybody may read. */
    public boolean isUntrustedPublic() {
        return integrity == Integrity.UNTRUSTED && confidentiality.isPublic();
    }
}
