package dev.sluice.policy;

import dev.sluice.labels.Source;
import dev.sluice.wire.Outcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/**
 * What a call of one tool can do.
 *
 * @param server the upstream
 * @param tool the tool's name there
 * @param effects what a call does
 * @param audience who sees the data after a call that sends
 * @param outcome how much a call can change
 * @param review whether a person must look at each call
 * @param payload arguments that carry content and steer nothing
 * @param declared names in the tool's input schema
 * @param resource arguments that together name the resource of a call; empty where calls have none
 * @param derives whether answers may hold what the call passed in
 * @param returns what the operator or a shipped profile says of answers
 * @param classified whether the operator or a shipped profile says what the tool does
 */
public record ToolProfile(
        String server,
        String tool,
        Set<Effect> effects,
        AudienceRule audience,
        Outcome outcome,
        boolean review,
        Set<String> payload,
        Set<String> declared,
        List<String> resource,
        boolean derives,
        Returns returns,
        boolean classified) {

    public ToolProfile {
        effects = effects.isEmpty() ? Set.of() : Collections.unmodifiableSet(EnumSet.copyOf(effects));
        payload = Collections.unmodifiableSet(new TreeSet<>(payload));
        declared = Collections.unmodifiableSet(new TreeSet<>(declared));
        resource = List.copyOf(resource);
    }

    /** Returns whether a call changes anything, or shows data to somebody. */
    public boolean isConsequential() {
        return effects.contains(Effect.WRITES) || effects.contains(Effect.SENDS) || outcome != Outcome.BENIGN;
    }

    /** Returns whether all a call does is to pass data on. */
    public boolean isPureSend() {
        return effects.contains(Effect.SENDS) && !effects.contains(Effect.WRITES);
    }

    /** Returns the narrowest source of an answer to a call with {@code arguments}: its resource, else the server. */
    public Source ownSource(JsonNode arguments) {
        if (resource.isEmpty()) {
            return new Source.OfServer(server);
        }
        List<String> parts = new ArrayList<>();
        for (String name : resource) {
            JsonNode value = arguments.path(name);
            if (!value.isString() || value.stringValue().isBlank()) {
                return new Source.OfServer(server);
            }
            parts.add(value.stringValue().replace("%", "%25").replace("/", "%2F"));
        }
        return new Source.OfResource(server, String.join("/", parts).toLowerCase(java.util.Locale.ROOT));
    }

    /** Returns everybody who can see the data after a call with {@code arguments}; always the server itself. */
    public Set<AudienceMember> audienceOf(JsonNode arguments) {
        Set<AudienceMember> members = new LinkedHashSet<>();
        members.add(new AudienceMember.Upstream(server));
        if (!effects.contains(Effect.SENDS)) {
            return members;
        }
        members.addAll(audience.constants());
        if (audience.resource()) {
            members.add(
                    ownSource(arguments) instanceof Source.OfResource of
                            ? new AudienceMember.OfResource(of.server(), of.key())
                            : new AudienceMember.Unresolved("a resource that the call does not name"));
        }
        audience.arguments().forEach(name -> addRecipients(arguments.path(name), members));
        if (audience.arguments().isEmpty() && audience.constants().isEmpty() && !audience.resource()) {
            members.add(new AudienceMember.Anyone()); // it sends, and nobody said to whom
        }
        steering(arguments).forEach(name -> {
            if (!audience.arguments().contains(name)) {
                addRecipients(arguments.path(name), members);
            }
        });
        return members;
    }

    /**
     * Returns the arguments of a call that nobody declared harmless: in a tool that sends, each may say where to.
     *
     * <p>Not: payload, the resource's own parts, and, where an audience is declared by other means than arguments,
     * arguments that the input schema knows (the audience stands whatever they say).
     */
    private SortedSet<String> steering(JsonNode arguments) {
        SortedSet<String> names = new TreeSet<>(arguments.propertyNames());
        names.removeAll(payload);
        names.removeAll(resource);
        if (audience.arguments().isEmpty()) {
            names.removeAll(declared);
        }
        return names;
    }

    private static void addRecipients(JsonNode value, Set<AudienceMember> members) {
        if (value.isString()) {
            members.add(AudienceMember.recipient(value.stringValue()));
        } else if (value.isArray()) {
            value.forEach(element -> members.add(
                    element.isString()
                            ? AudienceMember.recipient(element.stringValue())
                            : new AudienceMember.Unresolved("a recipient that is no text")));
        } else if (!value.isMissingNode() && !value.isNull()) {
            members.add(new AudienceMember.Unresolved("a recipient that is no text"));
        }
    }
}
