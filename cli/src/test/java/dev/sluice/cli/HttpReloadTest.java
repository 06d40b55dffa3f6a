package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

/** A policy file that changes under a running {@code sluice gateway}, with two sessions open. */
class HttpReloadTest {

    private static final String RULE =
            "rules: [{id: no-posts, on: {tools: post}, then: deny, because: not on Mondays}]\n";
    private static final String POST = "{\"text\":\"we meet at noon\"}";

    @TempDir
    private Path folder;

    private Path file() {
        return folder.resolve("policy.yaml");
    }

    private Path state() {
        return folder.resolve("state");
    }

    private String policy() {
        return """
                version: 1
                servers:
                  fixture:
                    command: %s
                    tools:
                      read: {effects: [reads], returns: {integrity: trusted, confidentiality: public}}
                      bare: {effects: [reads], returns: {integrity: trusted, confidentiality: private}}
                      post: {effects: [sends], audience: public, payload: [text], returns: {integrity: trusted, confidentiality: public}}
                """.formatted(JsonMapper.shared().writeValueAsString(Children.fixture(folder.resolve("received"), "")));
    }

    /** Editors put a new file in the place of the old one. */
    private void write(String text) throws IOException {
        Path fresh = Files.writeString(folder.resolve("fresh.yaml"), text);
        Files.move(fresh, file(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static void awaitLine(HttpClientSide client, String line) throws Exception {
        long hangs = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
        while (!client.errors().contains(line)) {
            assertTrue(client.process().isAlive() && System.nanoTime() < hangs, client.errors());
            Thread.sleep(50);
        }
    }

    private Told accept(String secret) {
        return Told.by(
                Map.of(StateOption.SECRET_VARIABLE, secret),
                "policy",
                "accept",
                file().toString(),
                "--state",
                state().toString());
    }

    private static String text(HttpClientSide client) throws Exception {
        return StdioHost.text(client.call("post", POST));
    }

    /** What the records say became of files. */
    private List<String> recorded() {
        return Kept.audit(state()).stream()
                .filter(event -> event.path("kind").asString("").equals("policy"))
                .map(event -> event.path("what").asString(""))
                .toList();
    }

    @Test
    void change_countsForLiveSessions_whereItIsStricterOrAccepted() throws Exception {
        write(policy());
        try (HttpClientSide client = new HttpClientSide(file(), state(), folder).initialize()) {
            String first = client.session;
            assertEquals("posted", text(client));
            String second = client.initialize().session;
            assertEquals("posted", text(client));

            write(policy() + "ruels: []\n");
            awaitLine(client, "policy.yaml:8: `ruels` is no key of a policy; did you mean `rules`?");
            assertTrue(client.errors().contains("can't be used; what was in force STAYS in force:"), client.errors());
            assertEquals("posted", text(client));

            write(policy() + RULE);
            awaitLine(client, "changed and is in force now");
            for (String session : List.of(first, second)) {
                client.session = session;
                String denied = text(client);
                assertTrue(
                        denied.contains("the rule `no-posts` of the policy forbids this call: not on Mondays"), denied);
            }

            write(policy());
            awaitLine(client, "the rule `no-posts` is gone or not as it was");
            assertTrue(
                    client.errors().contains("until you run `sluice policy accept " + file() + "`"), client.errors());
            assertTrue(StdioHost.isDenied(client.call("post", POST)), "the looser file does not hold");
            assertEquals(1, accept("guess").exit());
            assertTrue(StdioHost.isDenied(client.call("post", POST)), "not by anybody's word");

            Told right =
                    accept(Files.readString(state().resolve("approver-secret")).strip());
            assertEquals(0, right.exit(), right.err());
            awaitLine(client, "changed and is in force now, as the approver accepted it");
            for (String session : List.of(first, second)) {
                client.session = session;
                assertEquals("posted", text(client));
            }

            assertFalse(client.errors().contains("looking at the policy file failed"), client.errors());
        }
        assertEquals(List.of("refused", "loaded", "held", "accepted", "loaded"), recorded());
        assertEquals(2, Kept.sessions(state()).size(), "the sessions went on");
    }

    @Test
    void whatASessionSaw_outlivesTheChange_andNewSessionsGetTheNewPolicy() throws Exception {
        write(policy());
        try (HttpClientSide client = new HttpClientSide(file(), state(), folder).initialize()) {
            client.call("bare", "{}");
            write(policy() + RULE.replace("post}", "echo}"));
            awaitLine(client, "changed and is in force now");

            String denied = text(client);
            assertTrue(denied.contains("private data came in with `bare` of `fixture`"), denied);
            client.initialize();
            String ruled = StdioHost.text(client.call("echo", POST));
            assertTrue(ruled.contains("the rule `no-posts` of the policy forbids this call"), ruled);
        }
    }
}
