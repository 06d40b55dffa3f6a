package dev.sluice.labels;

import java.util.Comparator;
import java.util.Locale;

/**
 * A kind of sensitive data: its class, the regulation it falls under and an organisation's own label.
 *
 * <p>Empty text means "not said". Texts are compared case-folded. Classes form sets and never an order: a medical result
 * and a card number are not more or less than each other.
 *
 * @param name the class, such as {@code pii} or {@code confidential}
 * @param regulatory the regulation, such as {@code hipaa}
 * @param label the organisation's own label, a reverse domain name
 */
public record DataClass(String name, String regulatory, String label) implements Comparable<DataClass> {

    /** What private data carries that nobody classified. */
    public static final DataClass UNCLASSIFIED = of("unclassified");

    private static final Comparator<DataClass> ORDER = Comparator.comparing(DataClass::name)
            .thenComparing(DataClass::regulatory)
            .thenComparing(DataClass::label);

    public DataClass {
        name = name.toLowerCase(Locale.ROOT);
        regulatory = regulatory.toLowerCase(Locale.ROOT);
        label = label.toLowerCase(Locale.ROOT);
    }

    /** Returns the class of this name, with no regulation and no label of an organisation. */
    public static DataClass of(String name) {
        return new DataClass(name, "", "");
    }

    @Override
    public int compareTo(DataClass other) {
        return ORDER.compare(this, other);
    }
}
