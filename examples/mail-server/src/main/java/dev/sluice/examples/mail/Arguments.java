package dev.sluice.examples.mail;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of one call, read one by one; what is missing or wrong ends the call with a message that says the mend.
 *
 * <p>The server reads them itself instead of leaving it to the SDK's schema validation, whose messages name schema
 * keywords.
 */
final class Arguments {

    /** The part before the @ is an RFC 5322 dot-atom, the part after it has at least two labels. No display name. */
    private static final Pattern ADDRESS =
            Pattern.compile("[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
                    + "@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+");

    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

    /** RFC 5321, section 4.5.3.1.3 less the angle brackets. */
    private static final int LONGEST_ADDRESS = 254;

    private final Map<String, Object> values;

    /**
     * The arguments of a call.
     *
     * @param values as received; null when the caller sent none
     * @param known the arguments that the tool takes
     * @throws BadArgumentException if another one is there, since a misspelt {@code bcc} must not be lost unseen
     */
    Arguments(@Nullable Map<String, Object> values, Set<String> known) {
        this.values = values == null ? Map.of() : values;
        for (String name : new TreeSet<>(this.values.keySet())) {
            if (!known.contains(name)) {
                throw new BadArgumentException("unknown argument `" + name + "`: "
                        + (known.isEmpty()
                                ? "leave it out, the tool takes none"
                                : "the tool takes " + String.join(", ", new TreeSet<>(known))));
            }
        }
    }

    /** A required text. */
    String text(String name) {
        Object value = values.get(name);
        if (value == null) {
            throw missing(name);
        }
        if (value instanceof String text) {
            return text;
        }
        throw new BadArgumentException("`" + name + "` is not a text: put it in quotes");
    }

    /** A required text without line breaks and other control characters, which could smuggle in a header. */
    String line(String name) {
        String text = text(name);
        if (CONTROL.matcher(text).find()) {
            throw new BadArgumentException(
                    "`" + name + "` holds a line break or control character: write one plain line");
        }
        return text;
    }

    /** A required list with at least one mail address. */
    List<String> addresses(String name) {
        if (values.get(name) == null) {
            throw missing(name);
        }
        List<String> addresses = optionalAddresses(name);
        if (addresses.isEmpty()) {
            throw new BadArgumentException("`" + name + "` is empty: give at least one address");
        }
        return addresses;
    }

    /** A list of mail addresses, empty if the caller sent none. */
    List<String> optionalAddresses(String name) {
        Object value = values.get(name);
        if (value == null) {
            return List.of();
        }
        if (!(value instanceof List<?> members)) {
            throw new BadArgumentException(
                    "`" + name + "` is not a list: write the addresses as [\"ana@partner.example\"]");
        }
        List<String> addresses = new ArrayList<>();
        for (Object member : members) {
            addresses.add(address(name, member));
        }
        return addresses;
    }

    /** A whole number in a range, both ends included; empty if the caller sent none. */
    Optional<Integer> number(String name, int least, int most) {
        Object value = values.get(name);
        if (value == null) {
            return Optional.empty();
        }
        if (value instanceof Number number) {
            double exact = number.doubleValue();
            if (exact == Math.rint(exact) && exact >= least && exact <= most) {
                return Optional.of((int) exact);
            }
        }
        throw new BadArgumentException(
                "`" + name + "` is `" + value + "`: give a whole number from " + least + " to " + most);
    }

    private static String address(String name, @Nullable Object member) {
        if (member instanceof String address
                && address.length() <= LONGEST_ADDRESS
                && ADDRESS.matcher(address).matches()) {
            return address;
        }
        throw new BadArgumentException("`" + name + "` holds the bad address `" + Objects.toString(member)
                + "`: write one bare address a member, such as ana@partner.example");
    }

    private static BadArgumentException missing(String name) {
        return new BadArgumentException("the argument `" + name + "` is missing: call the tool again with it");
    }

    /** A call that cannot be carried out as asked. */
    static final class BadArgumentException extends RuntimeException {

        private final String mend;

        BadArgumentException(String mend) {
            super(mend);
            this.mend = mend;
        }

        /** What is wrong and how to put it right, for the caller. */
        String mend() {
            return mend;
        }
    }
}
