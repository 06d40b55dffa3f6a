package dev.sluice.wire;

import dev.sluice.wire.json.JsonPointers;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a client tells a server about the context that a call comes from ({@code params._meta.annotations}, SEP-1913).
 *
 * <p>The extensions have nothing in its place, so this is written too.
 *
 * @param openWorld {@code openWorldHint}: the context holds text of an untrusted origin
 * @param privateData {@code privateHint}: it holds what is for the organisation only
 * @param sensitive {@code sensitiveHint}: how sensitive the most sensitive part of it is
 * @param attribution where it comes from, each once, mostly as URIs
 */
public record RequestAnnotations(
        Claim openWorld, Claim privateData, SensitiveHint sensitive, List<String> attribution) {

    /** Nothing said. */
    public static final RequestAnnotations NONE =
            new RequestAnnotations(Claim.ABSENT, Claim.ABSENT, SensitiveHint.ABSENT, List.of());

    private static final String META = "_meta";
    private static final String PLACE = JsonPointers.step(META) + JsonPointers.step(LegacyClaims.KEY);

    /** Takes a copy of the list, each text once. */
    public RequestAnnotations {
        attribution = List.copyOf(new LinkedHashSet<>(attribution));
    }

    /** Reads the parameters of a request; a malformed hint counts as the one that raises. */
    public static Decoded<RequestAnnotations> decode(JsonNode params) {
        Decoding decoding = new Decoding();
        return decoding.result(decoding.carrier(params, META, "")
                .map(meta -> meta.get(LegacyClaims.KEY))
                .map(found -> read(found, decoding))
                .orElse(NONE));
    }

    private static RequestAnnotations read(JsonNode annotations, Decoding decoding) {
        if (annotations.isNull()) {
            return NONE;
        }
        if (!annotations.isObject()) {
            decoding.notAnObject(LegacyClaims.KEY, annotations, PLACE);
            return new RequestAnnotations(Claim.TRUE, Claim.TRUE, SensitiveHint.HIGH, List.of());
        }
        return new RequestAnnotations(
                decoding.claim(annotations, LegacyClaims.OPEN_WORLD, Claim.TRUE, PLACE),
                decoding.claim(annotations, LegacyClaims.PRIVATE, Claim.TRUE, PLACE),
                SensitiveHint.read(annotations, PLACE, decoding),
                decoding.texts(annotations, LegacyClaims.ATTRIBUTION, PLACE));
    }

    /** Returns what both say together: the stricter of each hint, the places of both. */
    public RequestAnnotations or(RequestAnnotations other) {
        Set<String> places = new LinkedHashSet<>(attribution);
        places.addAll(other.attribution);
        return new RequestAnnotations(
                openWorld.or(other.openWorld),
                privateData.or(other.privateData),
                sensitive.or(other.sensitive),
                List.copyOf(places));
    }

    /**
     * Raises what the parameters of a request say, and touches nothing else: what is there is read as by {@link #decode},
     * and written anew only where this says more of the same matter. A {@code _meta} or {@code annotations} that is no
     * object is replaced by what it was read as.
     */
    public void writeTo(ObjectNode params) {
        if (equals(NONE)) {
            return;
        }
        RequestAnnotations there = decode(params).value();
        RequestAnnotations both = there.or(this);
        ObjectNode meta = Members.object(params, META);
        boolean replaced = !(meta.get(LegacyClaims.KEY) instanceof ObjectNode);
        ObjectNode annotations = Members.object(meta, LegacyClaims.KEY);
        if (replaced || openWorld != Claim.ABSENT) {
            write(annotations, LegacyClaims.OPEN_WORLD, both.openWorld);
        }
        if (replaced || privateData != Claim.ABSENT) {
            write(annotations, LegacyClaims.PRIVATE, both.privateData);
        }
        if (replaced || sensitive != SensitiveHint.ABSENT) {
            both.sensitive.writeTo(annotations);
        }
        addPlaces(annotations, there.attribution);
    }

    private static void write(ObjectNode annotations, String name, Claim claim) {
        if (claim != Claim.ABSENT) {
            annotations.put(name, claim == Claim.TRUE);
        }
    }

    private void addPlaces(ObjectNode annotations, List<String> there) {
        Set<String> missing = new LinkedHashSet<>(attribution);
        there.forEach(missing::remove);
        if (missing.isEmpty()) {
            return;
        }
        JsonNode old = annotations.path(LegacyClaims.ATTRIBUTION);
        ArrayNode list = old instanceof ArrayNode array ? array : annotations.putArray(LegacyClaims.ATTRIBUTION);
        if (old.isString()) {
            list.add(old);
        }
        missing.forEach(list::add);
    }
}
