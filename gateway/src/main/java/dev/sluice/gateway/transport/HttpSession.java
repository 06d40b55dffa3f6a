package dev.sluice.gateway.transport;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.jsonrpc.RpcMessage;
import dev.sluice.gateway.jsonrpc.RpcWriter;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One client over HTTP: which of its open streams a message to it belongs on.
 *
 * <p>An answer goes to the POST that asked. What else belongs to a request goes there before the answer; what belongs to
 * none goes to the GET stream, or to an open POST, or waits for either. At most {@value #MOST_WAITING} wait; then the
 * oldest gives way.
 */
public final class HttpSession implements ClientSide {

    static final int MOST_WAITING = 256;

    /** An open HTTP answer. */
    interface Stream {
        /** Writes the last message. */
        void answer(byte[] message) throws IOException;

        /** Writes a message after which more come. */
        void event(byte[] message) throws IOException;

        /** Begins the stream without a message. */
        void open() throws IOException;
    }

    private static final class Post {
        private final Stream stream;
        private final CountDownLatch done = new CountDownLatch(1);

        Post(Stream stream) {
            this.stream = stream;
        }
    }

    private final Log log;
    private final Map<String, Post> posts = new LinkedHashMap<>();
    private final Deque<byte[]> waiting = new ArrayDeque<>();
    private @Nullable Post get;
    private @Nullable Consumer<RpcMessage> proxy;
    private boolean closed;

    public HttpSession(Log log) {
        this.log = log;
    }

    /** Says where messages of the client go. */
    public void connect(Consumer<RpcMessage> proxy) {
        this.proxy = proxy;
    }

    /** Takes a message of the client that wants no answer. */
    void accept(RpcMessage message) {
        Consumer<RpcMessage> to = proxy;
        if (to != null) {
            to.accept(message);
        }
    }

    /** Takes a request and returns when its answer is written, or it was taken back, or the session ended. */
    void serve(RpcMessage.Request request, Stream stream) throws IOException {
        Post post = new Post(stream);
        String key = request.id().key();
        synchronized (this) {
            if (closed) {
                return;
            }
            if (posts.putIfAbsent(key, post) != null) {
                stream.answer(RpcWriter.failure(
                        request.id(),
                        RpcWriter.INVALID_REQUEST,
                        "the id is in use by a request that has no answer yet"));
                return;
            }
        }
        try {
            accept(request);
            flush();
            await(post);
        } finally {
            synchronized (this) {
                posts.remove(key, post);
            }
        }
    }

    /** Keeps a stream open for what belongs to no request, until the session ends or another takes its place. */
    void listen(Stream stream) throws IOException {
        Post own = new Post(stream);
        synchronized (this) {
            if (closed) {
                return;
            }
            if (get != null) {
                get.done.countDown();
            }
            get = own;
        }
        stream.open();
        flush();
        await(own);
    }

    private static void await(Post post) throws IOException {
        try {
            post.done.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public synchronized void answer(byte[] message, String request) {
        Post post = posts.remove(request);
        if (post == null) {
            return; // the client went away
        }
        try {
            post.stream.answer(message);
        } catch (IOException e) {
            log.line("a client over http went away before its answer");
        } finally {
            post.done.countDown();
        }
    }

    @Override
    public synchronized void send(byte[] message, String request) {
        Post own = posts.get(request);
        Post any = own != null ? own : get != null ? get : oldest();
        if (any != null) {
            try {
                any.stream.event(message);
                return;
            } catch (IOException e) {
                gone(any); // the message waits for the next stream
            }
        }
        if (!closed) {
            keep(message);
        }
    }

    private void gone(Post post) {
        post.done.countDown();
        posts.values().remove(post);
        if (get == post) {
            get = null;
        }
    }

    private void keep(byte[] message) {
        if (waiting.size() >= MOST_WAITING) {
            waiting.removeFirst();
            log.line("a client over http does not listen; its oldest message is given up");
        }
        waiting.addLast(message);
    }

    private synchronized void flush() throws IOException {
        Post any = get != null ? get : oldest();
        while (any != null && !waiting.isEmpty()) {
            any.stream.event(waiting.peekFirst());
            waiting.removeFirst();
        }
    }

    private @Nullable Post oldest() {
        return posts.values().stream().findFirst().orElse(null);
    }

    @Override
    public synchronized void finish(String request) {
        Post post = posts.remove(request);
        if (post != null) {
            post.done.countDown();
        }
    }

    /** Ends all streams; what waits is given up. */
    public synchronized void close() {
        closed = true;
        posts.values().forEach(post -> post.done.countDown());
        posts.clear();
        if (get != null) {
            get.done.countDown();
        }
        waiting.clear();
    }
}
