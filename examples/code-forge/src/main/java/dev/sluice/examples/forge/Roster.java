package dev.sluice.examples.forge;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The forge's answer to the question who may read a repository, in the two forms in which a policy can ask it under {@code
 * readers}: as a program ({@link #main}) and as a service.
 */
public final class Roster implements AutoCloseable {

    private final HttpServer http;
    private final AtomicInteger asked = new AtomicInteger();

    private Roster(HttpServer http) {
        this.http = http;
    }

    /** Answers one question on standard input; the argument is the forge's folder. */
    public static void main(String[] args) throws IOException {
        if (args.length != 1) {
            System.err.println("usage: Roster <folder>");
            System.exit(2);
        }
        answer(Fixture.read(Path.of(args[0])), System.in, System.out);
    }

    /** Reads the question and writes the answer: the accounts that may read the repository, a JSON list. */
    static void answer(Fixture fixture, InputStream in, OutputStream out) throws IOException {
        JsonNode question = JsonMapper.shared().readTree(in.readAllBytes());
        String readers = JsonMapper.shared()
                .writeValueAsString(fixture.readers(question.path("resource").asString("")));
        out.write(readers.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /** Starts the service on a free port of the loopback address. */
    static Roster serve(Fixture fixture) {
        try {
            HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            Roster roster = new Roster(http);
            http.createContext("/readers", exchange -> {
                roster.asked.incrementAndGet();
                try (exchange) {
                    exchange.sendResponseHeaders(200, 0);
                    answer(fixture, exchange.getRequestBody(), exchange.getResponseBody());
                }
            });
            http.start();
            return roster;
        } catch (IOException e) {
            throw new UncheckedIOException("no port on this machine's loopback address: allow one", e);
        }
    }

    /** Returns where it is asked. */
    String url() {
        return "http://127.0.0.1:" + http.getAddress().getPort() + "/readers";
    }

    /** Returns how often it was asked. */
    int asked() {
        return asked.get();
    }

    /** Takes it down: from now on nobody answers. */
    void stop() {
        http.stop(0);
    }

    @Override
    public void close() {
        stop();
    }
}
