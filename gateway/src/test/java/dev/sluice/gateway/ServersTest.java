package dev.sluice.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyException;
import dev.sluice.policy.PolicyParser;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

class ServersTest {

    private static final Path HERE = Path.of("/srv/a");

    @Test
    void name_tellsTheServer_andIsTheSameEachTime() {
        List<String> command = List.of("npx", "-y", "@modelcontextprotocol/server-filesystem@2026.8.31", "/srv/notes");
        assertTrue(Servers.name(command, HERE).startsWith("server-filesystem-"), Servers.name(command, HERE));
        assertEquals(Servers.name(command, HERE), Servers.name(List.copyOf(command), HERE));
    }

    @Test
    void sameCommand_inAnotherFolder_orWithOtherArguments_isAnotherServer() {
        List<String> command = List.of("node", "server.js");
        assertNotEquals(Servers.name(command, HERE), Servers.name(command, Path.of("/srv/b")));
        assertNotEquals(Servers.name(command, HERE), Servers.name(List.of("node", "server.js", "--all"), HERE));
        assertNotEquals(Servers.name(List.of("a", "b c"), HERE), Servers.name(List.of("a b", "c"), HERE));
    }

    @Test
    void name_isOneThatAPolicyCanHold() {
        for (List<String> command : List.of(
                List.of("--"),
                List.of("-x"),
                List.of("___"),
                List.of("\u00e9"),
                List.of("a".repeat(99)),
                List.of("."))) {
            String name = Servers.name(command, HERE);
            Assertions.assertDoesNotThrow(
                    () -> PolicyParser.parse("p.yaml", "version: 1\nservers: {" + name + ": {}}\n"), name);
        }
    }

    @Test
    void entry_isThatOfTheCommand_elseTheOnlyOne() {
        var two = PolicyParser.parse(
                "p.yaml", "version: 1\nservers:\n  a: {command: [node, a.js]}\n  b: {command: [node, b.js]}\n");
        assertEquals("b", Servers.of(two, List.of("node", "b.js")).name());
        PolicyException none =
                Assertions.assertThrows(PolicyException.class, () -> Servers.of(two, List.of("node", "c.js")));
        assertTrue(none.getMessage().contains("`command`"), none.getMessage());
        var one = PolicyParser.parse("p.yaml", "version: 1\nservers: {a: {command: [node, a.js]}}\n");
        assertEquals(
                List.of("node", "c.js"),
                Servers.of(one, List.of("node", "c.js")).command());
    }
}
