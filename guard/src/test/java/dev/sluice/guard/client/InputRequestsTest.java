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
