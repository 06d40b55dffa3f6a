package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.GatewaySettings.Listen;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code gateway} of a policy is read as, and which of its changes need somebody's word. */
class GatewaySettingsTest {

    private static final String FULL = """
            version: 1
            gateway:
              listen: {host: 0.0.0.0, port: 443}
              tls: {certificate: /c.pem, key: /k.pem}
              hosts: [g.example, h.example]
              origins: ["https://a.example", "http://b.example:8080"]
              auth:
                tokens:
                  - {principal: ana, token_env: ANA}
                  - {principal: bo, token_env: BO}
                oauth:
                  resource: https://g.example/mcp
                  scopes: [mcp]
                  issuers:
                    - {issuer: "https://l.example", jwks: /l.json}
                    - {issuer: "https://m.example", jwks: /m.json}
              limits: {sessions: 10}
              sessions: {idle: 1h}
              ask: {wait: 5s, approvers: [{principal: ana, client: c}, {client: d}]}
            """;

    private static GatewaySettings read(String text) {
        return PolicyParser.parse("p.yaml", text).gateway();
    }

    private static String changed(String from, String to) {
        assertEquals(2, FULL.split(java.util.regex.Pattern.quote(from), -1).length, "once: " + from);
        return FULL.replace(from, to);
    }

    @Test
    void nothingSaid_isLoopbackWithTheUsualLimits() {
        for (String text : List.of("version: 1\n", "version: 1\ngateway:\n", "version: 1\ngateway: {limits: {}}\n")) {
            assertEquals(GatewaySettings.USUAL, read(text), text);
        }
        assertTrue(GatewaySettings.USUAL.listen().isLoopback());
        assertFalse(GatewaySettings.USUAL.auth().isNeeded());
        assertEquals(Duration.ofSeconds(20), GatewaySettings.USUAL.ask().time());
        assertEquals(Optional.empty(), GatewaySettings.USUAL.exposure());
    }

    @Test
    void everything_isRead() {
        GatewaySettings settings = read(FULL);

        assertEquals(new Listen("0.0.0.0", 443, false), settings.listen());
        assertEquals(new GatewaySettings.Tls("/c.pem", "/k.pem"), settings.tls());
        assertEquals(Set.of("g.example", "h.example"), settings.hosts());
        assertEquals(2, settings.auth().tokens().size());
        assertEquals(
                Set.of("RS256", "ES256"),
                settings.auth().oauth().issuers().get(0).algorithms());
        assertEquals("sub", settings.auth().oauth().issuers().get(0).claim());
        assertEquals(10, settings.limits().sessions());
        assertEquals(256, settings.limits().depth(), "what is not said is usual");
        assertEquals(Duration.ofHours(1), settings.sessions().idle());
        assertEquals(
                Duration.ZERO,
                read("version: 1\ngateway: {sessions: {idle: never}}\n")
                        .sessions()
                        .idle());
    }

    @Test
    void sessionKeys_areReadInTheirOrder() {
        assertEquals(
                List.of(
                        new GatewaySettings.SessionKey(GatewaySettings.Place.META, "openai/session", false),
                        new GatewaySettings.SessionKey(GatewaySettings.Place.HEADER, "x-openai-session", true)),
                read("version: 1\ngateway: {sessions: {keys: [{meta: openai/session},"
                                + " {header: X-OpenAI-Session, new: clean}]}}\n")
                        .sessions()
                        .keys());
        assertEquals(List.of(), GatewaySettings.USUAL.sessions().keys());
    }

    @Test
    void sessionKeys_countFromTheNextStart() {
        GatewaySettings clean = read("version: 1\ngateway: {sessions: {keys: {meta: chat, new: clean}}}\n");
        GatewaySettings joined = read("version: 1\ngateway: {sessions: {keys: {meta: chat, new: joined}}}\n");

        assertEquals(Set.of("sessions"), joined.needStart(clean));
        assertEquals(List.of(), joined.looserIn(clean), "what is in force stays as it is");
    }

    @Test
    void approver_isWhoeverAnEntryNamesInFull() {
        GatewaySettings.Ask ask = read(FULL).ask();

        assertTrue(ask.isApprover("ana", "c"));
        assertFalse(ask.isApprover("ana", "x"), "the client counts too");
        assertFalse(ask.isApprover("bo", "c"), "the principal counts too");
        assertTrue(ask.isApprover("bo", "d"));
        assertFalse(GatewaySettings.USUAL.ask().isApprover("", ""));
    }

    @Test
    void listeningElsewhere_isAskedAboutAgain() {
        assertEquals(
                "`0.0.0.0` is reached by others, so callers must say who they are; add `auth` with `tokens` or"
                        + " `oauth`, or listen on 127.0.0.1",
                GatewaySettings.USUAL
                        .on(new Listen("0.0.0.0", 1, false))
                        .exposure()
                        .orElseThrow());
        for (String host : List.of("127.0.0.1", "::1", "localhost")) {
            assertTrue(
                    GatewaySettings.USUAL
                            .on(new Listen(host, 1, false))
                            .exposure()
                            .isEmpty(),
                    host);
        }
        for (String host : List.of("localhost.evil.example", "127.0.0.2", "::", "0.0.0.0")) {
            assertFalse(
                    GatewaySettings.USUAL
                            .on(new Listen(host, 1, false))
                            .exposure()
                            .isEmpty(),
                    host);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "- {principal: bo, token_env: BO} | - {principal: bo, token_env: BO2} | a token of `bo` in `gateway` is new or not as it was",
                "- {principal: bo, token_env: BO} | - {principal: ana, token_env: BO} | a token of `ana` in `gateway` is new or not as it was",
                "scopes: [mcp] | scopes: [other] | `oauth` of `gateway` is new or not as it was",
                "jwks: /l.json | jwks: /n.json | `oauth` of `gateway` is new or not as it was",
                "resource: https://g.example/mcp | resource: https://h.example/mcp | `oauth` of `gateway` is new or not as it was",
                "hosts: [g.example, h.example] | hosts: [g.example, i.example] | `hosts` of `gateway` are more",
                "\"http://b.example:8080\" | \"http://b.example\" | `origins` of `gateway` are more",
                "{principal: ana, client: c} | {principal: ana} | `approvers` of `gateway` are more",
            })
    void whatLetsMoreIn_needsAWord(String from, String to, String what) {
        assertEquals(
                List.of(what), Loosening.of(PolicyParser.parse("p", FULL), PolicyParser.parse("p", changed(from, to))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "      - {principal: bo, token_env: BO} | #",
                "scopes: [mcp] | scopes: [mcp, more]",
                "        - {issuer: \"https://m.example\", jwks: /m.json} | #",
                "hosts: [g.example, h.example] | hosts: [g.example]",
                "{principal: ana, client: c}, | ",
                "wait: 5s | wait: 50s",
                "port: 443 | port: 444",
                "{sessions: 10} | {sessions: 100}",
            })
    void whatLetsNothingMoreIn_needsNone(String from, String to) {
        Policy next = PolicyParser.parse("p", changed(from, to == null ? "" : to));

        assertEquals(List.of(), Loosening.of(PolicyParser.parse("p", FULL), next));
    }

    @Test
    void authThatGoes_needsAWord_andOneThatComesNeedsNone() {
        Policy without = PolicyParser.parse("p", "version: 1\n");
        Policy with =
                PolicyParser.parse("p", "version: 1\ngateway: {auth: {tokens: {principal: ana, token_env: ANA}}}\n");

        assertEquals(List.of("`auth` of `gateway` asks nobody who they are"), Loosening.of(with, without));
        assertEquals(List.of(), Loosening.of(without, with));
    }

    @Test
    void whatCountsFromTheNextStart_isNamed() {
        GatewaySettings settings = read(FULL);

        assertEquals(Set.of("limits", "listen", "sessions", "tls"), settings.needStart(GatewaySettings.USUAL));
        assertEquals(Set.of(), settings.needStart(read(changed("hosts: [g.example, h.example]", ""))));
    }

    @Test
    void telemetry_isReadInAllItsForms() {
        assertEquals(
                new GatewaySettings.Telemetry(
                        "https://c.example:4318/v1/traces", true, true, Set.of("prometheus"), true),
                read("version: 1\ngateway: {telemetry: {logs: json, metrics: {principals: prometheus},"
                                + " traces: {otlp: \"https://c.example:4318/\", propagate: true}}}\n")
                        .telemetry());
        assertEquals(
                new GatewaySettings.Telemetry("http://127.0.0.1:9/spans", false, true, Set.of(), false),
                read("version: 1\ngateway: {telemetry: {logs: text, metrics: true,"
                                + " traces: {otlp: \"http://127.0.0.1:9/spans\"}}}\n")
                        .telemetry());
        assertEquals(
                GatewaySettings.Telemetry.NONE,
                read("version: 1\ngateway: {telemetry: {metrics: false}}\n").telemetry());
    }

    @Test
    void telemetryThatChanges_needsAStart() {
        GatewaySettings told = read("version: 1\ngateway: {telemetry: {metrics: true}}\n");

        assertEquals(Set.of("telemetry"), GatewaySettings.USUAL.needStart(told));
        assertEquals(List.of(), GatewaySettings.USUAL.looserIn(told));
    }
}
