package dev.sluice.gateway.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.guard.message.RpcMessage;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which messages are of modern clients, what their headers must say, and with which status they are answered. */
class ModernHeadersTest {

    private static final Set<String> LEGACY = Set.of("2024-11-05", "2025-06-18", "2025-11-25");

    private static RpcMessage message(String text) {
        return RpcMessage.parse(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private static RpcMessage asked(String method, String version) {
        String meta = version.isEmpty() ? "" : "'_meta':{'io.modelcontextprotocol/protocolVersion':'" + version + "'}";
        return message("{'jsonrpc':'2.0','id':1,'method':'" + method + "','params':{" + meta + "}}");
    }

    /** Names without regard to case. */
    private static Function<String, List<String>> headers(String... namesAndValues) {
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (int i = 0; i < namesAndValues.length; i += 2) {
            if (!namesAndValues[i + 1].isEmpty()) {
                headers.put(namesAndValues[i], namesAndValues[i + 1]);
            }
        }
        return name -> Optional.ofNullable(headers.get(name)).stream().toList();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                // method, in the body, in the header, session, modern?
                "tools/call, 2026-07-28, 2026-07-28, '', true",
                "tools/call, 2026-07-28, '', '', true",
                "tools/call, 2026-07-28, 2025-11-25, s, true",
                "tools/call, '', 2026-07-28, '', true",
                "tools/call, '', 2031-01-01, s, true",
                "tools/call, '', 2025-11-25, '', false",
                "tools/call, '', garbage, '', false",
                "tools/call, '', 9999, '', false",
                "tools/call, garbage, garbage, '', true",
                "tools/call, 2025-11-25, 2025-11-25, '', true",
                "tools/call, 2025-11-25, 2025-11-25, s, false",
                "tools/call, 2025-11-25, 2026-07-28, s, true",
                "tools/call, 1999-01-01, 2025-11-25, s, true",
                "initialize, '', '', '', false",
                "initialize, 2025-11-25, '', '', false",
                "initialize, 2026-07-28, 2026-07-28, '', true",
            })
    void messageIsModern_byWhatItAndItsHeaderSay(
            String method, String body, String header, String session, boolean modern) {
        assertEquals(
                modern,
                ModernHeaders.isModern(
                        asked(method, body),
                        headers("mcp-protocol-version", header, "Mcp-Session-Id", session),
                        LEGACY));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tools/call | {'name':'a'} | a |",
                "tools/call | {'name':'é'} | =?base64?w6k=?= |",
                "tools/call | {'name':'a'} | | send the header `Mcp-Name`",
                "tools/call | {'name':'a'} | A | `Mcp-Name` is not `params.name`",
                "tools/call | {'name':'é'} | é | `Mcp-Name` holds characters that a header can't have, or Base64 of something else",
                "tools/call | {} | a | `Mcp-Name` is not `params.name`",
                "tools/call | {'name':7} | 7 | `Mcp-Name` is not `params.name`",
                "tools/call | {} | |",
                "tools/call | [] | |",
                "prompts/get | {'name':'a'} | b | `Mcp-Name` is not `params.name`",
                "resources/read | {'uri':'u:1','name':'b'} | b | `Mcp-Name` is not `params.uri`",
                "tasks/get | {'taskId':'t'} | u | `Mcp-Name` is not `params.taskId`",
                "tasks/update | {'taskId':'t'} | t |",
                "tools/list | {'name':'a'} | b |",
            })
    void nameOfTheHeader_isThatOfTheBody(String method, String params, String name, String why) {
        RpcMessage.Request asked = (RpcMessage.Request)
                message("{'jsonrpc':'2.0','id':1,'method':'" + method + "','params':" + params + "}");
        assertEquals(
                Optional.ofNullable(why),
                ModernHeaders.ofMethod(
                        method,
                        asked.params(),
                        true,
                        headers("Mcp-Method", method, "Mcp-Name", name == null ? "" : name)));
    }

    @Test
    void headersOfANotification_areItsMethodAlone() {
        assertEquals(
                Optional.empty(),
                ModernHeaders.ofMethod("tools/call", Optional.empty(), false, headers("Mcp-Method", "tools/call")));
        assertEquals(
                Optional.of("send the header `Mcp-Method`"),
                ModernHeaders.ofMethod("notifications/x", Optional.empty(), false, headers()));
    }

    @ParameterizedTest
    @CsvSource({
        "-32601, 404",
        "-32020, 400",
        "-32021, 400",
        "-32022, 400",
        "-32602, 200",
        "-32603, 200",
        "-31403, 200",
        "-32601.5, 200",
        "1e400, 200",
        "'\"-32601\"', 200",
    })
    void statusOfAFailure_isThatOfItsCode(String code, int status) {
        assertEquals(
                status,
                ModernStatus.of(("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":" + code + ",\"message\":\"m\"}}")
                        .getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void statusOfAnythingElse_is200() {
        for (String answer : List.of(
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"error\":{\"code\":-32601}}}",
                "no json",
                "{\"error\":{\"code\":-32601,\"message\":\"" + "x".repeat(70_000) + "\"}}")) {
            assertEquals(200, ModernStatus.of(answer.getBytes(StandardCharsets.UTF_8)), answer.substring(0, 7));
        }
    }
}
