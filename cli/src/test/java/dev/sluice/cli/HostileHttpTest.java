// This file has more than 400 lines because each request that nobody should send stands here with its answer.
package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Requests that no well-meaning client sends: each has its answer, nothing of it reaches a server, and the gateway works on
 * afterwards.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileHttpTest {

    /** Stands in everything hostile, so that what was forwarded would show. */
    private static final String MARK = "hostile-4711";

    private static final String CALL =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":\""
                    + MARK + "\"}}}";
    private static final String SESSION = "Mcp-Session-Id";

    private Path folder;
    private HttpClientSide client;

    @BeforeAll
    void start(@TempDir Path temporary) throws Exception {
        folder = temporary;
        Path policy = folder.resolve("policy.yaml");
        List<String> command = Children.fixture(folder.resolve("received"), "");
        Files.writeString(policy, """
                version: 1
                gateway:
                  limits: {message_bytes: 100000, body_time: 2s}
                servers:
                  fixture:
                    command: %s
                    tools:
                      echo: {effects: [reads], returns: {integrity: trusted, confidentiality: public}}
                """.formatted(JsonMapper.shared().writeValueAsString(command)));
        client = HttpClientSide.process(policy, folder.resolve("state"), folder).initialize();
        client.call("echo", "{\"text\":\"well-meant\"}");
    }

    @AfterAll
    void stop() {
        client.close();
    }

    private static HostileRequest of(String name, int status, String says) {
        return new HostileRequest(name, status, says).body(CALL);
    }

    private static HostileRequest body(String name, String body, String says) {
        return of(name, 400, says).body(body);
    }

    private static String call(String id, String name, String arguments) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"tools/call\",\"params\":{\"name\":" + name
                + ",\"arguments\":" + arguments + "}}";
    }

    private static byte[] spliced(String before, int[] odd, String after) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(HostileRequest.bytes(before));
        for (int each : odd) {
            out.write(each);
        }
        out.writeBytes(HostileRequest.bytes(after));
        return out.toByteArray();
    }

    private static byte[] inText(int... odd) {
        int at = CALL.indexOf(MARK);
        return spliced(CALL.substring(0, at), odd, CALL.substring(at));
    }

    /** What is no one message. */
    static List<HostileRequest> bodies() {
        String text = "{\"text\":\"" + MARK + "\"}";
        return List.of(
                body("a batch", "[" + CALL + "]", "batches are not accepted"),
                body("an empty batch", "[]", "batches are not accepted"),
                body("a batch of notifications", "[{\"jsonrpc\":\"2.0\",\"method\":\"" + MARK + "\"}]", "batches"),
                body("two messages", CALL + CALL, "malformed JSON"),
                body("two lines", CALL + "\n" + CALL, "malformed JSON"),
                body("no message", " ", "malformed JSON"),
                body("a number", "17", "a message must be a JSON object"),
                body("a text", "\"" + MARK + "\"", "a message must be a JSON object"),
                body("a message cut short", CALL.substring(0, CALL.length() - 2), "malformed JSON"),
                body("a comment", "/* x */" + CALL, "malformed JSON"),
                body("a trailing comma", CALL.replace("}}}", "},}}"), "malformed JSON"),
                body("single quotes", CALL.replace('"', '\''), "malformed JSON"),
                body("NaN", call("1", "\"echo\"", "{\"text\":NaN}"), "malformed JSON"),
                body("a number that begins with zero", call("01", "\"echo\"", text), "malformed JSON"),
                body("a control character in a text", CALL.replace(MARK, MARK + "\t"), "malformed JSON"),
                body("half a surrogate pair in a name", CALL.replace("\"text\"", "\"\\ud800\""), "malformed JSON"),
                body("a key twice: method", CALL.replace("\"id\":1", "\"id\":1,\"method\":\"ping\""), "malformed JSON"),
                body(
                        "a key twice: name of the tool",
                        CALL.replace("\"name\"", "\"name\":\"read\",\"name\""),
                        "malformed JSON"),
                body(
                        "a key twice, once in escapes",
                        CALL.replace("\"name\"", "\"n\\u0061me\":\"read\",\"name\""),
                        "malformed JSON"),
                body(
                        "a key twice, deep",
                        CALL.replace("{\"text\"", "{\"a\":{\"b\":1,\"b\":2},\"text\""),
                        "malformed JSON"),
                body("too deep", call("1", "\"echo\"", "[".repeat(5_000) + "]".repeat(5_000)), "malformed JSON"),
                body(
                        "too deep, objects",
                        call("1", "\"echo\"", "{\"a\":".repeat(3_000) + "1" + "}".repeat(3_000)),
                        "malformed"),
                body(
                        "a very long number",
                        call("1", "\"echo\"", "{\"text\":" + "9".repeat(50_000) + "}"),
                        "malformed JSON"),
                of("bytes that are no UTF-8", 400, "malformed JSON").body(inText(0xff)),
                of("an overlong slash", 400, "malformed JSON").body(inText(0xc0, 0xaf)),
                of("an encoded surrogate", 400, "malformed JSON").body(inText(0xed, 0xa0, 0x80)),
                of("a character cut short", 400, "malformed JSON").body(inText(0xe2, 0x82)),
                of("beyond Unicode", 400, "malformed JSON").body(inText(0xf4, 0x90, 0x80, 0x80)),
                of("a byte order mark", 400, "malformed JSON").body(spliced("", new int[] {0xef, 0xbb, 0xbf}, CALL)),
                of("UTF-16", 400, "malformed JSON").body(CALL.getBytes(StandardCharsets.UTF_16)),
                body("no version", CALL.replace("\"jsonrpc\":\"2.0\",", ""), "`\"jsonrpc\":\"2.0\"`"),
                body("version 1", CALL.replace("\"2.0\"", "\"1.0\""), "`\"jsonrpc\":\"2.0\"`"),
                body("version as a number", CALL.replace("\"2.0\"", "2.0"), "`\"jsonrpc\":\"2.0\"`"),
                body("method and result", CALL.replace("\"id\":1", "\"id\":1,\"result\":{}"), "exactly one of"),
                body("neither method nor result", "{\"jsonrpc\":\"2.0\",\"id\":1}", "exactly one of"),
                body(
                        "a method that is no text",
                        CALL.replace("\"tools/call\"", "[\"tools/call\"]"),
                        "`method` must be"),
                body(
                        "parameters that are a text",
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":\"y\"}",
                        "`params`"),
                body("an id of null", call("null", "\"echo\"", text), "the id must be a string or a number"),
                body("an id that is a list", call("[1]", "\"echo\"", text), "the id must be a string or a number"),
                body("an id that is true", call("true", "\"echo\"", text), "the id must be a string or a number"),
                body("a giant id", call("\"" + "i".repeat(50_000) + "\"", "\"echo\"", text), "the id is longer than"),
                body("an answer without an id", "{\"jsonrpc\":\"2.0\",\"result\":{}}", "an answer must have an `id`"));
    }

    /** What is no request for this endpoint. */
    static List<HostileRequest> requests() {
        return List.of(
                of("a message that is too long", 413, "more than 100000 bytes")
                        .body(CALL.replace(MARK, MARK.repeat(10_000))),
                of("a long message in chunks", 413, "more than 100000 bytes")
                        .with("Transfer-Encoding", "chunked")
                        .uncounted()
                        .body("1d4c0\r\n" + "x".repeat(120_000) + "\r\n0\r\n\r\n"),
                of("a message that never ends", 408, "did not arrive within")
                        .with("Content-Length", "5000")
                        .uncounted(),
                of("two lengths", 400, "no HTTP request").raw("Content-Length: 3"),
                of("a length and chunks", 400, "no HTTP request").with("Transfer-Encoding", "chunked"),
                of("a negative length", 400, "no HTTP request")
                        .with("Content-Length", "-5")
                        .uncounted(),
                of("a length that is no number", 400, "no HTTP request")
                        .with("Content-Length", "0x40")
                        .uncounted(),
                of("chunks without sizes", 400, "no HTTP request")
                        .with("Transfer-Encoding", "chunked")
                        .uncounted()
                        .body("zz\r\n" + CALL + "\r\n0\r\n\r\n"),
                of("no type", 415, "Content-Type: application/json").with("Content-Type", ""),
                of("a form", 415, "Content-Type: application/json").with("Content-Type", "text/plain"),
                of("a type that only begins so", 415, "Content-Type").with("Content-Type", "application/json-seq"),
                of("types in a list", 415, "Content-Type").with("Content-Type", "text/plain, application/json"),
                of("no events wanted", 406, "`Accept` must hold").with("Accept", "application/json"),
                of("no JSON wanted", 406, "`Accept` must hold").with("Accept", "text/event-stream"),
                of("a page of somebody's", 403, "`Origin`").with("Origin", "https://evil.example"),
                of("an origin of null", 403, "`Origin`").with("Origin", "null"),
                of("an origin that only begins so", 403, "`Origin`").with("Origin", "http://localhost.evil.example"),
                of("an origin with a user", 403, "`Origin`").with("Origin", "http://localhost@evil.example"),
                of("two origins", 403, "at most once")
                        .with("Origin", "http://localhost")
                        .raw("Origin: https://evil.example"),
                of("somebody's host", 403, "`Host`").with("Host", "evil.example"),
                of("a host that only begins so", 403, "`Host`").with("Host", "127.0.0.1.evil.example"),
                of("a host with a user", 400, "no HTTP request").with("Host", "localhost@evil.example"),
                of("no host", 400, "no HTTP request").with("Host", ""),
                of("two hosts", 400, "no HTTP request").raw("Host: evil.example"),
                of("somebody's host in the request line", 400, "no HTTP request")
                        .line("POST http://evil.example/mcp HTTP/1.1"),
                of("no session", 400, "send the header `Mcp-Session-Id`").with(SESSION, ""),
                of("a session that never was", 404, "no such session").with(SESSION, "0".repeat(48)),
                of("a session that is too long", 404, "no such session").with(SESSION, "a".repeat(4_000)),
                of("a session that is a path", 404, "no such session").with(SESSION, "../../etc/passwd"),
                of("a session that is SQL", 404, "no such session").with(SESSION, "' OR '1'='1"),
                of("two sessions", 400, "send `Mcp-Session-Id` at most once").raw(SESSION + ": " + "0".repeat(48)),
                of("two revisions", 400, "send `MCP-Protocol-Version` at most once")
                        .raw("MCP-Protocol-Version: 2024-11-05"),
                of("two types", 400, "send `Content-Type` at most once").raw("content-type: text/plain"),
                of("a revision that never was", 400, "names a revision that is not served")
                        .with("MCP-Protocol-Version", "1999-01-01"),
                of("a header that ends in a line of its own", 400, "no HTTP request")
                        .raw("X-A: b\r\n c: " + MARK + "\r"),
                of("a header with a null", 400, "no HTTP request").raw("X-A: b\u0000c"),
                of("a header without a name", 400, "no HTTP request").raw(": " + MARK),
                of("headers that are too long", 431, "the headers of a request may have")
                        .with("X-A", "a".repeat(60_000)),
                of("a path that climbs", 404, "nothing is here").line("POST /mcp/../mcp/x HTTP/1.1"),
                of("an encoded path", 400, "no HTTP request").line("POST /%2e%2e/mcp HTTP/1.1"),
                of("another path", 404, "nothing is here").line("POST /admin HTTP/1.1"),
                of("another method", 405, "use GET, POST or DELETE").line("PUT /mcp HTTP/1.1"),
                of("a method of its own", 405, "use GET, POST or DELETE").line("STEAL /mcp HTTP/1.1"),
                of("a method of small letters", 405, "use GET, POST or DELETE").line("post /mcp HTTP/1.1"),
                of("a token in the address", 400, "never in the address").line("POST /mcp?access_token=abc HTTP/1.1"),
                of("HTTP 0.9", 505, "no HTTP request").line("POST /mcp"),
                of("HTTP 9", 505, "no HTTP request").line("POST /mcp HTTP/9.0"),
                of("an upgrade to HTTP/2", 426, "no HTTP request").line("PRI * HTTP/2.0"),
                of("a stream that is asked for without events", 406, "`Accept` must hold")
                        .line("GET /mcp HTTP/1.1")
                        .with("Accept", "text/html")
                        .body(""),
                of("events of another session", 400, "names nothing that is still known")
                        .line("GET /mcp HTTP/1.1")
                        .with("Last-Event-ID", "00000000-7-1")
                        .body(""),
                of("an event id that is no id", 400, "names nothing that is still known")
                        .line("GET /mcp HTTP/1.1")
                        .with("Last-Event-ID", "7' OR 1=1")
                        .body(""),
                of("an end to a session that never was", 404, "no such session")
                        .line("DELETE /mcp HTTP/1.1")
                        .with(SESSION, "0".repeat(48))
                        .body(""));
    }

    static List<HostileRequest> all() {
        List<HostileRequest> all = new ArrayList<>(bodies());
        all.addAll(requests());
        return all;
    }

    @ParameterizedTest
    @MethodSource("all")
    void isRefused_withTheReason_andReachesNoServer(HostileRequest hostile) throws Exception {
        String answer = hostile.send(client.address, client.session);
        hostile.assertRefused(answer);
        assertFalse(answer.contains(MARK), "nothing of it comes back: " + answer);
        assertFalse(answer.contains("Exception"), answer);
        assertFalse(Files.readString(folder.resolve("received")).contains(MARK), hostile + " reached the server");
        assertFalse(client.errors().contains(MARK), hostile + " stands in the log");
        assertEquals("{}", client.ask("ping", "{}").path("result").toString(), hostile + ": it works on");
    }

    /** What is well formed and still not to be believed. */
    @ParameterizedTest
    @MethodSource("answers")
    void answerToNothingThatWasAsked_isTakenAndForwardedNowhere(String message) throws Exception {
        assertEquals(202, client.post(message).statusCode());
        assertEquals("still here", StdioHost.text(client.call("echo", "{\"text\":\"still here\"}")), "in order");
        assertFalse(Files.readString(folder.resolve("received")).contains(MARK));
    }

    static List<String> answers() {
        return List.of(
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":\"" + MARK + "\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":\"ask-1\",\"result\":{\"x\":\"" + MARK + "\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":\"sluice-1\",\"result\":{\"x\":\"" + MARK + "\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1e400,\"error\":{\"code\":1,\"message\":\"" + MARK + "\"}}",
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"" + MARK
                        + "\"}}",
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":{\"a\":\"" + MARK
                        + "\"}}}");
    }

    @ParameterizedTest
    @MethodSource("types")
    void contentType_isComparedWithoutCase(String type) throws Exception {
        HostileRequest fine = of("fine", 200, "")
                .with("Content-Type", type)
                .body("{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}");
        String answer = fine.send(client.address, client.session);
        assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
    }

    static List<String> types() {
        return List.of(
                "application/json", "Application/JSON", "application/json; charset=utf-8", "application/json;x=y");
    }

    /** Ids of any kind and size come back as they were, and never stand for one another. */
    @ParameterizedTest
    @MethodSource("ids")
    void id_comesBackByteForByte(String id) throws Exception {
        String answer = client.post(call(id, "\"echo\"", "{\"text\":\"x\"}")).body();
        assertTrue(answer.contains("\"id\":" + id), answer);
        JsonNode read = JsonMapper.shared().readTree(answer);
        assertEquals("x", StdioHost.text(read.path("result")));
    }

    static List<String> ids() {
        return List.of(
                "0",
                "-1",
                "9007199254740993",
                "123456789012345678901234567890",
                "1.0",
                "1e2",
                "1e400",
                "\"\"",
                "\"1\"",
                "\"sluice-1\"",
                "\"\\u0061\"",
                "\"a\\\"b\"",
                "\"" + "i".repeat(500) + "\"");
    }
}
