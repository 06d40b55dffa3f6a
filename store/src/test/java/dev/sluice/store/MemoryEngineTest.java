package dev.sluice.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.JsonNodeFactory;

class MemoryEngineTest {

    @Nested
    class AsEngine extends EngineContract {
        @Override
        protected Engine open() {
            return new MemoryEngine();
        }
    }

    @Nested
    class Sessions extends SessionStoreContract {
        @Override
        protected Engine open() {
            return new MemoryEngine();
        }
    }

    @Nested
    class Audit extends AuditLogContract {
        @Override
        protected Engine open() {
            return new MemoryEngine();
        }
    }

    @Nested
    class Approvals extends ApprovalStoreContract {
        @Override
        protected Engine open() {
            return new MemoryEngine();
        }
    }

    @Nested
    class Pins extends PinStoreContract {
        @Override
        protected Engine open() {
            return new MemoryEngine();
        }
    }

    @Nested
    class Variables extends VariableStoreContract {
        @Override
        protected Engine open() {
            return new MemoryEngine();
        }
    }

    @Nested
    class Sequences extends SequenceStoreContract {
        @Override
        protected Engine open() {
            return new MemoryEngine();
        }
    }

    @Nested
    class Prompts extends PromptStoreContract {
        @Override
        protected Engine open() {
            return new MemoryEngine();
        }
    }

    /** A long-lived process must not keep all that it ever decided. */
    @Test
    void auditOfALongLife_forgetsItsOldestRecords_andGoesOn() {
        try (MemoryEngine engine = MemoryEngine.keeping(3)) {
            for (int i = 1; i <= 5; i++) {
                append(engine);
            }
            assertThrows(
                    IllegalStateException.class,
                    () -> engine.transact(transaction -> {
                        transaction.audit().append(JsonNodeFactory.instance.objectNode());
                        throw new IllegalStateException("taken back");
                    }));
            engine.transact(transaction -> {
                List<AuditRecord> kept = transaction.audit().read(1, 10);
                assertEquals(
                        List.of(3L, 4L, 5L), kept.stream().map(AuditRecord::seq).toList());
                assertEquals(List.of(kept.get(1)), transaction.audit().read(4, 1));
                assertTrue(kept.get(2).json().contains(kept.get(1).digest()), "chained to the one before");
                assertEquals(5, transaction.audit().head().orElseThrow().seq());
                return true;
            });
        }
        assertThrows(IllegalArgumentException.class, () -> MemoryEngine.keeping(0));
    }

    private static void append(MemoryEngine engine) {
        engine.transact(transaction -> transaction.audit().append(JsonNodeFactory.instance.objectNode()));
    }
}
