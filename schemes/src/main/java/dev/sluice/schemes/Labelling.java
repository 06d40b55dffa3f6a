package dev.sluice.schemes;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Source;
import dev.sluice.wire.Claim;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The label of an answer, from the operator's word and what is claimed of it (ruling D-IFC-5).
 *
 * <p>Part by part: claims raise the base; a claim that the data is trusted or public, or of which classes it is, replaces
 * the base only where that part of it is a default and the operator lets the claim count in full. It never replaces what
 * the operator said, and what somebody else claims is added to it: one yes of anybody outweighs every no. A private claim
 * without a locator adds a source only where the base is public (ruling D-IFC-6).
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
     * Returns the labelling of an answer; the order of the statements is of no account.
     *
     * @param base the operator's word, or the default
     * @param statements what is claimed, by the server or in evidence
     * @param own the narrowest source of the answer
     */
    public static Labelling of(Base base, Collection<Statement> statements, Source own) {
        Label silent = base.label();
        Voices untrusted = Voices.of(statements, Claims::untrusted, Statement::integrity);
        Integrity integrity = silent.integrity();
        if (untrusted.lowering() && !base.integrityStated()) {
            integrity = Integrity.TRUSTED;
        }
        if (untrusted.raising()) {
            integrity = Integrity.UNTRUSTED;
        }
        Voices sensitive = Voices.of(statements, Claims::sensitive, Statement::confidentiality);
        Confidentiality confidentiality = silent.confidentiality();
        boolean madePublic = sensitive.lowering() && !sensitive.raising() && !base.confidentialityStated();
        if (madePublic) {
            confidentiality = Confidentiality.PUBLIC;
        }
        if (sensitive.raising() && confidentiality.isPublic()) {
            confidentiality = Confidentiality.of(own);
        }
        SortedSet<DataClass> classes = classes(base, statements, madePublic, confidentiality.isPublic());
        List<String> ignored = new ArrayList<>();
        if (untrusted.denying() && integrity == Integrity.UNTRUSTED) {
            ignored.add("untrusted: false");
        }
        if (sensitive.denying() && !confidentiality.isPublic()) {
            ignored.add("sensitive: false");
        }
        return new Labelling(
                new Label(integrity, confidentiality, classes),
                untrusted.raising() || (base.integrityStated() && integrity == Integrity.UNTRUSTED),
                sensitive.raising() || (base.confidentialityStated() && !confidentiality.isPublic()),
                ignored);
    }

    private static SortedSet<DataClass> classes(
            Base base, Collection<Statement> statements, boolean madePublic, boolean isPublic) {
        SortedSet<DataClass> claimed = new TreeSet<>();
        boolean named = false;
        boolean declassed = false;
        for (Statement statement : statements) {
            claimed.addAll(statement.claims().classes());
            named |= statement.classes() && !statement.claims().classes().isEmpty();
            declassed |= statement.classes()
                    && statement.confidentiality()
                    && statement.claims().sensitive() == Claim.FALSE;
        }
        if (!base.classesStated() && named) {
            return claimed;
        }
        SortedSet<DataClass> classes = new TreeSet<>(base.label().classes());
        if (!base.classesStated() && declassed && madePublic) {
            classes.remove(DataClass.UNCLASSIFIED);
        }
        // Private data without any class is unclassified, and a sink that lists what it accepts must name that: a class
        // which somebody may only add doesn't change it.
        if (!isPublic && classes.isEmpty()) {
            classes.add(DataClass.UNCLASSIFIED);
        }
        classes.addAll(claimed);
        return classes;
    }

    /**
     * What all statements together say of one yes-or-no matter.
     *
     * @param raising somebody says yes
     * @param denying somebody says no
     * @param lowering somebody says no whose claims count in full
     */
    private record Voices(boolean raising, boolean denying, boolean lowering) {

        static Voices of(
                Collection<Statement> statements, Function<Claims, Claim> matter, Predicate<Statement> isFull) {
            boolean raising = false;
            boolean denying = false;
            boolean lowering = false;
            for (Statement statement : statements) {
                Claim claim = matter.apply(statement.claims());
                raising |= claim == Claim.TRUE;
                denying |= claim == Claim.FALSE;
                lowering |= claim == Claim.FALSE && isFull.test(statement);
            }
            return new Voices(raising, denying, lowering);
        }
    }
}
