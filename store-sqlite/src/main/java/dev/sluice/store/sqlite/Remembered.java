package dev.sluice.store.sqlite;

import dev.sluice.labels.SessionLabel;
import dev.sluice.store.AuditHead;
import dev.sluice.store.SequenceStore.Farthest;
import dev.sluice.store.Session;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What a connection read or wrote last of the rows that every message needs: good as long as no other connection, of this
 * process or another, wrote to the file. SQLite says whether one did (sqlite.org/pragma.html#pragma_data_version).
 */
final class Remembered {

    private static final int MOST_SESSIONS = 1_024;

    /** In the lists of all principals together. */
    private static final int MOST_LISTED = 4_096;

    /** The texts of longer labels are read anew each time, so that this stays small. */
    private static final int LONGEST_LABEL = 1 << 14;

    private final Map<String, Session> sessions = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<String, String> ids = new HashMap<>();

    /** The live sessions of principals that were asked about, until one of these changes; the last used last. */
    private final Map<String, List<Session>> ofPrincipals = new LinkedHashMap<>(16, 0.75f, true);

    /** The principals of all sessions in these lists, by the sessions' ids. */
    private final Map<String, String> principals = new HashMap<>();

    /** How far sessions are in sequences, by their ids. */
    private final Map<String, Map<String, Integer>> states = new LinkedHashMap<>(16, 0.75f, true);

    /** How far the farthest of several sessions are, until any session moves. */
    private final Map<List<String>, Map<String, Farthest>> farthest = new HashMap<>();

    /** How many ids that map has in its keys. */
    private int listed;

    private long version = Long.MIN_VALUE;
    private Head head = Head.UNKNOWN;
    private Head before = Head.UNKNOWN;

    /** The end of the audit log; one that is new is written once before a commit, however many records there are. */
    private record Head(Optional<Optional<AuditHead>> value, boolean isNew) {
        static final Head UNKNOWN = new Head(Optional.empty(), false);
    }

    /** Begins a transaction, of which SQLite says that the data has this version. */
    void begin(long current) {
        if (current != version) {
            forgetSessions();
            head = Head.UNKNOWN;
            version = current;
        }
    }

    /** Begins a work that can be undone by itself. */
    void mark() {
        before = head;
    }

    /** Forgets what the work since {@link #mark} did, which was undone. */
    void undo() {
        forgetSessions();
        head = before;
    }

    /** Returns the end of the audit log, empty for one without records; empty as a whole where it must be read. */
    Optional<Optional<AuditHead>> head() {
        return head.value;
    }

    /** Takes note of the end of the audit log, as it was read. */
    void read(Optional<AuditHead> found) {
        head = new Head(Optional.of(found), false);
    }

    /** Takes note of a new end of the audit log. */
    void append(AuditHead next) {
        head = new Head(Optional.of(Optional.of(next)), true);
    }

    /** Returns the end of the audit log where it must be written before the commit; from then on it need not. */
    Optional<AuditHead> unwritten() {
        Head last = head;
        head = new Head(last.value, false);
        return last.isNew ? last.value.orElse(Optional.empty()) : Optional.empty();
    }

    Optional<Session> live(String key) {
        return Optional.ofNullable(ids.get(key)).map(sessions::get);
    }

    Optional<SessionLabel> label(String id) {
        return Optional.ofNullable(sessions.get(id)).map(Session::label);
    }

    Optional<List<Session>> ofPrincipal(String principal) {
        return Optional.ofNullable(ofPrincipals.get(principal));
    }

    /** Takes note of all live sessions of a principal, but of more than are remembered. */
    void ofPrincipal(String principal, List<Session> live) {
        forgetPrincipal(principal);
        if (live.size() > MOST_SESSIONS) {
            return;
        }
        ofPrincipals.put(principal, live);
        live.forEach(session -> principals.put(session.id(), principal));
        while (principals.size() > MOST_LISTED || ofPrincipals.size() > MOST_SESSIONS) {
            forgetPrincipal(ofPrincipals.keySet().iterator().next());
        }
    }

    /** Takes note that a session is not what it was, whether or not it is remembered. */
    void changed(String id) {
        String principal = principals.get(id);
        if (principal != null) {
            forgetPrincipal(principal);
        }
    }

    /** Takes note that a principal has one session more. */
    void begun(String principal) {
        forgetPrincipal(principal);
    }

    private void forgetPrincipal(String principal) {
        List<Session> live = ofPrincipals.remove(principal);
        if (live != null) {
            live.forEach(session -> principals.remove(session.id()));
        }
    }

    /** Returns how far a session is, as {@code read} says where that is not remembered. */
    Map<String, Integer> states(String id, Function<String, Map<String, Integer>> read) {
        Map<String, Integer> known = states.get(id);
        if (known == null) {
            known = Map.copyOf(read.apply(id));
            if (states.size() >= MOST_SESSIONS) {
                states.remove(states.keySet().iterator().next());
            }
            states.put(id, known);
        }
        return known;
    }

    /** Returns how far the farthest of several sessions is, likewise. */
    Map<String, Farthest> farthest(List<String> ids, Function<List<String>, Map<String, Farthest>> read) {
        Map<String, Farthest> known = farthest.get(ids);
        if (known == null) {
            known = Map.copyOf(read.apply(ids));
            if (listed + ids.size() > MOST_LISTED || farthest.size() >= MOST_SESSIONS) {
                forgetFarthest();
            }
            if (ids.size() <= MOST_LISTED) {
                farthest.put(List.copyOf(ids), known);
                listed += ids.size();
            }
        }
        return known;
    }

    /** Takes note that a session is elsewhere in a sequence than it was. */
    void moved(String id) {
        states.remove(id);
        forgetFarthest();
    }

    private void forgetFarthest() {
        farthest.clear();
        listed = 0;
    }

    /** Takes note of a live session, whose label has {@code length} characters as text. */
    void put(Session session, int length) {
        drop(session.id());
        if (length > LONGEST_LABEL) {
            return;
        }
        if (sessions.size() >= MOST_SESSIONS) {
            drop(sessions.keySet().iterator().next());
        }
        sessions.put(session.id(), session);
        ids.put(session.key(), session.id());
    }

    void label(String id, SessionLabel label, int length) {
        Session old = sessions.get(id);
        if (old != null) {
            put(with(old, old.seen(), old.client(), label, old.witness()), length);
        }
    }

    void witness(String id, String witness) {
        sessions.computeIfPresent(id, (same, old) -> with(old, old.seen(), old.client(), old.label(), witness));
    }

    void touch(String id, Instant at, String client) {
        Session old = sessions.get(id);
        if (old != null) {
            Instant seen = old.seen().isBefore(at) ? at : old.seen();
            sessions.put(id, with(old, seen, client.isEmpty() ? old.client() : client, old.label(), old.witness()));
        }
    }

    void drop(String id) {
        Session old = sessions.remove(id);
        if (old != null) {
            ids.remove(old.key());
        }
    }

    private void forgetSessions() {
        ofPrincipals.clear();
        principals.clear();
        states.clear();
        forgetFarthest();
        sessions.clear();
        ids.clear();
    }

    private static Session with(Session old, Instant seen, String client, SessionLabel label, String witness) {
        return new Session(
                old.id(), old.key(), old.principal(), old.display(), old.started(), seen, client, label, witness);
    }
}
