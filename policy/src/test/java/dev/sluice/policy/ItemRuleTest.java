// This file has more than 400 lines because each way to fail stands beside what works.
package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** What a policy says of the parts of an answer, applied. */
class ItemRuleTest {

    private static final JsonNode NO_ARGUMENTS = JsonNodeFactory.instance.objectNode();
    private static final Returns.Privacy PRIVATE = new Returns.Privacy.Private();

    private static final String MAIL = """
            items: /messages/*
            integrity: "item.verified && inAudience(item.from, 'clinic') ? 'trusted' : 'untrusted'"
            readers: flat(item.from, item.to, item.cc)
            classes: [pii]
            fields:
              /subject: {integrity: untrusted}
              /amount: {integrity: trusted, confidentiality: public}
            vouched: [/id, /date]
            """;

    /** Returns the rule of a tool of whose answers {@code returns} speaks. */
    static ItemRule rule(String returns) {
        ItemRule items = returns(returns).items();
        if (items == null) {
            throw new AssertionError("no rule about parts: " + returns);
        }
        return items;
    }

    private static Returns returns(String text) {
        String policy = """
                version: 1
                audiences: {clinic: {domains: [clinic.example], members: [ops]}}
                servers:
                  mail:
                    tools:
                      read:
                        returns:
                """ + text.indent(10);
        Returns returns = PolicyParser.parse("p.yaml", policy)
                .servers()
                .get("mail")
                .tools()
                .get("read")
                .returns();
        return returns == null ? Returns.NOTHING : returns;
    }

    private static List<LabelledItem> apply(String returns, String document) {
        return rule(returns).apply(json(document), NO_ARGUMENTS, "mail", "ana");
    }

    private static LabelledItem one(String returns, String document) {
        List<LabelledItem> items = apply(returns, document);
        assertEquals(1, items.size());
        return items.get(0);
    }

    private static JsonNode json(String text) {
        return JsonMapper.shared().readTree(text);
    }

    private static Returns.Privacy known(String... readers) {
        return new Returns.Privacy.Known(new TreeSet<>(List.of(readers)));
    }

    private static void assertStrict(LabelledItem item, Set<DataClass> classes, String finding) {
        assertEquals(new Returns(Integrity.UNTRUSTED, PRIVATE, classes), item.returns());
        assertEquals(List.of(), item.fields());
        assertEquals(List.of(finding), item.findings());
    }

    private static void assertStrict(LabelledItem item, String finding) {
        assertStrict(item, Set.of(LabelRule.UNKNOWN_CLASS), finding);
    }

    @Test
    void items_haveTheirOwnLabels() {
        List<LabelledItem> items = apply(MAIL, """
                {"messages": [
                  {"from": "ana@clinic.example", "to": ["bo@clinic.example"], "verified": true},
                  {"from": "eve@evil.example", "to": "ana@clinic.example", "cc": null, "verified": true},
                  {"from": "ana@clinic.example", "verified": false}
                ]}
                """);

        Set<DataClass> pii = Set.of(DataClass.of("pii"));
        assertEquals(
                List.of("/messages/0", "/messages/1", "/messages/2"),
                items.stream().map(LabelledItem::pointer).toList());
        assertEquals(
                List.of(
                        new Returns(Integrity.TRUSTED, known("ana@clinic.example", "bo@clinic.example"), pii),
                        new Returns(Integrity.UNTRUSTED, known("ana@clinic.example", "eve@evil.example"), pii),
                        new Returns(Integrity.UNTRUSTED, known("ana@clinic.example"), pii)),
                items.stream().map(LabelledItem::returns).toList());
        assertTrue(items.stream().allMatch(item -> item.findings().isEmpty()));
    }

    @Test
    void fields_sayWhatIsSaidOfThemAndInheritTheRest() {
        LabelledItem item = one(MAIL, """
                {"messages": [{"id": 7, "subject": "hi", "amount": 3, "from": "ana@clinic.example", "verified": true}]}
                """);

        Set<DataClass> pii = Set.of(DataClass.of("pii"));
        Returns.Privacy ana = known("ana@clinic.example");
        assertEquals(
                List.of(
                        new LabelledField(
                                "/messages/0/amount",
                                json("3"),
                                new Returns(Integrity.TRUSTED, new Returns.Privacy.Public(), pii),
                                false),
                        new LabelledField("/messages/0/id", json("7"), new Returns(Integrity.TRUSTED, ana, pii), true),
                        new LabelledField(
                                "/messages/0/subject",
                                json("\"hi\""),
                                new Returns(Integrity.UNTRUSTED, ana, pii),
                                false)),
                item.fields());
    }

    @Test
    void fieldInsideAField_inheritsFromTheNearest() {
        LabelledItem item = one("""
                integrity: trusted
                fields:
                  /author: {integrity: untrusted, readers: [/owner]}
                  /author/tags/*: {classes: [tag]}
                vouched: [/author/id, /author/tags/1]
                """, """
                {"owner": "ana@x", "author": {"id": 1, "tags": ["a", "b"]}}
                """);

        Returns author = new Returns(Integrity.UNTRUSTED, known("ana@x"), null);
        Returns tag = new Returns(Integrity.UNTRUSTED, known("ana@x"), Set.of(DataClass.of("tag")));
        assertEquals(
                List.of("/author", "/author/id", "/author/tags/0", "/author/tags/1"),
                item.fields().stream().map(LabelledField::pointer).toList());
        assertEquals(
                List.of(author, author, tag, tag),
                item.fields().stream().map(LabelledField::returns).toList());
        assertEquals(
                List.of(false, true, false, true),
                item.fields().stream().map(LabelledField::vouched).toList());
    }

    @Test
    void whatStandsAroundItems_isNotSpokenOf() {
        Returns said = returns("items: /messages/*\nintegrity: trusted\nconfidentiality: public\n");

        assertNull(said.integrity());
        assertNull(said.confidentiality());
        assertEquals(
                new Returns(Integrity.TRUSTED, new Returns.Privacy.Public(), null),
                one("items: /messages/*\nintegrity: trusted\nconfidentiality: public\n", "{\"messages\":[1]}")
                        .returns());
    }

    @Test
    void withoutItems_expressionsAreOverTheWholeAnswer() {
        Returns said = returns("integrity: \"item.ok ? 'trusted' : 'untrusted'\"\nreaders: [/from]\n");

        assertNull(said.integrity());
        assertEquals(new Returns.Privacy.Named(List.of("/from")), said.confidentiality());
        LabelledItem item = one(
                "integrity: \"item.ok ? 'trusted' : 'untrusted'\"\nreaders: [/from]\n",
                "{\"ok\":true,\"from\":\"ana@x\"}");
        assertEquals("", item.pointer());
        assertEquals(new Returns(Integrity.TRUSTED, known("ana@x"), null), item.returns());
    }

    @Test
    void plainWords_areNoRuleAboutParts() {
        assertNull(returns("integrity: trusted\nreaders: [/from]\nclasses: [pii]\n")
                .items());
    }

    @Test
    void argumentsServerAndPrincipal_areVariables() {
        ItemRule rule = rule("integrity: \"args.folder == 'sent' && server == 'mail' && principal == item.owner"
                + " ? 'trusted' : 'untrusted'\"\n");

        JsonNode document = json("{\"owner\":\"ana\"}");
        JsonNode sent = json("{\"folder\":\"sent\"}");
        assertEquals(
                Integrity.TRUSTED,
                rule.apply(document, sent, "mail", "ana").get(0).returns().integrity());
        assertEquals(
                Integrity.UNTRUSTED,
                rule.apply(document, sent, "mail", "bo").get(0).returns().integrity());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | ",
                "{\"a\": \"x\"} | x",
                "{\"a\": [\"x\", \"y\"], \"b\": {\"c\": {\"d\": \"z\"}}} | x,y,z",
                "{\"a\": null, \"b\": {}} | ",
                "{\"b\": {\"c\": {}}} | ",
                "{\"b\": {\"c\": {\"d\": [\"x\"]}}} | x",
                "{\"a\": []} | ",
            })
    void flat_takesScalarsListsAndAbsentMembers(String document, String readers) {
        Returns.Privacy privacy =
                one("readers: flat(item.a, item.b.c.d)", document).returns().confidentiality();

        assertEquals(readers == null ? PRIVATE : known(readers.split(",")), privacy);
    }

    @Test
    void flat_takesElementsAndLists() {
        assertEquals(
                known("a", "b", "c"),
                one("readers: \"flat(item.list[0], ['b'], item.people.map(p, p.name))\"", """
                        {"list": ["a"], "people": [{"name": "c"}]}
                        """)
                        .returns()
                        .confidentiality());
    }

    /** As where a pointer leads to them: a list that can't be read never widens. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"to\": 7}",
                "{\"to\": \"\"}",
                "{\"to\": [\"a@x\", 7]}",
                "{\"to\": [\"a@x\", null]}",
                "{\"to\": [[\"a@x\"]]}",
                "{\"to\": {\"address\": \"a@x\"}}",
                "{\"to\": \"\\ud800\"}"
            })
    void readersThatCannotBeRead_arePrivate(String document) {
        assertEquals(PRIVATE, one("readers: flat(item.to)", document).returns().confidentiality());
        assertEquals(
                PRIVATE,
                one("items: \"\"\nformat: json\nreaders: [/to]\n", document)
                        .returns()
                        .confidentiality());
    }

    @Test
    void moreReadersThanAreKept_arePrivate() {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        for (int i = 0; i < Returns.Privacy.Named.MOST; i++) {
            list.add("a" + i + "@x");
        }
        ItemRule rule = rule("readers: flat(item)");
        assertTrue(
                rule.apply(list, NO_ARGUMENTS, "mail", "").get(0).returns().confidentiality()
                        instanceof Returns.Privacy.Known);

        list.add("one-more@x");

        assertEquals(
                PRIVATE,
                rule.apply(list, NO_ARGUMENTS, "mail", "").get(0).returns().confidentiality());
    }

    /** What stands in an answer is a name, though it looks like a pointer. */
    @Test
    void readerThatLooksLikeAPointer_isAName() {
        LabelledItem item = one("readers: flat(item.to)", "{\"to\":\"/from\",\"from\":\"eve@evil.example\"}");

        assertEquals(known("/from"), item.returns().confidentiality());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "item.gone == 1 | asks for a member that is not there; ask `has(...)` first",
                "item.text > 3 | uses a value of another kind than it can",
                "item.list[9] == 1 | asks for an element that is not there",
                "1 / item.zero == 1 | divides by zero",
                "item.nothing.more == 1 | asks for a member that is not there; ask `has(...)` first",
                "9223372036854775807 + item.list[0] == 1 | has a number that is too large",
            })
    void expressionThatErrs_isStrict(String expression, String reason) {
        LabelledItem item = one(
                "integrity: \"" + expression + " ? 'trusted' : 'untrusted'\"\nreaders: [ana@x]\n"
                        + "fields: {/text: {integrity: trusted}}\nvouched: [/zero]\n",
                "{\"text\":\"a\",\"list\":[1],\"zero\":0,\"nothing\":null}");

        assertStrict(
                item,
                "the answer counts as untrusted and private: `" + expression + " ? 'trusted' : 'untrusted'` " + reason);
    }

    @Test
    void oneItemThatErrs_leavesTheOthers() {
        List<LabelledItem> items =
                apply(MAIL, "{\"messages\":[{\"from\":\"ana@clinic.example\"},{\"verified\":false}]}");

        assertStrict(
                items.get(0),
                Set.of(DataClass.of("pii")),
                "the item `/messages/0` counts as untrusted and private: `item.verified && inAudience(item.from,"
                        + " 'clinic') ? 'trusted' : 'untrusted'` asks for a member that is not there; ask `has(...)` first");
        assertEquals(List.of(), items.get(1).findings());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "integrity: item.x | 7 | `integrity` gave neither 'trusted' nor 'untrusted'",
                "integrity: item.x | \"TRUSTED\" | `integrity` gave neither 'trusted' nor 'untrusted'",
                "readers: item.x | 7 | `readers` gave no list of texts",
                "readers: item.x | null | `readers` gave no list of texts",
                "readers: item.x | {} | `readers` gave no list of texts",
                "classes: item.x | {} | `classes` gave no list of texts",
                "classes: item.x | [7] | `classes` gave what is no name of a class, or more than 64",
                "classes: item.x | \" \" | `classes` gave what is no name of a class, or more than 64",
            })
    void valueOfAnotherKind_isStrict(String returns, String value, String reason) {
        assertStrict(one(returns, "{\"x\":" + value + "}"), "the answer counts as untrusted and private: " + reason);
    }

    @Test
    void moreClassesThanAnItemCanHave_isStrict() {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        for (int i = 0; i < 65; i++) {
            list.add("c" + i);
        }

        assertStrict(
                rule("classes: flat(item)")
                        .apply(list, NO_ARGUMENTS, "mail", "")
                        .get(0),
                "the answer counts as untrusted and private: `classes` gave what is no name of a class, or more than 64");
    }

    @Test
    void classes_mayBeFoundInTheItem() {
        assertEquals(
                Set.of(DataClass.of("lab"), DataClass.of("pii")),
                one("classes: flat(item.kind, ['pii'])", "{\"kind\":\"lab\"}")
                        .returns()
                        .classes());
    }

    @Test
    void comprehensionOverComprehensions_isStopped() {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        for (int i = 0; i < 100; i++) {
            list.add(i);
        }
        String bomb =
                "item.all(a, item.all(b, item.all(c, item.all(d, a + b + c + d >= 0)))) ? 'trusted' : 'untrusted'";

        assertStrict(
                rule("integrity: \"" + bomb + "\"")
                        .apply(list, NO_ARGUMENTS, "mail", "")
                        .get(0),
                "the answer counts as untrusted and private: `" + bomb + "` takes too many steps");
    }

    @Test
    void moreItemsThanAreToldApart_areOneStrictAnswer() {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        for (int i = 0; i < ItemRule.MOST_ITEMS; i++) {
            list.add(i);
        }
        ItemRule rule = rule("items: /*\nintegrity: trusted\nconfidentiality: public\nclasses: [open]\n");
        assertEquals(
                ItemRule.MOST_ITEMS, rule.apply(list, NO_ARGUMENTS, "mail", "").size());

        list.add(0);

        List<LabelledItem> items = rule.apply(list, NO_ARGUMENTS, "mail", "");
        assertEquals(1, items.size());
        assertEquals("", items.get(0).pointer());
        assertStrict(
                items.get(0),
                Set.of(DataClass.of("open")),
                "the answer counts as untrusted and private: the answer has more than 10000 items");
    }

    @Test
    void moreFieldsThanAreToldApart_makeTheRestStrict() {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        for (int i = 0; i < 3; i++) {
            ArrayNode inner = list.addArray();
            for (int j = 0; j < 40_000; j++) {
                inner.add(j);
            }
        }

        List<LabelledItem> items =
                rule("items: /*\nvouched: [\"/*\"]\nintegrity: trusted\n").apply(list, NO_ARGUMENTS, "mail", "");

        assertEquals(40_000, items.get(1).fields().size());
        assertStrict(
                items.get(2),
                "the item `/2` counts as untrusted and private: the answer has more than 100000 members that the rule"
                        + " says something of");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/messages/* | {\"messages\": {\"a\": 1, \"b/c\": 2}} | /messages/a,/messages/b~1c",
                "/* | [1, 2] | /0,/1",
                "/*/x | [{\"x\": 1}, {}, {\"x\": null}] | /0/x,/2/x",
                "/a~1b | {\"a/b\": 1} | /a~1b",
            })
    void pointers_leadToItems(String pointer, String document, String expected) {
        List<LabelledItem> items = apply("items: \"" + pointer + "\"\nintegrity: trusted\n", document);

        assertEquals(
                List.of(expected.split(",")),
                items.stream().map(LabelledItem::pointer).toList());
    }

    @Test
    void answerWithoutItems_hasNone() {
        assertEquals(List.of(), apply(MAIL, "{\"messages\":[]}"));
        assertEquals(List.of(), apply(MAIL, "\"no messages\""));
    }

    @Test
    void audience_isAskedByParsedAddresses() {
        for (String who : List.of("\"ops\"", "\"Ana@CLINIC.example\"")) {
            assertEquals(Integrity.TRUSTED, inClinic(who), who);
        }
        for (String who : List.of(
                "\"eve@evilclinic.example\"",
                "\"eve@clinic.example.evil\"",
                "\"Ana <ana@clinic.example>\"",
                "\"a@clinic.example,b@clinic.example\"",
                "[\"ana@clinic.example\"]",
                "7",
                "null")) {
            assertEquals(Integrity.UNTRUSTED, inClinic(who), who);
        }
    }

    private static Integrity inClinic(String who) {
        Integrity integrity = one(
                        "integrity: \"inAudience(item.from, 'clinic') ? 'trusted' : 'untrusted'\"",
                        "{\"from\":" + who + "}")
                .returns()
                .integrity();
        return integrity == null ? Integrity.UNTRUSTED : integrity;
    }

    @Test
    void bigAndFractionalNumbers_compare() {
        for (String number : List.of("1e30", "123456789012345678901234567890", "3.5", "1e999")) {
            assertEquals(
                    Integrity.TRUSTED,
                    one("integrity: \"item > 3 ? 'trusted' : 'untrusted'\"", number)
                            .returns()
                            .integrity(),
                    number);
        }
    }
}
