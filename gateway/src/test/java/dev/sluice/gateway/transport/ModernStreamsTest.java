package dev.sluice.gateway.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Streams of modern clients: each is of one request, and whoever leaves it takes the request back. */
class ModernStreamsTest {

    private static final Backlog SMALL = new Backlog(1_000, 1 << 30, 100, 50_000);
    private static final Duration SOON = Duration.ofMillis(10);
    private static final Duration LONG = Duration.ofMinutes(10);

    private final Side side = new Side();
    private final AtomicInteger over = new AtomicInteger();
    private final HttpSession session = HttpSession.modern(SMALL, line -> {}, SOON, SOON);

    ModernStreamsTest() {
        session.connect(side);
    }

    /** Gives ids in order, as {@code in-1}, and keeps what comes. */
    private static final class Side implements ModernSide {
        private final BlockingQueue<String> came = new LinkedBlockingQueue<>();
        private final BlockingQueue<String> gone = new LinkedBlockingQueue<>();
        private final AtomicInteger ids = new AtomicInteger();

        @Override
        public RpcMessage.Request admitted(RpcMessage.Request request) {
            return new RpcMessage.Request(
                    request.index(), RpcId.ofText("in-" + ids.incrementAndGet()), request.method(), request.params());
        }

        @Override
        public RpcMessage.Request admitted(RpcMessage.Request request, Function<String, List<String>> sent) {
            return admitted(request);
        }

        @Override
        public void fromClient(RpcMessage message) {
            came.add(
                    message instanceof RpcMessage.Request request ? request.id().key() : "");
        }

        @Override
        public Optional<JsonNode> schema(String tool) {
            return Optional.empty();
        }

        @Override
        public void gone(String request) {
            gone.add(request);
        }
    }

    /** A connection that breaks when it is told to. */
    private static final class Connection implements StreamWriter {
        private final BlockingQueue<String> read = new LinkedBlockingQueue<>();
        private volatile boolean streaming;
        private volatile boolean broken;
        private volatile boolean blocked;
        private volatile boolean welcome = true;
        private volatile boolean ended;

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
            write("json " + text(message));
        }

        @Override
        public void answerAndEnd(byte[] message, Runnable lost) {
            if (broken) {
                lost.run();
                ended = true;
                return;
            }
            read.add("json " + text(message));
            ended = true;
        }

        @Override
        public void leave() {}

        @Override
        public void end(@Nullable Throwable fault) {
            ended = true;
        }

        @Override
        public void begin(String id) throws IOException {
            streaming = true;
            write("begin");
        }

        @Override
        public void event(String id, byte[] message) throws IOException {
            await(() -> !blocked);
            write(text(message));
        }

        @Override
        public void beat() throws IOException {
            write("beat");
        }

        private void write(String what) throws IOException {
            if (broken) {
                throw new IOException("broken");
            }
            read.add(what);
        }

        List<String> messages() {
            return read.stream()
                    .filter(each -> !each.equals("beat") && !each.equals("begin"))
                    .toList();
        }
    }

    private static String text(byte[] message) {
        return new String(message, StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void await(BooleanSupplier until) {
        while (!until.getAsBoolean()) {
            Thread.onSpinWait();
        }
    }

    private Connection ask(String id) throws IOException {
        return ask(session, id);
    }

    private Connection ask(HttpSession session, String id) throws IOException {
        Connection connection = new Connection();
        RpcMessage.Request request = (RpcMessage.Request)
                RpcMessage.parse(bytes("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"tools/call\"}"));
        session.serve(request, connection, over::incrementAndGet);
        return connection;
    }

    @Test
    void requestsOfOneId_areToldApart() throws Exception {
        Connection one = ask("1");
        Connection two = ask("1");
        session.answer(bytes("second"), "sin-2");
        session.answer(bytes("first"), "sin-1");
        await(() -> one.ended && two.ended);

        assertTrue(one.messages().get(0).endsWith("first"), one.messages().toString());
        assertTrue(two.messages().get(0).endsWith("second"), two.messages().toString());
        assertEquals(2, over.get());
        assertEquals(List.of(), List.copyOf(side.gone), "what was answered is not taken back");
    }

    @Test
    void requestWithoutAnAnswer_getsSignsOfLife_andItsAnswerIsAnEvent() throws Exception {
        Connection connection = ask("1");
        await(() -> connection.read.contains("beat"));
        assertTrue(session.send(bytes("progress"), "sin-1"));
        session.answer(bytes("answer"), "sin-1");
        await(() -> connection.ended);

        assertEquals(List.of("progress", "answer"), connection.messages());
    }

    @Test
    void whatBelongsToNoRequest_isDropped() throws Exception {
        Connection connection = ask("1");
        assertFalse(session.send(bytes("news"), ""));
        assertFalse(session.send(bytes("news"), "sin-7"));
        session.answer(bytes("answer"), "sin-1");
        await(() -> connection.ended);
        assertFalse(session.send(bytes("late"), "sin-1"));

        assertFalse(connection.read.contains("news"));
    }

    @Test
    void clientThatLeaves_takesItsRequestBack_andNoOther() throws Exception {
        Connection leaves = ask("1");
        Connection stays = ask("2");
        leaves.broken = true;
        assertEquals("sin-1", side.gone.take());
        await(() -> over.get() == 1);
        assertFalse(session.send(bytes("progress"), "sin-1"));
        session.answer(bytes("nobody reads it"), "sin-1");
        session.answer(bytes("answer"), "sin-2");
        await(() -> stays.ended);

        assertEquals(1, stays.messages().size());
        assertEquals(0, side.gone.size());
        assertEquals(2, over.get());
    }

    @Test
    void callerWhoIsNotWelcomeAnyMore_takesItsRequestBack() throws Exception {
        Connection connection = ask("1");
        connection.welcome = false;

        assertEquals("sin-1", side.gone.take());
        await(() -> connection.ended);
    }

    @Test
    void requestThatIsRefusedHere_isAnsweredUnderItsOwnId_andNeverServed() throws Exception {
        Connection first = ask("1");
        await(first::isStreaming);
        first.broken = false;
        session.close();
        Connection refused = ask("\"mine\"");

        assertEquals(
                List.of("json {\"jsonrpc\":\"2.0\",\"id\":\"mine\",\"error\":{\"code\":-32600,\"message\":"
                        + "\"the session has just ended; send the request again\"}}"),
                refused.messages());
        assertEquals(List.of("sin-1"), List.copyOf(side.came));
        assertEquals("sin-2", side.gone.take());
    }

    /** No events are begun, so that answers go straight to the connection. */
    private HttpSession patient() {
        HttpSession made = HttpSession.modern(SMALL, line -> {}, LONG, LONG);
        made.connect(side);
        return made;
    }

    @Test
    void clientThatLeftBeforeItsAnswerIsWritten_takesItsRequestBack() throws Exception {
        HttpSession patient = patient();
        Connection leaves = ask(patient, "1");
        leaves.broken = true;
        patient.answer(bytes("what is asked"), "sin-1");

        assertEquals("sin-1", side.gone.take());
        assertEquals(List.of(), leaves.messages());
    }

    @Test
    void requestsOfASessionThatEnds_getAnErrorUnderTheirOwnIds() throws Exception {
        String error = "\"error\":{\"code\":-31502,\"message\":\"the session in which this was asked has ended;"
                + " whether it did anything is not known\"}}";
        HttpSession patient = patient();
        Connection waits = ask(patient, "\"mine\"");
        patient.close();
        await(() -> waits.ended);
        assertEquals(List.of("json {\"jsonrpc\":\"2.0\",\"id\":\"mine\"," + error), waits.messages());

        Connection streams = ask("7");
        await(streams::isStreaming);
        session.close();
        await(() -> streams.ended);
        assertEquals(List.of("{\"jsonrpc\":\"2.0\",\"id\":7," + error), streams.messages());
        assertEquals(2, over.get());
    }

    @Test
    void clientThatDoesNotRead_keepsNobodyElseOfItsSessionFromAsking() throws Exception {
        Connection slow = ask("1");
        await(slow::isStreaming);
        slow.blocked = true;
        assertTrue(session.send(bytes("x".repeat(900)), "sin-1"));
        await(() -> session.send(bytes("w".repeat(900)), "sin-1")); // as soon as the first is being written
        session.answer(bytes("y".repeat(90)), "sin-1");
        Connection other = ask("2");
        session.answer(bytes("z".repeat(900)), "sin-2");
        await(() -> !other.messages().isEmpty());

        assertTrue(
                other.messages().get(0).endsWith("z".repeat(900)),
                other.messages().toString());
        slow.blocked = false;
        await(() -> slow.ended);
        assertEquals(List.of("x".repeat(900), "w".repeat(900), "y".repeat(90)), slow.messages());
    }

    @Test
    void answerThatIsGivenUp_hasTheClientsOwnId() throws Exception {
        Connection stuck = ask("\"mine\"");
        await(stuck::isStreaming);
        session.answer(bytes("x".repeat(2_000)), "sin-1");
        await(() -> stuck.ended);

        assertTrue(
                stuck.messages().get(0).startsWith("{\"jsonrpc\":\"2.0\",\"id\":\"mine\",\"error\""),
                stuck.messages().toString());
    }
}
