package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.Source;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Readers that stand in an answer. */
class ReturnsTest {

    private static final Source OWN = new Source.OfServer("mail");

    private static Confidentiality readers(String structured, String... entries) {
        return new Returns.Privacy.Named(List.of(entries))
                .of("mail", OWN, JsonMapper.shared().readTree(structured));
    }

    private static Confidentiality of(String... readers) {
        return Confidentiality.of(Source.Readers.of("mail", List.of(readers)));
    }

    @Test
    void pointers_leadToTextsAndListsOfTexts() {
        assertEquals(of("a@x", "b@x", "c@x"), readers("{\"from\":\"a@x\",\"to\":[\"b@x\",\"c@x\"]}", "/from", "/to"));
        assertEquals(of("a@x", "b@x"), readers("{\"m\":[{\"from\":\"a@x\"},{\"from\":\"b@x\"}]}", "/m/*/from"));
        assertEquals(of("b@x"), readers("{\"m\":[{\"from\":\"a@x\"},{\"from\":\"b@x\"}]}", "/m/1/from"));
        assertEquals(of("a@x"), readers("{\"a/b\":{\"~\":\"a@x\"}}", "/a~1b/~0"));
    }

    @Test
    void constants_standBesideWhatPointersFind() {
        assertEquals(of("a@x", "user@x"), readers("{\"from\":\"a@x\"}", "/from", "user@x"));
        assertEquals(of("user@x"), readers("{}", "user@x"));
    }

    @Test
    void oneOfSeveralPointersThatFindsNothing_addsNobody() {
        assertEquals(of("a@x"), readers("{\"from\":\"a@x\",\"cc\":null,\"bcc\":[]}", "/from", "/cc", "/bcc", "/to"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "null",
                "{\"from\":null}",
                "{\"from\":[]}",
                "{\"from\":7}",
                "{\"from\":\"\"}",
                "{\"from\":\" \"}",
                "{\"from\":{\"address\":\"a@x\"}}",
                "{\"from\":[\"a@x\",7]}",
                "{\"from\":[\"a@x\",null]}",
                "{\"from\":[[\"a@x\"]]}",
                "{\"from\":\"\\ud800\"}",
            })
    void listThatCannotBeRead_isPrivateToItsServer(String structured) {
        assertEquals(Confidentiality.of(OWN), readers(structured, "/from", "user@x"));
    }

    @Test
    void overlongReaderOrTooManyOfThem_isPrivateToItsServer() {
        assertEquals(Confidentiality.of(OWN), readers("{\"from\":\"" + "a".repeat(321) + "\"}", "/from"));
        ObjectNode structured = JsonNodeFactory.instance.objectNode();
        ArrayNode list = structured.putArray("to");
        for (int i = 0; i < Returns.Privacy.Named.MOST; i++) {
            list.add("a" + i + "@x");
        }
        Returns.Privacy named = new Returns.Privacy.Named(List.of("/to"));
        assertEquals(
                Returns.Privacy.Named.MOST,
                ((Source.Readers) named.of("mail", OWN, structured).sources().first())
                        .readers()
                        .size());
        list.add("one-more@x");
        assertEquals(Confidentiality.of(OWN), named.of("mail", OWN, structured));
    }

    @Test
    void publicAndPrivate_doNotLookAtTheAnswer() {
        ObjectNode structured = JsonNodeFactory.instance.objectNode();

        assertEquals(Confidentiality.PUBLIC, new Returns.Privacy.Public().of("mail", OWN, structured));
        assertEquals(Confidentiality.of(OWN), new Returns.Privacy.Private().of("mail", OWN, structured));
    }
}
