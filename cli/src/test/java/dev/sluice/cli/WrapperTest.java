package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Which words of {@code sluice run} are read without the command line's library, and as what. */
class WrapperTest {

    /** What the library makes of the same words. */
    private static Wrapper byLibrary(String... args) {
        CommandLine.ParseResult parsed = SluiceCommand.commandLine(Map.of()).parseArgs(args);
        return ((RunCommand) parsed.subcommand().commandSpec().userObject()).wrapper();
    }

    private static void assertSame(String... args) {
        assertEquals(Optional.of(byLibrary(args)), Wrapper.plain(args));
    }

    @Test
    void plainWords_meanWhatTheyMeanToTheLibrary() {
        assertSame("run", "--", "cat");
        assertSame("run", "--", "cat", "--", "--state", "x", "");
        assertSame("run", "--", "npx", "-y", "@scope/package", "@", "-h", "--version");
        assertSame("run", "--policy", "p.yaml", "--", "cat");
        assertSame("run", "--state", "a b", "--session", "s", "--", "cat");
        assertSame(
                "run",
                "--idle",
                "0",
                "--max-message",
                "1024",
                "--session",
                "s",
                "--state",
                "f",
                "--policy",
                "p",
                "--",
                "cat",
                "x");
    }

    /** A server at a URL has no command after {@code --}; what names one is left to the library. */
    private static final Set<String> OF_URLS = Set.of("--url", "--insecure");

    /** An option that is added to the command and not here would work, slowly: this says so. */
    @Test
    void everyOptionOfTheCommand_isReadPlainly() {
        for (CommandLine.Model.OptionSpec option : SluiceCommand.commandLine(Map.of())
                .getSubcommands()
                .get("run")
                .getCommandSpec()
                .options()) {
            if (!option.usageHelp() && !option.versionHelp() && !OF_URLS.contains(option.longestName())) {
                assertTrue(
                        Wrapper.plain("run", option.longestName(), "2048", "--", "cat")
                                .isPresent(),
                        option.longestName());
            }
        }
    }

    @Test
    void whateverNeedsExplaining_isLeftToTheLibrary() {
        for (List<String> words : List.of(
                List.<String>of(),
                List.of("run"),
                List.of("run", "--"),
                List.of("--", "run"),
                List.of("demo", "--", "cat"),
                List.of("run", "cat"),
                List.of("run", "--help", "--", "cat"),
                List.of("run", "--state", "--", "cat"),
                List.of("run", "--state", "--session", "--", "cat"),
                List.of("run", "--state", "-h", "--", "cat"),
                List.of("run", "--state", "", "--", "cat"),
                List.of("run", "--state=f", "--", "cat"),
                List.of("run", "--stat", "f", "--", "cat"),
                List.of("run", "--state", "a", "--state", "b", "--", "cat"),
                List.of("run", "--session", "a", "--session", "b", "--", "cat"),
                List.of("run", "--policy", "a", "--policy", "b", "--", "cat"),
                List.of("run", "--idle", "1", "--idle", "1", "--", "cat"),
                List.of("run", "--max-message", "2048", "--max-message", "2048", "--", "cat"),
                List.of("run", "--state", "a\0b", "--", "cat"),
                List.of("run", "--idle", "soon", "--", "cat"),
                List.of("run", "--idle", "-1", "--", "cat"),
                List.of("run", "--max-message", "1023", "--", "cat"),
                List.of("run", "--max-message", "2147483648", "--", "cat"))) {
            assertEquals(Optional.empty(), Wrapper.plain(words.toArray(String[]::new)), words.toString());
        }
    }

    @Test
    void fileNamedLikeAWordOfTheCommand_isNotRead() {
        String file = "@" + Path.of("pom.xml").toAbsolutePath();
        assertEquals(List.of("npx", file), byLibrary("run", "--", "npx", file).command());
    }
}
