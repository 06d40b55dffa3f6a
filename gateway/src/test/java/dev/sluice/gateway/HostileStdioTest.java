// This file has more than 400 lines because each line that nobody should write stands here with what comes of it.
package dev.sluice.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Lines that no well-meaning client or server writes. Each has its answer, or the line of the log that it costs; what comes
 * next to the other side is the next good message, so nothing of it was passed on.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileStdioTest {

    private static final int LIMIT = 100_000;

    /** Stands in what is hostile, so that what is repeated would show. */
    private static final String MARK = "hostile-4711";

    private static final String CALL =
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":\""
                    + MARK + "\"}}}";

    private static final String RESULT =
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[],\"x\":\"" + MARK + "\"}}";

    private static final String SYNTAX = "something that JSON doesn't allow here; send JSON as RFC 8259 has it";
    private static final String TRUNCATED = "the text ends inside a value; send the whole text";
    private static final String TRAILING = "more text after the value; send one value in one text";
    private static final String MARKED = "a byte order mark; send UTF-8 without it";
    private static final String NO_UTF8 = "bytes that aren't UTF-8; encode the text as UTF-8";
    private static final String CONTROL = "a raw control character in a string; escape it, such as \\n or \\u0000";
    private static final String TWICE = "a member name that its object already has; send each name once";
    private static final String HALF = "a member name with half of a surrogate pair; write both halves or neither";
    private static final String DEEP = "more nested levels than the limit allows; nest less deeply";
    private static final String LONG = "a number longer or larger than the limit allows; send it as a string";

    private static final String BATCH = "batches are not accepted; send one message at a time";
    private static final String OBJECT = "a message must be a JSON object";
    private static final String VERSION = "a message must say `\"jsonrpc\":\"2.0\"`";
    private static final String ONE_OF = "a message must have exactly one of `method`, `result` and `error`";
    private static final String ID = "the id must be a string or a number";
    private static final String LONG_ID = "the id is longer than 1000 bytes";

    @TempDir
    private static Path folder;

    private final List<AutoCloseable> opened = new ArrayList<>();

    /** One line for all cases of clients. */
    private StdioEnds line;

    private int good;

    @BeforeAll
    void open() throws Exception {
        opened.add(State.open(folder.resolve("state")));
        line = ends();
        opened.add(line);
    }

    @AfterAll
    void close() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    private StdioEnds ends() throws Exception {
        return new StdioEnds(
                StdioEnds.guard(
                        (State) opened.get(0),
                        "{version: 1, servers: {a: {command: a, defaults: {integrity: trusted, confidentiality: public}}}}"),
                folder,
                LIMIT);
    }

    /** Bytes of a line, and what is said of them. */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares cases
    record Case(String name, byte[] bytes, int code, String says) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Case malformed(String name, String line, String fault) {
        return new Case(name, StdioEnds.bytes(line), -32700, "malformed JSON at byte N: " + fault);
    }

    private static Case invalid(String name, String line, String says) {
        return new Case(name, StdioEnds.bytes(line), -32600, says);
    }

    private static Case odd(String name, String line, String fault, int... odd) {
        int at = line.indexOf(MARK);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(StdioEnds.bytes(line.substring(0, at)));
        for (int each : odd) {
            out.write(each);
        }
        out.writeBytes(StdioEnds.bytes(line.substring(at)));
        return new Case(name, out.toByteArray(), -32700, "malformed JSON at byte N: " + fault);
    }

    /** What is wrong with a message, whichever it is. */
    private static List<Case> messages(String message, String member) {
        String key = "\"" + member + "\"";
        return List.of(
                invalid("a batch", "[" + message + "]", BATCH),
                invalid("an empty batch", "[]", BATCH),
                invalid("a batch of batches", "[[" + message + "]]", BATCH),
                malformed("two messages", message + message, TRAILING),
                malformed("two messages with a comma", message + "," + message, TRAILING),
                malformed("two messages with a carriage return", message + "\r" + message, TRAILING),
                malformed("plain words", MARK, SYNTAX),
                malformed("a header of HTTP", "Content-Length: 17", SYNTAX),
                malformed("a message cut short", message.substring(0, message.length() - 2), TRUNCATED),
                malformed("an open brace", "{", TRUNCATED),
                malformed("a comment", "/* x */" + message, SYNTAX),
                malformed("a trailing comma", message.substring(0, message.length() - 1) + ",}", SYNTAX),
                malformed("single quotes", message.replace('"', '\''), SYNTAX),
                malformed("a member that is no number", message.replace("2.0\"", "2.0\",\"x\":NaN"), SYNTAX),
                malformed("a number with a plus", message.replace("\"id\":7", "\"id\":+7"), SYNTAX),
                malformed("a number that begins with zero", message.replace("\"id\":7", "\"id\":07"), SYNTAX),
                malformed("a null outside of texts", message.replaceFirst(",", "\u0000,"), SYNTAX),
                odd("a null in a text", message, CONTROL, 0),
                odd("a tab in a text", message, CONTROL, '\t'),
                odd("a carriage return in a text", message, CONTROL, '\r'),
                odd("an escape of a terminal in a text", message, CONTROL, 0x1b, '[', '2', 'J'),
                odd("bytes that are no UTF-8", message, NO_UTF8, 0xff),
                odd("an overlong quote", message, NO_UTF8, 0xc0, 0xa2),
                odd("an encoded surrogate", message, NO_UTF8, 0xed, 0xa0, 0x80),
                odd("a character cut short", message, NO_UTF8, 0xe2, 0x82),
                odd("beyond Unicode", message, NO_UTF8, 0xf4, 0x90, 0x80, 0x80),
                malformed("a byte order mark", "\ufeff" + message, MARKED),
                new Case(
                        "UTF-16",
                        message.getBytes(StandardCharsets.UTF_16LE),
                        -32700,
                        "malformed JSON at byte N: " + SYNTAX),
                malformed("a key twice: id", message.replace("\"id\":7", "\"id\":7,\"id\":8"), TWICE),
                malformed("a key twice: version", message.replaceFirst("\\{", "{\"jsonrpc\":\"2.0\","), TWICE),
                malformed("a key twice", message.replace(key, key + ":1," + key), TWICE),
                malformed(
                        "a key twice, once in escapes",
                        message.replace(
                                key,
                                "\"\\u00" + Integer.toHexString(member.charAt(0)) + member.substring(1) + "\":1,"
                                        + key),
                        TWICE),
                malformed("half a surrogate pair in a name", message.replace(key, "\"\\udc00\":1," + key), HALF),
                malformed(
                        "too deep",
                        message.replace(key, "\"d\":" + "[".repeat(300) + "]".repeat(300) + "," + key),
                        DEEP),
                malformed(
                        "too deep, objects",
                        message.replace(key, "\"d\":" + "{\"a\":".repeat(300) + "1" + "}".repeat(300) + "," + key),
                        DEEP),
                malformed("a very long number", message.replace(key, "\"n\":" + "9".repeat(2_000) + "," + key), LONG),
                invalid("a number", "17", OBJECT),
                invalid("a text", "\"" + MARK + "\"", OBJECT),
                invalid("null", "null", OBJECT),
                invalid("an empty object", "{}", VERSION),
                invalid("no version", message.replace("\"jsonrpc\":\"2.0\",", ""), VERSION),
                invalid("version 1", message.replace("\"2.0\"", "\"1.0\""), VERSION),
                invalid("version as a number", message.replace("\"2.0\"", "2.0"), VERSION),
                invalid("version as a list", message.replace("\"2.0\"", "[\"2.0\"]"), VERSION),
                invalid("nothing but an id", "{\"jsonrpc\":\"2.0\",\"id\":7}", ONE_OF));
    }

    private static List<Case> asked() {
        List<Case> all = new ArrayList<>(messages(CALL, "text"));
        all.addAll(List.of(
                invalid("an id of null", CALL.replace("\"id\":7", "\"id\":null"), ID),
                invalid("an id that is true", CALL.replace("\"id\":7", "\"id\":true"), ID),
                invalid("an id that is a list", CALL.replace("\"id\":7", "\"id\":[7]"), ID),
                invalid("an id that is an object", CALL.replace("\"id\":7", "\"id\":{}"), ID),
                invalid("a giant id", CALL.replace("\"id\":7", "\"id\":\"" + "i".repeat(5_000) + "\""), LONG_ID),
                invalid("a request that is an answer too", CALL.replace("\"id\":7", "\"id\":7,\"result\":{}"), ONE_OF),
                invalid("a method that is no text", CALL.replace("\"tools/call\"", "{}"), "`method` must be a string"),
                invalid(
                        "parameters that are a text",
                        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"x\",\"params\":\"" + MARK + "\"}",
                        "`params` must be an object")));
        return all;
    }

    @ParameterizedTest
    @MethodSource("asked")
    void lineOfAClient_isRefusedWithTheReason(Case hostile) throws Exception {
        line.client(hostile.bytes());
        line.client("");
        assertEquals(
                "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":" + hostile.code() + ",\"message\":\""
                        + hostile.says().replace("\\", "\\\\").replace("\"", "\\\"") + "\"}}",
                line.atClient().replaceFirst("at byte \\d+", "at byte N"));
        nothingElse(line);
        assertEquals(List.of(), line.logged);
    }

    /** The next message of either side is the next one at the other. */
    private void nothingElse(StdioEnds ends) throws Exception {
        String next = "{\"jsonrpc\":\"2.0\",\"method\":\"good/" + ++good + "\"}";
        ends.client(next);
        assertEquals(next, ends.atServer());
        ends.server(next);
        assertEquals(next, ends.atClient());
    }

    /** What is no answer to anything, or can't be one. It is not answered: two that do so would go on for ever. */
    private static List<Case> answered() {
        List<Case> all = new ArrayList<>();
        String nothing = "an answer to nothing that was asked";
        for (String id : List.of(
                "7", "\"7\"", "\"sluice-1\"", "\"sluice-s1\"", "1e400", "-0", "\"\"", "\"" + "i".repeat(998) + "\"")) {
            all.add(invalid("an orphan " + id, RESULT.replace("\"id\":7", "\"id\":" + id), nothing));
        }
        all.addAll(List.of(
                invalid(
                        "an orphan failure",
                        "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":1,\"message\":\"" + MARK + "\"}}",
                        nothing),
                invalid("an answer to nobody", RESULT.replace("\"id\":7", "\"id\":null"), ID),
                invalid("a failure of nobody", "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{}}", ID),
                invalid("an answer without an id", RESULT.replace("\"id\":7,", ""), "an answer must have an `id`"),
                invalid("an answer to a list", RESULT.replace("\"id\":7", "\"id\":[7]"), ID),
                invalid(
                        "an answer to a giant id",
                        RESULT.replace("\"id\":7", "\"id\":\"" + "i".repeat(999) + "\""),
                        LONG_ID),
                invalid("result and error", RESULT.replace("\"id\":7", "\"id\":7,\"error\":{}"), ONE_OF)));
        return all;
    }

    @ParameterizedTest
    @MethodSource("answered")
    void answerOfAClientToNothing_isSkipped_andNotAnswered(Case hostile) throws Exception {
        line.client(new String(hostile.bytes(), StandardCharsets.UTF_8));
        nothingElse(line);
        assertEquals(List.of("skipped from the client: " + hostile.says()), line.logged);
        line.logged.clear();
    }

    @Test
    void cancellationsOfNothing_areDropped() throws Exception {
        for (String id :
                List.of("7", "\"" + MARK + "\"", "null", "{\"a\":1}", "[7]", "true", "\"" + "i".repeat(999) + "\"")) {
            line.client("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" + id
                    + "}}");
        }
        line.client("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}");
        line.client("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":[7]}");
        nothingElse(line);
    }

    @Test
    void lineOverTheLimit_isAnsweredUnderItsId_orSkipped() throws Exception {
        String call = CALL.replace(MARK, "x".repeat(LIMIT));
        line.client(call);
        assertEquals(
                "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32600,\"message\":\"the message has "
                        + call.length() + " bytes, more than the limit\"}}",
                line.atClient());
        line.client("x".repeat(LIMIT + 1));
        line.client(RESULT.replace(MARK, "x".repeat(LIMIT)));
        nothingElse(line);
        assertEquals(2, line.logged.size(), line.logged.toString());
        assertEquals("skipped from the client: the message has 100001 bytes, more than the limit", line.logged.get(0));
        line.logged.clear();
    }

    @Test
    void idInUse_isRefused_howeverItIsWritten() throws Exception {
        line.client("{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"method\":\"x\"}");
        line.atServer();
        for (String id : List.of("9007199254740993", "9007199254740993.0", "9007199254740993e0", "9007199254740992")) {
            line.client("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"tools/call\",\"params\":{\"name\":\""
                    + MARK + "\"}}");
            assertEquals(
                    "{\"jsonrpc\":\"2.0\",\"id\":" + id
                            + ",\"error\":{\"code\":-32600,\"message\":\"the id is in use by a"
                            + " request that has no answer yet\"}}",
                    line.atClient());
        }
        line.server("{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"error\":{}}");
        assertEquals("{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"error\":{}}", line.atClient());
        nothingElse(line);
    }

    @Test
    void probeOfARevisionThatIsNotServed_isAnsweredHere() throws Exception {
        line.client("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"server/discover\"}");
        assertEquals(
                "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32601,\"message\":\"method not found: begin with"
                        + " `initialize`\"}}",
                line.atClient());
        nothingElse(line);
    }

    @Test
    void blankLinesAndCarriageReturns_areNoMessages() throws Exception {
        line.client("\r");
        line.client("");
        line.client(" \t ");
        line.server("\r");
        String good = "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}";
        line.client(good + "\r");
        assertEquals(good, line.atServer());
        line.server(" " + good + "\r");
        assertEquals(good, line.atClient());
        nothingElse(line);
    }

    /** The client's handshake is the server's: what comes before it, or twice, is for the server to refuse. */
    @Test
    void callBeforeTheHandshake_andASecondHandshake_areForTheServer() throws Exception {
        try (StdioEnds fresh = ends()) {
            fresh.client(CALL);
            assertEquals(CALL, fresh.atServer());
            String refusal =
                    "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32002,\"message\":\"initialize first\"}}";
            fresh.server(refusal);
            assertEquals(refusal, fresh.atClient());
            for (String id : List.of("8", "9")) {
                fresh.client("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"initialize\"}");
                assertEquals("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"initialize\"}", fresh.atServer());
            }
            nothingElse(fresh);
            assertEquals(List.of(), fresh.logged);
            fresh.server("{\"jsonrpc\":\"2.0\",\"id\":8,\"error\":{}}");
            fresh.server("{\"jsonrpc\":\"2.0\",\"id\":9,\"error\":{}}");
            fresh.atClient();
            fresh.atClient();
        }
    }

    @Test
    void halfALineAtTheEnd_isNoMessage() throws Exception {
        try (StdioEnds fresh = ends()) {
            fresh.client(StdioEnds.bytes(CALL));
            assertEquals(0, fresh.endOfClient());
            assertTrue(fresh.isSilent());
            assertEquals(List.of(), fresh.logged);
        }
    }

    @Test
    void halfAnAnswerAtTheEndOfAServer_isNoAnswer() throws Exception {
        try (StdioEnds fresh = ends()) {
            fresh.client(CALL);
            fresh.atServer();
            fresh.server(StdioEnds.bytes(RESULT));
            assertEquals(1, fresh.endOfServer());
            assertEquals(lost("its process ended"), fresh.atClient());
            assertTrue(fresh.isSilent());
        }
    }

    private static String lost(String why) {
        return "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"the server `a` gave no answer"
                + " that can be passed on: " + why + ". Whether it did anything is not known.\"}],\"isError\":true}}";
    }

    private static List<Case> said() {
        List<Case> all = new ArrayList<>(messages(RESULT, "x"));
        all.addAll(answered());
        all.add(invalid("a request under no id", CALL.replace("\"id\":7", "\"id\":null"), ID));
        all.add(invalid(
                "a request under a giant id",
                CALL.replace("\"id\":7", "\"id\":\"" + "i".repeat(5_000) + "\""),
                LONG_ID));
        return all;
    }

    /** Each on a line of its own, since the log says less and less of the same. */
    @ParameterizedTest
    @MethodSource("said")
    void lineOfAServer_isSkippedWithALineOfTheLog(Case hostile) throws Exception {
        try (StdioEnds fresh = ends()) {
            fresh.server(hostile.bytes());
            fresh.server("");
            nothingElse(fresh);
            assertEquals(
                    List.of(
                            hostile.says().startsWith("an answer to nothing")
                                    ? "skipped from `a`: " + hostile.says()
                                    : "skipped from `a`: a line on its standard output that is no message ("
                                            + hostile.says() + ")"),
                    fresh.logged.stream()
                            .map(said -> said.replaceFirst("at byte \\d+", "at byte N"))
                            .toList());
        }
    }

    /** Answers to a call that can't be read: the call fails. */
    private static List<Case> unreadable() {
        return List.of(
                malformed("a key twice", RESULT.replace("\"x\"", "\"content\":[],\"x\""), TWICE),
                malformed("too deep", RESULT.replace("[]", "[".repeat(300) + "]".repeat(300)), DEEP),
                odd("no UTF-8", RESULT, NO_UTF8, 0xff),
                malformed("half a pair in a name", RESULT.replace("\"x\"", "\"\\ud800\""), HALF),
                invalid("no version", RESULT.replace("\"jsonrpc\":\"2.0\",", ""), VERSION),
                invalid("result and error", RESULT.replace("\"id\":7", "\"id\":7,\"error\":{}"), ONE_OF));
    }

    @ParameterizedTest
    @MethodSource("unreadable")
    void answerThatCannotBeRead_isAToolError(Case hostile) throws Exception {
        try (StdioEnds fresh = ends()) {
            fresh.client(CALL);
            fresh.atServer();
            fresh.server(hostile.bytes());
            fresh.server("");
            assertEquals(
                    lost("its answer can't be read: " + hostile.says().replace("\"", "\\\"")),
                    fresh.atClient().replaceFirst("at byte \\d+", "at byte N"));
            fresh.server(RESULT);
            nothingElse(fresh);
            assertEquals(List.of("skipped from `a`: an answer to nothing that was asked"), fresh.logged);
        }
    }

    @Test
    void answerOverTheLimit_isAToolError_andOtherLinesAreSkipped() throws Exception {
        try (StdioEnds fresh = ends()) {
            fresh.client(CALL);
            fresh.atServer();
            fresh.server("{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":[\"" + "x".repeat(LIMIT) + "\"]}");
            String result = RESULT.replace(MARK, "x".repeat(LIMIT));
            fresh.server(result);
            assertEquals(lost("its answer has " + result.length() + " bytes, more than the limit"), fresh.atClient());
            nothingElse(fresh);
            assertEquals(1, fresh.logged.size(), fresh.logged.toString());
        }
    }

    @Test
    void secondAnswer_isAnAnswerToNothing() throws Exception {
        try (StdioEnds fresh = ends()) {
            fresh.client(CALL);
            fresh.atServer();
            fresh.server(RESULT);
            assertTrue(fresh.atClient().contains("\"content\":[]"));
            fresh.server(RESULT);
            nothingElse(fresh);
            assertEquals(List.of("skipped from `a`: an answer to nothing that was asked"), fresh.logged);
        }
    }

    /** The client must be able to tell two questions apart; each answer goes back under the server's own id. */
    @Test
    void idThatAServerUsesTwice_isAnotherOneForTheClient() throws Exception {
        try (StdioEnds fresh = ends()) {
            fresh.server("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}");
            fresh.server("{\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"roots/list\"}");
            assertEquals("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}", fresh.atClient());
            assertEquals("{\"jsonrpc\":\"2.0\",\"id\":\"sluice-s1\",\"method\":\"roots/list\"}", fresh.atClient());
            fresh.client("{\"jsonrpc\":\"2.0\",\"id\":\"sluice-s1\",\"result\":{\"roots\":[]}}");
            assertEquals("{\"jsonrpc\":\"2.0\",\"id\":1.0,\"result\":{\"roots\":[]}}", fresh.atServer());
            fresh.client("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"roots\":[]}}");
            assertEquals("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"roots\":[]}}", fresh.atServer());
            nothingElse(fresh);
            assertEquals(List.of(), fresh.logged);
        }
    }
}
