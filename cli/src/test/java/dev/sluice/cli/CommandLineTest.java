package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the command line says to somebody who does not know it. */
class CommandLineTest {

    @TempDir
    private Path folder;

    @Test
    void help_teaches() throws Exception {
        Told told = Told.byProcess("--help");
        assertEquals(0, told.exit());
        for (String word :
                List.of("sluice demo", "run", "gateway", "audit", "sessions", "pins", "classify", "Exit codes")) {
            assertTrue(told.out().contains(word), word);
        }
    }

    @Test
    void noCommand_isAUsageError() throws Exception {
        Told told = Told.byProcess();
        assertEquals(2, told.exit());
        assertEquals("", told.out());
    }

    @Test
    void brokenPolicy_isSaidWithFileLineAndMend_andNothingStarts() throws Exception {
        Path policy = folder.resolve("p.yaml");
        Files.writeString(policy, "version: 1\nserver:\n  mail: {}\n");
        Told told = Told.byProcess(
                "run",
                "--policy",
                policy.toString(),
                "--state",
                folder.resolve("state").toString(),
                "--",
                "touch",
                folder.resolve("started").toString());
        assertEquals(1, told.exit());
        assertEquals("", told.out());
        assertTrue(
                told.err().contains(policy + ":2: `server` is no key of a policy; did you mean `servers`?"),
                told.err());
        assertTrue(Files.notExists(folder.resolve("started")));
    }

    @Test
    void gateway_withoutServers_isRefused() throws Exception {
        Path policy = folder.resolve("p.yaml");
        Files.writeString(policy, "version: 1\n");
        Told told = Told.byProcess(
                "gateway",
                "--policy",
                policy.toString(),
                "--state",
                folder.resolve("state").toString());
        assertEquals(1, told.exit());
        assertTrue(told.err().contains("names no servers"), told.err());
    }

    @Test
    void version_isOneLine() throws Exception {
        Told told = Told.byProcess("--version");
        assertEquals(0, told.exit());
        assertTrue(told.out().startsWith("sluice "), told.out());
    }
}
