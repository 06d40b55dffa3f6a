package dev.sluice.gateway.transport;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;

/** Reads what a client sends, up to a length and within a time: one byte a minute holds nothing for long. */
final class RequestBody {

    /** What was sent is refused. */
    static final class Refused extends Exception {

        final int status;

        Refused(int status, String why) {
            super(why);
            this.status = status;
        }
    }

    private RequestBody() {}

    /**
     * Returns all that was sent.
     *
     * @param most how many bytes it may have
     * @param time how long all of it may take to arrive
     */
    static byte[] read(Request request, int most, Duration time) throws IOException, Refused {
        if (request.getLength() > most) {
            throw tooLong(most);
        }
        EndPoint line = request.getConnectionMetaData().getConnection().getEndPoint();
        long idle = line.getIdleTimeout();
        long end = System.nanoTime() + time.toNanos();
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        try (InputStream in = Content.Source.asInputStream(request)) {
            byte[] buffer = new byte[1 << 14];
            while (true) {
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0) {
                    throw tooSlow(time);
                }
                line.setIdleTimeout(left);
                int n = in.read(buffer);
                if (n < 0) {
                    return body.toByteArray();
                }
                if (body.size() + n > most) {
                    throw tooLong(most);
                }
                body.write(buffer, 0, n);
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

    private static Refused tooLong(int most) {
        return new Refused(413, "the message has more than " + most + " bytes");
    }

    private static Refused tooSlow(Duration time) {
        return new Refused(408, "the message did not arrive within " + time.toMillis() + " ms");
    }
}
