package dev.sluice.store;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How far the sessions of a {@link MemoryEngine} are in sequences. */
final class MemorySequences implements SequenceStore {

    private final MemoryTransaction transaction;

    MemorySequences(MemoryTransaction transaction) {
        this.transaction = transaction;
    }

    @Override
    public Map<String, Integer> of(String id) {
        return transaction.state().sequences.getOrDefault(id, Map.of());
    }

    @Override
    public Map<String, Farthest> farthest(List<String> ids) {
        Map<String, Farthest> farthest = new HashMap<>();
        for (String id : ids) {
            of(id).forEach((automaton, state) -> farthest.merge(automaton, new Farthest(state, 1), Farthest::and));
        }
        return farthest;
    }

    @Override
    public void put(String id, String automaton, int state) {
        if (!transaction.state().sessions.containsKey(id)) {
            throw new StoreException("no session `" + id + "` was ever begun: begin one");
        }
        Map<String, Integer> states = new HashMap<>(of(id));
        states.put(automaton, state);
        transaction.put(transaction.state().sequences, id, Map.copyOf(states));
    }
}
