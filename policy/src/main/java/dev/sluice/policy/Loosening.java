package dev.sluice.policy;

import dev.sluice.labels.Integrity;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What one policy allows that another does not, as far as that can be told from how they are written.
 *
 * <p>Whatever can't be shown to be as strict as before counts. That a label grows is no proof: an expression can ask for
 * what is <em>not</em> in it, and private data may go where public words may not. So only few changes need nobody's word.
 */
public final class Loosening {

    private static final Set<String> OF_POLICIES = Set.of(
            "source",
            "digest",
            "mode",
            "profiles",
            "audiences",
            "inside",
            "vocabularies",
            "servers",
            "rules",
            "sequences",
            "grants",
            "readers",
            "gateway");

    /** How a server is reached counts from the next start, and all of the file with it. */
    private static final Set<String> OF_SERVERS = Set.of(
            "name", "command", "line", "known", "defaults", "claims", "evidence", "informed", "resolves", "tools");

    private static final Set<String> OF_TOOLS = Set.of(
            "effects",
            "audience",
            "outcome",
            "review",
            "payload",
            "resource",
            "derives",
            "returns",
            "inert",
            "accepts",
            "steers",
            "alone",
            "declassifies");

    private final Policy old;
    private final Policy next;
    private final List<String> found = new ArrayList<>();
    private final boolean conditions;

    private Loosening(Policy old, Policy next) {
        this.old = old;
        this.next = next;
        this.conditions = hasConditions(next);
    }

    /** Returns in plain words what {@code next} may allow that {@code old} does not; empty where it allows nothing more. */
    public static List<String> of(Policy old, Policy next) {
        Loosening loosening = new Loosening(old, next);
        loosening.compare();
        return List.copyOf(loosening.found);
    }

    private static boolean hasConditions(Policy policy) {
        return policy.rules().stream().anyMatch(rule -> rule.when() != null)
                || !policy.obligations().redactions().isEmpty()
                || policy.sequences().stream()
                        .anyMatch(sequence -> sequence.steps().stream().anyMatch(Loosening::isConditional)
                                || isConditional(sequence.unless())
                                || isConditional(sequence.until()));
    }

    /** What has more effects may so become what excuses other calls. */
    private static boolean excusesEffects(Policy policy) {
        return policy.sequences().stream()
                .flatMap(sequence ->
                        Stream.of(Optional.ofNullable(sequence.unless()), Optional.ofNullable(sequence.until())))
                .flatMap(Optional::stream)
                .anyMatch(step -> !step.on().effects().isEmpty());
    }

    private static boolean isConditional(Sequence.@Nullable Step step) {
        return step != null && (step.when() != null || step.answer() != null);
    }

    private void add(boolean looser, String what) {
        if (looser) {
            found.add(what);
        }
    }

    private void compare() {
        add(next.mode().compareTo(old.mode()) < 0, "`mode` does less with decisions");
        profiles();
        add(!next.audiences().equals(old.audiences()), "`audiences` are not the same");
        add(!old.inside().containsAll(next.inside()), "more audiences are `inside`");
        add(!next.vocabularies().equals(old.vocabularies()), "`vocabularies` are not the same");
        for (Rule rule : old.rules()) {
            add(
                    next.rules().stream().noneMatch(each -> isAsStrict(rule, each)),
                    "the rule `" + rule.id() + "` is gone or not as it was");
        }
        for (Sequence sequence : old.sequences()) {
            add(
                    next.sequences().stream().noneMatch(each -> isAsStrict(sequence, each)),
                    "the sequence `" + sequence.id() + "` is gone or not as it was");
        }
        for (Grant grant : next.grants()) {
            add(
                    old.grants().stream().noneMatch(each -> each.anywhere().equals(grant.anywhere())),
                    "the grant `" + grant.id() + "` is new or not as it was");
        }
        for (Grant grant : old.grants()) {
            boolean matters = conditions || !grant.declassify().equals(Grant.Declassified.NOTHING);
            add(
                    matters
                            && next.grants().stream()
                                    .noneMatch(each -> each.anywhere().equals(grant.anywhere())),
                    "the grant `" + grant.id() + "` is gone or not as it was");
        }
        next.readers()
                .forEach((server, lookup) -> add(
                        !lookup.equals(old.readers().get(server)),
                        "who says who may read resources of `" + server + "` is new or not as it was"));
        old.servers().forEach((name, server) -> {
            ServerPolicy other = next.servers().get(name);
            if (other == null) {
                found.add("the server `" + name + "` is described no more");
            } else {
                servers(server, other);
            }
        });
        found.addAll(old.gateway().looserIn(next.gateway()));
        others("of the policy", old, next, OF_POLICIES);
    }

    /** What a strict tool answers is labelled otherwise, which others may take for a reason to be milder. */
    private void profiles() {
        boolean allStrict = next.profiles().file() == Profile.STRICT
                && next.profiles().servers().values().stream().allMatch(Profile.STRICT::equals)
                && next.profiles().tools().values().stream()
                        .allMatch(tools -> tools.values().stream().allMatch(Profile.STRICT::equals));
        boolean same = next.profiles().file() == old.profiles().file()
                && next.profiles().servers().equals(old.profiles().servers())
                && ofTools(next).equals(ofTools(old));
        add(
                !same && (!allStrict || conditions),
                "`profile` is not the same, and not strict for all calls or not"
                        + " without conditions that ask about labels");
    }

    private static Set<String> ofTools(Policy policy) {
        Set<String> said = new TreeSet<>();
        policy.profiles()
                .tools()
                .forEach((server, tools) ->
                        tools.forEach((tool, profile) -> said.add(server + "\0" + tool + "\0" + profile)));
        return said;
    }

    private static boolean isAsStrict(Rule old, Rule next) {
        return next.on().equals(old.on())
                && Objects.equals(next.when(), old.when())
                && next.then().compareTo(old.then()) >= 0;
    }

    private static boolean isAsStrict(Sequence old, Sequence next) {
        return next.steps().equals(old.steps())
                && Objects.equals(next.unless(), old.unless())
                && Objects.equals(next.until(), old.until())
                && next.then().compareTo(old.then()) >= 0;
    }

    private void servers(ServerPolicy was, ServerPolicy is) {
        String name = "`" + is.name() + "`";
        add(!is.known().equals(was.known()), "another shipped profile applies to " + name);
        returns("`defaults` of " + name, was.defaults(), is.defaults());
        claims(name, was.claims(), is.claims());
        add(!is.evidence().equals(was.evidence()), "`evidence` of " + name + " is not the same");
        add(is.informed() && !was.informed(), name + " is told what sessions have seen");
        // What a server says of a call can narrow it, or ask for a review.
        add(is.resolves() != was.resolves(), "`resolve` of " + name + " is not the same");
        others("of " + name, was, is, OF_SERVERS);
        Set<String> tools = new LinkedHashSet<>(new TreeSet<>(was.tools().keySet()));
        tools.addAll(new TreeSet<>(is.tools().keySet()));
        for (String tool : tools) {
            tool(
                    "`" + PlainName.of(tool) + "` of " + name,
                    was.tools().getOrDefault(tool, ToolStatement.NOTHING),
                    is.tools().getOrDefault(tool, ToolStatement.NOTHING));
        }
    }

    /** A claim that is believed no more leaves a label higher; for the readers that is no proof. */
    private void claims(String name, ServerPolicy.ClaimTrust was, ServerPolicy.ClaimTrust is) {
        boolean same = is.equals(was);
        boolean onlyIntegrityLess = was.integrity()
                && !is.integrity()
                && is.confidentiality() == was.confidentiality()
                && is.classes() == was.classes()
                && !conditions;
        add(!same && !onlyIntegrityLess, "`claims` of " + name + " are not the same");
    }

    private void returns(String what, Returns was, Returns is) {
        boolean same = is.equals(was);
        boolean untrusted = is.integrity() == Integrity.UNTRUSTED
                || (is.integrity() == was.integrity() && !spans(was, is).isEmpty());
        boolean onlyIntegrityLess = untrusted
                && is.spans().containsAll(was.spans())
                && spans(was, is).stream().allMatch(SpanRule::isOnlyUntrusted)
                && Objects.equals(is.confidentiality(), was.confidentiality())
                && Objects.equals(is.classes(), was.classes())
                && Objects.equals(is.items(), was.items())
                && !conditions;
        add(!same && !onlyIntegrityLess, what + " are not the same");
    }

    /** Returns the spans that are only in {@code is}. */
    private static List<SpanRule> spans(Returns was, Returns is) {
        return is.spans().stream().filter(span -> !was.spans().contains(span)).toList();
    }

    private void tool(String name, ToolStatement was, ToolStatement is) {
        if (is.equals(was)) {
            return;
        }
        boolean moreEffects = is.effects() != null
                && was.effects() != null
                && is.effects().containsAll(was.effects())
                && (is.effects().equals(was.effects()) || (!conditions && !excusesEffects(next)));
        add(!Objects.equals(is.effects(), was.effects()) && !moreEffects, "`effects` of " + name + " are not the same");
        add(!Objects.equals(is.audience(), was.audience()), "`audience` of " + name + " is not the same");
        boolean graver =
                is.outcome() != null && was.outcome() != null && is.outcome().compareTo(was.outcome()) >= 0;
        add(!Objects.equals(is.outcome(), was.outcome()) && !graver, "`outcome` of " + name + " is not as grave");
        add(
                !Objects.equals(is.review(), was.review()) && !Boolean.TRUE.equals(is.review()),
                "`review` of " + name + " is not asked for");
        add(!Objects.equals(is.payload(), was.payload()), "`payload` of " + name + " is not the same");
        add(!Objects.equals(is.resource(), was.resource()), "`resource` of " + name + " is not the same");
        add(!Objects.equals(is.derives(), was.derives()), "`derives` of " + name + " is not the same");
        returns(
                "`returns` of " + name,
                was.returns() == null ? Returns.NOTHING : was.returns(),
                is.returns() == null ? Returns.NOTHING : is.returns());
        add(!Objects.equals(is.inert(), was.inert()), "`inert` of " + name + " is not the same");
        add(!Objects.equals(is.steers(), was.steers()), "`steers` of " + name + " is not the same");
        boolean fewer =
                is.accepts() != null && was.accepts() != null && was.accepts().containsAll(is.accepts());
        add(!Objects.equals(is.accepts(), was.accepts()) && !fewer, "`accepts` of " + name + " is not narrower");
        add(!Objects.equals(is.alone(), was.alone()), "`alone` of " + name + " is not the same");
        add(
                Boolean.TRUE.equals(is.declassifies()) && !Boolean.TRUE.equals(was.declassifies()),
                "`user_named` of " + name + " declassifies");
        others("of " + name, was, is, OF_TOOLS);
    }

    /**
     * What else a statement can say is looser wherever it is not the same: whoever adds a key to policies need not think of
     * this, and is on the safe side.
     */
    private void others(String of, Record was, Record is, Set<String> compared) {
        for (RecordComponent part : is.getClass().getRecordComponents()) {
            if (compared.contains(part.getName())) {
                continue;
            }
            try {
                Object before = part.getAccessor().invoke(was);
                Object after = part.getAccessor().invoke(is);
                add(!Objects.equals(before, after), "`" + part.getName() + "` " + of + " is not the same");
            } catch (ReflectiveOperationException e) {
                found.add("`" + part.getName() + "` " + of + " can't be compared");
            }
        }
    }
}
