package dev.sluice.gateway.proxy;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.gateway.transport.ClientSide;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A client that a test plays, and its session: what it is told waits in a queue. */
class PlayedClient implements ClientSide {

    /** Ends a wait that would never end; no assertion on speed. */
    static final long HANG_SECONDS = 60;

    final BlockingQueue<String> came = new LinkedBlockingQueue<>();
    private @Nullable ProxySession session;

    /** A client that keeps the answers it gets, and nothing else. */
    static PlayedClient ofAnswers() {
        return new PlayedClient() {
            @Override
            public void answer(byte[] message, String request) {
                came.add(new String(message, StandardCharsets.UTF_8));
            }

            @Override
            public boolean send(byte[] message, String request) {
                return true;
            }
        };
    }

    /** Says which session it speaks to from now on. */
    final ProxySession in(ProxySession one) {
        session = one;
        return one;
    }

    final ProxySession session() {
        return Objects.requireNonNull(session, "it is in no session yet");
    }

    /** Says something, in which {@code '} stands for a quotation mark. */
    final void say(String message) {
        session().fromClient(message.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    final void send(int id, String method, String params) {
        say("{'jsonrpc':'2.0','id':" + id + ",'method':'" + method + "','params':" + params + "}");
    }

    /** Returns what comes next after a request. */
    final String ask(int id, String method, String params) throws InterruptedException {
        send(id, method, params);
        return next();
    }

    final String hello(String capabilities) throws InterruptedException {
        return ask(
                0,
                "initialize",
                "{'protocolVersion':'2025-11-25','capabilities':" + capabilities
                        + ",'clientInfo':{'name':'t','version':'1'}}");
    }

    /** Shakes hands. */
    final void begin(String capabilities) throws InterruptedException {
        String hello = hello(capabilities);
        assertTrue(hello.contains("protocolVersion"), hello);
        say("{'jsonrpc':'2.0','method':'notifications/initialized'}");
    }

    final String next() throws InterruptedException {
        return Objects.requireNonNull(came.poll(HANG_SECONDS, TimeUnit.SECONDS), "nothing came");
    }

    /** Returns once that holds. */
    static void until(BooleanSupplier holds) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(HANG_SECONDS);
        while (!holds.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, "it never came to that");
            Thread.sleep(5);
        }
    }

    @Override
    public void answer(byte[] message, String request) {
        send(message, request);
    }

    @Override
    public boolean send(byte[] message, String request) {
        return came.add(new String(message, StandardCharsets.UTF_8));
    }

    @Override
    public void finish(String request) {}
}
