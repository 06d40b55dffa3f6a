package dev.sluice.guard.client;

import static dev.sluice.guard.client.PlayedLine.passed;
import static dev.sluice.guard.client.PlayedLine.replied;
import static dev.sluice.guard.client.PlayedLine.request;
import static dev.sluice.guard.client.PlayedLine.result;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Requests of a server that it takes back before the client answers. */
class AskedByServerTest {

    private static final String PRIVATE = "{'content':'Anna Weber has a broken arm and a dog'}";

    private final PlayedLine web = Clinic.open().readARecord().line("web");

    private void asksAndTakesBack(int id, String method) {
        passed(web.server(request(id, method, "{}")));
        passed(web.server("{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':" + id + "}}"));
    }

    @Test
    void requestsTakenBack_makeRoom_andLateAnswersGoNowhere() {
        for (int id = 0; id <= Unanswered.MOST; id++) {
            asksAndTakesBack(id, "roots/list");
        }
        passed(web.server(request(-1, "roots/list", "{}")));
        assertInstanceOf(Step.Drop.class, web.client(result(5, "{'roots':[]}")));
        assertInstanceOf(
                Step.Drop.class,
                web.server("{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':5}}"),
                "it is taken back once");
    }

    @Test
    void idOfARequestThatWasTakenBack_isNoOthers() {
        asksAndTakesBack(1, "sampling/createMessage");
        assertTrue(replied(web.server(request(1, "elicitation/create", "{}")))
                .at("/error/message")
                .asString("")
                .contains("the id is in use"));
        assertInstanceOf(Step.Drop.class, web.client(result(1, PRIVATE)), "the late answer of a model");
    }

    @Test
    void whereTooManyWereTakenBack_noAnswerIsAPersons() {
        passed(web.server(request(-1, "elicitation/create", "{}")));
        assertTrue(passed(web.client(result(-1, PRIVATE))).contains("Anna"));
        for (int id = 0; id <= AskedByServer.MOST_TAKEN_BACK; id++) {
            asksAndTakesBack(id, "roots/list");
        }
        passed(web.server(request(0, "elicitation/create", "{}")));
        String refused = passed(web.client(result(0, PRIVATE)));
        assertEquals(-31403, PlayedLine.json(refused).at("/error/code").asInt(0));
    }
}
