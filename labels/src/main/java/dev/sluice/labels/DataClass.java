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

    /** Longest name that {@link #isName} takes, in characters: a label stays with its session for good. */
    public static final int LONGEST_NAME = 128;

    /**
     * Returns whether {@code text}, written by somebody else, can stand in a class: not blank, {@value #LONGEST_NAME}
     * characters at most, and none that is invisible or half a surrogate pair.
     */
    public static boolean isName(String text) {
        return !text.isBlank()
                && text.length() <= LONGEST_NAME
                && text.codePoints().map(Character::getType).noneMatch(DataClass::isInvisible);
    }

    private static boolean isInvisible(int type) {
        return type == Character.CONTROL
                || type == Character.FORMAT
                || type == Character.SURROGATE
                || type == Character.PRIVATE_USE
                || type == Character.UNASSIGNED
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR;
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
