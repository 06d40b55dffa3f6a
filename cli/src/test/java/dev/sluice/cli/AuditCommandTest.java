package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.gateway.State;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code sluice audit}, on the log of a real wrapper that was killed. */
class AuditCommandTest {

    @TempDir
    private Path folder;

    private Path state;

    private void fill() throws Exception {
        state = folder.resolve("state");
        try (StdioHost host = new StdioHost(
                        Children.run(
                                Children.fixture(folder.resolve("received"), ""),
                                "--state",
                                state.toString(),
                                "--session",
                                "t"),
                        folder)
                .initialize()) {
            host.call("bare", "{}");
            host.call("post", "{\"text\":\"hello\"}");
            host.kill();
        }
    }

    private Told verify(String... more) throws Exception {
        List<String> arguments = new java.util.ArrayList<>(List.of("audit", "verify", "--state", state.toString()));
        arguments.addAll(List.of(more));
        return Told.by(arguments.toArray(String[]::new));
    }

    @Test
    void verify_afterAKill_isWhole_inOneLine() throws Exception {
        fill();
        Told told = verify();
        assertEquals(0, told.exit(), told.out() + told.err());
        assertEquals(1, told.out().lines().count());
        assertTrue(told.out().contains("is whole"), told.out());
        JsonNode json = verify("--json").json().get(0);
        assertTrue(json.path("whole").asBoolean(false));
        assertEquals(Kept.audit(state).size(), json.path("records").asInt(0));
    }

    @Test
    void verify_oneByteFlipped_namesTheFirstBrokenRecord() throws Exception {
        fill();
        Kept.audit(state); // opening and closing moves all into the database file
        Path database = State.database(state);
        byte[] bytes = Files.readAllBytes(database);
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        long seq = Kept.decisions(state).get(0).path("seq").asLong(0);
        int at = text.indexOf("\"code\":\"allowed\"");
        assertTrue(at > 0);
        bytes[at + 8] ^= 1;
        Files.write(database, bytes);
        Told told = verify();
        assertEquals(1, told.exit());
        assertEquals(1, told.out().lines().count());
        assertTrue(told.out().contains("broken at record " + seq + ":"), told.out());
        JsonNode json = verify("--json").json().get(0);
        assertFalse(json.path("whole").asBoolean(true));
        assertEquals(seq, json.path("record").asLong(0));
    }

    @Test
    void show_tellsWhatWasDeniedAndWhy_andJsonIsTheRecordsThemselves() throws Exception {
        fill();
        Told told = Told.by("audit", "show", "--state", state.toString());
        assertEquals(0, told.exit());
        assertTrue(told.out().contains("denied    post of "), told.out());
        assertTrue(told.out().contains("trusted-action: "), told.out());
        List<JsonNode> json =
                Told.by("audit", "show", "--json", "--state", state.toString()).json();
        assertEquals(Kept.audit(state), json);
        List<JsonNode> last = Told.by("audit", "show", "--json", "--last", "1", "--state", state.toString())
                .json();
        assertEquals(List.of(json.get(json.size() - 1)), last);
        Told none = Told.by("audit", "show", "--last", "0", "--state", state.toString());
        assertEquals(2, none.exit());
        assertEquals("sluice: `--last` must be 1 or more\n", none.err());
    }

    @Test
    void show_theLastOfASession_countsNoOther() throws Exception {
        fill();
        try (StdioHost host = new StdioHost(
                        Children.run(
                                Children.fixture(folder.resolve("received"), ""),
                                "--state",
                                state.toString(),
                                "--session",
                                "other"),
                        folder)
                .initialize()) {
            host.call("bare", "{}");
        }
        JsonNode first = Kept.decisions(state).get(0);
        String session = first.path("session").asString("");
        List<JsonNode> own = Kept.audit(state).stream()
                .filter(record -> record.path("session").asString("").equals(session))
                .toList();
        List<JsonNode> last = Told.by(
                        "audit", "show", "--json", "--last", "1", "--session", session, "--state", state.toString())
                .json();
        assertEquals(List.of(own.get(own.size() - 1)), last);
    }

    @Test
    void noStateThere_isSaid_andNoneIsMade() throws Exception {
        state = folder.resolve("nowhere");
        Told told = verify();
        assertEquals(1, told.exit());
        assertTrue(told.err().contains("`--state`"), told.err());
        assertFalse(Files.exists(state));
    }
}
