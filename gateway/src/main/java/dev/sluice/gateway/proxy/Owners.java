package dev.sluice.gateway.proxy;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Whose each resource is, of those that were listed last: no more than {@link #MOST}, and none with a longer address than
 * {@link #LONGEST} characters. Of what is not here, the servers must be asked again.
 *
 * @param <T> who has resources
 */
final class Owners<T> {

    /** Beyond these, those that were not asked for the longest are forgotten. */
    static final int MOST = 10_000;

    static final int LONGEST = 2_048;

    private final Map<String, T> owners = new LinkedHashMap<>(16, 0.75f, true);

    /** Returns whose the resource is, where that is known. */
    synchronized Optional<T> of(String uri) {
        return Optional.ofNullable(owners.get(uri));
    }

    /** Takes note whose a resource is, unless that is known. */
    synchronized void add(String uri, T owner) {
        if (!owners.containsKey(uri)) {
            put(uri, owner);
        }
    }

    /**
     * Takes note of a whole list: what those who were asked do not list any more is forgotten.
     *
     * @param listed whose each listed resource is
     * @param asked who gave a list; what others have is as it was
     */
    synchronized void listed(Map<String, T> listed, Set<T> asked) {
        owners.entrySet().removeIf(entry -> asked.contains(entry.getValue()) && !listed.containsKey(entry.getKey()));
        listed.forEach((uri, owner) -> {
            T known = owners.get(uri);
            if (known == null || asked.contains(known)) {
                put(uri, owner);
            }
        });
    }

    private void put(String uri, T owner) {
        if (uri.length() > LONGEST) {
            return;
        }
        owners.put(uri, owner);
        if (owners.size() > MOST) {
            owners.remove(owners.keySet().iterator().next());
        }
    }
}
