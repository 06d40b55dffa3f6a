package dev.sluice.store;

import org.junit.jupiter.api.Nested;

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
}
