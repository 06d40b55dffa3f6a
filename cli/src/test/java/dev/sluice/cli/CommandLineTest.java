package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

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

    @Test
    void helpOfACommand_isThereByTheWordToo() {
        Told told = Told.by("help", "explain");
        assertEquals(0, told.exit(), told.err());
        assertEquals(Told.by("explain", "--help").out(), told.out());
    }

    @Test
    void helpTexts_fitTheNarrowestTerminal() {
        fits(SluiceCommand.commandLine(Map.of()));
    }

    private static void fits(CommandLine part) {
        var usage = part.getCommandSpec().usageMessage();
        for (String[] lines : List.of(usage.header(), usage.description(), usage.footer())) {
            // A text that is one line is broken where it has to be; lines that were broken already are not broken
            // again.
            boolean broken = Stream.of(lines).filter(line -> !line.isBlank()).count() > 1;
            for (String line : lines) {
                assertTrue(!broken || line.length() <= 80, part.getCommandSpec().qualifiedName() + " breaks: " + line);
            }
        }
        part.getSubcommands().values().forEach(CommandLineTest::fits);
    }

    @Test
    void wordThatIsNoCommand_isToldWithThoseThatAre() {
        Told told = Told.by("approvals", "aprove", "f25e9dc9ee");
        assertEquals(2, told.exit());
        assertEquals("""
                sluice: `sluice approvals` has no `aprove`; it has approve, deny, list, revoke, show
                `sluice approvals --help` says what it takes
                """, told.err());
    }

    @Test
    void mistypedOption_isToldWithTheOneThatIsNear() {
        assertEquals("""
                sluice: there is no option `--sesion`; did you mean `--session`?
                `sluice audit show --help` says what it takes
                """, Told.by("audit", "show", "--sesion", "x").err());
    }

    @Test
    void wordTooMany_isToldByItself() {
        assertEquals("""
                sluice: nothing is to be done with the word `all`; take it out
                `sluice token --help` says what it takes
                """, Told.by("token", "all").err());
    }

    @Test
    void optionThatIsNoNumber_isToldInPlainWords() {
        assertEquals("""
                sluice: invalid value for option `--last`: `many` is no whole number
                `sluice audit show --help` says what it takes
                """, Told.by("audit", "show", "--last", "many").err());
    }

    @Test
    void partWithoutItsVerb_showsThemAll() {
        Told told = Told.by("approvals");
        assertEquals(2, told.exit());
        assertTrue(told.err().contains("revoke   Take an approval back that still holds."), told.err());
        assertTrue(told.err().contains("sluice: missing required subcommand\n"), told.err());
    }
}
