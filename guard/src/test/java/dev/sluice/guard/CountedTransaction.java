package dev.sluice.guard;

import dev.sluice.store.ApprovalStore;
import dev.sluice.store.AuditLog;
import dev.sluice.store.PinStore;
import dev.sluice.store.PromptStore;
import dev.sluice.store.SequenceStore;
import dev.sluice.store.SessionStore;
import dev.sluice.store.Transaction;
import dev.sluice.store.VariableStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A transaction that counts the looks at sequences.
 *
 * @param looks how many there were
 */
record CountedTransaction(Transaction tx, AtomicInteger looks) implements Transaction {

    @Override
    public SessionStore sessions() {
        return tx.sessions();
    }

    @Override
    public AuditLog audit() {
        return tx.audit();
    }

    @Override
    public PinStore pins() {
        return tx.pins();
    }

    @Override
    public VariableStore variables() {
        return tx.variables();
    }

    @Override
    public ApprovalStore approvals() {
        return tx.approvals();
    }

    @Override
    public PromptStore prompts() {
        return tx.prompts();
    }

    @Override
    public SequenceStore sequences() {
        SequenceStore sequences = tx.sequences();
        return new SequenceStore() {
            @Override
            public Map<String, Integer> of(String id) {
                looks.incrementAndGet();
                return sequences.of(id);
            }

            @Override
            public Map<String, Farthest> farthest(List<String> ids) {
                looks.incrementAndGet();
                return sequences.farthest(ids);
            }

            @Override
            public void put(String id, String automaton, int state) {
                sequences.put(id, automaton, state);
            }
        };
    }
}
