package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Vocabulary;
import dev.sluice.wire.Outcome;
import dev.sluice.wire.canonical.Digest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Policies that say what can be meant. */
class PolicyParserTest {

    private static final Path FULL = GoldenCase.resource("good").resolve("full.yaml");

    @Test
    void fullPolicy_isReadIntoItsRecords() throws IOException {
        Policy policy = PolicyParser.read(FULL);

        ToolStatement read = new ToolStatement(
                Set.of(Effect.READS),
                null,
                null,
                null,
                null,
                null,
                null,
                new Returns(
                        Integrity.UNTRUSTED,
                        new Returns.Privacy.Named(List.of("/from", "/to/*", "ana@clinic.example")),
                        Set.of(DataClass.of("phi"))),
                null,
                null,
                null,
                null,
                null);
        ToolStatement send = new ToolStatement(
                Set.of(Effect.WRITES, Effect.SENDS),
                new AudienceRule(
                        List.of("to", "cc"),
                        List.of(
                                new AudienceMember.Person("boss@clinic.example"),
                                new AudienceMember.Account("mail", "ops")),
                        false),
                Outcome.IRREVERSIBLE,
                true,
                List.of("subject", "body"),
                null,
                false,
                new Returns(null, new Returns.Privacy.Private(), null),
                null,
                null,
                null,
                null,
                null);
        ServerPolicy mail = new ServerPolicy(
                "mail",
                List.of("java", "-jar", "mail-server.jar"),
                new ServerLine(
                        "",
                        Map.of(),
                        Map.of(
                                "MAIL_DIR",
                                new EnvironmentText("/srv/mail"),
                                "TOKEN",
                                new EnvironmentText("${MAIL_TOKEN}")),
                        true,
                        Optional.empty(),
                        Duration.ofSeconds(90),
                        ServerEra.MODERN),
                "",
                new Returns(
                        Integrity.TRUSTED,
                        new Returns.Privacy.Public(),
                        Set.of(DataClass.of("pii"), DataClass.of("financial"))),
                new ServerPolicy.ClaimTrust(true, false, false),
                new EvidenceTrust(
                        "mail.clinic.example",
                        Map.of("main", "ed25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="),
                        2,
                        List.of("records.clinic.example", "backup.clinic.example:8443"),
                        "/srv/records"),
                true,
                false,
                Map.of("read_mail", read, "send_email", send),
                new DefinitionPins("sha256:" + "1".repeat(64), Map.of("send_email", "sha256:" + "2".repeat(64))));
        ServerPolicy forge = new ServerPolicy(
                "forge",
                List.of("run-forge"),
                ServerLine.USUAL,
                ServerPolicy.AUTO,
                Returns.NOTHING,
                ServerPolicy.ClaimTrust.FULL_ALL,
                EvidenceTrust.none("forge"),
                false,
                true,
                Map.of(
                        "comment",
                        new ToolStatement(
                                Set.of(Effect.SENDS),
                                new AudienceRule(List.of(), List.of(), true),
                                null,
                                null,
                                null,
                                List.of("owner", "repo"),
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null),
                        "publish",
                        new ToolStatement(
                                null,
                                AudienceRule.PUBLIC,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null),
                        "ping",
                        new ToolStatement(
                                Set.of(Effect.SENDS),
                                AudienceRule.SERVER_ONLY,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null)),
                DefinitionPins.NONE);

        assertEquals(FULL.toString(), policy.source());
        assertEquals(Digest.sha256(Files.readAllBytes(FULL)).text(), policy.digest());
        assertEquals(Mode.WARN, policy.mode());
        assertEquals(Profile.STRICT, policy.profile());
        assertEquals(
                List.of(new Vocabulary(
                        "urn:clinic:classes",
                        Map.of("open", Vocabulary.Meaning.PUBLIC, "chart", Vocabulary.Meaning.SENSITIVE),
                        Set.of("hipaa"),
                        Set.of("example.clinic.chart"))),
                policy.vocabularies());
        assertEquals(
                List.of("mail", "forge", "a_b-1", "files"),
                List.copyOf(policy.servers().keySet()));
        assertEquals(mail, policy.servers().get("mail"));
        assertEquals(forge, policy.servers().get("forge"));
        assertEquals(ServerPolicy.unstated("a_b-1", List.of()), policy.servers().get("a_b-1"));
        ServerPolicy files = policy.servers().get("files");
        assertEquals("server-filesystem", files.known());
        assertEquals(ServerPolicy.ClaimTrust.RAISE_ALL, files.claims());
        assertFalse(policy.isFirstUse());
    }

    @Test
    void serverOfAnotherMachine_hasItsAddressAndHeaders() {
        ServerLine line =
                PolicyParser.parse("p.yaml", """
                        version: 1
                        servers:
                          notes:
                            url: https://notes.example/mcp?team=red
                            headers:
                              Authorization: "Bearer ${NOTES_TOKEN}"
                              X-Version: 2
                            idle: 30s
                        """).servers().get("notes").line();

        assertEquals("https://notes.example/mcp?team=red", line.url());
        EnvironmentText authorization = Objects.requireNonNull(line.headers().get("Authorization"));
        assertEquals(List.of("NOTES_TOKEN"), authorization.variables());
        assertEquals("Bearer a$b\\", authorization.filled(Map.of("NOTES_TOKEN", "a$b\\")));
        assertEquals(Optional.of("NOTES_TOKEN"), authorization.missing(Map.of("NOTES_TOKEN", "")));
        assertEquals(Optional.empty(), authorization.missing(Map.of("NOTES_TOKEN", "a")));
        assertEquals(
                "2", Objects.requireNonNull(line.headers().get("X-Version")).filled(Map.of()));
        assertEquals(Optional.of(Duration.ofSeconds(30)), line.idle());
        assertEquals(ServerLine.USUAL_TIMEOUT, line.timeout());
    }

    @Test
    void plainAddresses_areThoseOfThisMachine_orSaidToBeInsecure() {
        for (String url : List.of("http://127.0.0.1:3001/mcp", "http://[::1]/mcp", "http://localhost/mcp")) {
            assertEquals(Optional.empty(), PolicyParser.urlFault(url, false), url);
        }
        for (String url : List.of(
                "http://localhost.evil.example/mcp", "http://127.0.0.1.evil.example/mcp", "http://10.0.0.1/mcp")) {
            assertTrue(PolicyParser.urlFault(url, false).isPresent(), url);
            assertEquals(Optional.empty(), PolicyParser.urlFault(url, true), url);
        }
    }

    @Test
    void whatIsNotSaid_isBalancedAndEnforced() {
        Policy policy = PolicyParser.parse("p.yaml", "version: 1\n");

        assertEquals(Mode.ENFORCE, policy.mode());
        assertEquals(Profile.BALANCED, policy.profile());
        assertEquals(Map.of(), policy.servers());
        assertFalse(policy.isFirstUse());
    }

    @Test
    void firstUse_isBalancedEnforcedAndKnownAsSuch() {
        Policy policy = PolicyParser.firstUse();

        assertEquals(Mode.ENFORCE, policy.mode());
        assertEquals(Profile.BALANCED, policy.profile());
        assertTrue(policy.isFirstUse());
        Policy said = PolicyParser.parse("said.yaml", "version: 1\nservers: {a: {}}\n");
        assertTrue(policy.with(said).isFirstUse());
        assertEquals(said.digest(), policy.with(said).digest(), "records tell what was said from what was not");
        assertEquals(Set.of("a"), policy.with(said).servers().keySet());
    }

    @Test
    void json_isAPolicyToo() {
        Policy policy = PolicyParser.parse(
                "p.json",
                "{\"version\": 1, \"servers\": {\"mail\": {\"tools\": {\"send\": {\"effects\": [\"sends\"]}}}}}");

        assertEquals(
                Set.of(Effect.SENDS),
                policy.servers().get("mail").tools().get("send").effects());
    }

    @Test
    void byteOrderMark_isNoPartOfThePolicy() {
        assertEquals(
                Mode.AUDIT,
                PolicyParser.parse("p.yaml", "\ufeffversion: 1\nmode: audit\n").mode());
    }

    @Test
    void statements_fillOnlyWhatIsUnsaid() {
        ToolStatement operator = new ToolStatement(
                null, AudienceRule.PUBLIC, null, false, null, null, null, null, null, null, null, null, null);
        ToolStatement shipped = new ToolStatement(
                Set.of(Effect.READS),
                AudienceRule.SERVER_ONLY,
                Outcome.BENIGN,
                true,
                List.of("body"),
                List.of("owner"),
                false,
                Returns.NOTHING,
                null,
                null,
                null,
                null,
                null);

        assertEquals(
                new ToolStatement(
                        Set.of(Effect.READS),
                        AudienceRule.PUBLIC,
                        Outcome.BENIGN,
                        false,
                        List.of("body"),
                        List.of("owner"),
                        false,
                        Returns.NOTHING,
                        null,
                        null,
                        null,
                        null,
                        null),
                operator.orElse(shipped));
        assertEquals(operator, operator.orElse(ToolStatement.NOTHING));
        assertEquals(shipped, ToolStatement.NOTHING.orElse(shipped));
    }
}
