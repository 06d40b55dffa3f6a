package dev.sluice.guard.client;

import static dev.sluice.guard.client.PlayedLine.passed;
import static dev.sluice.guard.client.PlayedLine.replied;
import static dev.sluice.guard.client.PlayedLine.request;
import static dev.sluice.guard.client.PlayedLine.result;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A person's word is the server's, a model's is not: which of them an answer is, within a call that is made again. */
class InputRequestsTest {

    private static final String OF_A_PERSON = "elicitation/create";
    private static final String OF_A_MODEL = "sampling/createMessage";
    private static final String PERSON = "{'a':{'method':'elicitation/create','params':{'message':'name?'}}}";
    private static final String MODEL = "{'a':{'method':'sampling/createMessage','params':{'messages':[]}}}";

    private final Clinic clinic = Clinic.open();
    private final PlayedLine web = clinic.line("web");

    private void calls(int id, String arguments) {
        passed(web.client(PlayedLine.call(id, "get", arguments)));
    }

    private void asks(int id, String state, String inputs) {
        passed(web.server(result(id, "{'resultType':'input_required'," + state + "'inputRequests':" + inputs + "}")));
    }

    /** Makes a call again, with an answer to `a`; returns the method of the server's that it was judged as an answer to. */
    private String again(int id, String state, String arguments) {
        passed(web.client(request(
                id,
                "tools/call",
                "{'name':'get','arguments':" + arguments + "," + state + "'inputResponses':{'a':{'content':'Ann'}}}")));
        return judged();
    }

    private String judged() {
        return clinic.events("decision").stream()
                .map(event -> event.path("method").asString(""))
                .filter(method -> method.endsWith("/create") || method.endsWith("/createMessage"))
                .reduce("", (earlier, later) -> later);
    }

    @Test
    void roundOfTooManyInputs_leavesNothingOfTheOneBefore() {
        String state = "'requestState':'s',";
        calls(1, "{}");
        asks(1, state, PERSON);
        calls(2, "{}");
        String others = IntStream.range(0, 50)
                .mapToObj(i -> ",'o" + i + "':{'method':'sampling/createMessage'}")
                .collect(Collectors.joining());
        asks(2, state, MODEL.substring(0, MODEL.length() - 1) + others + "}");
        assertEquals(OF_A_MODEL, again(3, state, "{}"));
        assertEquals(OF_A_MODEL, again(4, state, "{}"));
    }

    @Test
    void callsWithoutState_areToldApartByTheirArguments() {
        calls(1, "{'n':1,'m':2}");
        calls(2, "{'n':2}");
        asks(1, "", MODEL);
        asks(2, "", PERSON);
        assertEquals(OF_A_MODEL, again(3, "", "{'n':1,'m':2}"));
        assertEquals(OF_A_PERSON, again(4, "", "{'n':2}"));
    }

    @Test
    void callsOfOtherMethods_haveTheirOwn() {
        passed(web.client(request(1, "prompts/get", "{'name':'get'}")));
        asks(1, "'requestState':'s',", PERSON);
        assertEquals(OF_A_MODEL, again(2, "'requestState':'s',", "{}"));
    }

    @Test
    void alikeCalls_countAsWhatIsStricter_asLongAsOneIsOpen() {
        calls(1, "{}");
        calls(2, "{}");
        calls(3, "{}");
        asks(1, "", PERSON);
        asks(2, "", MODEL);
        assertEquals(OF_A_MODEL, again(4, "", "{}"));
        asks(3, "", PERSON);
        assertEquals(OF_A_MODEL, again(5, "", "{}"));
        assertEquals(OF_A_MODEL, again(6, "", "{}"));
    }

    @Test
    void whatWasAskedFor_countsOnce() {
        calls(1, "{'m':1,'n':2}");
        asks(1, "", PERSON);
        assertEquals(OF_A_PERSON, again(2, "", "{'n':2, 'm':1}"));
        assertEquals(OF_A_MODEL, again(3, "", "{'m':1,'n':2}"));
    }

    @Test
    void stateThatTheServerGave_isNoWordOfTheClient_andAnyOtherIs() {
        calls(1, "{}");
        passed(web.server(result(1, "{'resultType':'input_required','requestState':'given'}")));
        clinic.readARecord();
        String again = "{'name':'get','arguments':{},'requestState':'%s'}";
        assertInstanceOf(Step.Reply.class, web.client(request(2, "tools/call", again.formatted("made up"))));
        passed(web.client(request(3, "tools/call", again.formatted("given"))));
    }

    @Test
    void answersToATask_areWhatTheTaskAskedFor_once() {
        calls(1, "{}");
        passed(web.server(result(1, "{'resultType':'task','taskId':'task-0815-4711'}")));
        String update = "{'taskId':'task-0815-4711','inputResponses':{'a':{'content':'Ann'}}}";
        passed(web.client(request(2, "tasks/update", update)));
        assertEquals(OF_A_MODEL, judged());
        passed(web.client(request(3, "tasks/get", "{'taskId':'task-0815-4711'}")));
        passed(web.server(result(3, "{'taskId':'task-0815-4711','inputRequests':" + PERSON + "}")));
        passed(web.client(request(4, "tasks/update", update)));
        assertEquals(OF_A_PERSON, judged());
        passed(web.client(request(5, "tasks/update", update)));
        assertEquals(OF_A_MODEL, judged());
        passed(web.server("{'jsonrpc':'2.0','method':'notifications/tasks','params':"
                + "{'taskId':'task-0815-4711','inputRequests':" + PERSON + "}}"));
        passed(web.client(request(6, "tasks/update", update)));
        assertEquals(OF_A_PERSON, judged());
    }

    private static String task(String id, String more) {
        return "{'taskId':'" + id + "'" + more + "}";
    }

    private static String inputs(String requests) {
        return ",'inputRequests':" + requests;
    }

    private static String answer(String key) {
        return ",'inputResponses':{'" + key + "':{'content':'Ann'}}";
    }

    private void makesTask(int id, String name) {
        calls(id, "{}");
        passed(web.server(result(id, task(name, ",'resultType':'task'"))));
    }

    private void tells(String name, String requests) {
        passed(web.server(
                "{'jsonrpc':'2.0','method':'notifications/tasks','params':" + task(name, inputs(requests)) + "}"));
    }

    private String updates(int id, String name, String key) {
        passed(web.client(request(id, "tasks/update", task(name, answer(key)))));
        return judged();
    }

    @Test
    void keyOfATaskThatIsAskedForOtherwise_isNoPersonsWord_whateverElseIsAnswered() {
        makesTask(1, "t");
        tells("t", "{'a':{'method':'sampling/createMessage'},'b':{'method':'elicitation/create'}}");
        assertEquals(OF_A_PERSON, updates(2, "t", "b"));
        tells("t", PERSON);
        assertEquals(OF_A_MODEL, updates(3, "t", "a"), "the model's answer may have been under way");
        tells("t", PERSON);
        assertEquals(OF_A_MODEL, updates(4, "t", "a"), "it was asked of a model once");
    }

    @Test
    void answerToOneKey_leavesTheOthersAsked() {
        makesTask(1, "t");
        tells("t", "{'a':{'method':'elicitation/create'},'b':{'method':'elicitation/create'}}");
        assertEquals(OF_A_PERSON, updates(2, "t", "b"));
        assertEquals(OF_A_PERSON, updates(3, "t", "a"));
        assertEquals(OF_A_MODEL, updates(4, "t", "a"));
    }

    @Test
    void answersThatAreNoObject_areOfNoKey() {
        makesTask(1, "t");
        tells("t", "{'inputResponses':{'method':'elicitation/create'},'requestState':{'method':'elicitation/create'}}");
        passed(web.client(request(2, "tasks/update", task("t", ",'inputResponses':['Ann']"))));
        assertEquals(OF_A_MODEL, judged());
        tells("t", "{'requestState':{'method':'elicitation/create'}}");
        passed(web.client(request(3, "tasks/update", task("t", ",'requestState':'Ann'"))));
        assertEquals(OF_A_MODEL, judged());
    }

    @Test
    void plainRequestsHoldNoState() {
        for (String method : new String[] {"tools/list", "server/discover"}) {
            assertEquals(
                    -32602,
                    replied(web.client(request(1, method, "{'requestState':'words'}")))
                            .at("/error/code")
                            .asInt(0));
        }
    }

    @Test
    void taskOfAnother_isNotGiven_whereTheServerCantTellWhoAsks() {
        String meta = ",'_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28',"
                + "'io.modelcontextprotocol/clientCapabilities':{}}";
        for (String method : new String[] {"tasks/get", "tasks/update", "tasks/cancel", "tasks/result"}) {
            assertEquals(
                    -32602,
                    replied(web.client(request(1, method, task("of nobody", meta))))
                            .at("/error/code")
                            .asInt(0),
                    method);
        }
        assertEquals(
                -32601,
                replied(web.client(request(2, "tasks/list", "{" + meta.substring(1) + "}")))
                        .at("/error/code")
                        .asInt(0));
        makesTask(3, "t");
        assertEquals(
                -32601,
                replied(web.client(request(4, "tasks/list", task("t", meta))))
                        .at("/error/code")
                        .asInt(0),
                "it is no task's");
        passed(web.client(request(4, "tasks/get", task("t", meta))));
    }

    @Test
    void whatIsToldOfATask_isKeptBack_whereARuleTakesOutWhatItsToolGives() {
        PlayedLine line = Clinic.under("""
                version: 1
                servers:
                  web:
                    defaults: {integrity: trusted, confidentiality: public}
                    tools:
                      get: {effects: [reads], returns: {integrity: untrusted}}
                redact: [{id: outsiders, on: {tools: get}, when: label.integrity == 'untrusted'}]
                """).line("web");
        passed(line.client(PlayedLine.call(1, "get", "{}")));
        passed(line.server(result(1, task("task-0815-4711", ",'resultType':'task'"))));
        for (String method : new String[] {"notifications/tasks", "notifications/tasks/status"}) {
            assertInstanceOf(
                    Step.Drop.class,
                    line.server("{'jsonrpc':'2.0','method':'" + method + "','params':"
                            + task("task-0815-4711", ",'result':{'content':[{'type':'text','text':'words'}]}") + "}"));
        }
    }

    @Test
    void taskThatManyCallsMade_hasTheLabelOfAllThatTheSessionSaw() {
        Clinic clinic = Clinic.open();
        PlayedLine mail = clinic.line("mail");
        for (int i = 1; i <= TaskCalls.MOST_OF_ONE + 1; i++) {
            passed(mail.client(PlayedLine.call(i, "save", "{}")));
            passed(mail.server(result(i, task("task-0815-4711", ""))));
        }
        clinic.readARecord();
        passed(mail.client(request(90, "tasks/get", task("task-0815-4711", ""))));
        String got = passed(mail.server(result(90, task("task-0815-4711", ",'status':'working'"))));
        assertEquals(
                "private",
                PlayedLine.json(got)
                        .at("/result/_meta/dev.sluice~1label/confidentiality")
                        .asString(""),
                got);
    }

    /** It has no label and no record. */
    @Test
    void answerToAPlainRequest_asksNothing() {
        String[] methods = {"initialize", "server/discover", "tools/list", "resources/list", "prompts/list", "ping"};
        for (String method : methods) {
            for (String asks : new String[] {
                "'resultType':'input_required','requestState':'name?'", "'resources':[],'inputRequests':" + PERSON
            }) {
                passed(web.client(request(1, method, "{}")));
                String got = passed(web.server(result(1, "{" + asks + "}")));
                assertTrue(got.contains("asks for something in the answer to `" + method + "`"), got);
                assertTrue(got.contains("\"error\"") && !got.contains("name?"), got);
            }
        }
    }

    @Test
    void whatChangesHowACallGoesOn_isJudgedAsThatCall() {
        Clinic clinic = Clinic.under("""
                version: 1
                servers:
                  web:
                    defaults: {integrity: untrusted, confidentiality: public}
                    tools:
                      get: {effects: [reads]}
                      set: {effects: [writes], returns: {integrity: trusted}}
                """);
        PlayedLine line = clinic.line("web");
        passed(line.client(PlayedLine.call(1, "set", "{}")));
        passed(line.server(result(1, task("of set", ""))));
        passed(line.client(PlayedLine.call(2, "get", "{}")));
        passed(line.server(result(2, task("of get", ""))));
        for (String method : new String[] {"tasks/update", "tasks/cancel"}) {
            for (String other : new String[] {"of set", "of nobody"}) {
                assertEquals(
                        -31403,
                        replied(line.client(request(3, method, task(other, ""))))
                                .at("/error/code")
                                .asInt(0),
                        method + " " + other);
            }
            passed(line.client(request(method.length(), method, task("of get", ""))));
            passed(line.server(result(method.length(), "{}")));
        }
        passed(line.client(request(5, "tasks/get", task("of set", ""))));
    }

    @Test
    void whatATaskGave_isLabelledAsItsTool_andIsNotCached() {
        Clinic clinic = Clinic.under("""
                version: 1
                servers:
                  web:
                    defaults: {integrity: trusted, confidentiality: public}
                    tools:
                      get: {effects: [reads], returns: {integrity: untrusted}}
                """);
        PlayedLine line = clinic.line("web");
        passed(line.client(PlayedLine.call(1, "get", "{}")));
        passed(line.server(result(1, "{'resultType':'task','taskId':'task-0815-4711'}")));
        passed(line.client(request(2, "tasks/get", "{'taskId':'task-0815-4711'}")));
        String got = passed(line.server(result(
                2, "{'taskId':'task-0815-4711','ttlMs':5,'result':{'content':[{'type':'text','text':'words'}]}}")));
        for (String at : new String[] {"/result", "/result/result"}) {
            assertEquals(
                    "untrusted",
                    PlayedLine.json(got)
                            .at(at + "/_meta/dev.sluice~1label/integrity")
                            .asString(""),
                    got);
        }
        assertEquals(0, PlayedLine.json(got).at("/result/ttlMs").asInt(-1), got);
    }

    @Test
    void questionThatARuleTakesOut_isRefusedClearly() {
        PlayedLine line = Clinic.under(
                        Clinic.POLICY + "redact: [{id: outsiders, when: label.integrity == 'untrusted'}]\n")
                .line("web");
        passed(line.client(PlayedLine.call(1, "get", "{}")));
        String refused =
                passed(line.server(result(1, "{'resultType':'input_required','inputRequests':" + PERSON + "}")));
        assertTrue(refused.contains("keeps what it asks from the client") && !refused.contains("name?"), refused);
    }

    @Test
    void questionWhatACallDoes_carriesNoAnswersUnjudged() {
        clinic.readARecord();
        String arm = "'inputResponses':{'a':{'content':'Anna Weber has a broken arm and a dog'}}";
        assertInstanceOf(
                Step.Reply.class, web.client(request(1, "tools/resolve", "{'name':'get','arguments':{}," + arm + "}")));
        assertTrue(replied(web.client(request(2, "tools/list", "{" + arm + "}")))
                .at("/error/message")
                .asString("")
                .contains("leave out `inputResponses`"));
    }

    @Test
    void rootsThatHoldThePolicy_areNotGivenAwayWithACall(@TempDir Path folder) {
        Clinic keeping = Clinic.of(builder -> builder.withheld(folder.resolve("state")));
        PlayedLine mail = keeping.line("mail");
        String give = "{'name':'get','arguments':{},'inputResponses':{'r':{'roots':[{'uri':'%s'}]}}}";
        String refused = replied(mail.client(request(1, "tools/call", give.formatted(folder.toUri()))))
                .at("/error/message")
                .asString("");
        assertTrue(refused.contains("roots hold files that no server may have"), refused);
        passed(mail.client(
                request(2, "tools/call", give.formatted(folder.resolve("other").toUri()))));
    }
}
