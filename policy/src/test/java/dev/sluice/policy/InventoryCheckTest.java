package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a policy names is held against what servers have. */
class InventoryCheckTest {

    private static final String SEND = "{'name':'send','inputSchema':{'type':'object','properties':"
            + "{'to':{},'subject':{},'body':{}},'anyOf':[{'properties':{'cc':{}}},{'properties':{'bcc':{}}}]}}";
    private static final String READ = "{'name':'read_mail','inputSchema':{'type':'object'}}";

    private static ServerOffer.Tool tool(String text) {
        String json = text.replace('\'', '"');
        JsonNode tree = JsonMapper.shared().readTree(json);
        return new ServerOffer.Tool(ToolDefinition.of("mail", tree, json.getBytes(StandardCharsets.UTF_8)), tree);
    }

    private static ServerOffer offer(String... tools) {
        return new ServerOffer(
                Arrays.stream(tools).map(InventoryCheckTest::tool).toList(), "");
    }

    private static List<String> problems(Map<String, ServerOffer> offers, String... policy) {
        String text = String.join("\n", policy) + "\n";
        PolicyParser.parse("p.yaml", text);
        return InventoryCheck.of("p.yaml", text).problems(offers).stream()
                .map(PolicyException.Problem::toString)
                .toList();
    }

    @Test
    void allThatIsNamed_isThere_alsoInAlternativesOfTheSchema() {
        assertEquals(
                List.of(),
                problems(
                        Map.of("mail", offer(SEND, READ)),
                        "version: 1",
                        "servers:",
                        "  mail:",
                        "    tools:",
                        "      send: {effects: [sends], audience: [to, cc, bcc, {person: ops}], payload: [subject]}",
                        "      read_mail: {effects: [reads]}",
                        "rules: [{id: a, on: {tools: [send]}, then: ask}]"));
    }

    @Test
    void toolThatIsNotThere_isNamedWithTheNearOne() {
        assertEquals(
                List.of(
                        "p.yaml:5: `mail` has no tool `sent`; did you mean `send`?",
                        "p.yaml:6: `mail` has no tool `delete_everything`; there are read_mail, send"),
                problems(
                        Map.of("mail", offer(SEND, READ)),
                        "version: 1",
                        "servers:",
                        "  mail:",
                        "    tools:",
                        "      sent: {effects: [sends]}",
                        "      delete_everything: {effects: [writes]}"));
        assertEquals(
                List.of("p.yaml:2: `mail` has no tool `send`; it lists none"),
                problems(Map.of("mail", offer()), "version: 1", "servers: {mail: {tools: {send: {}}}}"));
    }

    @Test
    void argumentThatIsNotThere_isNamedByEachKey() {
        assertEquals(
                List.of(
                        "p.yaml:7: `send` has no argument `too`, which `audience` names; did you mean `to`?",
                        "p.yaml:8: `send` has no argument `attachment`, which `payload` names;"
                                + " there are bcc, body, cc, subject, to",
                        "p.yaml:9: `send` has no argument `urgency`, which `steers` names;"
                                + " there are bcc, body, cc, subject, to",
                        "p.yaml:10: `send` has no argument `format`, which `inert` names;"
                                + " there are bcc, body, cc, subject, to",
                        "p.yaml:11: `send` has no argument `mailbox`, which `resource` names;"
                                + " there are bcc, body, cc, subject, to",
                        "p.yaml:12: `read_mail` has no argument `page`, which `inert` names; it takes none"),
                problems(
                        Map.of("mail", offer(SEND, READ)),
                        "version: 1",
                        "servers:",
                        "  mail:",
                        "    tools:",
                        "      send:",
                        "        effects: [sends]",
                        "        audience: [too]",
                        "        payload: [body, attachment]",
                        "        steers: urgency",
                        "        inert: [format]",
                        "        resource: [mailbox]",
                        "      read_mail: {inert: page}"));
    }

    @Test
    void toolOfARule_mustBeThereAtOneOfItsServers() {
        Map<String, ServerOffer> offers = Map.of("mail", offer(SEND), "notes", offer(READ));
        String[] policy = {
            "version: 1",
            "servers:",
            "  mail: {known: server-memory}",
            "  notes: {known: server-memory}",
            "rules:",
            "  - id: a",
            "    on: {tools: [read_graph]}",
            "    then: ask",
            "  - id: b",
            "    on: {servers: [mail], tools: [search_nodes]}",
            "    then: ask"
        };

        assertEquals(
                List.of(
                        "p.yaml:7: no server of this rule has a tool `read_graph`; there are read_mail, send",
                        "p.yaml:10: no server of this rule has a tool `search_nodes`; there is send"),
                problems(offers, policy));
        assertEquals(
                List.of("p.yaml:10: no server of this rule has a tool `search_nodes`; there is send"),
                problems(Map.of("mail", offer(SEND)), policy),
                "the server that is not known may have it");
    }

    @Test
    void pinnedDefinition_thatIsAnother_isNamedWithTheDigestOfNow() {
        String digest = tool(SEND).definition().digest();
        String[] policy = {
            "version: 1",
            "servers:",
            "  mail:",
            "    instructions: sha256:" + "c".repeat(64),
            "    tools:",
            "      send: {definition: sha256:" + "b".repeat(64) + "}",
            "      read_mail: {definition: " + tool(READ).definition().digest() + "}"
        };
        assertEquals(
                List.of(
                        "p.yaml:4: the instructions of `mail` are not those that are pinned here; read what they say now,"
                                + " and if you agree write `instructions: sha256:" + "d".repeat(64) + "`",
                        "p.yaml:6: `send` of `mail` is not defined as it is pinned here; read what it says now, and if"
                                + " you agree write `definition: " + digest + "`"),
                problems(
                        Map.of("mail", new ServerOffer(List.of(tool(SEND), tool(READ)), "sha256:" + "d".repeat(64))),
                        policy));
        assertEquals(
                "p.yaml:4: `mail` gives no instructions any more; take `instructions` out",
                problems(Map.of("mail", offer(SEND, READ)), policy).get(0));
    }

    @Test
    void namesOfAServer_areShownAsPlainOnes() {
        assertEquals(
                List.of("p.yaml:2: `mail` has no tool `send`; there is x??y??31mz"),
                problems(
                        Map.of("mail", offer("{'name':'x\\u0000\\ny\\u001b[31mz'}")),
                        "version: 1",
                        "servers: {mail: {tools: {send: {}}}}"));
    }
}
