package dev.sluice.guard.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What is asked for by several servers, and after something was forgotten. */
class RequestedInputsTest {

    private static final String PERSON = "elicitation/create";
    private static final String MODEL = "sampling/createMessage";

    private final RequestedInputs inputs = new RequestedInputs();

    private static JsonNode json(String text) {
        return PlayedLine.json(text.replace('\'', '"'));
    }

    private void asks(String server, String state, String method) {
        inputs.asked(
                server,
                "tools/call",
                json("{'name':'get'}"),
                json("{'requestState':'" + state + "','inputRequests':{'a':{'method':'" + method + "'}}}"));
    }

    private List<String> given(String server, String method, String params) {
        return inputs.given(server, method, json(params)).given().stream()
                .map(RequestedInputs.Given::method)
                .toList();
    }

    private List<String> again(String server, String state) {
        return given(server, "tools/call", "{'name':'get','requestState':'" + state + "','inputResponses':{'a':1}}");
    }

    private void makesTask(String server, String id) {
        inputs.asked(server, "tools/call", json("{'name':'get'}"), json("{'taskId':'" + id + "'}"));
    }

    private void tells(String server, String id, String key, String method) {
        inputs.askedInTask(
                server, json("{'taskId':'" + id + "','inputRequests':{'" + key + "':{'method':'" + method + "'}}}"));
    }

    private List<String> updates(String server, String id, String key) {
        return given(server, "tasks/update", "{'taskId':'" + id + "','inputResponses':{'" + key + "':1}}");
    }

    @Test
    void whatAnotherServerAsksFor_isNotAskedForHere() {
        makesTask("one", "t");
        makesTask("two", "t");
        tells("two", "t", "a", PERSON);
        assertEquals(List.of(MODEL), updates("one", "t", "a"));
        assertEquals(List.of(PERSON), updates("two", "t", "a"));
        asks("two", "s", PERSON);
        assertEquals(List.of(MODEL, MODEL), again("one", "s"));
        assertEquals(List.of(PERSON), again("two", "s"));
    }

    private String loan(String method, String params) {
        return inputs.given("one", method, json(params)).loan();
    }

    @Test
    void callThatWasNotMade_usesNothingUp_andOneThatWasMadeDoes() {
        String again = "{'name':'get','requestState':'s','inputResponses':{'a':1}}";
        asks("one", "s", PERSON);
        String first = loan("tools/call", again);
        assertEquals(List.of(MODEL, MODEL), again("one", "s"), "it counts for one call at a time");
        assertEquals("", loan("tools/call", again), "which had nothing that it could give back");
        inputs.notMade(first);
        inputs.notMade(first);
        String second = loan("tools/call", again);
        assertEquals("", loan("tools/call", again), "what was given back twice counts once");
        inputs.wasMade(second);
        inputs.notMade(second);
        assertEquals(List.of(MODEL, MODEL), again("one", "s"));
    }

    @Test
    void callThatWasNotMade_isAsStrictAsWhatWasAskedForSince() {
        asks("one", "s", PERSON);
        String first = loan("tools/call", "{'name':'get','requestState':'s','inputResponses':{'a':1}}");
        asks("one", "s", MODEL);
        inputs.notMade(first);
        assertEquals(List.of(MODEL), again("one", "s"));
        assertEquals(List.of(MODEL), again("one", "s"));
        assertEquals(List.of(MODEL, MODEL), again("one", "s"));
    }

    @Test
    void answerToATaskThatWasNotGiven_isStillAskedFor() {
        String update = "{'taskId':'t','inputResponses':{'a':1,'b':1}}";
        makesTask("one", "t");
        tells("one", "t", "a", PERSON);
        inputs.notMade(loan("tasks/update", update));
        assertEquals(List.of(PERSON, MODEL), given("one", "tasks/update", update));
        assertEquals(List.of(MODEL, MODEL), given("one", "tasks/update", update));
        tells("one", "t", "a", PERSON);
        String loan = loan("tasks/update", update);
        tells("one", "t", "a", MODEL);
        inputs.notMade(loan);
        assertEquals(List.of(MODEL, MODEL), given("one", "tasks/update", update));
    }

    @Test
    void taskThatNoCallMade_mayHaveBeenAskedForAnythingBefore() {
        tells("one", "t", "a", PERSON);
        assertEquals(List.of(MODEL), updates("one", "t", "a"));
    }

    @Test
    void callThatWasForgotten_isAPersonsNoMore_whateverIsAskedForThen() {
        asks("one", "first", MODEL);
        for (int i = 0; i < RequestedInputs.MOST; i++) {
            asks("one", "s" + i, MODEL);
        }
        asks("one", "first", PERSON);
        assertEquals(List.of(MODEL), again("one", "first"));
        asks("one", "fresh", PERSON);
        assertEquals(List.of(PERSON), again("one", "fresh"));
    }

    @Test
    void taskThatWasForgotten_isAPersonsNoMore_howeverItComesBack() {
        makesTask("one", "first");
        tells("one", "first", "a", MODEL);
        for (int i = 0; i < TaskCalls.MOST; i++) {
            makesTask("one", "t" + i);
        }
        makesTask("one", "first");
        tells("one", "first", "a", PERSON);
        assertEquals(List.of(MODEL), updates("one", "first", "a"));
        makesTask("one", "fresh");
        tells("one", "fresh", "a", PERSON);
        assertEquals(List.of(PERSON), updates("one", "fresh", "a"));
    }

    /** Each task may be asked for fifty things, and all tasks together for a thousand. */
    @Test
    void tasksThatAreAskedForTooMuchTogether_areForgotten_theOldestFirst() {
        int tasks = RequestedInputs.MOST_KEYS / RequestedInputs.MOST_OF_ONE;
        for (int i = 0; i <= tasks; i++) {
            makesTask("one", "t" + i);
            for (int k = 0; k < RequestedInputs.MOST_OF_ONE; k++) {
                tells("one", "t" + i, "k" + k, PERSON);
            }
        }
        assertEquals(List.of(MODEL), updates("one", "t0", "k1"));
        assertEquals(List.of(PERSON), updates("one", "t1", "k1"));
        assertEquals(List.of(PERSON), updates("one", "t" + tasks, "k1"));
    }

    @Test
    void keysThatAreTooManyOrTooLong_areNoPersons() {
        makesTask("one", "t");
        String longest = "k".repeat(RequestedInputs.LONGEST);
        tells("one", "t", longest, PERSON);
        tells("one", "t", longest + "k", PERSON);
        assertEquals(List.of(PERSON), updates("one", "t", longest));
        assertEquals(List.of(MODEL), updates("one", "t", longest + "k"));
        for (int i = 0; i < RequestedInputs.MOST_OF_ONE; i++) {
            tells("one", "t", "k" + i, PERSON);
        }
        assertEquals(List.of(MODEL), updates("one", "t", "k1"));
        tells("one", "t", "k1", PERSON);
        assertEquals(List.of(MODEL), updates("one", "t", "k1"));
    }
}
