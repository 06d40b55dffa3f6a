package dev.sluice.guard.approval;

import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Lineage;
import dev.sluice.labels.Origin;
import dev.sluice.labels.SessionLabel;
import dev.sluice.labels.Source;
import java.util.ArrayList;
import java.util.List;

/** Labels in words for a person. */
public final class Words {

    private Words() {}

    /** Returns what a session has seen. */
    public static String seen(SessionLabel session) {
        return "it has seen " + carried(session.label());
    }

    /** Returns what data of that label is. */
    public static String carried(Label label) {
        if (label.equals(Label.BOTTOM)) {
            return "nothing private and nothing untrusted";
        }
        List<String> parts = new ArrayList<>();
        if (label.integrity() == Integrity.UNTRUSTED) {
            parts.add("text that outsiders could have written");
        }
        if (!label.confidentiality().isPublic()) {
            parts.add("data that only some may read (" + sources(label) + ")");
        }
        if (!label.classes().isEmpty()) {
            parts.add("data of class "
                    + String.join(
                            ", ", label.classes().stream().map(Words::name).toList()));
        }
        return String.join(", and ", parts);
    }

    private static String sources(Label label) {
        return String.join(
                "; ",
                label.confidentiality().sources().stream().map(Words::source).toList());
    }

    static String source(Source source) {
        if (source instanceof Source.OfServer of) {
            return "`" + of.server() + "` alone";
        }
        if (source instanceof Source.OfResource of) {
            return "`" + of.key() + "` of `" + of.server() + "`";
        }
        Source.Readers of = (Source.Readers) source;
        return String.join(", ", of.readers()) + " by `" + of.server() + "`";
    }

    private static String name(DataClass dataClass) {
        return dataClass.regulatory().isEmpty()
                ? dataClass.name()
                : dataClass.name() + " (" + dataClass.regulatory() + ")";
    }

    /** Returns one part of what a session has seen. */
    public static String part(Lineage.Part part) {
        if (part instanceof Lineage.Part.Untrusted untrusted) {
            return "untrusted text from `" + untrusted.server() + "`";
        }
        return part instanceof Lineage.Part.From from
                ? "data for " + source(from.source())
                : "data of class " + name(((Lineage.Part.OfClass) part).dataClass());
    }

    /** Returns where something came from. */
    public static String origin(Origin origin) {
        return "`" + origin.name() + "` of `" + origin.server() + "`, call " + origin.call();
    }
}
