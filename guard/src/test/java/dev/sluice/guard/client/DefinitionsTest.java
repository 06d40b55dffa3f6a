package dev.sluice.guard.client;

import static dev.sluice.guard.client.PlayedLine.await;
import static dev.sluice.guard.client.PlayedLine.call;
import static dev.sluice.guard.client.PlayedLine.code;
import static dev.sluice.guard.client.PlayedLine.json;
import static dev.sluice.guard.client.PlayedLine.passed;
import static dev.sluice.guard.client.PlayedLine.replied;
import static dev.sluice.guard.client.PlayedLine.request;
import static dev.sluice.guard.client.PlayedLine.result;
import static dev.sluice.guard.client.PlayedLine.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** By which definitions calls are judged, and on whose behalf these are asked for. */
class DefinitionsTest {

    private static final String CHANGED = "{'jsonrpc':'2.0','method':'notifications/tools/list_changed'}";
    private static final String BEFORE = "[{'name':'get','description':'gets','inputSchema':{'type':'object'}}]";
    private static final String AFTER = "[{'name':'get','description':'gets all','inputSchema':{'type':'object'}}]";

    private final PlayedLine web = Clinic.open().line("web");

    private List<String> asked() {
        return web.got.stream()
                .map(message -> json(message).path("method").asString(""))
                .toList();
    }

    @Test
    void listOfBeforeAChange_isNotJudgedBy() throws Exception {
        web.answers = false;
        CompletionStage<Step> first = web.begin(call(1, "get", "{}"));
        passed(web.server(CHANGED));
        CompletionStage<Step> second = web.begin(call(2, "get", "{}"));
        web.answerOwn(1, "{'tools':" + BEFORE + "}");
        web.answerOwn(2, "{'tools':" + AFTER + "}");
        assertEquals("definition-changed", code(replied(await(first)).path("result")));
        assertEquals("definition-changed", code(replied(await(second)).path("result")));
        assertEquals(List.of("tools/list", "tools/list"), asked());
    }

    @Test
    void changeWhileACallIsResolved_isLearntBeforeItGoesOn() throws Exception {
        web.answers = false;
        passed(web.client(request(9, "initialize", "{'protocolVersion':'2025-11-25','capabilities':{}}")));
        passed(web.server(result(
                9, "{'protocolVersion':'2025-11-25','capabilities':{'tools':{'resolve':true}},'serverInfo':{}}")));
        CompletionStage<Step> waits = web.begin(call(1, "get", "{}"));
        web.answerOwn(1, "{'tools':" + BEFORE.replace("'get',", "'get','resolve':true,") + "}");
        for (int tries = 0; tries < 600 && web.asked.get() < 2; tries++) {
            Thread.sleep(100);
        }
        passed(web.server(CHANGED));
        web.answerOwn(2, "{'tool':{'name':'get'}}");
        web.answerOwn(3, "{'tools':" + AFTER + "}");
        assertEquals("definition-changed", code(replied(await(waits)).path("result")));
        assertEquals(List.of("tools/list", "tools/resolve", "tools/list"), asked());
    }

    @Test
    void whoCarriesTheQuestion_mayWaitForAThreadThatBringsAMessage() {
        PlayedLine[] far = new PlayedLine[1];
        AtomicInteger brought = new AtomicInteger();
        Line line = Clinic.open().conversation.connect("web", message -> {
            if (brought.get() == 0) {
                // As where both need a lock of the connection.
                CompletableFuture.runAsync(() -> far[0].line.fromServer(PlayedLine.bytes(CHANGED)))
                        .orTimeout(60, TimeUnit.SECONDS)
                        .join();
                brought.incrementAndGet();
            }
            return far[0].send(message);
        });
        far[0] = new PlayedLine(line);
        passed(far[0].client(call(1, "get", "{}")));
        assertEquals(1, brought.get());
    }

    @Test
    void serverWhoseToolsChangeAllTheTime_isNotCalled() {
        PlayedLine[] restless = new PlayedLine[1];
        Line line = Clinic.open().conversation.connect("web", message -> {
            restless[0].line.fromServer(PlayedLine.bytes(CHANGED));
            return restless[0].send(message);
        });
        restless[0] = new PlayedLine(line);
        assertEquals(
                "the tools of `web` change all the time; call it again later",
                replied(restless[0].client(call(1, "get", "{}")))
                        .at("/error/message")
                        .asString(""));
    }

    @Test
    void questionThatDidNotReachTheServer_isAskedAgainWithTheNextCall() {
        web.tools = BEFORE;
        web.reached = false;
        web.calls("get", "{}");
        web.calls("get", "{}");
        assertEquals(2, web.asked.get());
        web.reached = true;
        passed(web.calls("get", "{}"));
        passed(web.calls("get", "{}"));
        assertEquals(3, web.asked.get());
    }

    @Test
    void errorOfTheServer_isAnAnswer() throws Exception {
        web.answers = false;
        CompletionStage<Step> waits = web.begin(call(1, "get", "{}"));
        String id = json(web.got.get(0)).path("id").toString();
        assertInstanceOf(
                Step.Drop.class,
                web.server("{'jsonrpc':'2.0','id':" + id + ",'error':{'code':-32601,'message':'no tools'}}"));
        passed(await(waits));
        passed(web.client(call(2, "get", "{}")));
        assertEquals(1, web.asked.get());
    }

    @Test
    void questions_goOutOnBehalfOfWhoMadeThemNecessary() {
        List<String> anas = new CopyOnWriteArrayList<>();
        ToServer carrier = message -> {
            anas.add(text(message));
            web.line.fromServer(PlayedLine.bytes(
                    "{'jsonrpc':'2.0','id':" + json(text(message)).path("id") + ",'result':{'tools':" + BEFORE + "}}"));
            return CompletableFuture.completedFuture(null);
        };
        passed(await(web.line.fromClient(PlayedLine.bytes(call(1, "get", "{}")), carrier)));
        assertEquals(1, anas.size());
        assertEquals(List.of(), web.got);
    }
}
