package dev.sluice.gateway.transport;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.eclipse.jetty.client.InputStreamResponseListener;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP request that is on its way, and its answer as it comes. Nothing is read ahead of whoever reads the body, but for
 * one buffer, so a reader who waits makes the server wait.
 */
final class HttpExchange implements AutoCloseable {

    private final Request request;
    private final InputStreamResponseListener listener = new InputStreamResponseListener();
    private final CountDownLatch sent = new CountDownLatch(1);
    private volatile boolean committed;
    private volatile @Nullable Response head;

    HttpExchange(Request request) {
        this.request = request;
        request.onRequestCommit(begun -> committed = true)
                .onRequestSuccess(whole -> sent.countDown())
                .onRequestFailure((failed, why) -> sent.countDown())
                .send(listener);
    }

    /** Waits until the request is sent whole, or can't be, or the time is over. */
    void awaitSent(Duration patience) throws InterruptedException {
        var _ = sent.await(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * Waits for the head of the answer.
     *
     * @throws UnreachableException where nothing could be sent
     * @throws IOException where none comes
     */
    HttpExchange awaitHead(Duration patience) throws IOException {
        try {
            head = listener.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            return this;
        } catch (ExecutionException e) {
            Throwable why = e.getCause() == null ? e : e.getCause();
            if (!committed) {
                throw new UnreachableException(told(why), why);
            }
            throw new IOException("the connection broke off before its answer", why);
        } catch (TimeoutException e) {
            close();
            throw new IOException("it did not answer in time", e);
        } catch (InterruptedException e) {
            close();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** The words of an exception can hold the address, and that a secret: none are repeated. */
    private static String told(Throwable why) {
        if (why instanceof UnknownHostException || why instanceof UnresolvedAddressException) {
            return "nobody knows an address of that name";
        }
        if (why instanceof SSLException) {
            return "no trusted connection can be made: its certificate or its TLS is not accepted";
        }
        if (why instanceof SocketTimeoutException || why instanceof TimeoutException) {
            return "it takes no connection in time";
        }
        return why instanceof ConnectException ? "it takes no connection" : "no connection can be made";
    }

    private Response head() {
        return Objects.requireNonNull(head, "the head did not come yet");
    }

    int status() {
        return head().getStatus();
    }

    Optional<String> header(String name) {
        return Optional.ofNullable(head().getHeaders().get(name));
    }

    /** Returns the media type of the body, in lower case and without parameters; empty text where none is stated. */
    String mediaType() {
        String type = header("Content-Type").orElse("");
        int end = type.indexOf(';');
        return (end < 0 ? type : type.substring(0, end)).strip().toLowerCase(Locale.ROOT);
    }

    InputStream body() {
        return listener.getInputStream();
    }

    /** Gives up what is still to come. */
    @Override
    public void close() {
        var _ = request.abort(new IOException("it is not needed any more"));
    }
}
