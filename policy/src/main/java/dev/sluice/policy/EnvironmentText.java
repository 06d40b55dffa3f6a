package dev.sluice.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A text of a policy with places that the environment fills: {@code Bearer ${NOTES_TOKEN}}.
 *
 * <p>So a secret never stands in the file. A {@code $} without a brace after it is itself.
 *
 * @param written as it stands in the file
 */
public record EnvironmentText(String written) {

    private static final Pattern PLACE = Pattern.compile("\\$\\{([^}]*)}?");
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,63}");
    private static final Pattern TELLING_NAME =
            Pattern.compile(".*(auth|cookie|token|secret|passw|pwd|credential|session|api-?_?key|access-?_?key).*|key");

    /** What looks made by a machine: no word of a person is that long and has letters and digits. */
    private static final Pattern MACHINE_MADE = Pattern.compile("[A-Za-z0-9+/_=.~-]{16,}");

    /** What stands around a secret that is filled in: the name of a scheme, a user's name, a prefix. */
    private static final int LONGEST_AROUND = 32;

    /** Returns the variables that it names, in order. */
    public List<String> variables() {
        List<String> names = new ArrayList<>();
        Matcher place = PLACE.matcher(written);
        while (place.find()) {
            names.add(String.valueOf(place.group(1)));
        }
        return names;
    }

    /** Returns the first variable that {@code environment} lacks, or has empty. */
    public Optional<String> missing(Map<String, String> environment) {
        return variables().stream()
                .filter(name -> environment.getOrDefault(name, "").isEmpty())
                .findFirst();
    }

    /** Returns the text with what {@code environment} says; nothing stands for what that lacks. */
    public String filled(Map<String, String> environment) {
        return PLACE.matcher(written)
                .replaceAll(place -> Matcher.quoteReplacement(environment.getOrDefault(place.group(1), "")));
    }

    /** Returns what is wrong with its places, with the mend; empty where nothing is. */
    Optional<String> fault() {
        Matcher place = PLACE.matcher(written);
        while (place.find()) {
            String name = String.valueOf(place.group(1));
            if (!place.group().endsWith("}") || !VARIABLE.matcher(name).matches()) {
                return Optional.of("`${` must be followed by the name of an environment variable and `}`, such as"
                        + " ${NOTES_TOKEN}");
            }
            if (name.startsWith("SLUICE_")) {
                return Optional.of(
                        "`${" + name + "}` is a variable of sluice itself, which no server may get; name" + " another");
            }
        }
        return Optional.empty();
    }

    /** Returns whether something that looks like a secret stands in the file itself, under {@code name}. */
    boolean holdsSecret(String name) {
        String around = PLACE.matcher(written).replaceAll("");
        boolean machineMade = MACHINE_MADE
                .matcher(around)
                .results()
                .anyMatch(run -> run.group().chars().anyMatch(Character::isDigit)
                        && run.group().chars().anyMatch(Character::isLetter));
        if (machineMade) {
            return true;
        }
        boolean telling = TELLING_NAME.matcher(name.toLowerCase(Locale.ROOT)).matches();
        return telling && (variables().isEmpty() || around.length() > LONGEST_AROUND);
    }
}
