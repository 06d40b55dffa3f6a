package dev.sluice.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.store.AuditChain.Fault;
import dev.sluice.store.AuditChain.Outcome;
import dev.sluice.wire.canonical.Digest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

class AuditChainTest {

    private static final int COUNT = 10;

    private final List<AuditRecord> log = chain(COUNT);
    private final AuditHead head = AuditChain.headAt(log.get(COUNT - 1));

    private static ObjectNode event(int n) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("tool", "send \u00e9 " + n)
                .put("zone", n % 3);
    }

    private static List<AuditRecord> chain(int count) {
        List<AuditRecord> log = new ArrayList<>();
        AuditHead head = AuditHead.NONE;
        for (int n = 1; n <= count; n++) {
            AuditRecord record = AuditChain.next(head, event(n));
            log.add(record);
            head = AuditChain.headAt(record);
        }
        return log;
    }

    /** A record as somebody leaves it who repairs the digest beside it. */
    private static AuditRecord redigested(long seq, String json) {
        return new AuditRecord(
                seq, json, Digest.sha256(json.getBytes(StandardCharsets.UTF_8)).text());
    }

    private void assertBroken(long seq, Fault fault) {
        assertBroken(seq, fault, AuditChain.verify(log.iterator(), head));
    }

    private static void assertBroken(long seq, Fault fault, Outcome outcome) {
        Outcome.Broken broken = assertInstanceOf(Outcome.Broken.class, outcome);
        assertEquals(seq, broken.seq(), broken.reason());
        assertEquals(fault, broken.fault(), broken.reason());
        assertTrue(broken.reason().startsWith("record " + seq + " "), broken.reason());
    }

    @Test
    void firstRecord_isCanonicalAndStartsFromNothing() {
        AuditRecord first = AuditChain.next(
                AuditHead.NONE,
                JsonNodeFactory.instance.objectNode().put("z", 1).put("a", true));
        assertEquals(
                "{\"a\":true,\"prev\":\"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\","
                        + "\"seq\":1,\"z\":1}",
                first.json());
        assertEquals(
                Digest.sha256(first.json().getBytes(StandardCharsets.UTF_8)).text(), first.digest());
        assertEquals(1, first.seq());
    }

    @Test
    void nextRecord_namesTheOneBefore_andLeavesTheEventAlone() {
        ObjectNode event = event(11);
        AuditRecord next = AuditChain.next(head, event);
        assertEquals(11, next.seq());
        assertTrue(next.json().contains("\"prev\":\"" + head.digest() + "\""));
        assertEquals(event(11), event);
    }

    @ParameterizedTest
    @ValueSource(strings = {"seq", "prev"})
    void eventWithOurMembers_isRefused(String member) {
        ObjectNode event = event(1).put(member, 1);
        assertThrows(IllegalArgumentException.class, () -> AuditChain.next(AuditHead.NONE, event));
    }

    @Test
    void eventWithoutCanonicalForm_isRefused() {
        ObjectNode event = event(1).put("score", 9007199254740993L);
        assertThrows(IllegalArgumentException.class, () -> AuditChain.next(AuditHead.NONE, event));
    }

    @Test
    void deepestEvent_verifies() {
        ObjectNode event = event(1);
        ObjectNode inner = event;
        for (int depth = 1; depth < 512; depth++) {
            inner = inner.putObject("in");
        }
        AuditRecord record = AuditChain.next(AuditHead.NONE, event);
        assertInstanceOf(Outcome.Whole.class, AuditChain.verify(List.of(record).iterator(), AuditChain.headAt(record)));
    }

    @Test
    void longestName_verifies() {
        AuditRecord record = AuditChain.next(AuditHead.NONE, event(1).put("n".repeat(100_000), true));
        assertInstanceOf(Outcome.Whole.class, AuditChain.verify(List.of(record).iterator(), AuditChain.headAt(record)));
    }

    @Test
    void emptyLog_isWhole() {
        assertEquals(
                new Outcome.Whole(0, AuditHead.NONE.digest()),
                AuditChain.verify(Collections.emptyIterator(), AuditHead.NONE));
    }

    @Test
    void wholeLog_isWhole() {
        assertEquals(new Outcome.Whole(COUNT, head.digest()), AuditChain.verify(log.iterator(), head));
    }

    @Test
    void alteredText_namesThatRecord_whetherItsDigestWasRepairedOrNot() {
        for (int n = 1; n <= COUNT; n++) {
            AuditRecord old = log.get(n - 1);
            String altered = old.json().replace("send", "sent");
            log.set(n - 1, new AuditRecord(n, altered, old.digest()));
            assertBroken(n, Fault.ALTERED);
            log.set(n - 1, redigested(n, altered));
            assertBroken(n, Fault.ALTERED);
            log.set(n - 1, old);
        }
    }

    /** Any one character, and the digest repaired: the hard case, for the change may be in the link itself. */
    @Test
    void anyAlteredCharacter_namesThatRecord() {
        Random random = new Random(5);
        for (int round = 0; round < 3000; round++) {
            int n = 1 + random.nextInt(COUNT);
            AuditRecord old = log.get(n - 1);
            StringBuilder altered = new StringBuilder(old.json());
            int at = random.nextInt(altered.length());
            altered.setCharAt(at, (char) (altered.charAt(at) ^ (1 << random.nextInt(7))));
            log.set(n - 1, redigested(n, altered.toString()));
            Outcome.Broken broken =
                    assertInstanceOf(Outcome.Broken.class, AuditChain.verify(log.iterator(), head), altered::toString);
            assertEquals(n, broken.seq(), () -> broken.reason() + "\n" + altered);
            log.set(n - 1, old);
        }
    }

    @Test
    void sameValueInAnotherSpelling_namesThatRecord() {
        AuditRecord old = log.get(4);
        log.set(4, redigested(5, old.json().replace("\"seq\":5", "\"seq\": 5")));
        assertBroken(5, Fault.ALTERED);
    }

    @Test
    void alteredDigestBesideIt_namesThatRecord() {
        log.set(4, new AuditRecord(5, log.get(4).json(), log.get(3).digest()));
        assertBroken(5, Fault.ALTERED);
    }

    @Test
    void removedRecord_isNamed() {
        for (int n = 1; n < COUNT; n++) {
            List<AuditRecord> less = new ArrayList<>(log);
            less.remove(n - 1);
            assertBroken(n, Fault.MISSING, AuditChain.verify(less.iterator(), head));
        }
    }

    @Test
    void removedRecordWithTheRestMovedUp_isNamed() {
        log.remove(4);
        for (int n = 5; n < COUNT; n++) {
            log.set(n - 1, redigested(n, log.get(n - 1).json()));
        }
        assertBroken(5, Fault.OUT_OF_ORDER);
    }

    @Test
    void swappedRecords_nameTheFirst() {
        AuditRecord fifth = log.get(4);
        AuditRecord eighth = log.get(7);
        log.set(4, redigested(5, eighth.json()));
        log.set(7, redigested(8, fifth.json()));
        assertBroken(5, Fault.OUT_OF_ORDER);
    }

    @Test
    void unsortedRecords_nameTheFirst() {
        Collections.swap(log, 4, 5);
        assertBroken(5, Fault.MISSING);
    }

    @Test
    void repeatedRecord_isNamed() {
        log.add(5, log.get(4));
        assertBroken(6, Fault.OUT_OF_ORDER);
    }

    @Test
    void rewrittenTail_namesTheLastThatTheHeadTells() {
        List<AuditRecord> forged = new ArrayList<>(log.subList(0, 5));
        AuditHead at = AuditChain.headAt(log.get(4));
        for (int n = 6; n <= COUNT; n++) {
            AuditRecord record = AuditChain.next(at, event(n + 100));
            forged.add(record);
            at = AuditChain.headAt(record);
        }
        assertBroken(COUNT, Fault.ALTERED, AuditChain.verify(forged.iterator(), head));
    }

    @Test
    void cutTail_namesTheFirstMissing() {
        for (int left = 0; left < COUNT; left++) {
            assertBroken(
                    left + 1,
                    Fault.CUT_SHORT,
                    AuditChain.verify(log.subList(0, left).iterator(), head));
        }
    }

    @Test
    void alteredHead_isNoticed() {
        assertBroken(
                COUNT,
                Fault.ALTERED,
                AuditChain.verify(
                        log.iterator(), new AuditHead(COUNT, log.get(2).digest())));
        assertBroken(
                COUNT + 1, Fault.CUT_SHORT, AuditChain.verify(log.iterator(), new AuditHead(COUNT + 1, head.digest())));
        assertBroken(7, Fault.ALTERED, AuditChain.verify(log.iterator(), AuditChain.headAt(log.get(5))));
        assertBroken(1, Fault.ALTERED, AuditChain.verify(log.iterator(), AuditHead.NONE));
        assertBroken(1, Fault.ALTERED, AuditChain.verify(Collections.emptyIterator(), new AuditHead(0, head.digest())));
    }

    @Test
    void unreadableRecord_isNamed() {
        Iterator<AuditRecord> whole = log.subList(0, 6).iterator();
        Iterator<AuditRecord> damaged = new Iterator<>() {
            @Override
            public boolean hasNext() {
                return true;
            }

            @Override
            public AuditRecord next() {
                if (!whole.hasNext()) {
                    throw new StoreException("the page is torn");
                }
                return whole.next();
            }
        };
        Outcome outcome = AuditChain.verify(damaged, head);
        assertBroken(7, Fault.UNREADABLE, outcome);
        assertTrue(((Outcome.Broken) outcome).reason().contains("the page is torn"));
    }
}
