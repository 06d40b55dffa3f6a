package dev.sluice.gateway.auth;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Where the keys of an issuer are: a file, or a service that is asked over HTTP. */
@FunctionalInterface
interface KeyPlace {

    /** More than this no honest key set has. */
    int MOST_BYTES = 1 << 18;

    Duration PATIENCE = Duration.ofSeconds(5);

    /**
     * Returns the key set as JSON text.
     *
     * @throws IOException where it can't be had now; the message says why
     */
    String read() throws IOException;

    /** Returns what reads from {@code jwks}, an address or the path of a file. Redirects are not followed. */
    static KeyPlace of(String jwks) {
        if (!jwks.startsWith("https://") && !jwks.startsWith("http://")) {
            Path file = Path.of(jwks);
            return () -> {
                try (InputStream in = Files.newInputStream(file)) {
                    return text(in);
                }
            };
        }
        HttpClient client = HttpClient.newBuilder()
                .connectTimeout(PATIENCE)
                .followRedirects(HttpClient.Redirect.NEVER)
                .build();
        HttpRequest request = HttpRequest.newBuilder(URI.create(jwks))
                .header("Accept", "application/jwk-set+json, application/json")
                .timeout(PATIENCE)
                .build();
        return () -> fetch(client, request);
    }

    private static String fetch(HttpClient client, HttpRequest request) throws IOException {
        // The client's own time limit ends with the headers, so the body gets one too.
        CompletableFuture<HttpResponse<byte[]>> asked = client.sendAsync(
                request, HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofByteArray(), MOST_BYTES));
        try {
            HttpResponse<byte[]> answer = asked.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            if (answer.statusCode() != 200) {
                throw new IOException("the answer has the status " + answer.statusCode());
            }
            return new String(answer.body(), StandardCharsets.UTF_8);
        } catch (TimeoutException e) {
            throw new IOException("there is no answer within " + PATIENCE.toSeconds() + " seconds", e);
        } catch (ExecutionException e) {
            throw new IOException("it can't be reached, or its answer is too long", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            asked.cancel(true);
        }
    }

    private static String text(InputStream in) throws IOException {
        byte[] bytes = in.readNBytes(MOST_BYTES + 1);
        if (bytes.length > MOST_BYTES) {
            throw new IOException("it has more than " + MOST_BYTES + " bytes");
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
