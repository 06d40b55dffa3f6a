package dev.sluice.cli;

import java.io.Console;

/** Colours where a person looks at a terminal, and plain text everywhere else. */
record Paint(boolean on) {

    /** Returns colours for a terminal, unless {@code NO_COLOR} is set (no-color.org). */
    static Paint forTerminal() {
        String plain = System.getenv("NO_COLOR");
        return new Paint(isTerminal() && (plain == null || plain.isEmpty()));
    }

    @SuppressWarnings("SystemConsoleNull") // -Djdk.console can still bring the console that is null without a terminal
    static boolean isTerminal() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    String bold(String text) {
        return paint("1", text);
    }

    String dim(String text) {
        return paint("2", text);
    }

    /** Returns {@code outcome} in green, yellow or red, padded to one width. */
    String decision(String outcome) {
        String colour = switch (outcome) {
            case "allowed" -> "32;1";
            case "denied" -> "31;1";
            default -> "33;1";
        };
        return paint(colour, String.format("%-7s", outcome));
    }

    private String paint(String code, String text) {
        return on ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }
}
