package dev.sluice.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What every {@link AuditLog} does. */
public abstract class AuditLogContract {

    private Engine engine;

    /** Returns a new engine with nothing in it. */
    protected abstract Engine open() throws Exception;

    @BeforeEach
    void openEngine() throws Exception {
        engine = open();
    }

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    private <T> T in(Function<AuditLog, T> work) {
        return engine.transact(transaction -> work.apply(transaction.audit()));
    }

    private static ObjectNode event(int n) {
        return JsonNodeFactory.instance.objectNode().put("what", "\u0000 \u00e9\ud83d\ude00 " + n);
    }

    @Test
    void emptyLog_hasNoHead() {
        assertEquals(Optional.empty(), in(AuditLog::head));
        assertEquals(List.of(), in(audit -> audit.read(1, 10)));
    }

    @Test
    void appendedRecords_areTheChain() {
        List<AuditRecord> expected = new ArrayList<>();
        AuditHead head = AuditHead.NONE;
        for (int n = 1; n <= 20; n++) {
            int number = n;
            AuditRecord record = AuditChain.next(head, event(n));
            expected.add(record);
            head = AuditChain.headAt(record);
            assertEquals(record, in(audit -> audit.append(event(number))));
            assertEquals(Optional.of(head), in(AuditLog::head));
        }
        assertEquals(expected, in(audit -> audit.read(1, 100)));
    }

    @Test
    void recordsOfOneTransaction_followEachOther() {
        List<AuditRecord> made = in(audit -> List.of(audit.append(event(1)), audit.append(event(2))));
        assertEquals(made, in(audit -> audit.read(1, 100)));
        assertEquals(
                new AuditChain.Outcome.Whole(2, made.get(1).digest()),
                AuditChain.verify(made.iterator(), in(AuditLog::head).orElseThrow()));
    }

    @Test
    void reading_startsAndStopsWhereAsked() {
        for (int n = 1; n <= 5; n++) {
            int number = n;
            in(audit -> audit.append(event(number)));
        }
        assertEquals(List.of(2L, 3L), seqs(2, 2));
        assertEquals(List.of(4L, 5L), seqs(4, 10));
        assertEquals(List.of(1L, 2L), seqs(-7, 2));
        assertEquals(List.of(), seqs(6, 10));
        assertEquals(List.of(), seqs(1, 0));
        assertThrows(IllegalArgumentException.class, () -> seqs(1, -1));
    }

    private List<Long> seqs(long from, int limit) {
        return in(audit -> audit.read(from, limit)).stream()
                .map(AuditRecord::seq)
                .toList();
    }

    @Test
    void eventThatNoRecordCanBe_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> in(audit -> audit.append(event(1).put("seq", 1))));
        assertThrows(IllegalArgumentException.class, () -> in(audit -> audit.append(event(1).put("prev", ""))));
        assertThrows(
                IllegalArgumentException.class,
                () -> in(audit -> audit.append(event(1).put("score", 9007199254740993L))));
        assertThrows(IllegalArgumentException.class, () -> in(audit -> audit.append(event(1).put("half", "\ud800"))));
        assertEquals(Optional.empty(), in(AuditLog::head));
    }
}
