package dev.sluice.store;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Values in memory. */
final class MemoryVariables implements VariableStore {

    private final MemoryTransaction transaction;

    MemoryVariables(MemoryTransaction transaction) {
        this.transaction = transaction;
    }

    @Override
    public Optional<Variable> find(String session, String id) {
        return Optional.ofNullable(of(session).get(id));
    }

    @Override
    public Room taken(String session) {
        Map<String, Variable> own = of(session);
        return new Room(
                own.size(), own.values().stream().mapToLong(Variable::size).sum());
    }

    private Map<String, Variable> of(String session) {
        return transaction.state().variables.getOrDefault(session, Map.of());
    }

    @Override
    public void keep(Variable variable) {
        MemorySessions.Kept session = transaction.state().sessions.get(variable.session());
        if (session == null || !session.live()) {
            throw new StoreException(
                    "the session `" + variable.session() + "` is not live: keep values of live sessions only");
        }
        Map<String, Map<String, Variable>> all = transaction.state().variables;
        Map<String, Variable> own = all.get(variable.session());
        if (own == null) {
            own = new HashMap<>();
            transaction.put(all, variable.session(), own);
        }
        if (own.containsKey(variable.id())) {
            throw new StoreException("a handle was given twice: make another");
        }
        transaction.put(own, variable.id(), variable);
    }
}
