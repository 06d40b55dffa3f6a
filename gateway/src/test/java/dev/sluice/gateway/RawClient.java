package dev.sluice.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** One session over one socket, with which anything can be done that a client should not do. */
final class RawClient implements AutoCloseable {

    private static final int SMALL_BUFFER = 4_096;

    private final URI address;
    private final Socket socket = new Socket();
    private String session = "";

    /** Connects and begins a session. */
    RawClient(String address) throws IOException {
        this.address = URI.create(address);
        // Small, so that what is not read soon fills it and waits on the other side.
        socket.setReceiveBufferSize(SMALL_BUFFER);
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress(this.address.getHost(), this.address.getPort()));
        post("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
                + "\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}");
        String answer = read();
        if (!answer.contains("\"result\"") || session.isEmpty()) {
            throw new IOException(answer);
        }
    }

    /** Sends a call and reads nothing. */
    void ask(int id, String tool) throws IOException {
        post("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"tools/call\",\"params\":{\"name\":\"" + tool
                + "\",\"arguments\":{}}}");
    }

    /** Calls, and returns the answer. */
    String call(int id, String tool) throws IOException {
        ask(id, tool);
        return read();
    }

    private void post(String json) throws IOException {
        send("POST", "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n", json);
    }

    /** Ends the session; returns the status line. */
    String delete() throws IOException {
        send("DELETE", "", "");
        return line();
    }

    private void send(String method, String headers, String body) throws IOException {
        String request =
                method + " " + address.getPath() + " HTTP/1.1\r\nHost: " + address.getAuthority() + "\r\n" + headers
                        + (session.isEmpty() ? "" : "Mcp-Session-Id: " + session + "\r\n")
                        + "Content-Length: " + body.length() + "\r\n\r\n" + body;
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    }

    /** Reads one answer, which is JSON with its length before it, or in chunks. */
    private String read() throws IOException {
        String status = line();
        int length = -1;
        for (String header = line(); !header.isEmpty(); header = line()) {
            String lower = header.toLowerCase(Locale.ROOT);
            if (lower.startsWith("content-length:")) {
                length = Integer.parseInt(lower.substring(15).strip());
            } else if (lower.startsWith("mcp-session-id:")) {
                session = header.substring(15).strip();
            }
        }
        StringBuilder body = new StringBuilder(status).append('\n');
        if (length >= 0) {
            return body.append(bytes(length)).toString();
        }
        for (int chunk = Integer.parseInt(line(), 16); chunk > 0; chunk = Integer.parseInt(line(), 16)) {
            body.append(bytes(chunk));
            line();
        }
        line();
        return body.toString();
    }

    private String bytes(int length) throws IOException {
        return new String(socket.getInputStream().readNBytes(length), StandardCharsets.UTF_8);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        InputStream in = socket.getInputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("the connection ended");
            }
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    /** Breaks the connection without a goodbye. */
    void kill() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    /** Takes up the session of {@code other} on a connection of its own. */
    static RawClient of(RawClient other) throws IOException {
        return new RawClient(other);
    }

    private RawClient(RawClient other) throws IOException {
        this.address = other.address;
        this.session = other.session;
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress(address.getHost(), address.getPort()));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
