package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.sluice.labels.Source;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

/** What the arguments of a call make of its profile. */
class ToolProfileTest {

    private static final JsonMapper JSON = JsonMapper.shared();

    private static ToolProfile forge(List<String> payload) {
        return ToolProfiles.resolve(
                ToolDefinition.unlisted("forge", "get_file"),
                new ToolStatement(
                        Set.of(Effect.SENDS),
                        new AudienceRule(List.of(), List.of(), true),
                        null,
                        null,
                        payload,
                        List.of("owner", "repo"),
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null),
                true);
    }

    /** Profiles are kept by what they were put together of; each of three parts makes another one. */
    @Test
    void profile_isOfItsOwnToolStatementAndSession() {
        ToolDefinition one = ToolDefinition.unlisted("forge", "one");
        ToolDefinition other = ToolDefinition.unlisted("forge", "other");
        ToolStatement unsaid =
                new ToolStatement(null, null, null, null, null, null, null, null, null, null, null, null, null);
        for (int round = 0; round < 3; round++) {
            assertEquals(
                    "one", ToolProfiles.resolve(one, ToolStatement.READ, true).tool());
            assertEquals(
                    "other",
                    ToolProfiles.resolve(other, ToolStatement.READ, true).tool());
            assertEquals(
                    true, ToolProfiles.resolve(one, ToolStatement.READ, true).classified());
            assertEquals(false, ToolProfiles.resolve(one, unsaid, true).classified());
        }
        String reader = "{\"name\":\"one\",\"annotations\":{\"readOnlyHint\":true,\"openWorldHint\":false}}";
        ToolDefinition said =
                ToolDefinition.of("forge", JSON.readTree(reader), reader.getBytes(StandardCharsets.UTF_8));
        for (int round = 0; round < 3; round++) {
            assertEquals(
                    Set.of(Effect.READS),
                    ToolProfiles.resolve(said, unsaid, true).effects());
            assertEquals(
                    Set.of(Effect.READS, Effect.WRITES, Effect.SENDS),
                    ToolProfiles.resolve(said, unsaid, false).effects());
        }
    }

    private static Source source(JsonNode arguments) {
        return forge(List.of()).ownSource(arguments);
    }

    private static JsonNode file(String path) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("owner", "o")
                .put("repo", "r")
                .put("path", path);
    }

    @Test
    void resource_isNamedByAllItsParts() {
        assertEquals(new Source.OfResource("forge", "o/r"), source(file("docs/a")));
        assertEquals(new Source.OfServer("forge"), source(JSON.readTree("{\"owner\":\"o\"}")));
        assertEquals(new Source.OfServer("forge"), source(JSON.readTree("{\"owner\":\"o\",\"repo\":null}")));
        assertEquals(new Source.OfServer("forge"), source(JSON.readTree("{\"owner\":\"o\",\"repo\":7}")));
        assertEquals(new Source.OfServer("forge"), source(JSON.readTree("{\"owner\":\"o\",\"repo\":\" \"}")));
        assertEquals(new Source.OfServer("forge"), source(JSON.readTree("{\"owner\":\"o\",\"repo\":\"\\ud800\"}")));
    }

    @Test
    void partsOfAResource_areKeptApart() {
        assertNotEquals(
                source(JSON.readTree("{\"owner\":\"a/b\",\"repo\":\"c\"}")),
                source(JSON.readTree("{\"owner\":\"a\",\"repo\":\"b/c\"}")));
        assertNotEquals(
                source(JSON.readTree("{\"owner\":\"a/b\",\"repo\":\"c\"}")),
                source(JSON.readTree("{\"owner\":\"a%2fb\",\"repo\":\"c\"}")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "..",
                "../x",
                "../../../secret/s/contents/x",
                "a/../../x",
                "a/./../../x",
                "a//../../x",
                "..\\x",
                "a\\..\\..\\x",
                "%2e%2e/x",
                ".%2E/x",
                "..%2fx",
                "..%5Cx",
                "%252e%252e/x",
                ".\t./x",
                ".\n./x",
                "a/../..",
            })
    void argumentThatClimbs_namesNoResource(String path) {
        assertEquals(new Source.OfServer("forge"), source(file(path)));
        assertEquals(
                new Source.OfServer("forge"),
                source(JSON.readTree("{\"owner\":\"o\",\"repo\":\"r\",\"files\":[" + file(path) + "]}")));
        assertEquals(
                new Source.OfResource("forge", "o/r"), forge(List.of("path")).ownSource(file(path)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a",
                "a/..",
                "a/../b",
                "a/b/../../c",
                "...",
                "a/...",
                "..a",
                "a..",
                "v1..v2",
                "wait ...",
                "50%",
                "see ../x",
                "import x from './../y'"
            })
    void argumentThatStaysInItsPlace_namesItsResource(String path) {
        assertEquals(new Source.OfResource("forge", "o/r"), source(file(path)));
    }

    @Test
    void partThatClimbs_namesNoResource() {
        assertEquals(new Source.OfServer("forge"), source(JSON.readTree("{\"owner\":\"o\",\"repo\":\"..\"}")));
        assertEquals(
                new Source.OfServer("forge"), source(JSON.readTree("{\"owner\":\"o\",\"repo\":\"x/../../secret/s\"}")));
    }

    @Test
    void definitionWithoutHints_mayDoEverything() {
        ToolProfile profile = ToolProfiles.resolve(ToolDefinition.unlisted("s", "t"), ToolStatement.NOTHING, true);

        assertEquals(Set.of(Effect.READS, Effect.WRITES, Effect.SENDS), profile.effects());
        assertEquals(
                Set.of(new AudienceMember.Upstream("s"), new AudienceMember.Anyone()),
                profile.audienceOf(JSON.createObjectNode()));
        assertEquals(false, profile.classified());
        assertEquals(true, profile.derives());
    }

    @Test
    void digestOfADefinition_doesNotDependOnTheOrderOfMembers() {
        String one = digest("{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"minimum\":1.5}}");

        assertEquals(one, digest("{\"inputSchema\":{\"minimum\":1.5,\"type\":\"object\"},\"name\":\"t\"}"));
        assertNotEquals(one, digest("{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"minimum\":1.6}}"));
        assertNotEquals(
                one, digest("{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"minimum\":\"number 1.5\"}}"));
        assertNotEquals(
                one,
                digest("{\"name\":\"t\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\",\"minimum\":1.5}}"));
        assertNotEquals(
                digest("{\"name\":\"t\",\"description\":\"\\ud800\"}"),
                digest("{\"name\":\"t\",\"description\":\"\\ud801\"}"));
    }

    private static String digest(String tool) {
        return ToolDefinition.of("s", JSON.readTree(tool), tool.getBytes(StandardCharsets.UTF_8))
                .digest();
    }
}
