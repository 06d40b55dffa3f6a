package dev.sluice.mcpjava.emit;

import dev.sluice.wire.Claim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** What is said of one part of a result. Not for several threads. */
public final class PartLabel {

    private final String what;
    private final List<EvidenceRecord> records = new ArrayList<>();
    private Claim sensitive = Claim.ABSENT;
    private Claim untrusted = Claim.ABSENT;
    private boolean fides;

    /** Makes a label that says nothing yet; {@code what} is what messages call the part. */
    PartLabel(String what) {
        this.what = what;
    }

    /** Says that it must not be shown to everybody. */
    public PartLabel sensitive() {
        sensitive = said(sensitive, Claim.TRUE, "sensitive()", "notSensitive()");
        return this;
    }

    /** Says that anybody may see it. */
    public PartLabel notSensitive() {
        sensitive = said(sensitive, Claim.FALSE, "sensitive()", "notSensitive()");
        return this;
    }

    /** Says that somebody outside may have written it. */
    public PartLabel untrusted() {
        untrusted = said(untrusted, Claim.TRUE, "untrusted()", "trusted()");
        return this;
    }

    /** Says that nobody outside has written any of it. */
    public PartLabel trusted() {
        untrusted = said(untrusted, Claim.FALSE, "untrusted()", "trusted()");
        return this;
    }

    private Claim said(Claim before, Claim now, String yes, String no) {
        if (before != Claim.ABSENT && before != now) {
            throw new IllegalArgumentException(what + " is called `" + yes + "` and `" + no + "`: say one of them");
        }
        return now;
    }

    /** Adds a record; what it implies is claimed too. */
    public PartLabel evidence(EvidenceRecord record) {
        records.add(record);
        return this;
    }

    /** Adds a record of the scheme {@code ifc.fides.v1} that says what the two claims say. */
    public PartLabel fides() {
        fides = true;
        return this;
    }

    /**
     * A part's label, settled.
     *
     * @param records those that were given, and the one of {@code ifc.fides.v1} where it was asked for
     */
    record Settled(Claim sensitive, Claim untrusted, List<EvidenceRecord> records) {}

    /**
     * What something beside a label says.
     *
     * @param name what messages call it
     */
    record Implied(String name, Claim sensitive, Claim untrusted) {}

    /**
     * Returns the label, with what the records imply.
     *
     * @param hasParts whether something is said of parts of this part, so that it may itself say nothing
     * @param beside what labels of other vocabularies say that stand beside this one already
     * @param raisedSensitive whether a part of this part is sensitive
     * @param raisedUntrusted whether a part of this part is untrusted
     * @throws IllegalArgumentException where two statements contradict each other, or nothing is said
     */
    Settled settle(boolean hasParts, List<Implied> beside, boolean raisedSensitive, boolean raisedUntrusted) {
        List<EvidenceRecord> all = new ArrayList<>(records);
        List<Implied> implied = new ArrayList<>(beside);
        records.forEach(
                each -> implied.add(new Implied("record `" + each.type() + "`", each.sensitive(), each.untrusted())));
        Claim confidential =
                settle(sensitive, raisedSensitive, implied, Implied::sensitive, "sensitive", "notSensitive()");
        Claim outside = settle(untrusted, raisedUntrusted, implied, Implied::untrusted, "untrusted", "trusted()");
        if (confidential == Claim.ABSENT && outside == Claim.ABSENT && all.isEmpty() && !hasParts) {
            throw new IllegalArgumentException(
                    "the label of " + what
                            + " says nothing: call `sensitive()` or `notSensitive()`, `untrusted()` or `trusted()`, or leave it out");
        }
        if (fides) {
            requireBoth("fides()", confidential, outside);
            all.add(fides(confidential, outside));
        }
        return new Settled(confidential, outside, all);
    }

    /** The scheme has two words for each matter and none for silence. */
    void requireBoth(String asked, Claim confidential, Claim outside) {
        if (confidential == Claim.ABSENT || outside == Claim.ABSENT) {
            throw new IllegalArgumentException("`" + asked + "` of " + what + " needs both claims: call "
                    + (confidential == Claim.ABSENT
                            ? "`sensitive()` or `notSensitive()`"
                            : "`untrusted()` or `trusted()`")
                    + " too");
        }
    }

    static EvidenceRecord fides(Claim confidential, Claim outside) {
        return EvidenceRecord.fides(integrity(outside), confidentiality(confidential));
    }

    static String integrity(Claim untrusted) {
        return untrusted == Claim.TRUE ? "untrusted" : "trusted";
    }

    static String confidentiality(Claim sensitive) {
        return sensitive == Claim.TRUE ? "private" : "public";
    }

    /** A record that says yes, or a part, makes it yes where nothing was said; whoever said no is told. */
    private Claim settle(
            Claim said, boolean raised, List<Implied> implied, Function<Implied, Claim> matter, String yes, String no) {
        if (said == Claim.FALSE && raised) {
            throw new IllegalArgumentException(what + " is called `" + no + "`, and a part of it `" + yes
                    + "()`: leave `" + no + "` out, the whole is what its parts are");
        }
        Claim settled = raised ? Claim.TRUE : said;
        for (Implied each : implied) {
            if (said == Claim.FALSE && matter.apply(each) == Claim.TRUE) {
                throw new IllegalArgumentException(what + " is called `" + no + "`, and its " + each.name() + " says `"
                        + yes + "`: leave out which of them is wrong");
            }
            settled = settled.or(matter.apply(each));
        }
        Optional<Implied> denied = implied.stream()
                .filter(each -> matter.apply(each) == Claim.FALSE)
                .findFirst();
        if (settled == Claim.TRUE && denied.isPresent()) {
            throw new IllegalArgumentException(what + " is `" + yes + "`, and its "
                    + denied.get().name() + " says that it is not: leave out which of them is wrong");
        }
        return settled;
    }
}
