// This file has more than 400 lines because each request that nobody should send stands here with its answer.
package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

/**
 * Requests of revision 2026-07-28 that no well-meaning client sends: each has its answer, nothing of it reaches a server, and
 * the gateway works on afterwards. What is no message or no HTTP is {@link HostileHttpTest}'s, and the same for all.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ModernHostileTest {

    /** Stands in everything hostile, so that what was forwarded would show. */
    private static final String MARK = "hostile-4711";

    private static final String PREFIX = "io.modelcontextprotocol/";
    private static final String REVISION = "2026-07-28";
    private static final String VERSION = "MCP-Protocol-Version";
    private static final String METHOD = "Mcp-Method";
    private static final String NAME = "Mcp-Name";
    private static final String PARAM = "Mcp-Param-Region";
    private static final String META = "\"_meta\":{\"" + PREFIX + "protocolVersion\":\"" + REVISION + "\",\"" + PREFIX
            + "clientCapabilities\":{}}";

    private static final int MISMATCH = -32020;
    private static final int UNSUPPORTED = -32022;
    private static final int INVALID_PARAMS = -32602;
    private static final int INVALID_REQUEST = -32600;
    private static final int NO_METHOD = -32601;

    private static final int STREAMS = 20;

    private Path folder;
    private HttpClientSide gateway;
    private ModernClient client;

    @BeforeAll
    void start(@TempDir Path temporary) throws Exception {
        folder = temporary;
        Path policy = folder.resolve("policy.yaml");
        List<String> command = Children.java(ModernServer.class);
        command.add(folder.resolve("received").toString());
        Files.writeString(policy, """
                version: 1
                gateway:
                  limits: {message_bytes: 100000, in_flight_per_principal: %d}
                  sessions:
                    keys: [{meta: openai/session}, {header: x-conversation}]
                servers:
                  modern:
                    command: %s
                    known: none
                    defaults: {integrity: trusted, confidentiality: public}
                """.formatted(STREAMS, JsonMapper.shared().writeValueAsString(command)));
        gateway = HttpClientSide.process(policy, folder.resolve("state"), folder);
        client = new ModernClient(gateway.address);
        assertTrue(client.ask("tools/list", "{}").answer().path("result").has("tools"));
        assertEquals("well-meant", echo());
    }

    @AfterAll
    void stop() {
        client.close();
        gateway.close();
    }

    private String echo() throws Exception {
        return StdioHost.text(
                client.call("echo", "{\"text\":\"well-meant\"}").answer().path("result"));
    }

    private static String request(String method, String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":{" + params + "}}";
    }

    private static String call(String tool, String arguments) {
        return request("tools/call", "\"name\":\"" + tool + "\",\"arguments\":" + arguments + "," + META);
    }

    private static final String CALL = call("echo", "{\"text\":\"" + MARK + "\"}");

    /** A request that is right but for what is changed then. */
    private static HostileRequest of(String name, int status, int code, String says) {
        return new HostileRequest(name, status, says)
                .code(code)
                .with("Mcp-Session-Id", "")
                .with(VERSION, REVISION)
                .with(METHOD, "tools/call")
                .with(NAME, "echo")
                .body(CALL);
    }

    private static HostileRequest mismatch(String name, String says) {
        return of(name, 400, MISMATCH, says);
    }

    private static HostileRequest invalid(String name, String body, String says) {
        return of(name, 400, INVALID_PARAMS, says).body(body);
    }

    /** One of another method, with what its headers are then. */
    private static HostileRequest asks(String name, int status, int code, String says, String method, String params) {
        return of(name, status, code, says)
                .with(METHOD, method)
                .with(NAME, "")
                .body(request(method, params + (params.isEmpty() ? "" : ",") + META));
    }

    /** What the headers say must be what the body says. */
    static List<HostileRequest> headers() {
        String version = "`" + VERSION + "` is not `" + PREFIX + "protocolVersion` of `_meta`";
        String other = "holds characters that a header can't have, or Base64 of something else";
        return List.of(
                mismatch("no version", "send the header `" + VERSION + "`").with(VERSION, ""),
                mismatch("two versions", "send `" + VERSION + "` at most once").raw(VERSION + ": 2025-11-25"),
                mismatch("the version twice", "send `" + VERSION + "` at most once")
                        .raw("mcp-protocol-version: " + REVISION),
                mismatch("an older version in the header", version).with(VERSION, "2025-11-25"),
                mismatch("a version to come in the header", version).with(VERSION, "2027-01-01"),
                mismatch("no version but a text in the header", version).with(VERSION, "latest"),
                mismatch("an older version in the body", version).body(CALL.replace(REVISION, "2025-11-25")),
                mismatch("a version to come in the body", version).body(CALL.replace(REVISION, "2027-01-01")),
                mismatch("no method", "send the header `" + METHOD + "`").with(METHOD, ""),
                mismatch("two methods", "send `" + METHOD + "` at most once").raw("mcp-method: tools/list"),
                mismatch("another method", "`" + METHOD + "` is not the `method`")
                        .with(METHOD, "tools/list"),
                mismatch("a method in capitals", "`" + METHOD + "` is not the `method`")
                        .with(METHOD, "TOOLS/CALL"),
                mismatch("a method and more", "`" + METHOD + "` is not the `method`")
                        .with(METHOD, "tools/call,tools/list"),
                mismatch("a method in Base64", "`" + METHOD + "` is not the `method`")
                        .with(METHOD, "=?base64?dG9vbHMvY2FsbA==?="),
                mismatch("no name", "send the header `" + NAME + "`").with(NAME, ""),
                mismatch("two names", "send `" + NAME + "` at most once").raw("MCP-NAME: read"),
                mismatch("another name", "`" + NAME + "` is not `params.name`").with(NAME, "read"),
                mismatch("a name in capitals", "`" + NAME + "` is not `params.name`")
                        .with(NAME, "Echo"),
                mismatch("a name in Base64 that is broken", other).with(NAME, "=?base64?ZWNoby!?="),
                mismatch("a name in Base64 without its padding", other).with(NAME, "=?base64?ZWNobw?="),
                mismatch("a name in Base64 of bytes that are no text", other).with(NAME, "=?base64?/w==?="),
                mismatch("a name in Base64 with bits to spare", other).with(NAME, "=?base64?ZWNobx==?="),
                mismatch("another name in Base64", "`" + NAME + "` is not `params.name`")
                        .with(NAME, "=?base64?cmVhZA==?="),
                mismatch("a name in Base64 in capitals", "`" + NAME + "` is not `params.name`")
                        .with(NAME, "=?BASE64?ZWNobw==?="),
                mismatch("a name with a letter that no header has", other).with(NAME, "\u00e9cho"),
                mismatch("a name for a call that has none", "`" + NAME + "` is not `params.name`")
                        .body(CALL.replace("\"name\":\"echo\",", "")),
                asks(
                                "another resource",
                                400,
                                MISMATCH,
                                "is not `params.uri`",
                                "resources/read",
                                "\"uri\":\"" + MARK + "\"")
                        .with(NAME, "note:1"),
                asks(
                        "no resource",
                        400,
                        MISMATCH,
                        "send the header `" + NAME + "`",
                        "resources/read",
                        "\"uri\":\"" + MARK + "\""),
                asks(
                                "another prompt",
                                400,
                                MISMATCH,
                                "is not `params.name`",
                                "prompts/get",
                                "\"name\":\"" + MARK + "\"")
                        .with(NAME, "p"),
                asks(
                                "another task",
                                400,
                                MISMATCH,
                                "is not `params.taskId`",
                                "tasks/get",
                                "\"taskId\":\"" + MARK + "\"")
                        .with(NAME, "t"),
                asks(
                        "no task",
                        400,
                        MISMATCH,
                        "send the header `" + NAME + "`",
                        "tasks/cancel",
                        "\"taskId\":\"" + MARK + "\""));
    }

    /** A tool's arguments that stand in headers too. */
    static List<HostileRequest> arguments() {
        String other = "`" + PARAM + "` holds characters that a header can't have, or Base64 of something else";
        String body = call("mirror", "{\"region\":\"" + MARK + "\"}");
        return Stream.of(
                        mismatch("no argument in a header", "send the header `" + PARAM + "`, the argument `region`"),
                        mismatch("two arguments", "send `" + PARAM + "` at most once")
                                .raw(PARAM + ": " + MARK)
                                .raw(PARAM + ": eu"),
                        mismatch("another argument", "`" + PARAM + "` is not the argument `region`")
                                .raw(PARAM + ": eu"),
                        mismatch("an argument in capitals", "`" + PARAM + "` is not the argument `region`")
                                .raw(PARAM + ": HOSTILE-4711"),
                        mismatch("an argument in Base64 that is broken", other).raw(PARAM + ": =?base64?###?="),
                        mismatch("another argument in Base64", "`" + PARAM + "` is not the argument `region`")
                                .raw(PARAM + ": =?base64?ZXU=?="))
                .map(each -> each.with(NAME, "mirror").body(body))
                .toList();
    }

    /** An argument that only the header has. */
    static List<HostileRequest> argumentsThatAreNotThere() {
        String says = "`" + PARAM + "` is not the argument `region`";
        return Stream.of("{}", "{\"region\":null}", "{\"region\":[\"" + MARK + "\"]}", "{\"region\":{\"a\":1}}")
                .map(arguments -> mismatch("a header for the arguments " + arguments, says)
                        .with(NAME, "mirror")
                        .with(PARAM, MARK)
                        .body(call("mirror", arguments)))
                .toList();
    }

    /** What each request must say of its client. */
    static List<HostileRequest> metadata() {
        String capabilities = "`_meta` must have `" + PREFIX + "clientCapabilities`, an object";
        String unsupported = "this protocol version is not served; use a supported one";
        return List.of(
                invalid(
                        "no metadata",
                        CALL.replace("," + META, ""),
                        "`_meta` must say `" + PREFIX + "protocolVersion`"),
                invalid(
                        "no parameters",
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}",
                        "`_meta` must say"),
                invalid(
                        "metadata in a list",
                        CALL.replace(META, "\"_meta\":[\"" + REVISION + "\"]"),
                        "`_meta` must say"),
                invalid("metadata as a text", CALL.replace(META, "\"_meta\":\"" + REVISION + "\""), "`_meta` must say"),
                invalid(
                        "no version in the body",
                        CALL.replace(PREFIX + "protocolVersion", "protocolVersion"),
                        "`_meta` must say"),
                invalid(
                        "a version in capitals",
                        CALL.replace(PREFIX + "protocolVersion", PREFIX + "ProtocolVersion"),
                        "`_meta` must say"),
                invalid(
                        "a version that is a number",
                        CALL.replace("\"" + REVISION + "\"", "20260728"),
                        "`" + PREFIX + "protocolVersion` must be a text"),
                invalid(
                        "a version in a list",
                        CALL.replace("\"" + REVISION + "\"", "[\"" + REVISION + "\"]"),
                        "`" + PREFIX + "protocolVersion` must be a text"),
                invalid("no capabilities", CALL.replace(",\"" + PREFIX + "clientCapabilities\":{}", ""), capabilities),
                invalid("capabilities in a list", CALL.replace("Capabilities\":{}", "Capabilities\":[]"), capabilities),
                invalid("capabilities of null", CALL.replace("Capabilities\":{}", "Capabilities\":null"), capabilities),
                invalid(
                        "a gravity that is none",
                        CALL.replace("Capabilities\":{}", "Capabilities\":{},\"" + PREFIX + "logLevel\":\"loud\""),
                        "`" + PREFIX + "logLevel` must be one of debug, info"),
                invalid(
                        "a gravity that is a number",
                        CALL.replace("Capabilities\":{}", "Capabilities\":{},\"" + PREFIX + "logLevel\":1"),
                        "`" + PREFIX + "logLevel` must be one of debug, info"),
                of("an older version", 400, UNSUPPORTED, unsupported)
                        .with(VERSION, "2025-11-25")
                        .body(CALL.replace(REVISION, "2025-11-25")),
                of("a version to come", 400, UNSUPPORTED, unsupported)
                        .with(VERSION, "2027-01-01")
                        .body(CALL.replace(REVISION, "2027-01-01")),
                of("a version that is none", 400, UNSUPPORTED, unsupported)
                        .with(VERSION, "DRAFT-2026-v1")
                        .body(CALL.replace(REVISION, "DRAFT-2026-v1")),
                of("metadata twice", 400, -32700, "malformed JSON").body(CALL.replace(META, META + "," + META)),
                of("a version twice", 400, -32700, "malformed JSON")
                        .body(CALL.replace(
                                "\"_meta\":{", "\"_meta\":{\"" + PREFIX + "protocolVersion\":\"2025-11-25\",")));
    }

    /** What this revision has not. */
    static List<HostileRequest> methods() {
        List<HostileRequest> all = new ArrayList<>();
        for (String method : List.of(
                "initialize",
                "ping",
                "logging/setLevel",
                "resources/subscribe",
                "resources/unsubscribe",
                "tasks/result",
                "tasks/list")) {
            String params = method.startsWith("resources") ? "\"uri\":\"" + MARK + "\"" : "\"x\":\"" + MARK + "\"";
            all.add(asks(
                    "the method " + method,
                    404,
                    NO_METHOD,
                    "method not found: revision " + REVISION + " has no `" + method + "`",
                    method,
                    params));
        }
        String none = "use POST; there are no sessions and no other streams in this revision";
        for (String method : List.of("GET", "DELETE", "PUT", "HEADER")) {
            all.add(of("the HTTP method " + method, 405, INVALID_REQUEST, none).line(method + " /mcp HTTP/1.1"));
        }
        all.add(of("a stream that is to go on", 405, INVALID_REQUEST, none)
                .line("GET /mcp HTTP/1.1")
                .with("Last-Event-ID", "00000000-7-1")
                .body(""));
        all.add(of("a session that is to end", 405, INVALID_REQUEST, none)
                .line("DELETE /mcp HTTP/1.1")
                .with("Mcp-Session-Id", "0".repeat(48))
                .body(""));
        return all;
    }

    /** What is no request at all. */
    static List<HostileRequest> others() {
        String answers = "answers are not taken since " + REVISION;
        String told = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/" + MARK + "\",\"params\":{" + META + "}}";
        String listen = "`notifications` must be an object, and `resourceSubscriptions` in it a list of texts";
        return List.of(
                of("an answer", 400, INVALID_REQUEST, answers)
                        .body("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":\"" + MARK + "\"}}"),
                of("an error", 400, INVALID_REQUEST, answers)
                        .body("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"" + MARK + "\"}}"),
                of("an answer to what sluice asks", 400, INVALID_REQUEST, answers)
                        .body("{\"jsonrpc\":\"2.0\",\"id\":\"sluice-1\",\"result\":{\"x\":\"" + MARK + "\"}}"),
                of("a batch", 400, INVALID_REQUEST, "batches are not accepted").body("[" + CALL + "]"),
                of("an id of null", 400, INVALID_REQUEST, "the id must be a string or a number")
                        .body(CALL.replace("\"id\":1", "\"id\":null")),
                of("a giant id", 400, INVALID_REQUEST, "the id is longer than")
                        .body(CALL.replace("\"id\":1", "\"id\":\"" + "i".repeat(50_000) + "\"")),
                of("a notification without its method", 400, MISMATCH, "send the header `" + METHOD + "`")
                        .with(METHOD, "")
                        .body(told),
                of("a notification of another method", 400, MISMATCH, "`" + METHOD + "` is not the `method`")
                        .body(told),
                of("a notification of another version", 400, UNSUPPORTED, "this protocol version is not served")
                        .with(METHOD, "notifications/" + MARK)
                        .with(VERSION, "2027-01-01")
                        .body(told.replace(REVISION, "2027-01-01")),
                asks(
                        "a stream for nothing",
                        200,
                        INVALID_PARAMS,
                        listen,
                        "subscriptions/listen",
                        "\"x\":\"" + MARK + "\""),
                asks(
                        "a stream for a list",
                        200,
                        INVALID_PARAMS,
                        listen,
                        "subscriptions/listen",
                        "\"notifications\":[\"" + MARK + "\"]"),
                asks(
                        "a stream for a resource that is no text",
                        200,
                        INVALID_PARAMS,
                        listen,
                        "subscriptions/listen",
                        "\"notifications\":{\"resourceSubscriptions\":[{\"" + MARK + "\":1}]}"),
                asks(
                        "a stream for resources that are no list",
                        200,
                        INVALID_PARAMS,
                        listen,
                        "subscriptions/listen",
                        "\"notifications\":{\"resourceSubscriptions\":\"" + MARK + "\"}"));
    }

    /** A conversation's name is a text, and said once. */
    static List<HostileRequest> conversations() {
        String says = "names the conversation here: send it once, as a text of 1 to 512 characters, or leave it out";
        List<HostileRequest> all = new ArrayList<>();
        for (String value : List.of("7", "\"\"", "[\"a\"]", "null", "{\"a\":1}", "\"" + "c".repeat(513) + "\"")) {
            String shown = value.substring(0, Math.min(10, value.length()));
            all.add(invalid(
                    "the conversation " + shown,
                    CALL.replace("\"_meta\":{", "\"_meta\":{\"openai/session\":" + value + ","),
                    "`_meta` member `openai/session` " + says));
        }
        all.add(invalid("two conversations", CALL, "the header `x-conversation` " + says)
                .raw("x-conversation: a")
                .raw("X-Conversation: b"));
        all.add(invalid("a long conversation", CALL, "the header `x-conversation` " + says)
                .raw("x-conversation: " + "c".repeat(513)));
        return all;
    }

    /** What comes back by a state that was never given, or not for this. */
    static List<HostileRequest> states() {
        String nothing = "nothing waits under this `requestState`";
        String state = "\"requestState\":\"sluice-parked:" + "0".repeat(48) + "\"";
        return List.of(
                of("a state of nobody's", 200, INVALID_PARAMS, nothing)
                        .body(request(
                                "tools/call",
                                "\"name\":\"echo\",\"arguments\":{\"text\":\"" + MARK + "\"}," + state + "," + META)),
                of("a state of nobody's, with answers", 200, INVALID_PARAMS, nothing)
                        .body(request(
                                "tools/call",
                                "\"name\":\"echo\",\"inputResponses\":{\"a\":{\"action\":\"accept\",\"content\":{\"x\":\""
                                        + MARK + "\"}}}," + state + "," + META)),
                of("a state that is cut short", 200, INVALID_PARAMS, nothing)
                        .body(request(
                                "tools/call",
                                "\"name\":\"echo\",\"arguments\":{\"text\":\"" + MARK
                                        + "\"},\"requestState\":\"sluice-parked:\"," + META)),
                asks(
                        "a state of nobody's for a list",
                        200,
                        INVALID_PARAMS,
                        nothing,
                        "tools/list",
                        "\"cursor\":\"" + MARK + "\"," + state),
                asks(
                                "a state of nobody's for a resource",
                                200,
                                INVALID_PARAMS,
                                nothing,
                                "resources/read",
                                "\"uri\":\"" + MARK + "\"," + state)
                        .with(NAME, MARK));
    }

    static List<HostileRequest> all() {
        return Stream.of(
                        headers(),
                        arguments(),
                        argumentsThatAreNotThere(),
                        metadata(),
                        methods(),
                        others(),
                        conversations(),
                        states())
                .flatMap(List::stream)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("all")
    void isRefused_withTheReason_andReachesNoServer(HostileRequest hostile) throws Exception {
        String answer = hostile.send(gateway.address, "");
        hostile.assertRefused(answer);
        assertFalse(answer.contains(MARK), "nothing of it comes back: " + answer);
        assertFalse(answer.contains("Exception"), answer);
        assertFalse(answer.toLowerCase(Locale.ROOT).contains("mcp-session-id"), answer);
        assertFalse(received().contains(MARK), hostile + " reached the server");
        assertFalse(gateway.errors().contains(MARK), hostile + " stands in the log");
        assertEquals("well-meant", echo(), hostile + ": it works on");
    }

    private String received() throws IOException {
        return Files.readString(folder.resolve("received"));
    }

    /** What has the form of a header's value is sent as it is, or as Base64 of itself; both are it. */
    @Test
    void rightHeaders_inEachForm_areTaken() throws Exception {
        for (String name : List.of("echo", " echo ", "=?base64?ZWNobw==?=")) {
            ModernClient.Asked asked = client.call("echo", "{\"text\":\"x\"}").header("Mcp-Name", name);
            assertEquals("x", StdioHost.text(asked.answer().path("result")), name);
        }
        for (String region : List.of("eu", "=?base64?ZXU=?=")) {
            ModernClient.Asked asked =
                    client.call("mirror", "{\"region\":\"eu\"}").header(PARAM, region);
            assertEquals("eu", StdioHost.text(asked.answer().path("result")), region);
        }
        ModernClient.Asked umlaut =
                client.call("mirror", "{\"region\":\"\u00e9\"}").header(PARAM, "=?base64?w6k=?=");
        assertEquals("\u00e9", StdioHost.text(umlaut.answer().path("result")));
        ModernClient.Asked more = client.call("echo", "{\"text\":\"x\"}").header("Mcp-Param-Unknown", "anything");
        assertEquals("x", StdioHost.text(more.answer().path("result")), "what no schema knows is nobody's");
    }

    /** What older revisions have is not looked at, and is no way into a session that somebody has. */
    @Test
    void sessionOfALegacyClient_isNoneHere() throws Exception {
        gateway.initialize();
        try {
            HttpResponse<String> answer = client.call("echo", "{\"text\":\"x\"}")
                    .header("Mcp-Session-Id", gateway.session)
                    .header("Last-Event-ID", "00000000-7-1")
                    .send();
            assertEquals(200, answer.statusCode(), answer.body());
            assertTrue(answer.headers().firstValue("Mcp-Session-Id").isEmpty());
            for (String method : List.of("GET", "DELETE")) {
                HostileRequest hostile = of(
                                "the HTTP method " + method + " for a session", 405, INVALID_REQUEST, "use POST")
                        .line(method + " /mcp HTTP/1.1")
                        .with("Mcp-Session-Id", "<session>")
                        .body("");
                hostile.assertRefused(hostile.send(gateway.address, gateway.session));
            }
            HostileRequest older = invalid("a request of the session", request("tools/list", ""), "`_meta` must say")
                    .with("Mcp-Session-Id", "<session>");
            older.assertRefused(older.send(gateway.address, gateway.session));
            assertTrue(gateway.ask("tools/list", "{}").path("result").has("tools"), "the session goes on");
        } finally {
            gateway.endSessions();
        }
    }

    /** Ids of clients that share a session are told apart, whatever they are. */
    @ParameterizedTest
    @MethodSource("ids")
    void id_comesBackByteForByte(String id) throws Exception {
        String answer = of("fine", 200, 0, "")
                .body(CALL.replace(MARK, "x").replace("\"id\":1", "\"id\":" + id))
                .send(gateway.address, "");
        assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
        assertTrue(answer.contains("\"id\":" + id + ","), answer);
    }

    static List<String> ids() {
        return HostileHttpTest.ids();
    }

    /** Streams have no end of their own: they are counted for each principal, apart from what waits for its answer. */
    @Test
    void floodOfStreams_isRefused_andOverWithThem() throws Exception {
        List<Socket> open = new ArrayList<>();
        try {
            for (int i = 0; i < STREAMS; i++) {
                open.add(listen());
            }
            HttpResponse<String> more =
                    client.ask("subscriptions/listen", "{\"notifications\":{}}").send();
            assertEquals(429, more.statusCode(), more.body());
            assertTrue(
                    more.body().contains(STREAMS + " streams of `subscriptions/listen` of yours are open"),
                    more.body());
            assertEquals("well-meant", echo());
        } finally {
            for (Socket each : open) {
                each.close();
            }
        }
        assertEquals("well-meant", echo());
        // That somebody left is noticed when there is a sign of life to send; other cases need the place.
        int status = 429;
        for (int look = 0; look < 600 && status == 429; look++) {
            Thread.sleep(100);
            status = client.ask("subscriptions/listen", "{}").send().statusCode();
        }
        assertNotEquals(429, status, "the streams are over, and count");
    }

    private Socket listen() throws IOException {
        Socket socket = new Socket(gateway.address.getHost(), gateway.address.getPort());
        socket.setSoTimeout(60_000);
        String body = request("subscriptions/listen", "\"notifications\":{\"toolsListChanged\":true}," + META);
        OutputStream out = socket.getOutputStream();
        out.write(("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        + "Accept: application/json, text/event-stream\r\n" + VERSION + ": " + REVISION + "\r\n"
                        + METHOD
                        + ": subscriptions/listen\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.US_ASCII));
        InputStream in = socket.getInputStream();
        StringBuilder head = new StringBuilder();
        while (!head.toString().contains("acknowledged")) {
            int next = in.read();
            assertTrue(next >= 0, "the stream ended: " + head);
            head.append((char) next);
        }
        return socket;
    }
}
