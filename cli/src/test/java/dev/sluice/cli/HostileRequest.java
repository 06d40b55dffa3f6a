package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A request as bytes, and what must come back. */
final class HostileRequest {
    private final String name;
    private final int status;
    private final String says;
    private String line = "POST /mcp HTTP/1.1";
    private final Map<String, String> headers = new LinkedHashMap<>();
    private final List<String> more = new ArrayList<>();
    private byte[] body = {};
    private boolean counted = true;
    private int code;

    HostileRequest(String name, int status, String says) {
        this.name = name;
        this.status = status;
        this.says = says;
        headers.put("Host", "127.0.0.1");
        headers.put("Content-Type", "application/json");
        headers.put("Accept", "application/json, text/event-stream");
        headers.put("MCP-Protocol-Version", "2025-11-25");
        headers.put("Mcp-Session-Id", "<session>");
        headers.put("Connection", "close");
    }

    HostileRequest line(String text) {
        line = text;
        return this;
    }

    /** Sets the code that the error must have. */
    HostileRequest code(int expected) {
        code = expected;
        return this;
    }

    /** Sets a header; an empty value takes it out. */
    HostileRequest with(String header, String value) {
        headers.put(header, value);
        return this;
    }

    /** Adds a header line as it stands. */
    HostileRequest raw(String header) {
        more.add(header);
        return this;
    }

    HostileRequest body(byte[] bytes) {
        body = bytes;
        return this;
    }

    HostileRequest body(String text) {
        return body(bytes(text));
    }

    /** Leaves `Content-Length` to the case. */
    HostileRequest uncounted() {
        counted = false;
        return this;
    }

    private byte[] request(String session) {
        StringBuilder head = new StringBuilder(line).append("\r\n");
        headers.forEach((name, value) -> {
            if (!value.isEmpty()) {
                head.append(name)
                        .append(": ")
                        .append(value.replace("<session>", session))
                        .append("\r\n");
            }
        });
        more.forEach(each -> head.append(each).append("\r\n"));
        if (counted && body.length > 0) {
            head.append("Content-Length: ").append(body.length).append("\r\n");
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(bytes(head.append("\r\n").toString()));
        out.writeBytes(body);
        return out.toByteArray();
    }

    /**
     * Sends it and returns the whole answer, head and body.
     *
     * @param session what stands where a session is named
     */
    String send(URI address, String session) throws IOException {
        try (Socket socket = new Socket(address.getHost(), address.getPort())) {
            socket.setSoTimeout(60_000); // so that one that hangs fails
            try {
                socket.getOutputStream().write(request(session));
                socket.getOutputStream().flush();
            } catch (IOException e) {
                // refused before all of it was read
            }
            ByteArrayOutputStream answer = new ByteArrayOutputStream();
            try {
                socket.getInputStream().transferTo(answer);
            } catch (IOException e) {
                // reset by the other side after the answer
            }
            return answer.toString(StandardCharsets.UTF_8);
        }
    }

    /** Asserts that an answer has the status, says what it should, and has the code where there is one. */
    void assertRefused(String answer) {
        assertTrue(answer.startsWith("HTTP/1.1 " + status + " "), this + ": " + answer);
        assertTrue(answer.contains(says.replace("\"", "\\\"")), this + ": " + answer);
        assertTrue(code == 0 || answer.contains("\"error\":{\"code\":" + code + ","), this + ": " + answer);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return name;
    }
}
