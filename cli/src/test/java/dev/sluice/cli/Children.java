package dev.sluice.cli;

import java.nio.file.Path;
import java.util.List;

/** Commands of child processes with the tests' own class path. */
public final class Children {

    private static final QuickStart QUICK_START = QuickStart.make();

    private Children() {}

    /** The class path of the tests, which holds every server that they start. */
    static String classPath() {
        return QUICK_START.classPath();
    }

    /** The class path of the tests as it is, for a program that is compiled when it starts. */
    public static String usualClassPath() {
        return QuickStart.usualClassPath();
    }

    /** The command of a class of the tests, as a program; more may be added. */
    public static List<String> java(Class<?> main) {
        return QUICK_START.java(main.getName());
    }

    /** The command of a fixture server. */
    static List<String> fixture(Path received, String special) {
        List<String> command = java(FixtureServer.class);
        command.add(received.toString());
        if (!special.isEmpty()) {
            command.add(special);
        }
        return command;
    }

    /** The command of {@code sluice} with these arguments. */
    public static List<String> sluice(String... arguments) {
        List<String> command = java(Main.class);
        command.addAll(List.of(arguments));
        return command;
    }

    /** The command of {@code sluice run} around a server. */
    static List<String> run(List<String> server, String... options) {
        List<String> command = sluice("run");
        command.addAll(List.of(options));
        command.add("--");
        command.addAll(server);
        return command;
    }
}
