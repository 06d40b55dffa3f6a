package dev.sluice.cli;

import dev.sluice.gateway.State;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The person of the demo: runs the same commands as any other, and knows the approver's secret. */
final class DemoPerson {

    private final Path state;

    DemoPerson(Path state) {
        this.state = state;
    }

    static String java() {
        return ProcessHandle.current()
                .info()
                .command()
                .orElse(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    }

    /** Returns the command of {@code sluice} as a process of its own, to which its words can be added. */
    static List<String> sluice() {
        return new ArrayList<>(List.of(
                java(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow", // protobuf, below CEL, would be warned about on every start
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    }

    /** Returns what {@code sluice approvals show} says. */
    List<String> shown(String id) throws IOException {
        Process process = process("show", id);
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return ended(process) ? out.lines().toList() : List.of("nothing was shown");
    }

    /** Approves with {@code sluice approvals approve}; returns whether that was taken. */
    boolean approves(String id) throws IOException {
        Process process = process("approve", id);
        process.getInputStream().readAllBytes();
        return ended(process);
    }

    private Process process(String verb, String id) throws IOException {
        List<String> command = sluice();
        command.addAll(List.of("approvals", verb, id, "--state", state.toString()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
        try (State open = State.open(state)) {
            builder.environment().put(StateOption.SECRET_VARIABLE, open.secretText());
        }
        Process process = builder.start();
        process.getOutputStream().close();
        return process;
    }

    private static boolean ended(Process process) {
        try {
            return process.waitFor() == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroy();
            return false;
        }
    }
}
