package dev.sluice.schemes;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Source;

/**
 * What data is of which nobody said anything. The single place that gives silence a meaning.
 *
 * <p>Ruling D-IFC-3: a missing label is never public and never trusted.
 */
public final class DefaultLabels {

    private DefaultLabels() {}

    /** Returns the label of unlabelled data from {@code own}: untrusted, private to it, unclassified. */
    public static Label unlabelled(Source own) {
        return Label.of(Integrity.UNTRUSTED, Confidentiality.of(own), DataClass.UNCLASSIFIED);
    }
}
