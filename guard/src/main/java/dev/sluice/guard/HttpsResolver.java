package dev.sluice.guard;

import dev.sluice.schemes.evidence.EvidenceResolver;
import dev.sluice.schemes.evidence.UnresolvableException;
import dev.sluice.wire.EvidenceRef;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Resolves {@code https:} references to hosts that the operator named, and to no others.
 *
 * <p>References come from servers, so this must not become their way into a network: only the named hosts and ports, only
 * addresses of the open internet, no redirects, no credentials, {@value #MOST_BYTES} bytes and {@value #SECONDS} seconds at
 * most. The address is checked before the client looks the name up again: who rules the name of a named host could still
 * point it inside between the two, and would meet TLS there, for that name.
 */
final class HttpsResolver implements EvidenceResolver {

    private static final int SECONDS = 5;
    private static final int HTTPS_PORT = 443;

    private final List<String> hosts;
    private final HttpClient client;
    private final Predicate<InetAddress> isOpen;
    private final Duration limit;

    HttpsResolver(List<String> hosts) {
        this(hosts, null, HttpsResolver::isOpen, Duration.ofSeconds(SECONDS));
    }

    /**
     * For tests, which have a host of their own.
     *
     * @param tls what certificates are checked with; null for the JDK's own
     */
    HttpsResolver(List<String> hosts, @Nullable SSLContext tls, Predicate<InetAddress> isOpen, Duration limit) {
        this.hosts = hosts.stream()
                .map(each -> each.contains(":") ? each : each + ":" + HTTPS_PORT)
                .toList();
        HttpClient.Builder builder = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(limit);
        if (tls != null) {
            builder.sslContext(tls);
        }
        this.client = builder.build();
        this.isOpen = isOpen;
        this.limit = limit;
    }

    @Override
    public Optional<byte[]> resolve(EvidenceRef reference) throws UnresolvableException {
        if (!reference.ref().toLowerCase(Locale.ROOT).startsWith("https:")) {
            return Optional.empty();
        }
        URI uri = allowed(reference.ref());
        HttpRequest request = HttpRequest.newBuilder(uri)
                .header("Accept", "application/json")
                .timeout(limit)
                .build();
        CompletableFuture<HttpResponse<InputStream>> answer =
                client.sendAsync(request, HttpResponse.BodyHandlers.ofInputStream());
        CompletableFuture<byte[]> fetched = answer.thenApplyAsync(HttpsResolver::body);
        try {
            // The client's own limit ends with the headers; a body that trickles must not take longer.
            return Optional.of(fetched.get(limit.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            abandon(answer);
            throw new UnresolvableException("the record was not fetched in " + limit.toSeconds() + " seconds");
        } catch (ExecutionException e) {
            throw new UnresolvableException(
                    e.getCause() instanceof Unfit unfit && unfit.getMessage() != null
                            ? unfit.getMessage()
                            : "the record can't be fetched over https");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            abandon(answer);
            throw new UnresolvableException("fetching the record was interrupted");
        }
    }

    /** Ends the exchange, and the thread that reads its body. */
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

    private URI allowed(String ref) throws UnresolvableException {
        URI uri;
        try {
            uri = new URI(ref);
        } catch (URISyntaxException e) {
            throw new UnresolvableException("an `https:` reference is no URI: encode it");
        }
        String host = uri.getHost() == null ? "" : uri.getHost().toLowerCase(Locale.ROOT);
        int port = uri.getPort() < 0 ? HTTPS_PORT : uri.getPort();
        if (uri.getRawUserInfo() != null || !hosts.contains(host + ":" + port)) {
            throw new UnresolvableException(
                    "records are not fetched from this host: have the operator name it under `evidence`, `https`");
        }
        try {
            for (InetAddress address : InetAddress.getAllByName(host)) {
                if (!isOpen.test(address)) {
                    throw new UnresolvableException(
                            "the host of the record has an address inside a network: records come from outside only");
                }
            }
        } catch (UnknownHostException e) {
            throw new UnresolvableException("the host of the record is not known");
        }
        return uri;
    }

    /** Returns whether an address is one of the open internet. */
    static boolean isOpen(InetAddress address) {
        byte[] raw = address.getAddress();
        int first = raw[0] & 0xff;
        int second = raw[1] & 0xff;
        boolean special = address.isAnyLocalAddress()
                || address.isLoopbackAddress()
                || address.isLinkLocalAddress()
                || address.isSiteLocalAddress()
                || address.isMulticastAddress();
        if (raw.length == 4) {
            boolean carrier = first == 100 && (second & 0xc0) == 64; // RFC 6598
            boolean protocol = first == 192 && second == 0 && (raw[2] == 0 || raw[2] == 2); // RFC 6890
            boolean benchmark = first == 198 && (second & 0xfe) == 18; // RFC 2544
            return !special && !carrier && !protocol && !benchmark && first != 0 && first < 240;
        }
        boolean unique = (first & 0xfe) == 0xfc; // RFC 4193
        boolean translated = first == 0 && second == 0x64; // 64:ff9b::/96, RFC 6052: an IPv4 address inside
        // 6to4 (2002::/16) and what RFC 6890 keeps for protocols (2001::/23), Teredo among it, can hold an IPv4
        // address.
        boolean tunnelled = first == 0x20 && (second == 0x02 || (second == 0x01 && (raw[2] & 0xfe) == 0));
        return !special && !unique && !translated && !tunnelled && (first & 0xe0) == 0x20; // 2000::/3, RFC 4291
    }

    private static byte[] body(HttpResponse<InputStream> response) {
        try (InputStream in = response.body()) {
            if (response.statusCode() != 200) {
                throw new Unfit(
                        response.statusCode() / 100 == 3
                                ? "the host of the record redirects, which is not followed: refer to the record itself"
                                : "the host of the record answered with status " + response.statusCode());
            }
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new Unfit("the record is larger than " + MOST_BYTES + " bytes: make it smaller");
            }
            return bytes;
        } catch (IOException e) {
            throw new Unfit("the record can't be read over https");
        }
    }

    /** That an answer is of no use; carries the sentence out of the future. */
    private static final class Unfit extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Unfit(String message) {
            super(message);
        }
    }
}
