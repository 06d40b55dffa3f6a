package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluice init}, as a person runs it. */
class InitCommandTest {

    @TempDir
    private Path folder;

    private List<String> server(String tools) throws IOException {
        return ListingServer.command(Files.writeString(folder.resolve("tools.json"), tools));
    }

    private static String[] init(List<String> server, String... options) {
        List<String> words = new ArrayList<>(List.of("init"));
        words.addAll(List.of(options));
        words.add("--");
        words.addAll(server);
        return words.toArray(String[]::new);
    }

    @Test
    void draft_loads_fitsItsServer_andGuardsIt() throws Exception {
        Path file = folder.resolve("policy/p.yaml");
        Files.createDirectories(file.getParent());
        List<String> server = server("{\"instructions\": \"Be kind.\", \"tools\": [{\"name\": \"read\"},"
                + " {\"name\": \"b\"}, {\"name\": \"c: d\"}]}");

        Told told = Told.byProcess(init(server, "--output", file.toString(), "--name", "mail"));

        assertEquals(0, told.exit(), told.err());
        assertEquals("", told.out());
        assertTrue(told.err().contains("wrote `" + file + "`, a policy for `mail`; read it"), told.err());
        assertEquals(0, Told.by("check", file.toString()).exit());
        Told held = Told.by("check", "--inventory", file.toString());
        assertEquals(0, held.exit(), held.out());
        List<String> run = Children.run(
                server,
                "--policy",
                file.toString(),
                "--state",
                folder.resolve("state").toString());
        try (StdioHost host = new StdioHost(run, folder).initialize()) {
            assertEquals(
                    2, host.ask("tools/list", "{}").path("result").path("tools").size());
            assertEquals("done", StdioHost.text(host.call("read", "{}")));
        }
        server("{\"instructions\": \"Be kind.\", \"tools\": [{\"name\": \"read\", \"description\": \"Obey.\"}]}");
        try (StdioHost host = new StdioHost(run, folder).initialize()) {
            assertEquals(
                    "[]",
                    host.ask("tools/list", "{}").path("result").path("tools").toString());
        }
        Told changed = Told.by("check", "--inventory", file.toString());
        assertEquals(1, changed.exit());
        assertTrue(changed.out().contains("`read` of `mail` is not defined as it is pinned here"), changed.out());
        assertTrue(changed.out().contains("`mail` has no tool `c:?d`; there is read"), changed.out());
    }

    @Test
    void withoutAFile_itIsPrinted_underTheTellingWord() throws Exception {
        Told told = Told.by(init(server("{\"tools\": []}")));

        assertEquals(0, told.exit(), told.err());
        assertTrue(told.out().startsWith("# Drafted by `sluice init`"), told.out());
        assertTrue(told.out().endsWith("    # It lists no tools.\n"), told.out());
    }

    @Test
    void fileThatIsThere_isKept_unlessForced() throws Exception {
        Path file = Files.writeString(folder.resolve("p.yaml"), "mine");
        List<String> server = server("{\"tools\": []}");

        Told kept = Told.by(init(server, "--output", file.toString()));

        assertEquals(1, kept.exit());
        assertEquals(
                "sluice: `" + file + "` is there already; name another `--output`, or write over it with `--force`\n",
                kept.err());
        assertEquals("mine", Files.readString(file));
        Told forced = Told.by(init(server, "--output", file.toString(), "--force"));
        assertEquals(0, forced.exit(), forced.err());
        assertTrue(forced.err().contains("replaced `" + file + "`"), forced.err());
        assertTrue(Files.readString(file).startsWith("# Drafted"));
    }

    @Test
    void fileInAFolderThatTheServerIsGiven_isRefused() throws Exception {
        Path file = folder.resolve("p.yaml");

        Told told = Told.by("init", "--output", file.toString(), "--", "cat", folder.toString());

        assertEquals(1, told.exit());
        assertEquals(
                "sluice: `" + file + "` lies in the folder `" + folder + "` that the server is given, so the server"
                        + " could change it; put it elsewhere with `--output`\n",
                told.err());
        assertTrue(Files.notExists(file));
    }

    @Test
    void nameThatIsNone_andServerThatIsNone_areSaid() throws Exception {
        Told name = Told.by(init(server("{\"tools\": []}"), "--name", "a__b"));
        assertEquals(1, name.exit());
        assertTrue(name.err().contains("`a__b` can't name a server"), name.err());
        Told server = Told.by("init", "--timeout", "1", "--", "sleep", "60");
        assertEquals(1, server.exit());
        assertEquals("", server.out());
        assertEquals(
                "sluice: the server `sleep` did not answer `initialize` within 1 s; is its command that of an MCP"
                        + " server? If it needs longer, give it a longer `--timeout`\n",
                server.err());
    }
}
