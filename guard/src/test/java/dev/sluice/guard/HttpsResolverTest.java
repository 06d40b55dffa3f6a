package dev.sluice.guard;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.sluice.schemes.evidence.EvidenceResolver;
import dev.sluice.schemes.evidence.UnresolvableException;
import dev.sluice.wire.EvidenceRef;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fetching over https, from a server on this machine whose key nobody but this test trusts. */
class HttpsResolverTest {

    private static final byte[] RECORD = "{\"class\":\"public\"}".getBytes(StandardCharsets.UTF_8);
    private static final String PASSWORD = "changeit";
    private static final String NOT_NAMED =
            "records are not fetched from this host: have the operator name it under `evidence`, `https`";
    private static final String INSIDE =
            "the host of the record has an address inside a network: records come from outside only";
    private static final Duration PATIENT = Duration.ofSeconds(30);

    @TempDir
    private static Path folder;

    private static SSLContext tls;
    private static HttpsServer server;
    private static ExecutorService threads;
    private static String host;
    private static final List<String> ASKED = new CopyOnWriteArrayList<>();
    private static final List<Headers> HEADERS = new CopyOnWriteArrayList<>();

    @BeforeAll
    static void start() throws Exception {
        tls = tls(folder.resolve("server.p12"));
        threads = Executors.newCachedThreadPool();
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(tls));
        server.setExecutor(threads);
        server.createContext("/", HttpsResolverTest::answer);
        server.start();
        host = "localhost:" + server.getAddress().getPort();
    }

    @AfterAll
    static void stop() {
        server.stop(0);
        threads.shutdownNow();
    }

    @BeforeEach
    void forget() {
        ASKED.clear();
        HEADERS.clear();
    }

    /** The JDK has no public way to make a certificate but its tool. */
    private static SSLContext tls(Path store) throws Exception {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "SAN=dns:localhost",
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, keytool.waitFor(), said);
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, PASSWORD.toCharArray());
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(keys);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
        return context;
    }

    private static void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        ASKED.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
        HEADERS.add(exchange.getRequestHeaders());
        switch (path) {
            case "/moved" -> {
                exchange.getResponseHeaders().add("Location", "https://" + host + "/record");
                exchange.sendResponseHeaders(302, -1);
            }
            case "/large" -> send(exchange, new byte[EvidenceResolver.MOST_BYTES + 1]);
            case "/largest" -> send(exchange, new byte[EvidenceResolver.MOST_BYTES]);
            case "/trickle" -> trickle(exchange);
            case "/silent" -> hold(exchange);
            case "/broken" -> {
                exchange.sendResponseHeaders(200, 100);
                exchange.getResponseBody().write(RECORD);
                exchange.getResponseBody().flush();
                exchange.close();
            }
            case "/record" -> send(exchange, RECORD);
            default -> exchange.sendResponseHeaders(Integer.parseInt(path.substring(1)), -1);
        }
        exchange.close();
    }

    private static void send(HttpExchange exchange, byte[] body) throws IOException {
        exchange.getResponseHeaders().add("Set-Cookie", "id=1");
        exchange.sendResponseHeaders(200, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        } catch (IOException e) {
            // the client has read enough
        }
    }

    private static void trickle(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream out = exchange.getResponseBody()) {
            while (!Thread.interrupted()) {
                out.write(' ');
                out.flush();
                pause(50);
            }
        } catch (IOException e) {
            // the client has gone
        }
    }

    private static void hold(HttpExchange exchange) {
        pause(60_000);
        exchange.close();
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static HttpsResolver resolver(Duration limit, String... hosts) {
        return new HttpsResolver(List.of(hosts), tls, address -> true, limit);
    }

    private static Optional<byte[]> resolve(HttpsResolver resolver, String ref) throws UnresolvableException {
        return resolver.resolve(new EvidenceRef("t", "", "", "", ref, Map.of()));
    }

    private static void assertRefused(String because, HttpsResolver resolver, String ref) {
        assertEquals(
                because,
                assertThrows(UnresolvableException.class, () -> resolve(resolver, ref))
                        .getMessage(),
                ref);
    }

    @Test
    void recordOfANamedHost_isFetched() throws UnresolvableException {
        HttpsResolver resolver = resolver(PATIENT, "other.example", host);

        for (String ref : List.of(
                "https://" + host + "/record?a=%20#part",
                "HTTPS://" + host + "/record",
                "https://LOCALHOST:" + server.getAddress().getPort() + "/record")) {
            assertArrayEquals(RECORD, resolve(resolver, ref).orElseThrow(), ref);
        }
        assertEquals(List.of("GET /record?a=%20", "GET /record", "GET /record"), ASKED);
        for (Headers headers : HEADERS) {
            assertEquals("application/json", headers.getFirst("Accept"));
            assertFalse(headers.containsKey("Authorization"));
            assertFalse(headers.containsKey("Cookie"));
        }
        assertEquals(
                EvidenceResolver.MOST_BYTES,
                resolve(resolver, "https://" + host + "/largest").orElseThrow().length);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "http://localhost/record", "file:///etc/passwd", "audit://1", "//localhost/record"})
    void otherReferences_areNotForIt(String ref) throws UnresolvableException {
        assertEquals(Optional.empty(), resolve(resolver(PATIENT, host), ref));
    }

    @Test
    void hostThatIsNotNamed_isNotAsked() {
        int port = server.getAddress().getPort();
        HttpsResolver named = resolver(PATIENT, host);

        for (String authority : List.of(
                "127.0.0.1:" + port,
                "[::1]:" + port,
                "2130706433:" + port,
                "localhost.:" + port,
                "localhost:" + (port == 443 ? 444 : 443),
                "localhost",
                "localhost@evil.example:" + port,
                "user@" + host,
                "user:secret@" + host,
                "evil.example#@" + host,
                "evil.example\\@" + host)) {
            String ref = "https://" + authority + "/record";
            String because = assertThrows(UnresolvableException.class, () -> resolve(named, ref))
                    .getMessage();

            assertEquals(
                    authority.contains("\\") ? "an `https:` reference is no URI: encode it" : NOT_NAMED, because, ref);
        }
        assertRefused(NOT_NAMED, resolver(PATIENT, "localhost"), "https://" + host + "/record");
        assertRefused(NOT_NAMED, resolver(PATIENT), "https://" + host + "/record");
        assertRefused(NOT_NAMED, named, "https:record");
        assertRefused(NOT_NAMED, named, "https:///record");
        assertEquals(List.of(), ASKED);
    }

    @Test
    void whatIsNoUri_isRefused() {
        assertRefused(
                "an `https:` reference is no URI: encode it", resolver(PATIENT, host), "https://" + host + "/a b");
    }

    @Test
    void hostWithoutAddress_isRefused() {
        assertRefused(
                "the host of the record is not known",
                resolver(PATIENT, "records.invalid"),
                "https://records.invalid/record");
    }

    @Test
    void namedHostInsideTheNetwork_isNotAsked() {
        assertRefused(INSIDE, new HttpsResolver(List.of(host)), "https://" + host + "/record");
        assertRefused(
                INSIDE,
                new HttpsResolver(List.of(host), tls, HttpsResolver::isOpen, PATIENT),
                "https://" + host + "/record");
        assertEquals(List.of(), ASKED);
    }

    @Test
    void redirect_isNotFollowed() {
        assertRefused(
                "the host of the record redirects, which is not followed: refer to the record itself",
                resolver(PATIENT, host),
                "https://" + host + "/moved");
        assertEquals(List.of("GET /moved"), ASKED);
    }

    @ParameterizedTest
    @ValueSource(ints = {204, 401, 404, 407, 500})
    void statusOtherThan200_isRefused(int status) {
        assertRefused(
                "the host of the record answered with status " + status,
                resolver(PATIENT, host),
                "https://" + host + "/" + status);
        assertEquals(List.of("GET /" + status), ASKED);
    }

    @Test
    void recordOverTheSize_isRefused() {
        assertRefused(
                "the record is larger than 262144 bytes: make it smaller",
                resolver(PATIENT, host),
                "https://" + host + "/large");
    }

    @Test
    void answerThatEndsEarly_isRefused() {
        assertRefused("the record can't be read over https", resolver(PATIENT, host), "https://" + host + "/broken");
    }

    @Test
    void answerThatTakesTooLong_isGivenUp() {
        HttpsResolver resolver = resolver(Duration.ofSeconds(1), host);

        assertRefused("the record was not fetched in 1 seconds", resolver, "https://" + host + "/trickle");
        assertThrows(UnresolvableException.class, () -> resolve(resolver, "https://" + host + "/silent"));
    }

    @Test
    void certificateNobodyTrusts_isRefused() {
        assertRefused(
                "the record can't be fetched over https",
                new HttpsResolver(List.of(host), null, address -> true, PATIENT),
                "https://" + host + "/record");
        assertEquals(List.of(), ASKED);
    }

    @Test
    void interruptedFetch_isRefusedAndStaysInterrupted() {
        Thread.currentThread().interrupt();

        assertRefused("fetching the record was interrupted", resolver(PATIENT, host), "https://" + host + "/silent");
        assertEquals(true, Thread.interrupted());
    }
}
