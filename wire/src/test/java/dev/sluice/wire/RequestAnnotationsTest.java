package dev.sluice.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class RequestAnnotationsTest {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final RequestAnnotations ALL =
            new RequestAnnotations(Claim.TRUE, Claim.TRUE, SensitiveHint.MEDIUM, List.of("mcp://mail", "b"));

    private static JsonNode json(String text) {
        return JSON.readTree(text.replace('\'', '"'));
    }

    @Test
    void hints_readAsStated() {
        assertEquals(
                new Decoded<>(ALL, List.of()),
                RequestAnnotations.decode(
                        json(
                                "{'name':'send','_meta':{'progressToken':1,'annotations':{'openWorldHint':true,"
                                        + "'privateHint':true,'sensitiveHint':'medium','attribution':['mcp://mail','b','b']}}}")));
        assertEquals(
                new Decoded<>(
                        new RequestAnnotations(Claim.FALSE, Claim.ABSENT, SensitiveHint.ABSENT, List.of("a")),
                        List.of()),
                RequestAnnotations.decode(json("{'_meta':{'annotations':{'openWorldHint':false,'attribution':'a'}}}")));
        for (String nothing : List.of(
                "{}",
                "null",
                "[]",
                "{'_meta':null}",
                "{'_meta':{}}",
                "{'_meta':{'annotations':null}}",
                "{'_meta':{'annotations':{'maliciousActivityHint':7}}}")) {
            assertEquals(
                    new Decoded<>(RequestAnnotations.NONE, List.of()),
                    RequestAnnotations.decode(json(nothing)),
                    nothing);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            value = {
                "{}|{'_meta':{'annotations':{'openWorldHint':true,'privateHint':true,'sensitiveHint':'medium',"
                        + "'attribution':['mcp://mail','b']}}}",
                "{'_meta':{'x':1,'annotations':{'openWorldHint':false,'sensitiveHint':'low','y':[2]}},'arguments':{}}|"
                        + "{'_meta':{'x':1,'annotations':{'openWorldHint':true,'sensitiveHint':'medium','y':[2],"
                        + "'privateHint':true,'attribution':['mcp://mail','b']}},'arguments':{}}",
                "{'_meta':{'annotations':{'openWorldHint':true,'privateHint':true,'sensitiveHint':'high',"
                        + "'attribution':['c',7,'b','b']}}}|"
                        + "{'_meta':{'annotations':{'openWorldHint':true,'privateHint':true,'sensitiveHint':'high',"
                        + "'attribution':['c',7,'b','b','mcp://mail']}}}",
                "{'_meta':{'annotations':{'openWorldHint':'no','privateHint':null,'sensitiveHint':'none',"
                        + "'attribution':'c'}}}|"
                        + "{'_meta':{'annotations':{'openWorldHint':true,'privateHint':true,'sensitiveHint':'high',"
                        + "'attribution':['c','mcp://mail','b']}}}",
                "{'_meta':{'annotations':7}}|"
                        + "{'_meta':{'annotations':{'openWorldHint':true,'privateHint':true,'sensitiveHint':'high',"
                        + "'attribution':['mcp://mail','b']}}}",
                "{'_meta':7,'x':1}|{'_meta':{'annotations':{'openWorldHint':true,'privateHint':true,"
                        + "'sensitiveHint':'medium','attribution':['mcp://mail','b']}},'x':1}",
            })
    void writeTo_raisesAndTouchesNothingElse(String before, String after) {
        ObjectNode params = (ObjectNode) json(before);
        ALL.writeTo(params);
        assertEquals(json(after), params);
        ALL.writeTo(params);
        assertEquals(json(after), params, "writing again changes nothing");
    }

    @Test
    void writeTo_neverLowersAndNeverInvents() {
        RequestAnnotations mild = new RequestAnnotations(Claim.FALSE, Claim.ABSENT, SensitiveHint.LOW, List.of());
        ObjectNode params = (ObjectNode)
                json("{'_meta':{'annotations':{'openWorldHint':true,'privateHint':'x','sensitiveHint':'high'}}}");
        JsonNode before = params.deepCopy();
        mild.writeTo(params);
        assertEquals(before, params);
        for (String untouched : List.of("{}", "{'_meta':7}", "{'_meta':{'annotations':[]}}")) {
            params = (ObjectNode) json(untouched);
            RequestAnnotations.NONE.writeTo(params);
            assertEquals(json(untouched), params);
        }
    }

    /** Whatever stands there, what is read afterwards is the union, and the rest stays. */
    @Test
    void writeTo_readsAsTheUnion() {
        Random random = new Random(51);
        RandomRecords records = new RandomRecords(random);
        for (int round = 0; round < 5000; round++) {
            ObjectNode params = (ObjectNode) json("{'arguments':{'a':1},'_meta':{'annotations':{'other':null}}}");
            ObjectNode there = (ObjectNode) params.path("_meta").path("annotations");
            put(random, there, "openWorldHint", "true", "false", "null", "'x'");
            put(random, there, "privateHint", "true", "false", "[]", "1");
            put(random, there, "sensitiveHint", "'low'", "'medium'", "'high'", "'extreme'", "[]", "['low','medium']");
            put(random, there, "attribution", "[]", "''", "'a'", "['a','b',null]", "{}", "['ifc.fides.v1']");
            RequestAnnotations before = RequestAnnotations.decode(params).value();
            RequestAnnotations ours = records.next(RequestAnnotations.class);
            ours.writeTo(params);
            RequestAnnotations after = RequestAnnotations.decode(params).value();
            assertEquals(before.or(ours), after);
            assertEquals(after.openWorld(), after.openWorld().or(before.openWorld()));
            assertEquals(after.privateData(), after.privateData().or(before.privateData()));
            assertTrue(after.sensitive().compareTo(before.sensitive()) >= 0);
            assertTrue(after.attribution().containsAll(before.attribution()));
            there.remove(List.of("openWorldHint", "privateHint", "sensitiveHint", "attribution"));
            assertEquals(json("{'arguments':{'a':1},'_meta':{'annotations':{'other':null}}}"), params);
        }
    }

    private static void put(Random random, ObjectNode object, String name, String... values) {
        int i = random.nextInt(values.length + 1);
        if (i < values.length) {
            object.set(name, json(values[i]));
        }
    }
}
