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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** A policy file that changes under a running wrapper or gateway. */
class PolicyReloadTest {

    private static final String RULE =
            "rules: [{id: no-posts, on: {tools: post}, then: deny, because: not on Mondays}]\n";

    @TempDir
    private Path folder;

    private Path file() {
        return folder.resolve("policy.yaml");
    }

    private Path state() {
        return folder.resolve("state");
    }

    private List<String> server() {
        return Children.fixture(folder.resolve("received"), "");
    }

    private String policy() {
        return """
                version: 1
                gateway: {ask: {wait: 0s}}
                servers:
                  fixture:
                    command: %s
                    tools:
                      read: {effects: [reads], returns: {integrity: trusted, confidentiality: public}}
                      bare: {effects: [reads], returns: {integrity: trusted, confidentiality: private}}
                      post: {effects: [sends], audience: public, payload: [text], returns: {integrity: trusted, confidentiality: public}}
                """.formatted(JsonMapper.shared().writeValueAsString(server()));
    }

    /** Editors put a new file in the place of the old one. */
    private void write(String text) throws IOException {
        Path fresh = Files.writeString(folder.resolve("fresh.yaml"), text);
        Files.move(fresh, file(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private Told accept(String secret) throws Exception {
        return Told.byProcess(
                Map.of(StateOption.SECRET_VARIABLE, secret),
                "policy",
                "accept",
                file().toString(),
                "--state",
                state().toString());
    }

    private String secret() throws IOException {
        return Files.readString(state().resolve("approver-secret")).strip();
    }

    private List<String> recorded() {
        return Kept.audit(state()).stream()
                .filter(event -> event.path("kind").asString("").equals("policy"))
                .map(event -> event.path("what").asString(""))
                .toList();
    }

    private String post(Caller caller, String text) throws Exception {
        return StdioHost.text(caller.call("post", "{\"text\":\"" + text + "\"}"));
    }

    @Test
    void underTheWrapper_changeCountsForTheLiveSession_whereItIsStricterOrAccepted() throws Exception {
        write(policy());
        List<String> command = Children.run(server(), "--state", state().toString(), "--policy", file().toString());
        try (Caller caller = new StdioHost(command, folder).initialize()) {
            changes(caller);
        }
    }

    @Test
    void underTheGateway_changeCountsForTheLiveSession_whereItIsStricterOrAccepted() throws Exception {
        write(policy());
        try (Caller caller = HttpClientSide.process(file(), state(), folder).initialize()) {
            changes(caller);
        }
    }

    /** A file that is broken, stricter, looser again, and then accepted, under one session. */
    private void changes(Caller caller) throws Exception {
        assertEquals("posted", post(caller, "one"));

        write(policy() + "ruels: []\n");
        caller.awaitLogged("policy.yaml:10: `ruels` is no key of a policy; did you mean `rules`?");
        assertTrue(caller.errors().contains("can't be used; what was in force STAYS in force:"), caller.errors());
        assertEquals("posted", post(caller, "two"));

        write(policy() + RULE);
        caller.awaitLogged("changed and is in force now");
        String denied = post(caller, "three");
        assertTrue(denied.contains("the rule `no-posts` of the policy forbids this call: not on Mondays"), denied);

        write(policy());
        caller.awaitLogged("the rule `no-posts` is gone or not as it was");
        assertTrue(caller.errors().contains("until you run `sluice policy accept " + file() + "`"), caller.errors());
        assertEquals(denied, post(caller, "four"));

        Told wrong = accept("guess");
        assertEquals(1, wrong.exit());
        assertTrue(wrong.err().contains("not the approver's secret"), wrong.err());
        assertEquals(denied, post(caller, "five"));

        Told right = accept(secret());
        assertEquals(0, right.exit(), right.err());
        assertEquals(file() + " is accepted as it is now\n", right.out());
        caller.awaitLogged("changed and is in force now, as the approver accepted it");
        assertEquals("posted", post(caller, "six"));

        assertFalse(caller.errors().contains("looking at the policy file failed"), caller.errors());
        assertEquals(List.of("refused", "loaded", "held", "accepted", "loaded"), recorded());
        assertEquals(1, Kept.sessions(state()).size(), "the session went on");
    }

    @Test
    void whatASessionSaw_outlivesTheChange_andNewSessionsGetTheNewPolicy() throws Exception {
        write(policy());
        try (HttpClientSide client = HttpClientSide.within(file(), state()).initialize()) {
            client.call("bare", "{}");
            write(policy() + RULE.replace("post}", "read}"));
            client.awaitLogged("changed and is in force now");

            String denied = post(client, "we meet at noon");
            assertTrue(denied.contains("private data (`bare` of `fixture`"), denied);
            client.initialize();
            String ruled = StdioHost.text(client.call("read", "{}"));
            assertTrue(ruled.contains("the rule `no-posts` of the policy forbids this call"), ruled);
        }
    }

    @Test
    void brokenFile_canNotBeAccepted() throws Exception {
        write("version: 2\n");
        State.open(state()).close();

        Told told = accept(secret());
        assertEquals(1, told.exit());
        assertTrue(told.err().contains("policy.yaml:1: the policy must say `version: 1`"), told.err());
        assertEquals(List.of(), recorded());
    }
}
