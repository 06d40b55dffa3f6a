package dev.sluice.guard;

import dev.sluice.labels.Source;
import dev.sluice.policy.ReaderLookup;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Asks a service: the question is posted, the answer is the body of a 200. Redirects are not followed, since the question
 * and the token are for the named service alone.
 */
final class ServiceReaders implements ReaderResolver {

    private static final int OK = 200;

    private final ReaderLookup.Place.Service service;
    private final Duration within;
    private final HttpClient client;

    ServiceReaders(ReaderLookup.Place.Service service, Duration within) {
        this.service = service;
        this.within = within;
        this.client = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(within)
                .build();
    }

    @Override
    public Set<String> readers(Source.OfResource resource) throws UnresolvedException {
        CompletableFuture<HttpResponse<InputStream>> answer =
                client.sendAsync(request(resource), HttpResponse.BodyHandlers.ofInputStream());
        try {
            // The client's own limit ends with the headers; a body that trickles must not take longer.
            return ReaderAnswers.read(
                    answer.thenApplyAsync(ServiceReaders::body).get(within.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            throw new UnresolvedException("the service did not answer in time");
        } catch (ExecutionException e) {
            throw new UnresolvedException("the service gave no answer that can be read");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnresolvedException("asking the service was interrupted");
        } finally {
            abandon(answer);
        }
    }

    private HttpRequest request(Source.OfResource resource) throws UnresolvedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(service.url()))
                .timeout(within)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(ReaderAnswers.question(resource)));
        if (!service.tokenEnv().isEmpty()) {
            String token = System.getenv(service.tokenEnv());
            if (token == null || token.isBlank()) {
                throw new UnresolvedException("the environment variable with the service's token is not set");
            }
            try {
                request.header("Authorization", "Bearer " + token.strip());
            } catch (IllegalArgumentException e) {
                throw new UnresolvedException("the service's token has a character that no header can have");
            }
        }
        return request.build();
    }

    private static byte[] body(HttpResponse<InputStream> response) {
        try (InputStream in = response.body()) {
            byte[] body = in.readNBytes(ReaderAnswers.MOST_BYTES + 1);
            if (response.statusCode() != OK || body.length > ReaderAnswers.MOST_BYTES) {
                throw new IOException("no answer of fitting length");
            }
            return body;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends an exchange that is still going on, and the thread that reads its body. */
    private static void abandon(CompletableFuture<HttpResponse<InputStream>> answer) {
        if (answer.cancel(true) || answer.isCompletedExceptionally()) {
            return;
        }
        try {
            answer.join().body().close();
        } catch (IOException e) {
            // it is of no use any more
        }
    }
}
