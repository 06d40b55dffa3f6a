package dev.sluice.schemes;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Source;
import dev.sluice.wire.Claim;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The label of an answer, from the operator's word and the server's claims (ruling D-IFC-5).
 *
 * <p>Part by part: a claim raises the base; a claim that the data is trusted or public replaces the base only where that
 * part of it is a default and the operator lets this server's claims count in full. It never replaces what the operator
 * said. A private claim without a locator adds a source only where the base is public (ruling D-IFC-6).
 *
 * @param label the label
 * @param untrustedSaid whether a claim or the operator, not silence, makes it untrusted
 * @param sensitiveSaid whether a claim or the operator, not silence, makes it private
 * @param ignored claims that lower and were not believed, as {@code untrusted: false} or {@code sensitive: false}
 */
public record Labelling(Label label, boolean untrustedSaid, boolean sensitiveSaid, List<String> ignored) {

    public Labelling {
        ignored = List.copyOf(ignored);
    }

    /**
     * Returns the labelling of an answer.
     *
     * @param base the operator's word, or the default
     * @param untrusted the server's claim about integrity
     * @param sensitive the server's claim about confidentiality
     * @param fullIntegrity whether an integrity claim may replace a default
     * @param fullConfidentiality whether a confidentiality claim may replace a default
     * @param fullClasses whether a claim may replace the default class
     * @param own the narrowest source of the answer
     */
    public static Labelling of(
            Base base,
            Claim untrusted,
            Claim sensitive,
            boolean fullIntegrity,
            boolean fullConfidentiality,
            boolean fullClasses,
            Source own) {
        List<String> ignored = new ArrayList<>();
        Integrity integrity = base.label().integrity();
        boolean untrustedSaid = base.integrityStated() && integrity == Integrity.UNTRUSTED;
        switch (untrusted) {
            case TRUE -> {
                integrity = Integrity.UNTRUSTED;
                untrustedSaid = true;
            }
            case FALSE -> {
                if (fullIntegrity && !base.integrityStated()) {
                    integrity = Integrity.TRUSTED;
                } else if (integrity == Integrity.UNTRUSTED) {
                    ignored.add("untrusted: false");
                }
            }
            case ABSENT -> {}
        }

        Confidentiality confidentiality = base.label().confidentiality();
        SortedSet<DataClass> classes = new TreeSet<>(base.label().classes());
        boolean sensitiveSaid = base.confidentialityStated() && !confidentiality.isPublic();
        switch (sensitive) {
            case TRUE -> {
                sensitiveSaid = true;
                if (confidentiality.isPublic()) {
                    confidentiality = Confidentiality.of(own);
                }
            }
            case FALSE -> {
                if (fullConfidentiality && !base.confidentialityStated()) {
                    confidentiality = Confidentiality.PUBLIC;
                    if (fullClasses && !base.classesStated()) {
                        classes.remove(DataClass.UNCLASSIFIED);
                    }
                } else if (!confidentiality.isPublic()) {
                    ignored.add("sensitive: false");
                }
            }
            case ABSENT -> {}
        }
        // Private data without any class is unclassified; a sink that lists what it accepts must name that.
        if (!confidentiality.isPublic() && classes.isEmpty()) {
            classes.add(DataClass.UNCLASSIFIED);
        }
        return new Labelling(new Label(integrity, confidentiality, classes), untrustedSaid, sensitiveSaid, ignored);
    }
}
