package dev.sluice.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.gateway.transport.UpstreamLink;
import dev.sluice.policy.ServerEra;
import dev.sluice.policy.ServerOffer;
import dev.sluice.policy.ServerPolicy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a server is asked, and what is made of its answers. */
class InventoryTest {

    private static final Duration SOON = Duration.ofMillis(200);

    @TempDir
    private Path folder;

    /** A server that answers each method, and page of it, with a text; it says nothing to any other. */
    private static final class Scripted implements UpstreamLink {
        private final Map<String, String> answers = new TreeMap<>();
        private final List<String> heard = new ArrayList<>();
        private Receiver receiver;
        private String beforeAnswer = "";

        Scripted() {
            answers.put(
                    "initialize",
                    "'result':{'protocolVersion':'2025-11-25','capabilities':{'tools':{},'resources':{},'prompts':{}},"
                            + "'serverInfo':{'name':'s','version':'1'},'instructions':'be brief'}");
            answers.put("tools/list", "'result':{'tools':[{'name':'a'}],'nextCursor':'2'}");
            answers.put("tools/list 2", "'result':{'tools':[{'name':'b'}]}");
            answers.put("resources/list", "'result':{'resources':[{'uri':'n:1','name':'one'}]}");
            answers.put("resources/templates/list", "'error':{'code':-32601,'message':'no such method'}");
            answers.put("prompts/list", "'result':{'prompts':[]}");
        }

        @Override
        public void start(Receiver to) {
            receiver = to;
        }

        @Override
        public void send(byte[] message) {
            JsonNode node = JsonMapper.shared().readTree(message);
            heard.add(node.toString());
            String cursor = node.path("params").path("cursor").asString("");
            String answer = answers.get(node.path("method").asString("") + (cursor.isEmpty() ? "" : " " + cursor));
            if (node.has("id") && answer != null) {
                if (!beforeAnswer.isEmpty()) {
                    say(beforeAnswer);
                }
                say("{'jsonrpc':'2.0','id':" + node.path("id") + "," + answer + "}");
            }
        }

        void say(String text) {
            receiver.text(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public void close() {}
    }

    private static ServerPolicy server(String... command) {
        return ServerPolicy.unstated("s", List.of(command));
    }

    private static Inventory take(Scripted server) throws IOException {
        return Inventory.take("s", server, true, ServerEra.AUTO, SOON);
    }

    private static String fault(Scripted server) {
        return String.valueOf(
                assertThrows(IOException.class, () -> take(server)).getMessage());
    }

    private static List<String> names(Inventory inventory) {
        return inventory.tools().stream().map(ServerOffer.Tool::name).toList();
    }

    @Test
    void allPagesOfAllLists_areTaken() throws Exception {
        Scripted server = new Scripted();

        Inventory inventory = take(server);

        assertEquals(List.of("a", "b"), names(inventory));
        assertEquals(1, inventory.resources().size());
        assertEquals(List.of(), inventory.templates(), "a method that it does not know is an empty list");
        assertEquals(List.of(), inventory.prompts());
        assertEquals("be brief", inventory.instructions());
        assertTrue(inventory.offer().instructions().startsWith("sha256:"));
        assertTrue(server.heard.get(1).contains("notifications/initialized"), server.heard.toString());
    }

    /** A server that has no handshake. */
    private static Scripted modern(String discovered) {
        Scripted server = new Scripted();
        server.answers.put("initialize", "'error':{'code':-32022,'message':'no','data':{'supported':['2026-07-28']}}");
        server.answers.put("server/discover", discovered);
        return server;
    }

    @Test
    void serverWithoutAHandshake_isAskedWhatItIs_andToldWithEachRequestWhoAsks() throws Exception {
        Scripted server = modern(
                "'result':{'supportedVersions':['2026-07-28'],'capabilities':{'tools':{}},"
                        + "'instructions':'be brief','_meta':{'io.modelcontextprotocol/serverInfo':{'name':'m','version':'2'}}}");

        Inventory inventory = take(server);

        assertEquals(List.of("a", "b"), names(inventory));
        assertEquals("be brief", inventory.instructions());
        assertEquals("m", inventory.handshake().path("serverInfo").path("name").stringValue());
        assertTrue(server.heard.stream().noneMatch(text -> text.contains("initialized")), server.heard.toString());
        server.heard
                .subList(1, server.heard.size())
                .forEach(text ->
                        assertTrue(text.contains("\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\""), text));
    }

    @Test
    void serverOfOtherRevisionsAlone_isAFault_andSoIsOneOfTheOtherEra() {
        String other = fault(modern("'error':{'code':-32022,'message':'no','data':{'supported':['2027-01-01']}}"));
        assertTrue(other.contains("speaks only `2027-01-01` of MCP"), other);
        String refused = fault(modern("'error':{'code':-32601,'message':'no'}"));
        assertTrue(refused.contains("refused `initialize`: \"no\""), refused);
        Scripted legacy = new Scripted();
        legacy.answers.put("server/discover", "'error':{'code':-32601,'message':'no'}");
        String modern = String.valueOf(
                assertThrows(IOException.class, () -> Inventory.take("s", legacy, true, ServerEra.MODERN, SOON))
                        .getMessage());
        assertTrue(modern.contains("refused `server/discover`"), modern);
    }

    @Test
    void listsThatItDoesNotHave_areNotAskedFor() throws Exception {
        Scripted server = new Scripted();
        server.answers.put("initialize", "'result':{'protocolVersion':'2024-11-05','capabilities':{}}");

        Inventory inventory = take(server);

        assertEquals(List.of(), names(inventory));
        assertEquals("", inventory.offer().instructions());
        assertEquals(2, server.heard.size(), server.heard.toString());
    }

    @Test
    void whatItAsks_isAnsweredWithNothing_andGreetingsAreSkipped() throws Exception {
        Scripted server = new Scripted();
        server.beforeAnswer = "Server listening on port 3000";
        take(server);
        server.beforeAnswer = "{'jsonrpc':'2.0','id':7,'method':'roots/list'}";
        take(server);
        assertTrue(
                server.heard.contains("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"roots\":[]}}"),
                server.heard.toString());
        server.beforeAnswer = "{'jsonrpc':'2.0','id':8,'method':'sampling/createMessage','params':{}}";
        take(server);
        assertTrue(server.heard.toString().contains("\"id\":8,\"error\":{\"code\":-32601"), server.heard.toString());
    }

    @Test
    void toolsThatChangeWhileTheyAreRead_areReadAgain_butNotForEver() throws Exception {
        Scripted server = new Scripted();
        server.beforeAnswer = "{'jsonrpc':'2.0','method':'notifications/tools/list_changed'}";

        assertEquals(List.of("a", "b"), names(take(server)));
        assertEquals(
                6,
                server.heard.stream()
                        .filter(each -> each.contains("tools/list"))
                        .count());
    }

    @Test
    void silence_isAnErrorThatNamesTheMethod() {
        Scripted server = new Scripted();
        server.answers.remove("tools/list 2");

        assertEquals(
                "the server `s` did not answer `tools/list` within 0 s; is its command that of an MCP server? If it"
                        + " needs longer, give it a longer `--timeout`",
                fault(server));
    }

    @Test
    void refusal_isAnErrorWithTheServersWords_onOneLine() {
        Scripted server = new Scripted();
        server.answers.put("tools/list", "'error':{'code':-32000,'message':'no\\ntoken \\u001b[31m'}");

        assertEquals("the server `s` refused `tools/list`: \"no?token ?[31m\"", fault(server));
    }

    @Test
    void pagesWithoutEnd_areAnError() {
        Scripted server = new Scripted();
        server.answers.put("tools/list 2", "'result':{'tools':[],'nextCursor':'2'}");

        assertEquals("the server `s` never comes to the end of `tools/list`: it names a page twice", fault(server));
    }

    @Test
    void answerWithoutAList_isAnError() {
        Scripted server = new Scripted();
        server.answers.put("tools/list", "'result':{'tools':{}}");

        assertEquals("the server `s` answered `tools/list` without a list `tools`", fault(server));
    }

    @Test
    void tooManyTools_areAnError() {
        Scripted server = new Scripted();
        server.answers.put("tools/list", "'result':{'tools':[" + "{},".repeat(Inventory.MOST_ITEMS) + "{}]}");

        assertEquals("the server `s` has more than 10000 tools", fault(server));
    }

    @Test
    void serverThatEnds_isAnError_andNothingOfItIsLeft() throws Exception {
        Path pid = folder.resolve("pid");
        IOException ended = assertThrows(
                IOException.class,
                () -> Inventory.take(
                        server("sh", "-c", "echo $$ > " + pid + "; exit 3"), Inventory.PATIENCE, line -> {}));
        assertEquals(
                "the server `s` did not answer `initialize`: its process ended with exit code 3; what it wrote to its"
                        + " log stands above",
                ended.getMessage());

        IOException silent = assertThrows(
                IOException.class,
                () -> Inventory.take(server("sh", "-c", "echo $$ > " + pid + "; sleep 600"), SOON, line -> {}));
        assertTrue(String.valueOf(silent.getMessage()).contains("did not answer `initialize`"), silent.getMessage());
        Optional<ProcessHandle> left =
                ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()));
        assertFalse(left.isPresent() && left.get().isAlive(), "the process is ended");
    }

    @Test
    void commandThatIsNoProgram_isAnErrorThatNamesIt() {
        IOException fault = assertThrows(
                IOException.class,
                () -> Inventory.take(server("no-such-program-here"), Inventory.PATIENCE, line -> {}));
        assertEquals(
                "the server `s` can't be started: `no-such-program-here` is not a program that can be run; check the"
                        + " command",
                fault.getMessage());
    }
}
