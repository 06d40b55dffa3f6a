package dev.sluice.store.sqlite;

import static dev.sluice.store.sqlite.StateFiles.assertBroken;
import static dev.sluice.store.sqlite.StateFiles.assertWhole;
import static dev.sluice.store.sqlite.StateFiles.sql;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.store.AuditChain;
import dev.sluice.store.AuditChain.Outcome;
import dev.sluice.store.AuditRecord;
import dev.sluice.store.Engine;
import dev.sluice.store.StoreException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.JsonNodeFactory;

class AuditFileTest {

    private static final int COUNT = 60; // several pages

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void fill() {
        file = folder.resolve("state.db");
        StateFiles.fill(file, COUNT);
    }

    private Outcome verify() {
        return SqliteEngine.verifyAudit(file);
    }

    private List<AuditRecord> records() {
        try (Engine engine = SqliteEngine.open(file, SqliteEngine.Options.DEFAULT)) {
            return engine.transact(transaction -> transaction.audit().read(1, 1000));
        }
    }

    /** Returns the last place of {@code part}: the root page of a table keeps stale copies of its first rows. */
    private static int indexOf(byte[] all, byte[] part) {
        for (int i = all.length - part.length; i >= 0; i--) {
            if (Arrays.equals(all, i, i + part.length, part, 0, part.length)) {
                return i;
            }
        }
        throw new AssertionError("the record is not in the file");
    }

    @Test
    void untouchedFile_isWhole() {
        assertWhole(COUNT, verify());
        try (SqliteEngine engine = SqliteEngine.open(file, SqliteEngine.Options.DEFAULT)) {
            StateFiles.append(engine, COUNT + 1);
            assertWhole(COUNT + 1, engine.verifyAudit());
        }
    }

    @Test
    void emptyLog_isWhole() {
        Path empty = folder.resolve("empty.db");
        SqliteEngine.open(empty, SqliteEngine.Options.DEFAULT).close();
        assertWhole(0, SqliteEngine.verifyAudit(empty));
    }

    @Test
    void oneFlippedBit_namesExactlyThatRecord() throws Exception {
        List<AuditRecord> records = records();
        byte[] whole = Files.readAllBytes(file);
        Random random = new Random(42);
        for (int round = 0; round < 400; round++) {
            AuditRecord record = records.get(random.nextInt(COUNT));
            byte[] stored = (record.json() + record.digest()).getBytes(StandardCharsets.UTF_8);
            byte[] damaged = whole.clone();
            int at = indexOf(whole, stored) + random.nextInt(stored.length);
            damaged[at] ^= (byte) (1 << random.nextInt(8));
            Files.write(file, damaged);
            assertBroken(record.seq(), verify());
        }
    }

    /** One bit in a row's own head does this, and the text still reads the same. */
    @Test
    void textMadeABlob_namesExactlyThatRecord() throws Exception {
        sql(file, "PRAGMA writable_schema = ON", "UPDATE sqlite_schema SET sql = replace(sql, ' STRICT', '')");
        sql(file, "UPDATE audit SET json = CAST(json AS BLOB) WHERE seq = 7");
        assertBroken(7, verify());
    }

    @Test
    void anyDamage_isAnOutcomeOrARefusal_neverChanged() throws Exception {
        byte[] whole = Files.readAllBytes(file);
        Random random = new Random(7);
        int broken = 0;
        for (int round = 0; round < 300; round++) {
            byte[] damaged = whole.clone();
            for (int i = 0; i < 40; i++) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            Files.write(file, damaged);
            try {
                broken += verify() instanceof Outcome.Broken ? 1 : 0;
            } catch (StoreException refused) {
                broken++;
            }
            assertArrayEquals(damaged, Files.readAllBytes(file));
        }
        assertTrue(broken > 270, "only " + broken);
    }

    @Test
    void removedRecord_isNamed() throws Exception {
        sql(file, "DELETE FROM audit WHERE seq = 21");
        assertBroken(21, verify());
    }

    @Test
    void swappedRecords_nameTheFirst() throws Exception {
        sql(
                file,
                "UPDATE audit SET seq = -1 WHERE seq = 9",
                "UPDATE audit SET seq = 9 WHERE seq = 30",
                "UPDATE audit SET seq = 30 WHERE seq = -1");
        assertBroken(9, verify());
    }

    @Test
    void recordBeforeTheFirst_isNoticed() throws Exception {
        sql(file, "INSERT INTO audit SELECT -5, json, digest FROM audit WHERE seq = 3");
        assertBroken(1, verify());
    }

    @Test
    void cutTail_namesTheFirstMissing() throws Exception {
        sql(file, "DELETE FROM audit WHERE seq > 50");
        assertBroken(51, verify());
        sql(file, "DELETE FROM audit");
        assertBroken(1, verify());
    }

    @Test
    void alteredHead_isNoticed() throws Exception {
        sql(file, "UPDATE audit_head SET digest = (SELECT digest FROM audit WHERE seq = 3)");
        assertBroken(COUNT, verify());
        sql(file, "UPDATE audit_head SET seq = 50, digest = (SELECT digest FROM audit WHERE seq = 50)");
        assertBroken(51, verify());
        sql(file, "DELETE FROM audit_head");
        assertBroken(1, verify());
    }

    @Test
    void alteredLastRecord_isToldByTheHead() throws Exception {
        AuditRecord before = records().get(COUNT - 2);
        AuditRecord forged = AuditChain.next(
                AuditChain.headAt(before), JsonNodeFactory.instance.objectNode().put("what", "nothing"));
        sql(
                file,
                "UPDATE audit SET json = '" + forged.json() + "', digest = '" + forged.digest() + "' WHERE seq = "
                        + COUNT);
        assertBroken(COUNT, verify());
    }

    @Test
    void missingTable_isBrokenAtTheFirst() throws Exception {
        sql(file, "DROP TABLE audit");
        assertBroken(1, verify());
    }

    @Test
    void overwrittenBeginning_isBrokenAtTheFirst() throws Exception {
        byte[] damaged = Files.readAllBytes(file);
        Arrays.fill(damaged, 0, 100, (byte) 'x');
        Files.write(file, damaged);
        assertBroken(1, verify());
        StoreException refused =
                assertThrows(StoreException.class, () -> SqliteEngine.open(file, SqliteEngine.Options.DEFAULT));
        assertTrue(refused.getMessage().contains("no sluice state file"), refused.getMessage());
    }

    @Test
    void halfAFile_isBroken() throws Exception {
        byte[] all = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(all, all.length / 2));
        assertInstanceOf(Outcome.Broken.class, verify());
    }

    @Test
    void damageAroundWholeRecords_isNamedAfterTheLast() throws Exception {
        sql(file, "PRAGMA writable_schema = ON", "DELETE FROM sqlite_schema WHERE name = 'session_live_seen'");
        assertBroken(COUNT + 1, verify());
    }

    @Test
    void absentFile_isRefusedAndNotMade() {
        Path absent = folder.resolve("absent.db");
        assertThrows(StoreException.class, () -> SqliteEngine.verifyAudit(absent));
        assertTrue(Files.notExists(absent));
    }
}
