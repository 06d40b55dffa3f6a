package dev.sluice.policy;

import dev.sluice.labels.Integrity;
import dev.sluice.labels.SessionLabel;
import dev.sluice.labels.Source;
import dev.sluice.wire.Claim;
import dev.sluice.wire.Destination;
import dev.sluice.wire.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/** The rules again, as plainly as they can be said: slow, without reasons, and sharing no code with the engine. */
final class ReferencePolicyEngine {

    private ReferencePolicyEngine() {}

    /** Returns the decision and the codes of all violations. */
    static String decide(Policy policy, Call call) {
        if (!call.arguments().isObject()) {
            return "DENY [malformed-call]";
        }
        ToolStatement said = call.stated();
        SessionLabel session = call.session();
        String server = call.tool().server();
        boolean untrusted = session.label().integrity() == Integrity.UNTRUSTED;
        Set<Source> sources = session.label().confidentiality().sources();
        boolean ownOnly = sources.stream().allMatch(source -> source.server().equals(server))
                && session.lineage().untrustedServers().stream().allMatch(server::equals);

        Destination to = call.tool().metadata().widestDestination().orElse(null);
        Outcome can = call.tool().metadata().gravestOutcome().orElse(null);
        Claim open = call.tool().hints().openWorld();
        Claim readOnly = call.tool().hints().readOnly();
        boolean claimsSend =
                to == null ? open != Claim.FALSE : to.compareTo(Destination.USER) > 0 || open == Claim.TRUE;
        boolean claimsWrite = (can == null ? readOnly != Claim.TRUE : can != Outcome.BENIGN)
                || readOnly == Claim.FALSE
                || (call.tool().hints().destructive() == Claim.TRUE && readOnly != Claim.TRUE);
        boolean sends = !ownOnly
                || claimsSend
                || (said.audience() != null && !said.audience().equals(AudienceRule.SERVER_ONLY));
        boolean writes = !ownOnly || claimsWrite;
        boolean grave = can == Outcome.IRREVERSIBLE;
        boolean changes = can != null && can != Outcome.BENIGN;
        if (said.effects() != null) {
            sends = said.effects().contains(Effect.SENDS);
            writes = said.effects().contains(Effect.WRITES);
            grave = false;
            changes = false;
        }
        if (said.outcome() != null) {
            grave = said.outcome() == Outcome.IRREVERSIBLE;
            changes = said.outcome() != Outcome.BENIGN;
        }

        List<Predicate<Source>> audience = new ArrayList<>();
        audience.add(source -> source.server().equals(server));
        if (sends) {
            AudienceRule rule = said.audience() == null ? AudienceRule.PUBLIC : said.audience();
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
                boolean harmless = (said.payload() != null && said.payload().contains(name))
                        || (said.resource() != null && said.resource().contains(name))
                        || (rule.arguments().isEmpty()
                                && call.tool().arguments().contains(name));
                JsonNode value = call.arguments().get(name);
                if (value.isNull() || (harmless && !recipient)) {
                    continue;
                }
                for (JsonNode one : value.isArray() ? value : List.of(value)) {
                    anybodyNamed |= recipient;
                    audience.add(source -> one.isString() && mayRead(source, server, one.stringValue()));
                }
            }
            if (!anybodyNamed) {
                audience.add(source -> false);
            }
        }
        boolean stays = audience.stream().allMatch(member -> sources.stream().allMatch(member));

        List<String> codes = new ArrayList<>();
        int worst = 0;
        boolean strict = policy.profile() == Profile.STRICT;
        boolean excused = !strict && sends && !writes && !sources.isEmpty() && !session.untrustedPublic() && stays;
        boolean refused = untrusted && (sends || writes || changes) && !excused;
        if (refused && policy.isFirstUse() && ownOnly && !sends) {
            codes.add("untrusted-same-server");
            refused = false;
        } else if (refused) {
            codes.add("untrusted-session");
            worst = strict ? 2 : 1;
        }
        if (!stays) {
            codes.add("flow-not-permitted");
            worst = Math.max(worst, strict || refused ? 2 : 1);
        }
        boolean review =
                said.review() != null ? said.review() : call.tool().metadata().requiresReview() == Claim.TRUE;
        if (review || (strict && grave)) {
            codes.add(review ? "review-required" : "irreversible");
            worst = Math.max(worst, 1);
        }
        if (!call.pinned()) {
            codes.add("definition-changed");
            worst = 2;
        }
        return List.of("ALLOW", "ASK", "DENY").get(worst) + " " + codes;
    }

    private static boolean mayRead(Source source, String server, String recipient) {
        boolean plain = recipient.chars().allMatch(c -> c > ' ' && c < 127 && "<>,;:\"()[]\\/".indexOf(c) < 0)
                && recipient.chars().filter(c -> c == '@').count() <= 1
                && !recipient.isEmpty();
        boolean known = recipient.contains("@") || source.server().equals(server);
        return plain
                && known
                && source instanceof Source.Readers readers
                && readers.readers().stream()
                        .anyMatch(reader -> reader.toUpperCase(Locale.ROOT).equals(recipient.toUpperCase(Locale.ROOT)));
    }
}
