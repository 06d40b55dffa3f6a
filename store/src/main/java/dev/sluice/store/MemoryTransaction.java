package dev.sluice.store;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** A transaction on state in memory; it notes how to take back what it does. */
final class MemoryTransaction implements Transaction {

    /** What a {@link MemoryEngine} holds. */
    static final class State {
        final Map<String, MemorySessions.Kept> sessions = new HashMap<>();
        final Map<String, String> liveIds = new HashMap<>();
        final Deque<AuditRecord> audit = new ArrayDeque<>();
        final int mostRecords;
        final Map<String, Map<String, VariableStore.Variable>> variables = new HashMap<>();
        final Map<String, Map<String, Integer>> sequences = new HashMap<>();
        final Map<String, ApprovalStore.Approval> approvals = new HashMap<>();
        final Map<String, Instant> spent = new HashMap<>();
        final Map<String, String> secrets = new HashMap<>();
        final Map<String, List<PromptStore.Prompt>> prompts = new HashMap<>();
        final Map<PinStore.Pin, PinStore.Pin> pins = new TreeMap<>(PinStore.Pin.ORDER);

        State(int mostRecords) {
            this.mostRecords = mostRecords;
        }
    }

    private final State state;
    private final Thread owner = Thread.currentThread();
    private final Deque<Runnable> undo = new ArrayDeque<>();
    private boolean open = true;

    MemoryTransaction(State state) {
        this.state = state;
    }

    @Override
    public SessionStore sessions() {
        return new MemorySessions(this);
    }

    @Override
    public AuditLog audit() {
        return new Audit();
    }

    @Override
    public PinStore pins() {
        return new Pins();
    }

    @Override
    public VariableStore variables() {
        return new MemoryVariables(this);
    }

    @Override
    public SequenceStore sequences() {
        return new MemorySequences(this);
    }

    @Override
    public ApprovalStore approvals() {
        return new MemoryApprovals(this);
    }

    @Override
    public PromptStore prompts() {
        return new MemoryPrompts(this);
    }

    /** Returns the state, to whoever may still use it. */
    State state() {
        if (Thread.currentThread() != owner || !open) {
            throw new StoreException("a transaction was used outside its work: begin another");
        }
        return state;
    }

    /** Sets the value of {@code key} until it is taken back. */
    <K, V> void put(Map<K, V> map, K key, V value) {
        V old = map.put(key, value);
        undo.push(() -> restore(map, key, old));
    }

    /** Removes {@code key} until it is taken back. */
    <K, V> void remove(Map<K, V> map, K key) {
        V old = map.remove(key);
        undo.push(() -> restore(map, key, old));
    }

    private static <K, V> void restore(Map<K, V> map, K key, @Nullable V old) {
        if (old == null) {
            map.remove(key);
        } else {
            map.put(key, old);
        }
    }

    /** Ends the transaction, keeping what it did or taking all of it back. */
    void end(boolean keep) {
        open = false;
        while (!keep && !undo.isEmpty()) {
            undo.pop().run();
        }
        while (state.audit.size() > state.mostRecords) {
            state.audit.removeFirst();
        }
    }

    private final class Audit implements AuditLog {

        @Override
        public AuditRecord append(ObjectNode event) {
            Deque<AuditRecord> audit = state().audit;
            AuditRecord record = AuditChain.next(head().orElse(AuditHead.NONE), event);
            audit.addLast(record);
            undo.push(audit::removeLast);
            return record;
        }

        @Override
        public List<AuditRecord> read(long from, int limit) {
            if (limit < 0) {
                throw new IllegalArgumentException("`" + limit + "` is no number of records: give 0 or more");
            }
            return state().audit.stream()
                    .dropWhile(record -> record.seq() < from)
                    .limit(limit)
                    .toList();
        }

        @Override
        public Optional<AuditHead> head() {
            return Optional.ofNullable(state().audit.peekLast()).map(AuditChain::headAt);
        }
    }

    private final class Pins implements PinStore {

        @Override
        public Optional<Pin> find(String server, String kind, String name) {
            return Optional.ofNullable(state().pins.get(new Pin(server, kind, name, "", Instant.EPOCH)));
        }

        @Override
        public List<Pin> all() {
            return List.copyOf(state().pins.values());
        }

        @Override
        public void pin(Pin pin) {
            Map<Pin, Pin> pins = state().pins;
            remove(pins, pin); // a TreeMap keeps the old key otherwise, which holds the old digest
            put(pins, pin, pin);
        }
    }
}
