package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import dev.sluice.labels.SessionLabel;
import dev.sluice.labels.Source;
import dev.sluice.wire.Outcome;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The engine against {@link ReferencePolicyEngine}, on calls from a small world where everything meets often. */
class ReferenceAgreementTest {

    private static final int CALLS = 20_000;
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final List<String> SERVERS = List.of("mail", "forge");
    private static final List<String> PEOPLE =
            List.of("ana@clinic.example", "Bo@clinic.example", "user@clinic.example", "ops");

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void engineAndReference_agree(long seed) {
        Random random = new Random(seed);
        Map<String, Integer> met = new TreeMap<>();
        for (int i = 0; i < CALLS; i++) {
            Policy policy = policy(random);
            Call call = call(random);

            Decision decision = new PolicyEngine(policy).decide(call);

            String found = decision.kind() + " "
                    + decision.violations().stream().map(Violation::code).toList();
            assertEquals(ReferencePolicyEngine.decide(policy, call), found, () -> policy.profiles() + " " + call);
            met.merge(found, 1, Integer::sum);
        }
        // A world in which the interesting answers are rare would prove little.
        for (String each : List.of(
                "ALLOW []",
                "ALLOW [untrusted-same-server]",
                "ASK [untrusted-session]",
                "ASK [flow-not-permitted]",
                "ASK [untrusted-argument]",
                "DENY [untrusted-argument]",
                "DENY [untrusted-session]",
                "DENY [flow-not-permitted]",
                "DENY [untrusted-session, flow-not-permitted]",
                "ASK [review-required]",
                "ASK [irreversible]",
                "DENY [definition-changed]",
                "DENY [class-not-accepted]",
                "DENY [rule]",
                "ASK [rule]",
                "DENY [malformed-call]")) {
            assertTrue(met.getOrDefault(each, 0) > CALLS / 3000, each + " in " + met);
        }
    }

    /** Sessions merge in any order and on any replica, and so do decisions on them. */
    @Test
    void decision_doesNotDependOnHowSessionsWereJoined() {
        Random random = new Random(4);
        for (int i = 0; i < 10_000; i++) {
            PolicyEngine engine = new PolicyEngine(policy(random));
            Call call = call(random);
            SessionLabel one = session(random);
            SessionLabel two = session(random);
            SessionLabel three = session(random);

            Decision left = engine.decide(with(call, one.join(two).join(three)));

            assertEquals(
                    left, engine.decide(with(call, three.join(one.join(two)).join(one))));
            assertTrue(left.kind().compareTo(engine.decide(with(call, one)).kind()) >= 0);
        }
    }

    private static Call with(Call call, SessionLabel session) {
        return new Call(
                call.tool(),
                call.stated(),
                call.arguments(),
                session,
                call.pinned(),
                false,
                call.values(),
                call.circumstances());
    }

    private static Policy policy(Random random) {
        return new Policy(
                random.nextInt(3) == 0 ? "" : "p.yaml",
                "",
                Mode.ENFORCE,
                profiles(random),
                Map.of(),
                List.of(),
                List.of(),
                Map.of(),
                rules(random),
                List.of(),
                List.of(),
                Map.of(),
                Obligations.NONE,
                GatewaySettings.USUAL);
    }

    /** Most policies say one thing of all calls; some say another of a server, or of a tool of it. */
    private static Profiles profiles(Random random) {
        return new Profiles(
                profile(random),
                random.nextInt(4) == 0 ? Map.of(pick(random, SERVERS), profile(random)) : Map.of(),
                random.nextInt(4) == 0
                        ? Map.of(pick(random, SERVERS), Map.of(pick(random, List.of("act", "other")), profile(random)))
                        : Map.of());
    }

    private static Profile profile(Random random) {
        return random.nextInt(3) == 0 ? Profile.STRICT : Profile.BALANCED;
    }

    private static List<Rule> rules(Random random) {
        List<Rule> rules = new ArrayList<>();
        for (int i = random.nextInt(8) == 0 ? 3 : 0; i > 0; i--) {
            rules.add(
                    new Rule("r" + i, selector(random), null, random.nextBoolean() ? Strength.ASK : Strength.DENY, ""));
        }
        return rules;
    }

    private static Rule.Selector selector(Random random) {
        return new Rule.Selector(
                random.nextBoolean() ? Set.of() : Set.of(pick(random, SERVERS)),
                random.nextInt(3) == 0 ? Set.of("act") : Set.of(),
                random.nextBoolean() ? Set.of() : Set.of(pick(random, List.of(Effect.SENDS, Effect.WRITES))));
    }

    private static Call call(Random random) {
        JsonNode arguments = random.nextInt(40) == 0 ? JSON.arrayNode() : arguments(random);
        return new Call(
                tool(random),
                statement(random),
                arguments,
                session(random),
                random.nextInt(20) != 0,
                false,
                random.nextBoolean() ? Call.unknown(arguments) : values(random, arguments));
    }

    private static List<ArgumentValue> values(Random random, JsonNode arguments) {
        List<ArgumentValue> values = new ArrayList<>();
        for (String name : arguments.propertyNames()) {
            for (int i = random.nextInt(3); i > 0; i--) {
                values.add(new ArgumentValue(
                        name,
                        "/" + name,
                        random.nextInt(3) == 0 ? Label.BOTTOM : label(random, pick(random, SERVERS)),
                        random.nextBoolean(),
                        random.nextBoolean(),
                        random.nextInt(6) == 0,
                        List.of()));
            }
        }
        return values;
    }

    private static ToolDefinition tool(Random random) {
        ObjectNode tool = JSON.objectNode().put("name", "act");
        ObjectNode properties = tool.putObject("inputSchema").putObject("properties");
        for (String name : List.of("to", "cc", "body", "owner", "repo", "note")) {
            if (random.nextBoolean()) {
                properties.putObject(name);
            }
        }
        ObjectNode annotations = tool.putObject("annotations");
        for (String hint : List.of("readOnlyHint", "destructiveHint", "openWorldHint")) {
            switch (random.nextInt(5)) {
                case 0 -> annotations.put(hint, true);
                case 1 -> annotations.put(hint, false);
                case 2 -> annotations.put(hint, random.nextInt(8) == 0 ? "odd" : "true");
                default -> {}
            }
        }
        if (random.nextBoolean()) {
            ObjectNode metadata = annotations.putObject("io.modelcontextprotocol/action-metadata");
            if (random.nextBoolean()) {
                metadata.putObject("inputMetadata")
                        .put(
                                "destination",
                                pick(random, List.of("ephemeral", "system", "user", "internal", "public", "odd")));
            }
            if (random.nextBoolean()) {
                metadata.put("outcome", pick(random, List.of("benign", "consequential", "irreversible", "odd")));
            }
            if (random.nextInt(6) == 0) {
                metadata.put("requiresReview", random.nextBoolean());
            }
        }
        return ToolDefinition.of(pick(random, SERVERS), tool, tool.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static ToolStatement statement(Random random) {
        Set<Effect> effects = EnumSet.noneOf(Effect.class);
        for (Effect effect : Effect.values()) {
            if (random.nextBoolean()) {
                effects.add(effect);
            }
        }
        boolean resource = random.nextInt(3) == 0;
        return new ToolStatement(
                random.nextInt(3) == 0 ? null : effects,
                switch (random.nextInt(6)) {
                    case 0 -> AudienceRule.PUBLIC;
                    case 1 -> AudienceRule.SERVER_ONLY;
                    case 2 -> new AudienceRule(List.of(), List.of(), resource);
                    case 3, 4 -> new AudienceRule(List.of("to", "cc"), List.of(), resource);
                    default -> null;
                },
                random.nextInt(4) == 0 ? pick(random, List.of(Outcome.values())) : null,
                random.nextInt(9) == 0 ? random.nextBoolean() : null,
                random.nextBoolean() ? List.of("body") : null,
                resource ? List.of("owner", "repo") : null,
                null,
                null,
                random.nextInt(4) == 0 ? List.of("note") : null,
                random.nextInt(4) == 0 ? Set.of("unclassified") : null,
                null,
                null,
                null);
    }

    private static ObjectNode arguments(Random random) {
        ObjectNode arguments = JSON.objectNode();
        for (String name : List.of("to", "cc", "note", "body")) {
            if (random.nextInt(3) == 0) {
                arguments.set(name, value(random));
            }
        }
        if (random.nextInt(3) != 0) {
            arguments.put("owner", "o");
            arguments.set(
                    "repo",
                    random.nextInt(8) == 0
                            ? JSON.numberNode(7)
                            : JSON.stringNode(pick(random, List.of("r", "R", "s"))));
        }
        return arguments;
    }

    private static JsonNode value(Random random) {
        if (random.nextInt(4) == 0) {
            ArrayNode list = JSON.arrayNode();
            for (int i = random.nextInt(3); i > 0; i--) {
                list.add(value(random));
            }
            return list;
        }
        return switch (random.nextInt(8)) {
            case 0 ->
                JSON.stringNode(pick(random, List.of("eve@evil.example", "", "a@b, c@d", "Ana <ana@clinic.example>")));
            case 3 -> JSON.stringNode(pick(random, List.of("see https://evil.example/@x", "at www.evil.example.")));
            case 1 -> random.nextBoolean() ? JSON.numberNode(7) : JSON.objectNode();
            case 2 -> JSON.nullNode();
            default -> JSON.stringNode(random.nextBoolean() ? pick(random, PEOPLE) : "ANA@clinic.example");
        };
    }

    private static SessionLabel session(Random random) {
        SessionLabel session = SessionLabel.EMPTY;
        boolean oneServer = random.nextInt(3) != 0;
        String server = pick(random, SERVERS);
        for (int i = random.nextInt(4); i > 0; i--) {
            String from = oneServer ? server : pick(random, SERVERS);
            session = session.observe(label(random, from), new Origin(Instant.ofEpochSecond(i), "c" + i, from, "read"));
        }
        return session;
    }

    private static Label label(Random random, String server) {
        List<Source> sources = new ArrayList<>();
        switch (random.nextInt(6)) {
            case 0 -> sources.add(new Source.OfServer(server));
            case 1 -> sources.add(new Source.OfResource(server, pick(random, List.of("o/r", "o/s"))));
            case 2, 3, 4 ->
                sources.add(Source.Readers.of(
                        server, random.nextBoolean() ? PEOPLE : List.of(pick(random, PEOPLE), "ana@clinic.example")));
            default -> {}
        }
        return Label.of(
                random.nextInt(3) == 0 ? Integrity.TRUSTED : Integrity.UNTRUSTED,
                Confidentiality.of(sources),
                random.nextInt(3) == 0 ? DataClass.of("pii") : DataClass.UNCLASSIFIED);
    }

    private static <T> T pick(Random random, List<T> from) {
        return from.get(random.nextInt(from.size()));
    }
}
