package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The schema that ships for editors accepts every good policy of this repository, and refuses what it can. */
class PolicySchemaTest {

    private static final SchemaRegistry REGISTRY =
            SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
    private static final Pattern FENCED = Pattern.compile("```yaml\\n(version: 1\\n.*?)```", Pattern.DOTALL);

    private static JsonNode text() {
        try (InputStream in = Policy.class.getResourceAsStream("policy.schema.json")) {
            return JsonMapper.shared().readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Error> faults(String policy) {
        Schema schema = REGISTRY.getSchema(text());
        return schema.validate(AnswerText.parse(ItemRule.Format.YAML, policy).orElseThrow());
    }

    @Test
    void schema_isItselfValid() {
        Schema meta = REGISTRY.getSchema(SchemaLocation.of(SpecificationVersion.DRAFT_2020_12.getDialectId()));

        assertEquals(List.of(), meta.validate(text()));
        assertEquals("urn:sluice:schema:policy", text().path("$id").stringValue());
    }

    @Test
    void goodPolicies_areValid() throws IOException {
        Map<String, String> policies = new TreeMap<>();
        try (Stream<Path> files = Files.walk(Path.of("..").toRealPath())) {
            for (Path file : files.filter(PolicySchemaTest::mayHoldOne).toList()) {
                String text = Files.readString(file);
                Matcher fenced = FENCED.matcher(file.toString().endsWith(".md") ? text : "```yaml\n" + text + "```");
                for (int i = 0; fenced.find(); i++) {
                    policies.put(file + " " + i, fenced.group(1));
                }
            }
        }
        assertTrue(policies.size() > 90, "policies are found: " + policies.size());
        policies.forEach((where, policy) -> assertEquals(List.of(), faults(policy), where));
    }

    private static boolean mayHoldOne(Path file) {
        String path = file.toString();
        return (path.endsWith(".md") || path.endsWith(".yaml"))
                && !path.contains("/target/")
                && !path.contains("/.")
                && !path.contains("/bad/")
                && !path.contains("FuzzTestInputs");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "audience-unknown-key",
                "audience-empty",
                "claims-unknown",
                "definition-is-no-digest",
                "effect-unknown",
                "effects-empty",
                "evidence-key-too-short",
                "expression-in-defaults",
                "field-is-no-pointer",
                "field-unknown-key",
                "format-unknown",
                "gateway-unknown-key",
                "gateway-port-too-high",
                "gateway-tls-without-a-key",
                "gateway-auth-of-nobody",
                "gateway-token-in-the-file",
                "gateway-token-of-two-kinds",
                "gateway-token-digest-short",
                "gateway-token-of-an-issuer",
                "gateway-oauth-without-a-resource",
                "gateway-oauth-without-issuers",
                "gateway-oauth-symmetric-algorithm",
                "gateway-oauth-algorithm-none",
                "telemetry-logs-of-another-kind",
                "telemetry-unknown-key",
                "telemetry-metrics-for-nobody",
                "telemetry-metrics-of-a-word",
                "telemetry-traces-to-a-file",
                "telemetry-traces-without-a-collector",
                "gateway-limit-zero",
                "gateway-limit-unknown",
                "gateway-idle-without-a-unit",
                "gateway-session-key-of-nothing",
                "gateway-session-key-of-two-places",
                "gateway-session-key-new-dirty",
                "gateway-session-key-unknown-key",
                "gateway-session-key-is-no-key",
                "gateway-session-key-is-no-header",
                "gateway-session-keys-too-many",
                "gateway-ask-wait-without-a-unit",
                "gateway-approver-of-anybody",
                "grant-declassifies-nothing",
                "grant-of-nothing",
                "grant-on-effects",
                "grant-unknown-key",
                "grant-until-a-word",
                "grant-without-a-server",
                "grant-without-an-end",
                "grant-without-an-owner",
                "instructions-are-no-digest",
                "items-in-defaults",
                "items-is-a-name",
                "mode-unknown",
                "hide-of-a-tool-unknown",
                "hide-unknown",
                "redact-on-effects",
                "redact-unknown-key",
                "redact-without-an-id",
                "redact-without-when",
                "profile-of-a-server-unknown",
                "profile-of-a-tool-unknown",
                "readers-of-two-kinds",
                "readers-of-no-kind",
                "readers-token-in-the-file",
                "readers-unknown-key",
                "rule-id-with-capitals",
                "rule-on-nothing",
                "rule-on-unknown-key",
                "rule-then-missing",
                "rule-then-unknown",
                "rule-unknown-key",
                "rule-without-an-id",
                "sequence-step-about-nothing",
                "sequence-step-unknown-key",
                "sequence-then-unknown",
                "sequence-until-counted",
                "sequence-without-an-id",
                "sequence-without-steps",
                "server-name-with-two-underscores",
                "span-is-a-text",
                "span-makes-public",
                "span-makes-trusted",
                "span-says-nothing",
                "span-unknown-key",
                "span-without-a-pattern",
                "spans-too-many",
                "unknown-key-with-a-near-one",
                "version-missing",
                "url-and-command",
                "url-of-a-file",
                "idle-without-a-unit",
                "era-unknown",
                "vouched-is-no-pointer",
            })
    void badPolicies_areInvalid(String name) throws IOException {
        assertFalse(
                faults(Files.readString(GoldenCase.resource("bad").resolve(name + ".yaml")))
                        .isEmpty(),
                name);
    }
}
