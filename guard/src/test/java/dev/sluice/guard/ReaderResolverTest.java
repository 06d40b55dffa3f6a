package dev.sluice.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.guard.ReaderResolver.UnresolvedException;
import dev.sluice.labels.Source;
import dev.sluice.policy.ReaderLookup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The three places that can say who may read a resource. */
class ReaderResolverTest {

    private static final Source.OfResource REPO = new Source.OfResource("forge", "o/r");
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(300);

    @TempDir
    Path folder;

    private static Set<String> sh(Duration within, String script) throws UnresolvedException {
        ReaderLookup.Place place = new ReaderLookup.Place.Command(List.of("sh", "-c", script));
        return ReaderResolver.of(new ReaderLookup(place, within, Duration.ZERO)).readers(REPO);
    }

    private static String fault(Duration within, String script) {
        return String.valueOf(assertThrows(UnresolvedException.class, () -> sh(within, script))
                .getMessage());
    }

    @Test
    void stated_knowsItsResourcesAndNoOther() throws UnresolvedException {
        ReaderLookup.Place place = new ReaderLookup.Place.Stated(Map.of("o/r", Set.of("ana")));
        ReaderResolver stated = ReaderResolver.of(new ReaderLookup(place, LONG, Duration.ZERO));

        assertEquals(Set.of("ana"), stated.readers(REPO));
        assertEquals(Set.of(), stated.readers(new Source.OfResource("forge", "o/other")));
    }

    @Test
    void command_getsTheQuestionOnStandardInput() throws UnresolvedException {
        assertEquals(
                Set.of("ana", "bo@clinic.example"),
                sh(
                        LONG,
                        "read line; test \"$line\" = '{\"server\":\"forge\",\"resource\":\"o/r\"}' && test $# = 0"
                                + " && echo '[\"ana\", \"bo@clinic.example\"]'"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "echo '[\"ana\"]'; exit 3 | the program ended with 3",
                "true | the answer is no JSON list of 10000 texts at most",
                "echo ana | the answer is no JSON",
                "echo '{\"readers\":[\"ana\"]}' | the answer is no JSON list of 10000 texts at most",
                "echo '[\"ana\", 7]' | a reader in the answer is no short text",
                "echo '[\"\"]' | a reader in the answer is no short text",
                "printf '[\"%0400d\"]' 7 | a reader in the answer is no short text",
                "yes | the program's answer is too long",
                "echo '['; seq -s, 10001; echo ']' | the answer is no JSON list of 10000 texts at most",
            })
    void command_whoseAnswerCantBeRead_failed(String script, String message) {
        assertEquals(message, fault(LONG, script));
    }

    @Test
    void command_thatIsNotThere_failed() {
        ReaderLookup.Place place =
                new ReaderLookup.Place.Command(List.of(folder.resolve("none").toString()));
        ReaderResolver none = ReaderResolver.of(new ReaderLookup(place, LONG, Duration.ZERO));

        assertEquals(
                "the program can't be started",
                assertThrows(UnresolvedException.class, () -> none.readers(REPO))
                        .getMessage());
    }

    @Test
    void command_thatTakesTooLong_isKilledWithItsChildren() throws Exception {
        Path pid = folder.resolve("pid");

        assertEquals(
                "the program did not answer in time",
                fault(Duration.ofSeconds(2), "sleep 1000 & echo $! > " + pid + "; wait"));

        long child = Long.parseLong(Files.readString(pid).strip());
        ProcessHandle.of(child)
                .ifPresent(each -> each.onExit().orTimeout(30, TimeUnit.SECONDS).join());
        assertFalse(ProcessHandle.of(child).map(ProcessHandle::isAlive).orElse(false));
    }

    @Test
    void command_thatLeavesAProcessBehind_isAnsweredAllTheSame() throws UnresolvedException {
        assertEquals(Set.of("ana"), sh(LONG, "sleep 2 & echo '[\"ana\"]'"));
    }

    /** Asks a service that answers so. */
    private static String service(String tokenEnv, Duration within, Answering answering) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                answering.answer(exchange);
            }
        });
        server.start();
        try {
            String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/readers";
            ReaderLookup.Place place = new ReaderLookup.Place.Service(url, tokenEnv);
            return ReaderResolver.of(new ReaderLookup(place, within, Duration.ZERO))
                    .readers(REPO)
                    .toString();
        } catch (UnresolvedException e) {
            return String.valueOf(e.getMessage());
        } finally {
            server.stop(0);
        }
    }

    private interface Answering {
        void answer(HttpExchange exchange) throws IOException;
    }

    private static void send(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Test
    void service_isPostedTheQuestion() throws IOException {
        assertEquals("[ana]", service("", LONG, exchange -> {
            String question = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            boolean right = question.equals("{\"server\":\"forge\",\"resource\":\"o/r\"}\n")
                    && exchange.getRequestMethod().equals("POST")
                    && !exchange.getRequestHeaders().containsKey("Authorization");
            send(exchange, right ? 200 : 400, "[\"ana\"]");
        }));
    }

    @Test
    void service_getsTheTokenFromTheEnvironment() throws IOException {
        String path = System.getenv("PATH");

        assertEquals(
                "[ana]",
                service(
                        "PATH",
                        LONG,
                        exchange -> send(
                                exchange,
                                ("Bearer " + path)
                                                .equals(exchange.getRequestHeaders()
                                                        .getFirst("Authorization"))
                                        ? 200
                                        : 401,
                                "[\"ana\"]")));
        assertEquals(
                "the environment variable with the service's token is not set",
                service("SLUICE_NO_SUCH_TOKEN", LONG, exchange -> send(exchange, 200, "[\"ana\"]")));
    }

    @Test
    void service_thatAnswersAnythingElse_failed() throws IOException {
        String unread = "the service gave no answer that can be read";

        assertEquals(unread, service("", LONG, exchange -> send(exchange, 500, "[\"ana\"]")));
        assertEquals(
                unread, service("", LONG, exchange -> send(exchange, 200, "[" + " ".repeat(1 << 20) + "\"ana\"]")));
        assertEquals("the answer is no JSON", service("", LONG, exchange -> send(exchange, 200, "ana")));
        assertEquals(unread, service("", LONG, exchange -> {
            exchange.getResponseHeaders().add("Location", "/elsewhere");
            send(exchange, exchange.getRequestURI().getPath().equals("/elsewhere") ? 200 : 307, "[\"ana\"]");
        }));
    }

    @Test
    void service_thatTakesTooLong_failed() throws IOException {
        assertEquals("the service did not answer in time", service("", SHORT, exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write('[');
            exchange.getResponseBody().flush();
            pause();
        }));
    }

    private static void pause() {
        try {
            Thread.sleep(1_500);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
