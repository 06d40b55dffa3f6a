package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ServerOfferTest {

    private static Set<String> arguments(String inputSchema) {
        JsonNode tool =
                JsonMapper.shared().readTree(("{'name':'t','inputSchema':" + inputSchema + "}").replace('\'', '"'));
        return new ServerOffer.Tool(
                        ToolDefinition.of("s", tool, tool.toString().getBytes(StandardCharsets.UTF_8)), tool)
                .arguments();
    }

    @Test
    void argumentsOfEachAlternative_areKnown() {
        assertEquals(
                Set.of("a", "b", "c", "d", "e", "f"),
                arguments("{'type':'object','properties':{'a':{}},'allOf':[{'properties':{'b':{}},"
                        + "'then':{'properties':{'c':{}}},'else':{'oneOf':[true,{'properties':{'d':{}}}]}}],"
                        + "'anyOf':[{'properties':{'e':{}}}],'then':{'properties':{'f':{}}},'else':false}"));
    }

    @Test
    void schemaThatIsNone_knowsNone() {
        assertEquals(Set.of(), arguments("true"));
        assertEquals(Set.of(), arguments("[{'properties':{'a':{}}}]"));
        assertEquals(Set.of(), arguments("{'properties':['a'],'allOf':'a','then':[]}"));
    }

    @Test
    void alternativesNestedDeeperThanAnybodyWouldWrite_areNotLookedInto() {
        String schema = "{'properties':{'deep':{}}}";
        for (int i = 0; i < 16; i++) {
            schema = "{'then':" + schema + ",'else':{'properties':{'x" + i + "':{}}}}";
        }
        assertEquals(17, arguments(schema).size());
        assertEquals(15, arguments("{'else':" + schema + "}").size(), "the two that stand deepest are left out");
    }
}
