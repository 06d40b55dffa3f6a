package dev.sluice.store.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.store.ApprovalStoreContract;
import dev.sluice.store.AuditChain.Outcome;
import dev.sluice.store.AuditLogContract;
import dev.sluice.store.Engine;
import dev.sluice.store.EngineContract;
import dev.sluice.store.PinStoreContract;
import dev.sluice.store.PromptStoreContract;
import dev.sluice.store.SequenceStoreContract;
import dev.sluice.store.SessionStoreContract;
import dev.sluice.store.VariableStoreContract;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

class SqliteContractsTest {

    @TempDir
    Path folder;

    private Path file() {
        return folder.resolve("state.db");
    }

    private Engine engine() {
        return SqliteEngine.open(file(), SqliteEngine.Options.DEFAULT);
    }

    private void assertRecords(int records) {
        Outcome outcome = SqliteEngine.verifyAudit(file());
        assertEquals(records, outcome instanceof Outcome.Whole whole ? whole.count() : -1, outcome::toString);
    }

    @Nested
    class AsEngine extends EngineContract {
        @Override
        protected Engine open() {
            return engine();
        }

        @Override
        protected void assertKept(int records) {
            assertRecords(records);
        }
    }

    /** With room for one waiting work and every commit on the disk. */
    @Nested
    class AsNarrowEngine extends EngineContract {
        @Override
        protected Engine open() {
            return SqliteEngine.open(
                    file(), new SqliteEngine.Options(SqliteEngine.Durability.FULL, Duration.ofSeconds(10), 1));
        }

        @Override
        protected void assertKept(int records) {
            assertRecords(records);
        }
    }

    @Nested
    class Sessions extends SessionStoreContract {
        @Override
        protected Engine open() {
            return engine();
        }
    }

    @Nested
    class Audit extends AuditLogContract {
        @Override
        protected Engine open() {
            return engine();
        }
    }

    @Nested
    class Approvals extends ApprovalStoreContract {
        @Override
        protected Engine open() {
            return engine();
        }
    }

    @Nested
    class Pins extends PinStoreContract {
        @Override
        protected Engine open() {
            return engine();
        }
    }

    @Nested
    class Variables extends VariableStoreContract {
        @Override
        protected Engine open() {
            return engine();
        }
    }

    @Nested
    class Sequences extends SequenceStoreContract {
        @Override
        protected Engine open() {
            return engine();
        }
    }

    @Nested
    class Prompts extends PromptStoreContract {
        @Override
        protected Engine open() {
            return engine();
        }
    }
}
