package dev.sluice.policy;

import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.SessionLabel;
import dev.sluice.labels.Source;
import dev.sluice.wire.Claim;
import dev.sluice.wire.Destination;
import dev.sluice.wire.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The rules again, as plainly as they can be said: slow, without reasons, and sharing no code with the engine. */
final class ReferencePolicyEngine {
    static String decide(Policy policy, Call call) {
        if (!call.arguments().isObject()) {
            return "DENY [malformed-call]";
        }
        ToolStatement said = call.stated();
        SessionLabel session = call.session();
        String server = call.tool().server();
        Set<Source> sources = session.label().confidentiality().sources();
        boolean ownOnly = sources.stream().allMatch(source -> source.server().equals(server))
                && session.lineage().untrustedServers().stream().allMatch(server::equals);
        Destination to = call.tool().metadata().widestDestination().orElse(null);
        Outcome can = call.tool().metadata().gravestOutcome().orElse(null);
        Claim open = call.tool().hints().openWorld();
        Claim readOnly = call.tool().hints().readOnly();
        boolean destroys = call.tool().hints().destructive() == Claim.TRUE && readOnly != Claim.TRUE;
        AudienceRule rule = said.audience() == null ? AudienceRule.PUBLIC : said.audience();
        boolean sends = !ownOnly || open == Claim.TRUE || (to == null && open == Claim.ABSENT);
        sends |= to == Destination.INTERNAL || to == Destination.PUBLIC;
        sends |= said.audience() != null && !rule.equals(AudienceRule.SERVER_ONLY);
        boolean writes = !ownOnly || destroys || readOnly == Claim.FALSE;
        writes |= can == null ? readOnly == Claim.ABSENT : can != Outcome.BENIGN;
        if (said.effects() != null) {
            sends = said.effects().contains(Effect.SENDS);
            writes = said.effects().contains(Effect.WRITES);
            can = null;
        }
        Outcome outcome = said.outcome() != null ? said.outcome() : can;
        List<Predicate<Source>> audience = new ArrayList<>();
        audience.add(source -> source.server().equals(server));
        if (sends) {
            if (rule.resource()) {
                JsonNode owner = call.arguments().path("owner");
                JsonNode repo = call.arguments().path("repo");
                String key = owner.asString("") + "/" + repo.asString("").toLowerCase(Locale.ROOT);
                boolean named = owner.isString() && repo.isString();
                audience.add(source -> named && source.equals(new Source.OfResource(server, key)));
            }
            boolean anybodyNamed = rule.arguments().isEmpty() && !rule.equals(AudienceRule.PUBLIC);
            for (String name : call.arguments().propertyNames()) {
                boolean recipient = rule.arguments().contains(name);
                boolean known = rule.arguments().isEmpty() && has(call.tool().arguments(), name);
                known |= has(said.payload(), name) || has(said.inert(), name) || has(said.resource(), name);
                JsonNode value = call.arguments().get(name);
                if (value.isNull() || (known && !recipient)) {
                    continue;
                }
                for (JsonNode one : value.isArray() ? value : List.of(value)) {
                    anybodyNamed |= recipient;
                    audience.add(source -> one.isString() && mayRead(source, server, one.stringValue()));
                }
            }
            audience.add(anybodyNamed ? source -> true : source -> false);
        }
        Profile ofServer = policy.profiles().servers().getOrDefault(server, policy.profile());
        Map<String, Profile> ofTools = policy.profiles().tools().getOrDefault(server, Map.of());
        boolean strict = ofTools.getOrDefault("act", ofServer) == Profile.STRICT;
        boolean lost = strict || call.values().stream().anyMatch(ArgumentValue::unmatched);
        Set<Source> carried = new HashSet<>(lost ? sources : Set.of());
        Set<DataClass> kinds = new HashSet<>(lost ? session.label().classes() : Set.of());
        boolean chosen = false;
        boolean steered = strict;
        boolean loud = lost && session.untrustedPublic();
        boolean foreign = false;
        for (ArgumentValue value : call.values()) {
            carried.addAll(value.label().confidentiality().sources());
            kinds.addAll(value.label().classes());
            boolean content = has(said.payload(), value.argument()) || has(said.inert(), value.argument());
            chosen |= !content && value.named();
            boolean outsiders = value.label().integrity() == Integrity.UNTRUSTED;
            foreign |= !content && outsiders;
            steered |= !content && !value.named() && !value.vouched();
            loud |= value.label().isUntrustedPublic() && (lost || !value.named());
            String text = call.arguments().at(value.pointer()).asString("");
            boolean calm = value.named() || !(value.unmatched() || outsiders);
            loud |= content && !calm && text.matches("(?s).*(://|www[.]).*");
        }
        boolean stays = audience.stream().allMatch(member -> carried.stream().allMatch(member));
        List<String> codes = new ArrayList<>();
        boolean excused = chosen && !steered;
        excused |= !strict && sends && !writes && !carried.isEmpty() && !loud && stays;
        boolean trusted = session.label().integrity() == Integrity.TRUSTED;
        boolean active = sends || writes || (outcome != null && outcome != Outcome.BENIGN);
        boolean refused = (!trusted || foreign) && !excused && active;
        boolean mild = policy.isFirstUse() && ownOnly && !sends;
        if (refused) {
            codes.add(mild ? "untrusted-same-server" : trusted ? "untrusted-argument" : "untrusted-session");
        }
        int worst = !refused || mild ? 0 : strict ? 2 : 1;
        if (!stays) {
            codes.add("flow-not-permitted");
            worst = Math.max(worst, strict || (refused && !mild) ? 2 : 1);
        }
        if (!kinds.stream().allMatch(kind -> said.accepts() == null || has(said.accepts(), kind.name()))) {
            codes.add("class-not-accepted");
            worst = 2;
        }
        boolean declared = call.tool().metadata().requiresReview() == Claim.TRUE;
        boolean review = said.review() != null ? said.review() : declared;
        if (review || (strict && outcome == Outcome.IRREVERSIBLE)) {
            codes.add(review ? "review-required" : "irreversible");
            worst = Math.max(worst, 1);
        }
        if (!call.pinned()) {
            codes.add("definition-changed");
            worst = 2;
        }
        for (Rule each : policy.rules()) {
            Set<Effect> on = each.on().effects();
            boolean hit =
                    on.isEmpty() || (sends && on.contains(Effect.SENDS)) || (writes && on.contains(Effect.WRITES));
            if (hit && Set.of(Set.of(), Set.of(server)).contains(each.on().servers())) {
                codes.add("rule");
                worst = Math.max(worst, each.then() == Strength.DENY ? 2 : 1);
            }
        }
        return List.of("ALLOW", "ASK", "DENY").get(worst) + " " + codes;
    }

    private static boolean has(@Nullable Collection<String> names, String name) {
        return names != null && names.contains(name);
    }

    private static boolean mayRead(Source source, String server, String name) {
        boolean known = name.contains("@") || source.server().equals(server);
        Set<String> readers = source instanceof Source.Readers of && known ? of.readers() : Set.of();
        return name.matches("[!#-'*+.0-9=?@A-Z^_`a-z{|}~-]+")
                && readers.stream().anyMatch(name::equalsIgnoreCase);
    }
}
