package dev.sluice.cli;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Commands of child processes with the tests' own class path. */
final class Children {

    private Children() {}

    /** The class path of the tests, which holds every server that they start. */
    static String classPath() {
        String real = System.getProperty("surefire.test.class.path");
        return real != null ? real : System.getProperty("java.class.path");
    }

    /** The command of a class of the tests, as a program. */
    static List<String> java(Class<?> main) {
        return new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xlog:disable",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow", // protobuf, below CEL, would be warned about on every start
                "-cp",
                classPath().replace(File.pathSeparator + File.pathSeparator, File.pathSeparator),
                main.getName()));
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
    static List<String> sluice(String... arguments) {
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
