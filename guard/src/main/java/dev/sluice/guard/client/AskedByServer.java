package dev.sluice.guard.client;

import dev.sluice.guard.client.Unanswered.Entry;
import dev.sluice.guard.message.RpcId;
import dev.sluice.wire.canonical.Digest;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The server's requests on one line that the client has not answered yet: no more than {@link Unanswered#MOST}. */
final class AskedByServer {

    /** Of more requests that were taken back it is forgotten that the client may still answer them. */
    static final int MOST_TAKEN_BACK = 10_000;

    private static final int LONGEST_KEY = 80;

    /** The methods of those that wait, by the keys of their ids. */
    private final Map<String, String> open = new HashMap<>();

    /** A late answer to one of these must not count as the answer to another that took over its id. */
    private final Set<String> takenBack = new LinkedHashSet<>();

    private boolean forgot;

    synchronized Entry enter(RpcId id, String method) {
        String key = key(id);
        if (open.size() >= Unanswered.MOST) {
            return Entry.TOO_MANY;
        }
        if (takenBack.contains(key) || open.putIfAbsent(key, method) != null) {
            return Entry.ID_IN_USE;
        }
        return Entry.ADMITTED;
    }

    /** Takes out what the client answers; returns the method that the answer counts as one to. */
    synchronized Optional<String> take(RpcId id) {
        String key = key(id);
        String method = open.remove(key);
        if (method == null) {
            takenBack.remove(key);
            return Optional.empty();
        }
        // It may be the late answer to a request that is forgotten here, and had the same id.
        return Optional.of(forgot ? RequestedInputs.UNKNOWN : method);
    }

    /**
     * Takes out what the server takes back.
     *
     * @return whether it waited
     */
    synchronized boolean takeBack(RpcId id) {
        String key = key(id);
        if (open.remove(key) == null) {
            return false;
        }
        takenBack.add(key);
        if (takenBack.size() > MOST_TAKEN_BACK) {
            takenBack.remove(takenBack.iterator().next());
            forgot = true;
        }
        return true;
    }

    /** Takes all out. */
    synchronized void end() {
        open.clear();
        takenBack.clear();
    }

    private static String key(RpcId id) {
        return id.key().length() <= LONGEST_KEY
                ? id.key()
                : Digest.sha256(id.key().getBytes(StandardCharsets.UTF_8)).text();
    }
}
