package dev.sluice.gateway.transport;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.BufferUtil;

/**
 * What a client sent, read up to a length and within a time: one byte a minute holds nothing for long.
 *
 * <p>Its bytes are taken from the {@link BodyBudget} as they arrive, and given back when it is closed.
 */
final class RequestBody implements AutoCloseable {

    /** What was sent is refused. */
    static final class Refused extends Exception {

        final int status;

        Refused(int status, String why) {
            super(why);
            this.status = status;
        }
    }

    private final BodyBudget budget;
    private final String principal;
    private final AtomicLong taken = new AtomicLong();
    private byte[] bytes = {};

    private RequestBody(BodyBudget budget, String principal) {
        this.budget = budget;
        this.principal = principal;
    }

    /**
     * Returns all that was sent.
     *
     * @param most how many bytes it may have
     * @param time how long all of it may take to arrive
     * @param budget what its bytes are taken from
     * @param principal for whom
     */
    static RequestBody read(Request request, int most, Duration time, BodyBudget budget, String principal)
            throws IOException, Refused {
        if (request.getLength() > most) {
            throw tooLong(most);
        }
        RequestBody body = new RequestBody(budget, principal);
        boolean whole = false;
        try {
            body.bytes = body.read(request, most, time);
            whole = true;
            return body;
        } finally {
            if (!whole) {
                body.close();
            }
        }
    }

    private byte[] read(Request request, int most, Duration time) throws IOException, Refused {
        long end = System.nanoTime() + time.toNanos();
        ByteArrayOutputStream arrived = new ByteArrayOutputStream();
        // Most messages are here as a whole, so nothing is to be waited for and no timer set.
        for (Content.Chunk chunk = request.read(); chunk != null; chunk = request.read()) {
            if (Content.Chunk.isFailure(chunk)) {
                if (chunk.getFailure() instanceof TimeoutException) {
                    throw tooSlow(time);
                }
                throw chunk.getFailure() instanceof IOException failure ? failure : new IOException(chunk.getFailure());
            }
            try {
                byte[] bytes = BufferUtil.toArray(chunk.getByteBuffer());
                add(arrived, bytes, bytes.length, most);
            } finally {
                chunk.release();
            }
            if (chunk.isLast()) {
                return arrived.toByteArray();
            }
            left(end, time);
        }
        return awaited(request, arrived, most, end, time);
    }

    private byte[] awaited(Request request, ByteArrayOutputStream arrived, int most, long end, Duration time)
            throws IOException, Refused {
        EndPoint line = request.getConnectionMetaData().getConnection().getEndPoint();
        long idle = line.getIdleTimeout();
        try (InputStream in = Content.Source.asInputStream(request)) {
            byte[] buffer = new byte[1 << 14];
            while (true) {
                line.setIdleTimeout(left(end, time));
                int n = in.read(buffer);
                if (n < 0) {
                    return arrived.toByteArray();
                }
                add(arrived, buffer, n, most);
            }
        } catch (IOException e) {
            if (e instanceof java.net.SocketTimeoutException || e.getCause() instanceof TimeoutException) {
                throw tooSlow(time);
            }
            throw e;
        } finally {
            line.setIdleTimeout(idle);
        }
    }

    private static long left(long end, Duration time) throws Refused {
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        if (left <= 0) {
            throw tooSlow(time);
        }
        return left;
    }

    private void add(ByteArrayOutputStream arrived, byte[] bytes, int count, int most) throws Refused {
        if (arrived.size() + count > most) {
            throw tooLong(most);
        }
        make(arrived.size() + count);
        arrived.write(bytes, 0, count);
    }

    /** Makes room for so many bytes in all. */
    private void make(int room) throws Refused {
        long more = Math.max(0, room - BodyBudget.FREE) - taken.get();
        if (more > 0) {
            if (!budget.take(principal, more)) {
                throw new Refused(503, "too many long messages are here at once; send it again later");
            }
            taken.addAndGet(more);
        }
    }

    byte[] bytes() {
        return bytes;
    }

    /** Gives its bytes back, once. */
    @Override
    public void close() {
        long bytes = taken.getAndSet(0);
        if (bytes > 0) {
            budget.give(principal, bytes);
        }
    }

    private static Refused tooLong(int most) {
        return new Refused(413, "the message has more than " + most + " bytes");
    }

    private static Refused tooSlow(Duration time) {
        return new Refused(408, "the message did not arrive within " + time.toMillis() + " ms");
    }
}
