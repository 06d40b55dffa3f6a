package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Who may call a gateway, and that nobody gets what belongs to another. */
class GatewayAuthTest {

    private static final String ALICE = "alice-token-0123456789";
    private static final String BOB = "bob-token-9876543210";
    private static final String PING = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    private static final String RESOURCE = "https://gateway.example/mcp";
    private static final String METADATA =
            "resource_metadata=\"https://gateway.example/.well-known/oauth-protected-resource/mcp\", scope=\"mcp\"";

    @TempDir
    private Path folder;

    private Path policy;
    private Path state;
    private AccessTokenMint mint;
    private HttpClientSide client;

    @BeforeEach
    void start() throws Exception {
        mint = new AccessTokenMint();
        policy = folder.resolve("policy.yaml");
        state = folder.resolve("state");
        Files.writeString(policy, """
                version: 1
                servers:
                  files:
                    command: %s
                    tools:
                      read: {effects: [reads], returns: {integrity: trusted, confidentiality: private}}
                      post: {effects: [sends], audience: public, payload: [text], returns: {integrity: trusted, confidentiality: public}}
                      echo: {effects: [reads], review: true}
                gateway:
                  ask: {wait: 0s}
                  auth:
                    tokens:
                      - {principal: alice, token_env: ALICE_TOKEN}
                      - {principal: bob, sha256: %s}
                    oauth:
                      resource: %s
                      scopes: [mcp]
                      issuers: {issuer: "%s", jwks: "%s/jwks"}
                """.formatted(
                JsonMapper.shared().writeValueAsString(Children.fixture(folder.resolve("files"), "")),
                HexFormat.of()
                        .formatHex(MessageDigest.getInstance("SHA-256").digest(BOB.getBytes(StandardCharsets.UTF_8))),
                RESOURCE,
                mint.issuer(),
                mint.issuer()));
        client = HttpClientSide.within(policy, state, Map.of("ALICE_TOKEN", ALICE));
    }

    /** Puts a gateway that is a process in the place of the one within this process. */
    private void startProcess() throws Exception {
        client.close();
        client = HttpClientSide.process(policy, state, folder, Map.of("ALICE_TOKEN", ALICE));
    }

    @AfterEach
    void stop() {
        client.close();
        mint.close();
    }

    private void refused(String token, int status, String challenge, String why) throws Exception {
        client.token = token;
        HttpResponse<String> answer = client.post(PING);
        assertEquals(status, answer.statusCode());
        assertEquals(challenge, answer.headers().firstValue("WWW-Authenticate").orElse(""));
        assertEquals(
                "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"" + why + "\"}}",
                answer.body());
    }

    @Test
    void callersWithoutAGoodToken_areToldWhatToDo() throws Exception {
        refused("", 401, "Bearer " + METADATA, "say who you are: send `Authorization: Bearer` and your token");
        String invalid = "Bearer error=\"invalid_token\", error_description=\"";
        String neither = "the token is neither one that was given out here nor a signed JWT";
        refused("guess", 401, invalid + neither + "\", " + METADATA, neither);
        refused(ALICE + "x", 401, invalid + neither + "\", " + METADATA, neither);
        refused(
                mint.token("ana", RESOURCE, "mcp", -60),
                401,
                invalid + "the access token has expired\", " + METADATA,
                "the access token has expired");
        refused(
                mint.token("ana", "https://other.example/mcp", "mcp", 60),
                401,
                invalid + "the access token is not for this gateway\", " + METADATA,
                "the access token is not for this gateway");
        String scope = "the access token does not hold every scope that is asked for";
        refused(
                mint.token("ana", RESOURCE, "other", 60),
                403,
                "Bearer error=\"insufficient_scope\", error_description=\"" + scope + "\", " + METADATA,
                scope + ": mcp");
    }

    @Test
    void otherWaysToSendAToken_areRefused() throws Exception {
        HttpResponse<String> twice = client.send(HttpRequest.newBuilder(client.address)
                .header("Authorization", "Bearer " + ALICE)
                .header("Authorization", "Bearer " + BOB)
                .build());
        assertEquals(400, twice.statusCode());
        assertTrue(twice.body().contains("send `Authorization` once"), twice.body());
        HttpResponse<String> query =
                client.send(HttpRequest.newBuilder(URI.create(client.address + "?access_token=" + ALICE))
                        .build());
        assertEquals(400, query.statusCode());
        assertTrue(query.body().contains("send the token in the header `Authorization`, never in the address"));
        HttpResponse<String> basic = client.send(HttpRequest.newBuilder(client.address)
                .header("Authorization", "Basic " + ALICE)
                .build());
        assertEquals(401, basic.statusCode());
    }

    @Test
    void metadata_isTheOfRfc9728_andForEverybody() throws Exception {
        for (String path : List.of("", "/mcp")) {
            HttpResponse<String> answer = client.send(
                    HttpRequest.newBuilder(client.address.resolve("/.well-known/oauth-protected-resource" + path))
                            .build());
            assertEquals(200, answer.statusCode());
            assertEquals(
                    "{\"resource\":\"https://gateway.example/mcp\",\"authorization_servers\":[\"" + mint.issuer()
                            + "\"],\"scopes_supported\":[\"mcp\"],\"bearer_methods_supported\":[\"header\"]}",
                    answer.body());
        }
    }

    @Test
    void keysThatCantBeHad_letNobodyInWithAnAccessToken() throws Exception {
        mint.fail();
        refused(
                mint.token("ana", RESOURCE, "mcp", 60),
                503,
                "",
                "the keys of the issuer can't be had now; try again later");
        client.token = ALICE;
        client.initialize();
    }

    @Test
    void sessionPoolOfTwoUsers_isNoPool() throws Exception {
        client.token = ALICE;
        client.initialize();
        assertEquals("the secret number is 4711", StdioHost.text(client.call("read", "{}")));
        assertTrue(StdioHost.isDenied(client.call("post", "{\"text\":\"4711\"}")));
        String alices = client.session;

        for (String other : List.of(BOB, mint.token("alice", RESOURCE, "mcp", 60))) {
            client.token = other;
            client.session = alices;
            assertEquals(404, client.post(PING).statusCode());
            assertEquals(
                    404,
                    client.send(client.request()
                                    .header("Accept", "text/event-stream")
                                    .build())
                            .statusCode());
            assertEquals(404, client.send(client.request().DELETE().build()).statusCode());
            assertEquals(404, typed(hostToken()).statusCode());
            client.initialize();
            assertEquals("posted", StdioHost.text(client.call("post", "{\"text\":\"hello\"}")), "nothing is inherited");
        }

        client.token = ALICE;
        client.session = alices;
        assertEquals(200, client.post(PING).statusCode(), "nobody ended it");
        client.initialize();
        assertTrue(
                StdioHost.isDenied(client.call("post", "{\"text\":\"4711\"}")),
                "a new session of hers goes on with hers");
        assertEquals(
                List.of("alice", "alice", "bob", mint.issuer() + "#alice"),
                Kept.sessions(state).stream()
                        .map(each -> each.principal())
                        .sorted()
                        .toList());
    }

    private String hostToken() throws Exception {
        return Files.readString(state.resolve("host-token")).strip();
    }

    private HttpResponse<String> typed(String hostToken) throws Exception {
        return client.send(client.request()
                .uri(client.address.resolve("/typed"))
                .header("Sluice-Host-Token", hostToken)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"prompt\":\"post 4711\"}"))
                .build());
    }

    @Test
    void wordsOfTheUser_needTheCallerAndTheHost() throws Exception {
        client.token = ALICE;
        client.initialize();
        assertEquals(204, typed(hostToken()).statusCode());
        HttpResponse<String> guessed = typed("guess");
        assertEquals(403, guessed.statusCode());
        assertTrue(guessed.body().contains("send `Sluice-Host-Token` with the host's token"), guessed.body());
        client.token = "";
        assertEquals(401, typed(hostToken()).statusCode());
    }

    @Test
    void killedAndStartedAgain_theSessionIsStillItsPrincipals() throws Exception {
        startProcess();
        client.token = ALICE;
        client.initialize();
        client.call("read", "{}");
        String alices = client.session;
        client.kill();
        startProcess();
        client.session = alices;
        client.token = BOB;
        assertEquals(404, client.post(PING).statusCode());
        client.token = ALICE;
        assertTrue(StdioHost.isDenied(client.call("post", "{\"text\":\"4711\"}")));
    }

    @Test
    void approvalOfOnePrincipalsCall_isNoneOfAnothers() throws Exception {
        client.token = ALICE;
        client.initialize();
        JsonNode asked = client.call("echo", "{\"text\":\"x\"}");
        assertTrue(StdioHost.isDenied(asked), asked.toString());
        String id = Told.by("approvals", "list", "--json", "--state", state.toString())
                .json()
                .get(0)
                .path("id")
                .asString("");
        Told approved = Told.by(
                Map.of(StateOption.SECRET_VARIABLE, Files.readString(state.resolve("approver-secret"))),
                "approvals",
                "approve",
                id,
                "--state",
                state.toString());
        assertEquals(0, approved.exit(), approved.err());
        String alices = client.session;
        client.token = BOB;
        client.initialize();
        assertTrue(StdioHost.isDenied(client.call("echo", "{\"text\":\"x\"}")), "it is hers");
        client.token = ALICE;
        client.session = alices;
        assertEquals("x", StdioHost.text(client.call("echo", "{\"text\":\"x\"}")));
    }

    @Test
    void health_saysToEverybodyWhetherItWorks_andToCallersWhatIsThere() throws Exception {
        URI health = client.address.resolve("/health");
        HttpResponse<String> anybody =
                client.send(HttpRequest.newBuilder(health).build());
        assertEquals(200, anybody.statusCode());
        assertEquals("{\"status\":\"ok\"}", anybody.body());
        client.token = ALICE;
        assertEquals(
                "{\"status\":\"ok\",\"servers\":[{\"name\":\"files\",\"state\":\"idle\"}]}",
                client.send(client.request().uri(health).build()).body());
        assertEquals(
                405, client.send(client.request().uri(health).DELETE().build()).statusCode());
    }

    @Test
    void tokens_standInNoLogAndNoState_andNoServerGetsThem() throws Exception {
        startProcess();
        String access = mint.token("ana", RESOURCE, "mcp", 60);
        for (String token : List.of(ALICE, BOB, access)) {
            client.token = token;
            client.initialize();
            client.call("read", "{}");
            client.send(HttpRequest.newBuilder(URI.create(client.address + "?access_token=" + token))
                    .build());
        }
        client.token = "a-wrong-token-4711";
        client.post("{not json");
        String environment;
        try (Stream<ProcessHandle> children = client.process().toHandle().descendants()) {
            StringBuilder all = new StringBuilder();
            for (ProcessHandle child : children.toList()) {
                all.append(Files.readString(Path.of("/proc/" + child.pid() + "/environ")));
            }
            environment = all.toString();
        }
        assertFalse(environment.isEmpty(), "there is a server");
        client.close();
        StringBuilder kept = new StringBuilder(client.errors()).append(environment);
        try (Stream<Path> files = Files.walk(state)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                kept.append(Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        for (String token : List.of(ALICE, BOB, access, "a-wrong-token-4711", client.session)) {
            assertFalse(kept.indexOf(token) >= 0, "kept: " + token);
        }
    }

    @Test
    void tokenThatIsTakenOutOfThePolicy_letsNobodyIn() throws Exception {
        client.token = BOB;
        client.initialize();
        String text = Files.readString(policy);
        Files.writeString(policy, text.replaceAll("(?m)^.*principal: bob.*\n", ""));
        for (int i = 0; i < 300 && client.post(PING).statusCode() == 200; i++) {
            Thread.sleep(100);
        }
        assertEquals(401, client.post(PING).statusCode());
        client.token = ALICE;
        client.initialize();
    }
}
