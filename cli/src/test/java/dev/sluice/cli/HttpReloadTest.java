package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** A policy file that changes under a running {@code sluice gateway}. */
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
                gateway: {ask: {wait: 0s}}
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

    private static String text(HttpClientSide client) throws Exception {
        return StdioHost.text(client.call("post", POST));
    }

    @Test
    void whatASessionSaw_outlivesTheChange_andNewSessionsGetTheNewPolicy() throws Exception {
        write(policy());
        try (HttpClientSide client = new HttpClientSide(file(), state(), folder).initialize()) {
            client.call("bare", "{}");
            write(policy() + RULE.replace("post}", "read}"));
            awaitLine(client, "changed and is in force now");

            String denied = text(client);
            assertTrue(denied.contains("private data (`bare` of `fixture`"), denied);
            client.initialize();
            String ruled = StdioHost.text(client.call("read", "{}"));
            assertTrue(ruled.contains("the rule `no-posts` of the policy forbids this call"), ruled);
        }
    }
}
