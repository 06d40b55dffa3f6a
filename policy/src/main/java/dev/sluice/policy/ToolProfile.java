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
import org.jspecify.annotations.Nullable;
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
 * @param inert arguments that neither carry data nor steer
 * @param accepts the names of the classes of data that may go in; null where every class may
 * @param steers arguments that steer and say nothing of who sees the data
 * @param alone whether a call that names no recipient shows data to nobody
 * @param declassifies whether a recipient whom the user named may see what is not classified
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
        Set<String> inert,
        @Nullable Set<String> accepts,
        Set<String> steers,
        boolean alone,
        boolean declassifies,
        boolean classified) {

    public ToolProfile {
        effects = effects.isEmpty() ? Set.of() : Collections.unmodifiableSet(EnumSet.copyOf(effects));
        payload = Collections.unmodifiableSet(new TreeSet<>(payload));
        declared = Collections.unmodifiableSet(new TreeSet<>(declared));
        resource = List.copyOf(resource);
        inert = Collections.unmodifiableSet(new TreeSet<>(inert));
        steers = Collections.unmodifiableSet(new TreeSet<>(steers));
        accepts = accepts == null ? null : Collections.unmodifiableSet(new TreeSet<>(accepts));
    }

    /** Returns whether an argument steers a call: whatever nobody declared to be content or of no account. */
    public boolean isAuthority(String argument) {
        return !payload.contains(argument) && !inert.contains(argument);
    }

    /** Returns whether a call with {@code arguments} shows data to nobody but its server, since it names no recipient. */
    public boolean isAlone(JsonNode arguments) {
        return alone && audienceOf(arguments).size() == 1;
    }

    /** Returns whether a call changes anything, or shows data to somebody. */
    public boolean isConsequential() {
        return effects.contains(Effect.WRITES) || effects.contains(Effect.SENDS) || outcome != Outcome.BENIGN;
    }

    /** Returns whether all a call does is to pass data on. */
    public boolean isPureSend() {
        return effects.contains(Effect.SENDS) && !effects.contains(Effect.WRITES);
    }

    /**
     * Returns the narrowest source of an answer to a call with {@code arguments}: its resource, else the server.
     *
     * <p>Where an argument climbs out of its place with {@code ..}, the call may be about another resource than it names
     * (a server that puts {@code path} into a URL after {@code owner} and {@code repo}), so its source is the server.
     */
    public Source ownSource(JsonNode arguments) {
        if (resource.isEmpty()) {
            return new Source.OfServer(server);
        }
        for (String name : arguments.propertyNames()) {
            if (!payload.contains(name) && ClimbingPath.isIn(arguments.path(name))) {
                return new Source.OfServer(server);
            }
        }
        List<String> parts = new ArrayList<>();
        for (String name : resource) {
            JsonNode value = arguments.path(name);
            if (!value.isString() || !PlainName.canBeKept(value.stringValue())) {
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
                            : new AudienceMember.Unresolved("a resource that the call does not plainly name"));
        }
        List<AudienceMember> named = new ArrayList<>();
        audience.arguments().forEach(name -> named.addAll(recipients(arguments.path(name))));
        if (!audience.arguments().isEmpty() && named.isEmpty() && !alone) {
            named.add(new AudienceMember.Unresolved("a recipient that the call does not name"));
        }
        members.addAll(named);
        for (String name : steering(arguments)) {
            if (!audience.arguments().contains(name)) {
                recipients(arguments.path(name)).forEach(who -> members.add(new AudienceMember.Named(name, who)));
            }
        }
        return members;
    }

    /**
     * Returns the arguments of a call that nobody declared harmless: in a tool that sends, each may say where to.
     *
     * <p>Not: payload, the resource's own parts, and, where an audience is declared by other means than arguments,
     * arguments that the input schema knows (the audience stands whatever they say).
     */
    private SortedSet<String> steering(JsonNode arguments) {
        SortedSet<String> names = new TreeSet<>();
        for (String name : arguments.propertyNames()) {
            if (isAuthority(name)
                    && !steers.contains(name)
                    && !resource.contains(name)
                    && !(audience.arguments().isEmpty() && declared.contains(name))) {
                names.add(name);
            }
        }
        return names;
    }

    private List<AudienceMember> recipients(JsonNode value) {
        List<AudienceMember> found = new ArrayList<>();
        for (JsonNode element : value.isArray() ? value : List.of(value)) {
            if (element.isString()) {
                found.add(AudienceMember.recipient(server, element.stringValue()));
            } else if (value.isArray() || (!value.isMissingNode() && !value.isNull())) {
                found.add(new AudienceMember.Unresolved("a recipient that is no text"));
            }
        }
        return found;
    }
}
