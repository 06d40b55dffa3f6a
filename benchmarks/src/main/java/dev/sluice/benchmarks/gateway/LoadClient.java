package dev.sluice.benchmarks.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * One MCP client over one kept connection, which calls one after the other and checks what it gets: in a session, or since
 * 2026-07-28 without one.
 *
 * <p>HTTP is written and read by hand, so that what is measured is not a client library. Answers may be JSON or events.
 */
final class LoadClient implements AutoCloseable {

    private static final int FIRST_ID = 1_000_000_000; // all ids have ten digits, so requests differ in nothing else
    private static final int DIGITS = 10;
    private static final int PATIENCE_MS = 30_000;

    private static final String META = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
            + "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"load\",\"version\":\"1\"},"
            + "\"io.modelcontextprotocol/clientCapabilities\":{}}";

    private static final String MODERN = "2026-07-28";

    private final URI address;
    private final boolean modern;
    private final String session;
    private final byte[] buffer = new byte[1 << 16];
    private Socket socket = new Socket();
    private int from;
    private int to;
    private byte[] body = new byte[1 << 12];
    private int length;
    private int id = FIRST_ID;

    /** A request that is sent many times, each with another id. */
    static final class Template {
        private final String tool;
        private final String arguments;
        private final int least;

        /**
         * @param tool the tool that is called
         * @param arguments the arguments as JSON
         * @param least how long its answer is at least, in bytes
         */
        Template(String tool, String arguments, int least) {
            this.tool = tool;
            this.arguments = arguments;
            this.least = least;
        }

        private String body(boolean modern) {
            return "{\"jsonrpc\":\"2.0\",\"id\":" + FIRST_ID + ",\"method\":\"tools/call\",\"params\":{\"name\":\""
                    + tool + "\",\"arguments\":" + arguments + (modern ? "," + META : "") + "}}";
        }
    }

    /** The bytes of a request, of which only the id is another each time, and where that stands. */
    static final class Prepared {
        private final byte[] bytes;
        private final int idAt;

        Prepared(byte[] bytes, int idAt) {
            this.bytes = bytes;
            this.idAt = idAt;
        }
    }

    /**
     * Begins at {@code address}.
     *
     * @param modern whether as a client of 2026-07-28, else in a session
     */
    LoadClient(URI address, boolean modern) throws IOException {
        this.address = address;
        this.modern = modern;
        connect();
        if (modern) {
            session = "";
            String json = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"tools/list\",\"params\":{" + META + "}}";
            var _ = exchange(post(json, "tools/list"));
            return;
        }
        session = exchange(post(
                "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
                        + "\"capabilities\":{},\"clientInfo\":{\"name\":\"load\",\"version\":\"1\"}}}",
                ""));
        var _ = exchange(post("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", session));
    }

    /** Takes a fresh connection: servers close those that nobody used for a while. */
    void connect() throws IOException {
        socket.close();
        socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MS);
        socket.connect(new InetSocketAddress(address.getHost(), address.getPort()));
        from = 0;
        to = 0;
    }

    /** What is left of the headers is said of the session, or of the request. */
    private byte[] post(String json, String of) {
        return (head(json.length(), modern ? mirrored(of, "") : named(of)) + json).getBytes(StandardCharsets.US_ASCII);
    }

    private static String named(String session) {
        return session.isEmpty() ? "" : "Mcp-Session-Id: " + session + "\r\nMCP-Protocol-Version: 2025-11-25\r\n";
    }

    private static String mirrored(String method, String name) {
        return "MCP-Protocol-Version: " + MODERN + "\r\nMcp-Method: " + method + "\r\n"
                + (name.isEmpty() ? "" : "Mcp-Name: " + name + "\r\n");
    }

    private String head(int length, String more) {
        return "POST " + address.getPath() + " HTTP/1.1\r\nHost: " + address.getAuthority()
                + "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n" + more
                + "Content-Length: " + length + "\r\n\r\n";
    }

    /** Returns a request, to be used for {@link #call} of this client only. */
    Prepared prepare(Template template) {
        String body = template.body(modern);
        String head = head(body.length(), modern ? mirrored("tools/call", template.tool) : named(session));
        return new Prepared(
                (head + body).getBytes(StandardCharsets.US_ASCII),
                head.length() + body.indexOf(String.valueOf(FIRST_ID)));
    }

    /**
     * Calls and reads the answer.
     *
     * @throws IOException where it is not the whole result of this call
     */
    void call(Template template, Prepared prepared) throws IOException {
        id++;
        for (int i = DIGITS - 1, rest = id; i >= 0; i--, rest /= 10) {
            prepared.bytes[prepared.idAt + i] = (byte) ('0' + rest % 10);
        }
        var _ = exchange(prepared.bytes);
        // The id stands before a result or behind it, near an end; all of a long text is looked through now and then.
        boolean all = length < 2_000 || id % 16 == 0;
        if (length < template.least
                || !(holds("\"id\":" + id, 0, Math.min(length, 400))
                        || holds("\"id\":" + id, Math.max(0, length - 400), length))
                || (all && (!holds("\"result\":", 0, length) || holds("\"isError\":true", 0, length)))) {
            throw new IOException(
                    "not the answer to a call: " + new String(body, 0, Math.min(length, 400), StandardCharsets.UTF_8));
        }
    }

    private boolean holds(String text, int start, int end) {
        byte[] sought = text.getBytes(StandardCharsets.US_ASCII);
        for (int i = start; i + sought.length <= end; i++) {
            int same = 0;
            while (same < sought.length && body[i + same] == sought[same]) {
                same++;
            }
            if (same == sought.length) {
                return true;
            }
        }
        return false;
    }

    /** Sends a request and reads its answer into {@link #body}; returns the session id that it names, if any. */
    private String exchange(byte[] request) throws IOException {
        socket.getOutputStream().write(request);
        String status = line();
        String named = "";
        int announced = 0;
        boolean chunked = false;
        for (String header = line(); !header.isEmpty(); header = line()) {
            int colon = header.indexOf(':');
            String value = header.substring(colon + 1).strip();
            switch (header.substring(0, Math.max(0, colon)).toLowerCase(Locale.ROOT)) {
                case "mcp-session-id" -> named = value;
                case "content-length" -> announced = Integer.parseInt(value);
                case "transfer-encoding" -> chunked = true;
                default -> {}
            }
        }
        length = 0;
        if (chunked) {
            for (int chunk = size(line()); chunk > 0; chunk = size(line())) {
                take(chunk);
                var _ = line();
            }
            var _ = line();
        } else {
            take(announced);
        }
        if (!status.startsWith("HTTP/1.1 20")) {
            throw new IOException(status + ": " + new String(body, 0, length, StandardCharsets.UTF_8));
        }
        return named;
    }

    private static int size(String line) {
        return Integer.parseInt(line.split(";", 2)[0].strip(), 16);
    }

    private void fill() throws IOException {
        InputStream in = socket.getInputStream();
        from = 0;
        to = Math.max(0, in.read(buffer));
        if (to == 0) {
            throw new IOException("the connection was closed");
        }
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            if (from == to) {
                fill();
            }
            char next = (char) buffer[from++];
            if (next == '\n') {
                return line.toString();
            }
            if (next != '\r') {
                line.append(next);
            }
        }
    }

    private void take(int bytes) throws IOException {
        if (body.length < length + bytes) {
            body = Arrays.copyOf(body, Math.max(2 * body.length, length + bytes));
        }
        for (int left = bytes; left > 0; ) {
            if (from == to) {
                fill();
            }
            int part = Math.min(left, to - from);
            System.arraycopy(buffer, from, body, length, part);
            from += part;
            length += part;
            left -= part;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
