package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.gateway.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** A policy file that changes under a running wrapper. */
class PolicyReloadTest {

    private static final String POLICY = """
            version: 1
            servers:
              fixture:
                tools:
                  read: {effects: [reads], returns: {integrity: trusted, confidentiality: public}}
                  post:
                    effects: [sends]
                    audience: public
                    payload: [text]
                    returns: {integrity: trusted, confidentiality: public}
            """;

    private static final String RULE =
            "rules: [{id: no-posts, on: {tools: post}, then: deny, because: not on Mondays}]\n";

    @TempDir
    private Path folder;

    private Path policy() {
        return folder.resolve("policy.yaml");
    }

    private Path state() {
        return folder.resolve("state");
    }

    /** Editors put a new file in the place of the old one. */
    private void write(String text) throws IOException {
        Path fresh = Files.writeString(folder.resolve("fresh.yaml"), text);
        Files.move(fresh, policy(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static void awaitLine(StdioHost host, String line) throws Exception {
        long hangs = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
        while (!host.errors().contains(line)) {
            assertTrue(host.process().isAlive() && System.nanoTime() < hangs, host.errors());
            Thread.sleep(50);
        }
    }

    private Told accept(String secret) throws Exception {
        return Told.byProcess(
                Map.of(StateOption.SECRET_VARIABLE, secret),
                "policy",
                "accept",
                policy().toString(),
                "--state",
                state().toString());
    }

    private List<String> recorded() {
        try (State open = State.open(state())) {
            return open.engine().transact(tx -> tx.audit().read(1, 1000)).stream()
                    .map(record -> JsonMapper.shared().readTree(record.json()))
                    .filter(event -> event.path("kind").asString("").equals("policy"))
                    .map(event -> event.path("what").asString(""))
                    .toList();
        }
    }

    @Test
    void change_countsForTheLiveSession_whereItIsStricterOrAccepted() throws Exception {
        write(POLICY);
        List<String> command = Children.run(
                Children.fixture(folder.resolve("received"), ""),
                "--state",
                state().toString(),
                "--policy",
                policy().toString());
        try (StdioHost host = new StdioHost(command, folder).initialize()) {
            assertEquals("posted", StdioHost.text(host.call("post", "{\"text\":\"one\"}")));

            write(POLICY + "ruels: []\n");
            awaitLine(host, "policy.yaml:11: `ruels` is no key of a policy; did you mean `rules`?");
            assertTrue(host.errors().contains("can't be used; what was in force STAYS in force:"), host.errors());
            assertEquals("posted", StdioHost.text(host.call("post", "{\"text\":\"two\"}")));

            write(POLICY + RULE);
            awaitLine(host, "changed and is in force now");
            String denied = StdioHost.text(host.call("post", "{\"text\":\"three\"}"));
            assertTrue(denied.contains("the rule `no-posts` of the policy forbids this call: not on Mondays"), denied);

            write(POLICY);
            awaitLine(host, "the rule `no-posts` is gone or not as it was");
            assertTrue(host.errors().contains("until you run `sluice policy accept " + policy() + "`"), host.errors());
            assertTrue(StdioHost.isDenied(host.call("post", "{\"text\":\"four\"}")));

            Told wrong = accept("guess");
            assertEquals(1, wrong.exit());
            assertTrue(wrong.err().contains("not the approver's secret"), wrong.err());
            assertTrue(StdioHost.isDenied(host.call("post", "{\"text\":\"five\"}")));

            Told right =
                    accept(Files.readString(state().resolve("approver-secret")).strip());
            assertEquals(0, right.exit(), right.err());
            assertEquals(policy() + " is accepted as it is now\n", right.out());
            awaitLine(host, "changed and is in force now, as the approver accepted it");
            assertEquals("posted", StdioHost.text(host.call("post", "{\"text\":\"six\"}")));

            assertFalse(host.errors().contains("looking at the policy file failed"), host.errors());
            assertEquals(List.of("refused", "loaded", "held", "accepted", "loaded"), recorded());
            assertEquals(1, Kept.sessions(state()).size(), "the session went on");
        }
    }

    @Test
    void brokenFile_canNotBeAccepted() throws Exception {
        write(POLICY);
        State.open(state()).close();
        write("version: 2\n");

        Told told = accept(Files.readString(state().resolve("approver-secret")).strip());
        assertEquals(1, told.exit());
        assertTrue(told.err().contains("policy.yaml:1: the policy must say `version: 1`"), told.err());
        assertEquals(List.of(), recorded());
    }
}
