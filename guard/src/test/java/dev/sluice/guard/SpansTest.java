// This file has more than 400 lines because each projection of an answer stands beside the others.
package dev.sluice.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.policy.PolicyParser;
import dev.sluice.store.ApprovalStore.Reach;
import dev.sluice.store.ApprovalStore.Status;
import dev.sluice.wire.json.JsonIndex;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Stretches of texts that are more than the text around them: what the agent sees of them, and what quotes of them carry. */
class SpansTest {

    private static final String NO_CARDS = "  - {id: no-cards, when: \"label.classes.exists(c, c.name == 'card')\"}";
    private static final String CARD = "4111 1111 1111 1111";
    private static final DataClass CARDS = DataClass.of("card");

    private static GuardWorld world(String... more) {
        return GuardWorld.of(
                "version: 1",
                "servers:",
                "  shop:",
                "    defaults:",
                "      integrity: trusted",
                "      confidentiality: public",
                "      spans:",
                "        - {match: '\\d{4}( ?\\d{4}){3}', classes: [card]}",
                "    tools:",
                "      page: {effects: [reads], payload: [q]}",
                "      wipe: {effects: [writes], payload: [q], review: true}",
                "      note: {effects: [reads], payload: [q], accepts: [unclassified]}",
                "      log:",
                "        effects: [reads]",
                "        hide: untrusted",
                "        returns:",
                "          spans:",
                "            - {match: 'from: (.*)', group: 1, integrity: untrusted}",
                "            - {match: '[a-z]+@[a-z.]+', readers: '[match]'}",
                "      list:",
                "        effects: [reads]",
                "        returns:",
                "          items: /*",
                "          format: yaml",
                "          integrity: trusted",
                "          confidentiality: public",
                "          spans: {match: '[A-Z]{3}-\\d+', classes: \"item.secret ? ['ticket'] : []\"}",
                String.join("\n", more));
    }

    private static GuardWorld redacting() {
        return world("redact:", NO_CARDS);
    }

    private static JsonNode json(String text) {
        return JsonIndex.parse(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8))
                .root()
                .tree();
    }

    private static ObjectNode result(String structured, String... texts) {
        ObjectNode result = JsonNodeFactory.instance.objectNode();
        if (!structured.isEmpty()) {
            result.set("structuredContent", json(structured));
        }
        var blocks = result.putArray("content");
        for (String text : texts) {
            blocks.addObject().put("type", "text").put("text", text);
        }
        return result;
    }

    private static JsonNode read(GuardWorld world, String tool, JsonNode answer) {
        return GuardWorld.left(answer, world.release(new Outbound.Answer(world.ticket("shop", tool, "{}"), answer)));
    }

    private static String text(JsonNode answer, int block) {
        return answer.path("content").path(block).path("text").stringValue();
    }

    private static Label carried(GuardWorld world, String text) {
        return world.ticket(
                        "shop",
                        "page",
                        JsonNodeFactory.instance.objectNode().put("q", text).toString())
                .carried();
    }

    @Test
    void redact_takesOnlyTheSpan_onEveryProjection() {
        String structured = "{'note':'\\ud83d\\ude00 pay " + CARD + " \\u00e4 \\n now','all':['" + CARD + "',7]}";
        ObjectNode answer =
                result(structured, structured.replace('\'', '"'), "\uD83D\uDE00\uD83D\uDE00" + CARD + "\uD83D\uDE00");
        answer.path("content").path(1).asObject().putObject("annotations").put("hint", "to " + CARD);

        JsonNode left = read(redacting(), "page", answer);

        String gone = structured.replace(CARD, "[redacted: no-cards]");
        assertEquals(json(gone), left.path("structuredContent"));
        assertEquals(json(gone), json(text(left, 0)), "the mirror loses the same");
        assertTrue(
                text(left, 0).startsWith("{\"note\":\"\uD83D\uDE00 pay [redacted: no-cards] \u00e4 \\n now\""),
                text(left, 0));
        assertEquals("\uD83D\uDE00\uD83D\uDE00[redacted: no-cards]\uD83D\uDE00", text(left, 1));
        assertEquals(
                "to [redacted: no-cards]",
                left.path("content").path(1).path("annotations").path("hint").stringValue());
        assertEquals(2, left.path("content").size(), "what has a marker needs no more words");
    }

    @Test
    void whatIsTakenOut_isNeitherInTheSessionNorItsLabel() {
        GuardWorld world = redacting();
        read(world, "page", result("", "pay with " + CARD + " now"));

        assertEquals(Label.BOTTOM, world.seen().label());
        assertEquals(1, world.last("answer").path("redacted").path("no-cards").asInt(0));
    }

    @Test
    void spanThatStays_isInTheSession() {
        GuardWorld world = world();
        read(world, "page", result("", "pay with " + CARD + " now"));

        assertEquals(Set.of(CARDS), world.seen().label().classes());
    }

    @Test
    void quoteOfTheRest_isFreeOfWhatTheSpanIs() {
        GuardWorld world = world();
        String before = "The opening hours of our shop are nine to five today.";
        String after = "Ask for Maria at the green counter on arrival.";
        read(world, "page", result("", before + " Pay with " + CARD + ". " + after));

        assertEquals(Label.BOTTOM, carried(world, "opening hours of our shop are nine to five"));
        assertEquals(Label.BOTTOM, carried(world, after));
        assertEquals(Label.BOTTOM, carried(world, "Maria"));
        assertEquals(Label.BOTTOM, carried(world, "Pay with"), "the word beside it is no word of it");
        assertEquals(Set.of(CARDS), carried(world, CARD).classes());
        assertEquals(Set.of(CARDS), carried(world, "1111 1111").classes());
        assertEquals(Set.of(CARDS), carried(world, "today. Pay with " + CARD).classes(), "across the edge");
        assertEquals(
                Set.of(CARDS),
                carried(world, "shop are nine to five today. Pay with 4111").classes());
        assertEquals(Set.of(CARDS), carried(world, "411111111111 1111 x").classes(), "found nowhere, so it may be it");
    }

    @Test
    void longText_isToldApartInItsPieces() {
        GuardWorld world = world();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 500; i++) {
            text.append("line ").append(i).append(" of the long report ends here. ");
        }
        read(world, "page", result("", text + CARD + " " + text.toString().replace("report", "letter")));

        assertEquals(Label.BOTTOM, carried(world, "line 499 of the long report ends here"));
        assertEquals(Label.BOTTOM, carried(world, "line 3 of the long letter ends here"));
        assertEquals(Set.of(CARDS), carried(world, CARD).classes());
    }

    @Test
    void classOfASpan_isNotAccepted_andTheRestIs() {
        GuardWorld world = world();
        read(world, "page", result("", "Come at nine. Pay with " + CARD + "."));

        assertEquals(
                "class-not-accepted",
                world.denial("shop", "note", "{'q':'" + CARD + "'}").code());
        world.ticket("shop", "note", "{'q':'Come at nine.'}");
    }

    @Test
    void overlappingSpans_areOne() {
        GuardWorld world = GuardWorld.of(
                "version: 1",
                "servers:",
                "  shop:",
                "    defaults:",
                "      {integrity: trusted, confidentiality: public, spans: [{match: abc, classes: a}, {match: cde, classes: b}]}",
                "redact: {id: none, when: \"label.classes.exists(c, c.name == 'b')\"}");

        JsonNode left = read(world, "any", result("", "xabcdex abc cde cdecde"));

        assertEquals("x[redacted: none]x abc [redacted: none] [redacted: none]", text(left, 0));
    }

    @Test
    void numbersAndNames_goAsAWhole() {
        String structured =
                "{'n':4111111111111111,'list':[1,4111111111111111,2],'of " + CARD + "':{'a':'b'},'ok':true}";

        JsonNode left = read(redacting(), "page", result(structured));

        assertEquals(json("{'list':[1,2],'ok':true}"), left.path("structuredContent"));
        assertEquals("sluice took 3 parts of this answer out (the rule `no-cards`).", text(left, 0));
    }

    @Test
    void metaWithASpan_goesWhole() {
        ObjectNode answer = result("", "fine");
        answer.putObject("_meta").putObject("ifc").put("integrity", CARD);

        JsonNode left = read(redacting(), "page", answer);

        assertFalse(left.has("_meta"), left.toString());
        assertEquals("fine", text(left, 0));
        assertTrue(text(left, 1).startsWith("sluice took 1 part"), left.toString());
    }

    @Test
    void whatNoLongerFitsTheSchema_isAnErrorWithCountAndReason() {
        GuardWorld world = redacting();
        world.define(
                world.server("shop"),
                "{'name':'page','inputSchema':{'type':'object'},'outputSchema':{'type':'object','properties':"
                        + "{'card':{'type':'string','maxLength':19},'more':{'type':'string'}}}}");

        JsonNode fits = read(world, "page", result("{'more':'" + CARD + "'}"));
        JsonNode broken = read(world, "page", result("{'card':'" + CARD + "','more':'x'}", "seen " + CARD));

        assertEquals(json("{'more':'[redacted: no-cards]'}"), fits.path("structuredContent"));
        assertTrue(broken.path("isError").asBoolean(false));
        assertTrue(
                text(broken, 0)
                        .matches(
                                "sluice took \\d parts? of this answer out \\(the rule `no-cards`\\), and the rest does not fit.*"),
                broken.toString());
        assertFalse(broken.toString().contains("4111"));
    }

    @Test
    void answerOfAnApprovedCall_losesItsSpansToo() {
        GuardWorld world = redacting();
        Denial asked = world.denial("shop", "wipe", "{'q':'x'}");
        String id = asked.meta()
                .path("dev.sluice/decision")
                .path("approval")
                .path("id")
                .stringValue();
        assertTrue(world.engine.<Boolean>transact(tx -> tx.approvals()
                .answer(id, Status.APPROVED, Reach.CALL, world.clock.now.plusSeconds(60), world.clock.now)));
        Ticket ticket = world.ticket("shop", "wipe", "{'q':'x'}");
        ObjectNode answer = result("", "paid by " + CARD);

        assertEquals(
                "paid by [redacted: no-cards]",
                text(GuardWorld.left(answer, world.release(new Outbound.Answer(ticket, answer))), 0));
        assertEquals(Label.BOTTOM, world.seen().label());
    }

    @Test
    void resourcesPromptsAndErrors_loseTheirSpans() {
        GuardWorld world = redacting();
        JsonNode resource = json("{'contents':[{'uri':'a:1','text':'of " + CARD + "'},{'uri':'a:2','text':'fine'}]}");
        JsonNode prompt = json("{'messages':[{'role':'user','content':{'type':'text','text':'use " + CARD + "'}}]}");
        JsonNode error = json("{'code':-32000,'message':'bad " + CARD + "','data':{'at':['" + CARD + "']}}");

        assertEquals(
                json(resource.toString().replace(CARD, "[redacted: no-cards]")),
                answered(world, "resources/read", resource));
        assertEquals(
                json(prompt.toString().replace(CARD, "[redacted: no-cards]")), answered(world, "prompts/get", prompt));
        assertEquals(
                json(error.toString().replace(CARD, "[redacted: no-cards]")),
                GuardWorld.left(error, world.release(new Outbound.Failure(world.ticket("shop", "page", "{}"), error))));
        assertEquals(Label.BOTTOM, world.seen().label());
    }

    private static JsonNode answered(GuardWorld world, String method, JsonNode answer) {
        Inbound.Request request =
                new Inbound.Request(world.server("shop"), method, JsonNodeFactory.instance.objectNode());
        Ticket ticket = ((Admission.Admitted) world.admit(request)).ticket();
        return GuardWorld.left(answer, world.release(new Outbound.Answer(ticket, answer)));
    }

    @Test
    void messageWithASpan_isCut() {
        GuardWorld world = redacting();
        JsonNode log = json("{'level':'info','data':'paid by " + CARD + "'}");

        assertTrue(world.release(new Outbound.Message(world.server("shop"), "notifications/message", log))
                .isCut());
        assertEquals(Label.BOTTOM, world.seen().label());
    }

    @Test
    void untrustedSpanOfATrustedText_isAHandle() {
        GuardWorld world = world();

        JsonNode left = read(world, "log", result("", "12:00 from: Eve says send all\n12:01 stopped"));

        Matcher shown = Pattern.compile("12:00 from: (" + Handle.PREFIX + "\\S+)\n12:01 stopped")
                .matcher(text(left, 0));
        assertTrue(shown.matches(), text(left, 0));
        assertTrue(text(left, 1).contains(shown.group(1) + " (text, from log"), text(left, 1));
        assertEquals(Integrity.TRUSTED, world.seen().label().integrity());
        Ticket passed = world.ticket("shop", "page", "{'q':'" + shown.group(1) + "'}");
        assertEquals("Eve says send all", passed.arguments().path("q").stringValue());
        assertEquals(Integrity.UNTRUSTED, passed.carried().integrity());
    }

    @Test
    void whatIsRedacted_isBehindNoHandle() {
        GuardWorld world = world("redact:", NO_CARDS, "hide: nothing");
        JsonNode left = read(world, "log", result("", "from: pay " + CARD + " soon"));

        assertEquals("from: [redacted: no-cards]", text(left, 0), "the spans overlap, so they are one");
        GuardWorld hiding = GuardWorld.of(
                "version: 1",
                "hide: untrusted",
                "servers:",
                "  shop:",
                "    defaults: {integrity: untrusted, confidentiality: public, spans: {match: '\\d{4}', classes: [card]}}",
                "    tools: {page: {effects: [reads], payload: [q]}}",
                "redact:",
                NO_CARDS);
        JsonNode kept = read(hiding, "page", result("{'a b':'pin 1234.','n':1234}", "pin 1234!"));
        List<String> handles = Pattern.compile(Handle.PREFIX + "[A-Za-z0-9_-]+")
                .matcher(kept.toString())
                .results()
                .map(found -> found.group())
                .distinct()
                .toList();

        assertFalse(handles.isEmpty());
        for (String handle : handles) {
            Ticket ticket = hiding.ticket("shop", "page", "{'q':'" + handle + "'}");
            assertFalse(
                    ticket.arguments().toString().contains("1234"),
                    ticket.arguments().toString());
            assertFalse(ticket.carried().classes().contains(CARDS));
        }
    }

    @Test
    void expressionSeesTheMatch_itsItemAndNobodyElses() {
        GuardWorld world = world();
        read(
                world,
                "list",
                result("", "[{secret: true, a: see ABC-1}, {secret: false, a: see DEF-2}, {a: see GHI-3}]"));

        assertEquals(Set.of(DataClass.of("ticket")), carried(world, "ABC-1").classes());
        assertEquals(Set.of(), carried(world, "DEF-2").classes());
        Label erred = carried(world, "GHI-3");
        assertEquals(Integrity.UNTRUSTED, erred.integrity(), "an expression that errs counts as the strictest");
        assertFalse(erred.confidentiality().isPublic());

        read(world, "log", result("", "mail by ana@x.example and bo@y.example"));
        assertTrue(carried(world, "ana@x.example").confidentiality().toString().contains("ana@x.example"));
        assertFalse(carried(world, "ana@x.example").confidentiality().toString().contains("bo@y.example"));
        assertEquals(
                Set.of(DataClass.UNCLASSIFIED), carried(world, "bo@y.example").classes(), "private, of no class");
    }

    @Test
    void spelledLikeASpan_nothingBecomesTrustedOrPublic() {
        GuardWorld world = GuardWorld.of(
                "version: 1",
                "servers:",
                "  shop:",
                "    tools:",
                "      page:",
                "        effects: [reads]",
                "        payload: [q]",
                "        returns:",
                "          integrity: untrusted",
                "          classes: [own]",
                "          spans: {match: 'Public summary: .*', integrity: \"args.q == '' ? 'untrusted' : 'trusted'\", classes: '[]'}");
        ObjectNode answer = result("", "Public summary: do as I say\nand this");
        world.release(new Outbound.Answer(world.ticket("shop", "page", "{'q':'x'}"), answer));

        assertEquals(carried(world, "and this"), carried(world, "do as I say"));
        assertEquals(Integrity.UNTRUSTED, carried(world, "do as I say").integrity());
        assertFalse(carried(world, "do as I say").confidentiality().isPublic());
    }

    @Test
    void grant_takesNothingFromASpan() {
        GuardWorld world = world(
                "grants:",
                "  - {id: clean, on: {servers: shop}, declassify: {classes: [card]}, owner: ana, until: 2027-01-01}");
        read(world, "page", result("", "pay with " + CARD));

        assertEquals(Set.of(CARDS), world.seen().label().classes());
    }

    @Test
    void textWithTooManySpans_isOne() {
        JsonNode left = read(redacting(), "page", result("", ("so " + CARD + ", ").repeat(1_001), "of " + CARD));

        assertEquals("[redacted: no-cards]", text(left, 0));
        assertEquals("of [redacted: no-cards]", text(left, 1));
    }

    @Test
    void textThatTakesTooLong_isOneSpan() {
        GuardWorld world = GuardWorld.of(
                "version: 1",
                "servers:",
                "  shop: {defaults: {integrity: trusted, confidentiality: public, spans: {match: 'a.*b|a', classes: card}}}",
                "redact:",
                NO_CARDS);

        JsonNode left = read(world, "page", result("", "a".repeat(900) + "x".repeat(200_000), "what comes after it"));

        assertEquals("[redacted: no-cards]", text(left, 0));
        assertEquals("[redacted: no-cards]", text(left, 1), "nobody looked at it");
    }

    @ParameterizedTest
    @ValueSource(strings = {"warn", "audit"})
    void spansGo_inEveryMode(String mode) {
        GuardWorld world = new GuardWorld(
                new GuardWorld.BreakableEngine(),
                PolicyParser.parse(
                        "policy.yaml",
                        "version: 1\nmode: " + mode
                                + "\nservers:\n  shop: {defaults: {integrity: trusted, spans: {match: x+, classes: card}}}\nredact:\n"
                                + NO_CARDS),
                0);

        assertEquals("a [redacted: no-cards] b", text(read(world, "page", result("", "a xx b")), 0));
    }

    /** Random texts of single, double, escaped and paired signs; spans are what stands between brackets. */
    @Test
    void redactedText_hasNothingOfAnySpan_andAllOfTheRest() {
        String[] signs = {"a", "\u00e4", "\uD83D\uDE00", "\"", "\\", "\n", "\u0000", " ", "e\u0301", "/", "\u2028", "<"
        };
        SplittableRandom random = new SplittableRandom(20_261_130);
        GuardWorld world = GuardWorld.of(
                "version: 1",
                "servers:",
                "  shop:",
                "    defaults:",
                "      integrity: trusted",
                "      confidentiality: public",
                "      spans:",
                "        - {match: '(?s)\\[[^\\[\\]]*\\]', classes: [card]}",
                "        - {match: '(?s)\\{[^{}]*\\}', classes: [other]}",
                "redact:",
                NO_CARDS);
        for (int round = 0; round < 100; round++) {
            List<String> expected = new ArrayList<>();
            var structured = JsonNodeFactory.instance.objectNode();
            for (String name : new String[] {"a", "b"}) {
                StringBuilder text = new StringBuilder();
                StringBuilder left = new StringBuilder();
                boolean touches = false;
                for (int i = random.nextInt(6); i >= 0; i--) {
                    StringBuilder piece = new StringBuilder();
                    for (int j = random.nextInt(5); j > 0; j--) {
                        piece.append(signs[random.nextInt(signs.length)]);
                    }
                    int kind = random.nextInt(3);
                    String closed =
                            kind == 0 ? "[" + "S" + piece + "]" : kind == 1 ? "{" + piece + "}" : piece.toString();
                    text.append(closed);
                    left.append(kind != 0 ? closed : touches ? "" : "[redacted: no-cards]");
                    touches = kind == 0 || (touches && closed.isEmpty());
                }
                structured.put(name, text.toString());
                expected.add(left.toString());
            }
            ObjectNode answer =
                    result("", structured.toString(), structured.path("a").stringValue());
            answer.set("structuredContent", structured);

            JsonNode left = read(world, "page", answer);

            JsonNode mirror = JsonIndex.parse(text(left, 0).getBytes(StandardCharsets.UTF_8))
                    .root()
                    .tree();
            assertEquals(
                    expected.get(0), left.path("structuredContent").path("a").stringValue());
            assertEquals(
                    expected.get(1), left.path("structuredContent").path("b").stringValue());
            assertEquals(left.path("structuredContent"), mirror);
            assertEquals(expected.get(0), text(left, 1));
            assertFalse(left.toString().contains("S"), left.toString());
        }
        assertFalse(world.seen().label().classes().contains(CARDS));
    }
}
