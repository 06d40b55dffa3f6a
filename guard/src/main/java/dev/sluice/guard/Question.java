package dev.sluice.guard;

import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import dev.sluice.policy.ArgumentValue;
import dev.sluice.policy.AudienceMember;
import dev.sluice.policy.Call;
import dev.sluice.policy.Control;
import dev.sluice.policy.Decision;
import dev.sluice.policy.Effect;
import dev.sluice.policy.Policy;
import dev.sluice.policy.Strength;
import dev.sluice.policy.ToolProfile;
import dev.sluice.policy.Violation;
import dev.sluice.store.LabelCodec;
import dev.sluice.store.Session;
import dev.sluice.wire.canonical.Digest;
import dev.sluice.wire.canonical.JcsCanonicalizer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * One call, as a person is asked about it: what is shown, and what an answer is bound to.
 *
 * <p>Arguments are kept as JSON text in JSON text, exactly as they will be sent: a canonical form would round numbers.
 * {@code docs/approvals.md} has the members.
 */
final class Question {

    /** What a person looks at call by call: a sequence is about when a call comes, which one word can't settle for all. */
    private static final Set<Control> EACH_CALL = Set.of(Control.REVIEW_REQUIRED, Control.SEQUENCE);

    /** The longest arguments that a person is asked about, in characters of their JSON text. */
    static final int LONGEST = 1 << 16;

    /** More values than this are not shown with where they came from. */
    private static final int MOST_VALUES = 200;

    private static final JsonMapper EXACT =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private final Policy policy;
    private final Inbound inbound;
    private final Call call;
    private final Label carried;
    private final JsonNode content;
    private final String arguments;
    private final ObjectNode shown;
    private final String callDigest;
    private final String flowDigest;

    Question(Session session, Policy policy, Inbound inbound, Call call, Label carried, Decision decision) {
        this.policy = policy;
        this.inbound = inbound;
        this.call = call;
        this.carried = carried;
        // A person looks at the values, not at the handles that an agent has of them.
        this.content = inbound instanceof Inbound.ToolCall ? call.arguments() : asked(inbound.content());
        this.arguments = content.isMissingNode() ? "{}" : written(content);
        this.shown = shown(session, decision);
        this.callDigest = digest(bound(session)
                .put(
                        "arguments",
                        Digest.sha256(arguments.getBytes(StandardCharsets.UTF_8))
                                .text())
                .set("label", LabelCodec.encode(carried))
                .set("reasons", reasons(decision)));
        this.flowDigest = digest(flow(bound(session)));
    }

    /** What the client says to its server beside what it asks, such as a token for progress, is another one each time. */
    private static JsonNode asked(JsonNode parameters) {
        return parameters instanceof ObjectNode object ? object.deepCopy().without("_meta") : parameters;
    }

    /** What every answer is bound to. */
    private ObjectNode bound(Session session) {
        ObjectNode bound = JsonNodeFactory.instance
                .objectNode()
                .put("principal", session.principal())
                .put("server", inbound.upstream().name())
                .put("method", written(inbound.method()))
                .put("name", written(inbound.name()))
                .put("definition", call.tool().digest())
                .put("policy", policy.digest());
        if (call.tool().resolved() != null) {
            // What the call does is then not settled by its definition and arguments: the server may say otherwise next
            // time.
            ToolProfile profile = call.profile();
            bound.put("resolved", written(profile.effects() + " " + profile.outcome() + " " + profile.review()));
            audience().stream()
                    .map(Object::toString)
                    .map(Question::written)
                    .sorted()
                    .forEach(bound.putArray("resolvedAudience")::add);
        }
        return bound;
    }

    /** What a flow is bound to beside that: each value that steers, and everybody who sees the data. */
    private ObjectNode flow(ObjectNode bound) {
        ToolProfile profile = call.profile();
        ObjectNode steering = bound.putObject("steering");
        content.propertyNames().stream()
                .filter(profile::isAuthority)
                .forEach(name -> steering.put(written(name), written(content.path(name))));
        ArrayNode audience = bound.putArray("audience");
        new TreeSet<>(audience().stream()
                        .map(Object::toString)
                        .map(Question::written)
                        .toList())
                .forEach(audience::add);
        return bound;
    }

    private Set<AudienceMember> audience() {
        return call.arguments().isObject() ? call.profile().audienceOf(call.arguments()) : Set.of();
    }

    private static Set<String> words(Decision decision) {
        return decision.violations().stream()
                .filter(violation -> violation.strength() != Strength.WARN)
                .map(violation -> violation.id() + " " + violation.code())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static ArrayNode reasons(Decision decision) {
        ArrayNode reasons = JsonNodeFactory.instance.arrayNode();
        words(decision).forEach(reasons::add);
        return reasons;
    }

    private ObjectNode shown(Session session, Decision decision) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("server", inbound.upstream().name());
        node.put("method", Records.shown(inbound.method()));
        node.put("name", Records.shown(inbound.name()));
        node.put("session", session.display());
        node.put("arguments", arguments);
        ToolProfile profile = call.profile();
        ArrayNode effects = node.putArray("effects");
        profile.effects().stream().map(Enum::name).map(Question::lower).forEach(effects::add);
        node.put("outcome", lower(profile.outcome().name()));
        node.put("classified", profile.classified() || !(inbound instanceof Inbound.ToolCall));
        ArrayNode audience = node.putArray("audience");
        if (profile.effects().contains(Effect.SENDS)) {
            audience().stream()
                    .filter(member -> !(member instanceof AudienceMember.Upstream))
                    .map(AudienceMember::display)
                    .distinct()
                    .forEach(audience::add);
        }
        ArrayNode because = node.putArray("because");
        decision.violations().stream()
                .filter(violation -> violation.strength() != Strength.WARN)
                .forEach(violation -> because(because.addObject(), violation));
        node.set("reasons", reasons(decision));
        node.set("label", LabelCodec.encode(carried));
        ArrayNode values = node.putArray("values");
        List<String> names = List.copyOf(content.propertyNames());
        call.values().stream()
                .limit(MOST_VALUES)
                .forEach(value -> value(values.addObject(), value, names.indexOf(value.argument()), profile));
        node.put("moreValues", Math.max(0, call.values().size() - MOST_VALUES));
        node.put("widened", canBeWidened(decision));
        node.putObject("digests").put("definition", call.tool().digest()).put("policy", policy.digest());
        return node;
    }

    private static void because(ObjectNode node, Violation violation) {
        node.put("control", violation.id()).put("code", violation.code()).put("text", violation.toHuman());
    }

    private static void value(ObjectNode node, ArgumentValue value, int member, ToolProfile profile) {
        node.put("member", member);
        node.put("argument", Records.shown(value.argument()));
        node.put("pointer", Records.shown(value.pointer()));
        node.put("steers", profile.isAuthority(value.argument()));
        node.put("named", value.named());
        node.put("vouched", value.vouched());
        node.put("unmatched", value.unmatched());
        node.put("untrusted", value.label().integrity() == Integrity.UNTRUSTED);
        ArrayNode origins = node.putArray("origins");
        for (Origin origin : value.origins()) {
            origins.addObject()
                    .put("call", origin.call())
                    .put("server", Records.shown(origin.server()))
                    .put("name", Records.shown(origin.name()));
        }
    }

    /** Returns the digest of what exactly is asked. */
    String call() {
        return callDigest;
    }

    /** Returns the digest of the flow that the call is one of. */
    String flow() {
        return flowDigest;
    }

    /** Returns whether the arguments are longer than what a person can be expected to look through. */
    boolean isTooLong() {
        return arguments.length() > LONGEST;
    }

    /** Returns whether an answer can stand for later calls too: not where each call must be looked at. */
    boolean canBeWidened() {
        return shown.path("widened").asBoolean(false);
    }

    private boolean canBeWidened(Decision decision) {
        return inbound instanceof Inbound.ToolCall
                && decision.violations().stream()
                        .noneMatch(violation ->
                                violation.strength() != Strength.WARN && EACH_CALL.contains(violation.control()));
    }

    /** Returns whether this carries no more than a call that was shown before did, and is asked for no other reason. */
    boolean isBelow(JsonNode before) {
        Set<String> reasons = new TreeSet<>();
        before.path("reasons").forEach(each -> reasons.add(each.asString("")));
        Set<String> own = new TreeSet<>();
        shown.path("reasons").forEach(each -> own.add(each.asString("")));
        return reasons.containsAll(own) && carried.canFlowTo(LabelCodec.label(before.path("label")));
    }

    /** Returns what a person is shown, as canonical JSON. */
    String text() {
        return new String(JcsCanonicalizer.canonicalize(shown), StandardCharsets.UTF_8);
    }

    private static String digest(JsonNode bound) {
        return Digest.sha256(JcsCanonicalizer.canonicalize(bound)).text();
    }

    /** Returns JSON text of nothing but ASCII: half a surrogate pair is text too, and has no canonical form. */
    private static String written(Object value) {
        return EXACT.writeValueAsString(value);
    }

    private static String lower(String word) {
        return word.toLowerCase(Locale.ROOT);
    }
}
