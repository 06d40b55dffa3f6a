package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
        assertEquals(file + ": the policy can't be read; name a readable file with `--policy`\n", told.out());
    }
}
