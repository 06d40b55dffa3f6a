package dev.sluice.policy;

import dev.sluice.labels.Source;
import dev.sluice.labels.Vocabulary;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the operator decided: one file, checked, or the safe defaults of a first use.
 *
 * @param source where it was read from, for people; empty for the defaults
 * @param digest the digest of its text; of no bytes for the defaults
 * @param mode what is done with decisions
 * @param profiles how strong the controls are
 * @param audiences groups of people and servers, by name
 * @param inside names of the audiences that are inside the organisation
 * @param vocabularies the organisation's own class names
 * @param servers what is said of upstreams, by name, in the order of the file
 * @param rules rules of the operator's own, in the order of the file
 * @param sequences calls that must not follow one another
 * @param grants what somebody answers for
 * @param readers who is asked who may read a resource, by the server it is on
 * @param obligations what is done with parts of answers
 * @param gateway how {@code sluice gateway} is reached and by whom
 */
public record Policy(
        String source,
        String digest,
        Mode mode,
        Profiles profiles,
        Map<String, Audience> audiences,
        List<String> inside,
        List<Vocabulary> vocabularies,
        Map<String, ServerPolicy> servers,
        List<Rule> rules,
        List<Sequence> sequences,
        List<Grant> grants,
        Map<String, ReaderLookup> readers,
        Obligations obligations,
        GatewaySettings gateway) {

    public Policy {
        audiences = Map.copyOf(audiences);
        inside = List.copyOf(inside);
        vocabularies = List.copyOf(vocabularies);
        rules = List.copyOf(rules);
        sequences = List.copyOf(sequences);
        grants = List.copyOf(grants);
        readers = Map.copyOf(readers);
        servers = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(servers));
    }

    /** A policy with one profile for every call, and no sequences, grants, lookups, obligations or gateway. */
    public Policy(
            String source,
            String digest,
            Mode mode,
            Profile profile,
            Map<String, Audience> audiences,
            List<String> inside,
            List<Vocabulary> vocabularies,
            Map<String, ServerPolicy> servers,
            List<Rule> rules) {
        this(
                source,
                digest,
                mode,
                Profiles.all(profile),
                audiences,
                inside,
                vocabularies,
                servers,
                rules,
                List.of(),
                List.of(),
                Map.of(),
                Obligations.NONE,
                GatewaySettings.USUAL);
    }

    /** Returns how strong the controls are where neither the server nor the tool has a word of its own. */
    public Profile profile() {
        return profiles.file();
    }

    /** Returns whether no file was given: pins are trusted on first use, and doubts within one server only warn. */
    public boolean isFirstUse() {
        return source.isEmpty();
    }

    /** Returns what is no error and yet can't be meant at {@code now}: grants that have ended. */
    public List<PolicyException.Problem> warnings(Instant now) {
        return grants.stream()
                .filter(grant -> !now.isBefore(grant.until()))
                .map(grant -> new PolicyException.Problem(
                        source,
                        grant.line(),
                        "the grant `" + grant.id() + "` has ended and has no effect; have `" + grant.owner()
                                + "` give it another `until`, or take it out"))
                .toList();
    }

    /**
     * Returns whether a source permits somebody to read. A reader list may name an audience, which stands for all who belong
     * to it; a recipient that is the name of an audience stands for its members, who must all be permitted.
     */
    public boolean permits(Source source, AudienceMember member) {
        if (member.permittedBy(source)) {
            return true;
        }
        if (source instanceof Source.Readers readers) {
            for (String name : readers.readers()) {
                Audience group = group(name);
                if (group != null && group.has(member)) {
                    return true;
                }
            }
        }
        AudienceMember who = member instanceof AudienceMember.Named named ? named.who() : member;
        if (!(who instanceof AudienceMember.Account account)) {
            return false;
        }
        Audience group = group(account.name());
        return group != null
                && !group.members().isEmpty()
                && group.domains().isEmpty()
                && group.members().stream()
                        .allMatch(each ->
                                AudienceMember.recipient(account.server(), each).permittedBy(source));
    }

    private @Nullable Audience group(String name) {
        for (Map.Entry<String, Audience> each : audiences.entrySet()) {
            if (each.getKey().equalsIgnoreCase(name)) {
                return each.getValue();
            }
        }
        return null;
    }

    /** Returns whether everybody who sees the data after a call is inside the organisation. */
    public boolean isInside(Set<AudienceMember> audience) {
        for (AudienceMember member : audience) {
            if (!isInside(member)) {
                return false;
            }
        }
        return true;
    }

    private boolean isInside(AudienceMember member) {
        for (String name : inside) {
            Audience group = audiences.get(name);
            if (group != null && group.has(member)) {
                return true;
            }
        }
        return false;
    }

    /** Returns this with another mode. */
    public Policy in(Mode other) {
        return copy(digest, other, profiles, audiences, servers, obligations);
    }

    /** Returns this with one profile for every call, whatever it says of servers and tools. */
    public Policy as(Profile other) {
        return copy(digest, mode, Profiles.all(other), audiences, servers, obligations);
    }

    /** Returns this with further audiences; one that it has stays as it is. */
    public Policy knowing(Map<String, Audience> more) {
        Map<String, Audience> all = new LinkedHashMap<>(more);
        all.putAll(audiences);
        return copy(digest, mode, profiles, all, servers, obligations);
    }

    /** Returns this with untrusted parts of answers kept from the agent where {@code other} says, whatever the file says. */
    public Policy hiding(Hiding other) {
        return copy(digest, mode, profiles, audiences, servers, new Obligations(obligations.redactions(), other));
    }

    /** Returns this, with what the owner said of tools at a first use; the digest is that of what was said. */
    public Policy with(Policy said) {
        return copy(said.digest, mode, profiles, audiences, said.servers, obligations);
    }

    private Policy copy(
            String otherDigest,
            Mode otherMode,
            Profiles otherProfiles,
            Map<String, Audience> otherAudiences,
            Map<String, ServerPolicy> otherServers,
            Obligations otherObligations) {
        return new Policy(
                source,
                otherDigest,
                otherMode,
                otherProfiles,
                otherAudiences,
                inside,
                vocabularies,
                otherServers,
                rules,
                sequences,
                grants,
                readers,
                otherObligations,
                gateway);
    }
}
