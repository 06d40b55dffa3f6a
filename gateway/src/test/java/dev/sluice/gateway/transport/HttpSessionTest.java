// This file has more than 400 lines because a session has one lock, and what can come between each other is tested
// together.
package dev.sluice.gateway.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.guard.message.RpcMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Streams of one client: what goes where, what comes again after a broken connection, and what a slow reader costs. */
class HttpSessionTest {

    private static final Backlog SMALL = new Backlog(100_000, 1 << 30, 100, 50_000);

    /** How many of the requests that were served are over. */
    private final AtomicInteger over = new AtomicInteger();

    private final HttpSession session = new HttpSession(SMALL, line -> {}, HttpSession.BETWEEN_BEATS);

    /** A client's connection: keeps what is written, breaks after so many writes, or never reads. */
    private static final class FakeConnection implements StreamWriter {
        private final LinkedBlockingQueue<String> read = new LinkedBlockingQueue<>();
        private final int breaksAfter;
        private final CountDownLatch reads;
        private volatile String lastId = "";
        private volatile boolean streaming;
        private volatile boolean welcome = true;
        private final CountDownLatch ended = new CountDownLatch(1);
        private final AtomicInteger ends = new AtomicInteger();
        private volatile boolean left;
        private int writes;

        FakeConnection() {
            this(Integer.MAX_VALUE, new CountDownLatch(0));
        }

        FakeConnection(int breaksAfter, CountDownLatch reads) {
            this.breaksAfter = breaksAfter;
            this.reads = reads;
        }

        @Override
        public boolean isStreaming() {
            return streaming;
        }

        @Override
        public boolean isWelcome() {
            return welcome;
        }

        @Override
        public void answer(byte[] message) throws IOException {
            write();
            read.add("json " + text(message));
        }

        @Override
        public void answerAndEnd(byte[] message, Runnable lost) {
            run(() -> {
                try {
                    answer(message);
                } finally {
                    end(null);
                }
            });
        }

        @Override
        public void leave() {
            left = true;
        }

        @Override
        public void end(@Nullable Throwable fault) {
            assertTrue(left, "ended by another than whoever began it, who did not leave");
            ends.incrementAndGet();
            ended.countDown();
        }

        /** Waits until nothing more is written on it. */
        void awaitEnd() {
            try {
                if (left) {
                    ended.await();
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void begin(String id) throws IOException {
            streaming = true;
            write();
            lastId = id;
        }

        @Override
        public void event(String id, byte[] message) throws IOException {
            write();
            lastId = id;
            read.add(text(message));
        }

        @Override
        public void beat() throws IOException {
            write();
        }

        private void write() throws IOException {
            try {
                reads.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            if (writes++ >= breaksAfter) {
                throw new IOException("broken");
            }
        }

        List<String> all() {
            return List.copyOf(read);
        }
    }

    private static String text(byte[] message) {
        return new String(message, StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static RpcMessage.Request request(int id) {
        return (RpcMessage.Request)
                RpcMessage.parse(bytes("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"tools/call\"}"));
    }

    private static Thread run(Work work) {
        return Thread.ofVirtual().start(() -> {
            try {
                work.run();
            } catch (IOException e) {
                // the connection broke, which is what some tests are about
            }
        });
    }

    private interface Work {
        void run() throws IOException;
    }

    /** Serves a request, and waits until nothing more is written for it. */
    private void serve(RpcMessage.Request request, FakeConnection connection, Runnable answered) throws IOException {
        session.serve(request, connection, answered);
        connection.awaitEnd();
    }

    private Thread serve(RpcMessage.Request request, FakeConnection connection) {
        CountDownLatch asked = new CountDownLatch(1);
        session.connect(message -> asked.countDown());
        Thread thread = run(() -> serve(request, connection, over::incrementAndGet));
        await(() -> asked.getCount() == 0);
        return thread;
    }

    private Thread listen(FakeConnection connection) {
        Thread thread = run(() -> session.listen(connection));
        await(connection::isStreaming);
        return thread;
    }

    private static void await(BooleanSupplier until) {
        while (!until.getAsBoolean()) {
            Thread.onSpinWait();
        }
    }

    private String key(int id) {
        return request(id).id().key();
    }

    @Test
    void answerAlone_isJson() throws Exception {
        FakeConnection connection = new FakeConnection();
        Thread serving = serve(request(1), connection);
        session.answer(bytes("answer"), key(1));
        serving.join();
        assertEquals(List.of("json answer"), connection.all());
    }

    /** While a request waits no thread does; whoever brings the answer does not wait for the client either. */
    @Test
    void answerOfARequestThatWaits_isHandedToTheConnection_byWhoeverBringsIt() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        FakeConnection stuck = new FakeConnection(Integer.MAX_VALUE, never);
        session.connect(message -> {});
        session.serve(request(1), stuck, over::incrementAndGet);
        assertTrue(stuck.left, "the thread that brought the request is free again");
        session.answer(bytes("answer"), key(1));
        assertEquals(1, over.get());
        session.serve(request(1), new FakeConnection(), () -> {}); // the id is free again
        assertEquals(List.of(), stuck.all());
        never.countDown();
        stuck.awaitEnd();
        assertEquals(List.of("json answer"), stuck.all());
    }

    @Test
    void requestThatWaits_endsWithItsSession() throws Exception {
        FakeConnection connection = new FakeConnection();
        session.connect(message -> {});
        session.serve(request(1), connection, over::incrementAndGet);
        session.close();
        connection.awaitEnd();
        assertEquals(List.of(), connection.all());
        assertEquals(1, over.get());
    }

    @Test
    void requestThatWaitsForLong_hasEventsBegun_andItsAnswerIsOneOfThem() throws Exception {
        FakeConnection connection = new FakeConnection();
        session.connect(message -> {});
        session.serve(request(1), connection, over::incrementAndGet);
        await(connection::isStreaming);
        session.answer(bytes("answer"), key(1));
        connection.awaitEnd();
        assertEquals(List.of("answer"), connection.all());
    }

    /** Answers, messages and the end of the session at once: each exchange is ended exactly once, each request over once. */
    @Test
    void answersAndMessagesAtOnce_endEachExchangeOnce() throws Exception {
        session.connect(message -> {});
        int rounds = 2_000;
        for (int id = 1; id <= rounds; id++) {
            FakeConnection connection = new FakeConnection();
            RpcMessage.Request request = request(id);
            String key = key(id);
            int whenOver = id;
            Thread serving = run(() -> serve(request, connection, over::incrementAndGet));
            Thread telling = id % 3 == 0 ? run(() -> session.send(bytes("progress"), key)) : run(() -> {});
            Thread answering = run(() -> {
                while (over.get() < whenOver) {
                    session.answer(bytes("answer"), key);
                    Thread.onSpinWait();
                }
            });
            serving.join();
            telling.join();
            answering.join();
            List<String> all = connection.all();
            assertTrue(all.get(all.size() - 1).endsWith("answer"), all.toString());
            assertEquals(1, connection.left ? connection.ends.get() : 1);
        }
        assertEquals(rounds, over.get());
    }

    @Test
    void whatComesBeforeTheAnswer_isAnEvent_asTheAnswerIsThen() throws Exception {
        FakeConnection connection = new FakeConnection();
        Thread serving = serve(request(1), connection);
        session.send(bytes("progress"), key(1));
        await(() -> connection.all().contains("progress")); // it arrives while the answer is still held back
        session.answer(bytes("answer"), key(1));
        serving.join();
        assertEquals(List.of("progress", "answer"), connection.all());
    }

    @Test
    void whatBelongsToNoRequest_goesToTheGetStream() throws Exception {
        FakeConnection get = new FakeConnection();
        FakeConnection post = new FakeConnection();
        listen(get);
        Thread serving = serve(request(1), post);
        session.send(bytes("changed"), "");
        await(() -> get.all().contains("changed"));
        session.answer(bytes("answer"), key(1));
        serving.join();
        assertEquals(List.of("json answer"), post.all());
    }

    @Test
    void withoutAGetStream_whatWaitsGoesWithTheNextPost() throws Exception {
        session.send(bytes("changed"), "");
        FakeConnection post = new FakeConnection();
        Thread serving = serve(request(1), post);
        await(() -> post.all().contains("changed"));
        session.answer(bytes("answer"), key(1));
        serving.join();
        assertEquals(List.of("changed", "answer"), post.all());
    }

    @Test
    void secondGetStream_endsTheFirst() throws Exception {
        FakeConnection first = new FakeConnection();
        Thread listening = listen(first);
        FakeConnection second = new FakeConnection();
        listen(second);
        listening.join();
        session.send(bytes("changed"), "");
        await(() -> second.all().contains("changed"));
        assertEquals(List.of(), first.all());
    }

    @Test
    void idInUse_isRefused_andTheFirstIsAnsweredAllTheSame() throws Exception {
        FakeConnection first = new FakeConnection();
        Thread serving = serve(request(1), first);
        FakeConnection second = new FakeConnection();
        serve(request(1), second, () -> {});
        assertTrue(
                second.all().get(0).contains("the id is in use"), second.all().toString());
        session.answer(bytes("answer"), key(1));
        serving.join();
        assertEquals(List.of("json answer"), first.all());
    }

    @Test
    void answerThatNobodyReads_isAnAnswerAllTheSame() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        session.connect(message -> session.answer(bytes("answer"), key(1)));
        Thread serving =
                run(() -> serve(request(1), new FakeConnection(Integer.MAX_VALUE, never), answered::countDown));
        answered.await(); // while the answer is not written
        never.countDown();
        serving.join();
    }

    /** A call costs its principal a place for as long as it runs, or who hangs up and calls again could run any number. */
    @Test
    void clientThatGoesAway_leavesItsRequestCounted_untilItIsOver() throws Exception {
        session.connect(message -> {});
        FakeConnection gone = new FakeConnection(0, new CountDownLatch(0));
        Thread serving = run(() -> serve(request(1), gone, over::incrementAndGet));
        FakeConnection other = new FakeConnection();
        Thread waiting = run(() -> serve(request(2), other, over::incrementAndGet));
        await(() -> gone.left && other.left);
        session.send(bytes("progress"), key(1));
        serving.join(); // its connection broke before the client knew a name to come back by
        assertEquals(0, over.get(), "it runs on");
        FakeConnection again = new FakeConnection();
        serve(request(1), again, () -> {});
        assertTrue(again.all().get(0).contains("the id is in use"), again.all().toString());
        session.answer(bytes("answer"), key(1));
        assertEquals(1, over.get());
        session.close();
        assertEquals(2, over.get(), "what still runs ends with its session");
        waiting.join();
    }

    @Test
    void requestThatIsRefused_isOverAtOnce() throws Exception {
        serve(request(1), new FakeConnection());
        serve(request(1), new FakeConnection(), over::incrementAndGet);
        assertEquals(1, over.get());
        session.connect(message -> {
            throw new IllegalStateException("a fault");
        });
        assertThrows(
                IllegalStateException.class,
                () -> session.serve(request(2), new FakeConnection(), over::incrementAndGet));
        assertEquals(2, over.get());
    }

    @Test
    void streamOfAClientThatIsNotWelcomeAnyMore_ends_andWhoeverComesBackGetsTheRest() throws Exception {
        HttpSession quick = new HttpSession(SMALL, line -> {}, Duration.ofMillis(1));
        FakeConnection silent = new FakeConnection();
        Thread listening = run(() -> quick.listen(silent));
        await(silent::isStreaming);
        quick.send(bytes("one"), "");
        await(() -> silent.all().contains("one"));
        assertTrue(listening.isAlive());
        silent.welcome = false;
        listening.join();

        quick.send(bytes("two"), "");
        FakeConnection back = new FakeConnection();
        Thread again = run(() -> quick.resume(silent.lastId, back));
        await(() -> back.all().contains("two"));
        assertEquals(List.of("one"), silent.all());
        AtomicBoolean stop = new AtomicBoolean();
        Thread talking = run(() -> {
            while (!stop.get()) {
                quick.send(bytes("more"), "");
                LockSupport.parkNanos(1_000);
            }
        });
        back.welcome = false;
        again.join(); // it ends also where it is never silent
        stop.set(true);
        talking.join();
    }

    @Test
    void requestTakenBack_endsItsStreamWithoutAnAnswer() throws Exception {
        FakeConnection connection = new FakeConnection();
        Thread serving = serve(request(1), connection);
        session.finish(key(1));
        serving.join();
        assertEquals(List.of(), connection.all());
        assertTrue(connection.isStreaming(), "an answer without events is valid; one without a type is not");
    }

    @Test
    void eventIdsThatAreNotKnown_areRefused_andThoseOfAnEarlierProcessListen() throws Exception {
        FakeConnection connection = new FakeConnection();
        for (String id : List.of("", "x", "1-2", "a-b-c", "00000000-7-1", "--", "0-0-99999999999999999999")) {
            assertFalse(session.resume(id, connection), id);
        }
        assertFalse(connection.isStreaming());
        FakeConnection again = new FakeConnection();
        run(() -> session.resume("00000000-0-17", again));
        await(again::isStreaming);
        session.send(bytes("changed"), "");
        await(() -> again.all().contains("changed"));
    }

    /** Whatever breaks when: a client that always comes back with the last id that it saw reads everything once, in order. */
    @Test
    void brokenConnections_loseNothing_andRepeatNothing() throws Exception {
        Random random = new Random(20261130);
        for (int round = 0; round < 200; round++) {
            int messages = 1 + random.nextInt(20);
            int id = round + 1;
            FakeConnection connection = new FakeConnection(1 + random.nextInt(5), new CountDownLatch(0));
            Thread serving = serve(request(id), connection);
            List<String> sent = new ArrayList<>();
            session.send(bytes("begins"), key(id));
            sent.add("begins");
            await(() -> !connection.lastId.isEmpty());
            int seed = random.nextInt();
            Thread writing = run(() -> {
                Random pauses = new Random(seed);
                for (int i = 0; i < messages; i++) {
                    session.send(bytes("message " + i), key(id));
                    if (pauses.nextBoolean()) {
                        LockSupport.parkNanos(1_000);
                    }
                }
                session.answer(bytes("answer"), key(id));
            });
            for (int i = 0; i < messages; i++) {
                sent.add("message " + i);
            }
            sent.add("answer");
            serving.join();
            List<String> read = new ArrayList<>(connection.all());
            String last = connection.lastId;
            while (!read.contains("answer")) {
                FakeConnection next = new FakeConnection(random.nextInt(6), new CountDownLatch(0));
                try {
                    assertTrue(session.resume(last, next), "known until it is read");
                } catch (IOException e) {
                    // it broke once more
                }
                read.addAll(next.all());
                last = next.lastId.isEmpty() ? last : next.lastId;
            }
            writing.join();
            assertEquals(sent, read, "round " + round);
        }
    }

    /** What is written in vain again and again must not use up what is kept for a client that comes back. */
    @Test
    void writesThatFailAgainAndAgain_costNoMoreThanOne() throws Exception {
        FakeConnection first = new FakeConnection(1, new CountDownLatch(0));
        Thread serving = serve(request(1), first);
        session.send(new byte[20_000], key(1));
        serving.join();
        for (int i = 0; i < 20; i++) {
            try {
                session.resume(first.lastId, new FakeConnection(1, new CountDownLatch(0)));
            } catch (IOException e) {
                // it broke again, before the message was written
            }
        }
        session.answer(bytes("answer"), key(1));
        FakeConnection last = new FakeConnection();
        session.resume(first.lastId, last);
        assertEquals(2, last.all().size(), "the message is still there, and the answer");
    }

    @Test
    void clientThatNeverReads_stallsNobody_andCostsNoMoreThanItsBacklog() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        FakeConnection stuck = new FakeConnection(Integer.MAX_VALUE, never);
        Thread serving = serve(request(1), stuck);
        byte[] message = new byte[10_000];
        int taken = 0;
        for (int i = 0; i < 10_000; i++) {
            taken += session.send(message, key(1)) ? 1 : 0;
        }
        assertTrue(taken <= 11, taken + " messages of 10,000 bytes were kept"); // ten wait, one is being written
        FakeConnection more = new FakeConnection();
        serve(request(2), more, () -> {});
        assertTrue(
                more.all().get(0).contains("too much waits to be read"),
                more.all().toString());
        session.answer(message, key(1));
        never.countDown();
        serving.join();
        String last = stuck.all().get(stuck.all().size() - 1);
        assertTrue(last.contains("the answer was given up"), last);
    }

    @Test
    void whereAllSessionsHaveTooMuch_eachKeepsItsShare() {
        Backlog shared = new Backlog(10 << 20, 3 << 20, 100_000, 0);
        byte[] message = new byte[1 << 16];
        List<Integer> kept = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            HttpSession each = new HttpSession(shared, line -> {}, HttpSession.BETWEEN_BEATS);
            int count = 0;
            while (each.send(message, "")) {
                count++;
            }
            kept.add(count);
        }
        assertEquals(List.of(48, 16, 16), kept, "the first took what there was; each other has its mebibyte");
    }

    @Test
    void manyStreamsThatNobodyComesBackFor_areForgotten() throws Exception {
        List<String> ids = new ArrayList<>();
        for (int id = 1; id <= 100; id++) {
            FakeConnection connection = new FakeConnection(2, new CountDownLatch(0));
            Thread serving = serve(request(id), connection);
            session.send(bytes("one"), key(id));
            await(() -> connection.all().contains("one"));
            session.send(bytes("two"), key(id));
            serving.join();
            ids.add(connection.lastId);
        }
        assertFalse(session.resume(ids.get(0), new FakeConnection()), "the oldest is forgotten");
        assertEquals(0, over.get(), "what it was to answer runs on");
        session.send(bytes("three"), key(1));
        session.answer(bytes("answer"), key(1));
        assertEquals(1, over.get());
        FakeConnection last = new FakeConnection();
        run(() -> session.resume(ids.get(99), last));
        await(() -> last.all().contains("two"));
    }

    @Test
    void endedSession_answersARequestAtOnce() throws Exception {
        session.close();
        FakeConnection connection = new FakeConnection();
        serve(request(1), connection, () -> {});
        assertTrue(
                connection.all().get(0).contains("the session has ended"),
                connection.all().toString());
        assertFalse(session.send(bytes("changed"), ""));
    }
}
