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
import tools.jackson.databind.json.JsonMapper;

/** {@code sluice check}, as a person or a script runs it. */
class CheckCommandTest {

    @TempDir
    private Path folder;

    private Path policy(String text) throws IOException {
        return Files.writeString(folder.resolve("p.yaml"), text);
    }

    @Test
    void goodPolicy_isOneLine() throws Exception {
        Path file = policy("""
                version: 1
                servers:
                  mail:
                    tools:
                      read: {returns: {items: /m/*, readers: flat(item.to)}}
                rules:
                  - {id: ask-first, then: ask, when: call.arguments.n > 3}
                """);

        Told told = Told.by("check", file.toString());

        assertEquals(0, told.exit());
        assertEquals(file + " is a policy for 1 server with 1 rule\n", told.out());
        assertEquals("", told.err());
    }

    @Test
    void badPolicy_isALineForEachProblem() throws Exception {
        Path file = policy("""
                version: 1
                servers:
                  mail:
                    tools:
                      read: {returns: {readers: flat(itm.to)}}
                rules:
                  - {id: a, then: allow}
                """);

        Told told = Told.by("check", file.toString());

        assertEquals(1, told.exit());
        assertEquals(
                file + ":5: `readers` is no expression: undeclared reference to `itm`, at character 6; there are item,"
                        + " args, server, principal, inAudience, flat\n"
                        + file + ":7: `then` can't be `allow`; write one of deny, ask\n",
                told.out());
        Told json = Told.by("check", "--json", file.toString());
        assertEquals(1, json.exit());
        assertEquals(7, json.json().get(0).path("problems").path(1).path("line").intValue());
    }

    @Test
    void fileThatIsNotThere_isAProblem() throws Exception {
        Path file = folder.resolve("none.yaml");

        Told told = Told.by("check", file.toString());

        assertEquals(1, told.exit());
        assertEquals(file + ": the policy can't be read; name a readable file\n", told.out());
    }

    private static final String TOOLS = """
            {"instructions": "Be kind.", "tools": [
              {"name": "read", "inputSchema": {"type": "object", "properties": {"id": {}}}},
              {"name": "send", "inputSchema": {"type": "object", "properties": {"to": {}, "body": {}}}},
              {"name": "third", "inputSchema": {"type": "object"}}]}
            """;

    private List<String> server() throws IOException {
        return ListingServer.command(Files.writeString(folder.resolve("tools.json"), TOOLS));
    }

    private static String yaml(List<String> command) {
        return JsonMapper.shared().writeValueAsString(command);
    }

    @Test
    void policyThatFitsItsServer_isSaidSo() throws Exception {
        Path file = policy("""
                version: 1
                servers:
                  mail:
                    command: %s
                    tools:
                      read: {effects: [reads], inert: [id]}
                      send: {effects: [sends], audience: [to], payload: [body]}
                      third: {effects: [reads]}
                """.formatted(yaml(server())));

        Told told = Told.by("check", "--inventory", file.toString());

        assertEquals(0, told.exit(), told.out() + told.err());
        assertEquals(
                file + " is a policy for 1 server with 0 rules\n"
                        + "`mail` has 3 tools, and all that the policy names of it\n",
                told.out());
        Told json = Told.by("check", "--inventory", "--json", file.toString());
        assertEquals(0, json.exit());
        assertEquals(3, json.json().get(0).path("inventory").path("mail").intValue());
    }

    @Test
    void policyThatDoesNotFitItsServer_isALineForEachProblem() throws Exception {
        String digest = "sha256:" + "a".repeat(64);
        Path file = policy("""
                version: 1
                servers:
                  mail:
                    command: %s
                    instructions: %s
                    tools:
                      reed: {effects: [reads]}
                      send: {effects: [sends], audience: [to], payload: [boddy]}
                      third: {effects: [reads], definition: %s}
                """.formatted(yaml(server()), digest, digest));

        assertEquals(0, Told.by("check", file.toString()).exit(), "without --inventory nothing is started");
        Told told = Told.by("check", "--inventory", file.toString());

        assertEquals(1, told.exit());
        List<String> lines = told.out().lines().toList();
        assertEquals(4, lines.size(), told.out());
        assertTrue(lines.get(0).startsWith(file + ":5: the instructions of `mail` are not those"), told.out());
        assertEquals(file + ":7: `mail` has no tool `reed`; did you mean `read`?", lines.get(1));
        assertEquals(
                file + ":8: `send` has no argument `boddy`, which `payload` names; did you mean `body`?", lines.get(2));
        assertTrue(lines.get(3).startsWith(file + ":9: `third` of `mail` is not defined as it is pinned"), told.out());
    }

    @Test
    void serversThatCantBeStarted_areProblemsOfTheirEntries() throws Exception {
        Path file = policy("""
                version: 1
                servers:
                  mail:
                    tools: {read: {}}
                  gone: {command: [no-such-program-here]}
                  mute: {command: [sleep, "60"]}
                """);

        Told told = Told.by("check", "--inventory", "--timeout", "1", file.toString());

        assertEquals(1, told.exit());
        assertEquals(
                file
                        + ":3: `mail` can't be started, since it has no `command` and no `url`; write one here, or give the command after `--`\n"
                        + file + ":5: the server `gone` can't be started: `no-such-program-here` is not a program that"
                        + " can be run; check the command\n"
                        + file + ":6: the server `mute` did not answer `initialize` within 1 s; is its command that of"
                        + " an MCP server? If it needs longer, give it a longer `--timeout`\n",
                told.out());
    }

    @Test
    void commandInOneText_isToldToBeWrittenInWords() throws Exception {
        Path file = policy("version: 1\nservers: {notes: {command: node server.js}}\n");
        assertEquals(
                file + ":2: the server `notes` can't be started: `node server.js` is not a program that can be run; no"
                        + " shell reads the command: write each of its words on its own\n",
                Told.by("check", "--inventory", file.toString()).out());
    }

    @Test
    void serverAtAnAddress_hasNoLogThatStandsAbove() throws Exception {
        Path file = policy("version: 1\nservers: {notes: {url: 'http://127.0.0.1:1/mcp'}}\n");
        assertEquals(
                file + ":2: the server `notes` did not answer `initialize`: it can't be reached at http://127.0.0.1:1:"
                        + " it takes no connection\n",
                Told.by("check", "--inventory", file.toString()).out());
    }

    @Test
    void wordsAfterTheDashes_startTheOnlyServer() throws Exception {
        Path file = policy("version: 1\nservers: {mail: {tools: {read: {}, nothing: {}}}}\n");
        List<String> words = new ArrayList<>(List.of("check", "--inventory", file.toString(), "--"));
        words.addAll(server());

        Told told = Told.by(words.toArray(String[]::new));

        assertEquals(1, told.exit());
        assertEquals(file + ":2: `mail` has no tool `nothing`; there are read, send, third\n", told.out(), told.err());
        Told without = Told.by("check", file.toString(), "--", "cat");
        assertEquals(2, without.exit());
        assertEquals("sluice: a server's command is for `--inventory`; without it nothing is started\n", without.err());
    }
}
