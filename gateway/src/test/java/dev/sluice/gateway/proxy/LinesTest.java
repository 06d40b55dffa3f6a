// This file has more than 400 lines because a line has one life, and the ways it can go stand here beside each other.
package dev.sluice.gateway.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.gateway.State;
import dev.sluice.gateway.telemetry.Watch;
import dev.sluice.gateway.transport.ChildProcess;
import dev.sluice.gateway.transport.UpstreamLink;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.guard.ReaderResolver;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import dev.sluice.store.ApprovalStore.Approval;
import dev.sluice.store.ApprovalStore.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Lines to upstreams over their life: begun, used, lost, left alone, shared, ended.
 *
 * <p>Most wait for time to pass, each for itself, so they wait side by side. One alone starts children, and looks at all that this process has.
 */
@Execution(ExecutionMode.CONCURRENT)
class LinesTest {

    @TempDir
    private Path folder;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private Supplier<List<Approval>> questions = List::of;
    private final List<String> logged = new CopyOnWriteArrayList<>();
    private final Map<String, List<ScriptedLink>> links = new ConcurrentHashMap<>();

    /** A client and its session. */
    private final class Client extends PlayedClient {

        Client(Guard guard, String key, List<Server> servers) {
            AgentSession agent = agent(guard, key);
            opened.add(in(ProxySession.shared(
                    guard,
                    agent,
                    this,
                    logged::add,
                    root -> false,
                    servers,
                    JsonNodeFactory.instance.missingNode(),
                    Watch.NONE)));
        }

        /** A client that shakes hands with its one server itself. */
        Client(Guard guard, String key, Server server) throws IOException {
            opened.add(in(ProxySession.direct(
                    guard, agent(guard, key), this, logged::add, why -> {}, root -> false, server, Watch.NONE)));
        }

        private static AgentSession agent(Guard guard, String key) {
            AgentSession agent = new AgentSession(key, "ana", key, AgentSession.Start.PRINCIPAL, "{}");
            var _ = guard.open(agent);
            return agent;
        }

        Client begin() throws InterruptedException {
            begin("{'sampling':{}}");
            return this;
        }

        void call(int id, String tool) {
            send(id, "tools/call", "{'name':'" + tool + "','arguments':{},'_meta':{'progressToken':7}}");
        }
    }

    private Guard guard(String policy) throws IOException {
        State state = State.open(folder.resolve("state"));
        questions = () -> state.engine().transact(tx -> tx.approvals().open(Instant.now()));
        opened.add(0, state);
        Policy parsed = PolicyParser.parse("p.yaml", policy);
        return new Guard(
                state.engine(),
                parsed,
                Clock.systemUTC(),
                60,
                ReaderResolver::of,
                work -> Thread.ofVirtual().start(work));
    }

    /** Servers of which each is played by {@code script}, but for those that {@code gone} names, which can't be started. */
    private List<Server> servers(Guard guard, ScriptedLink.Script script, String... gone) {
        return guard.policy().servers().values().stream()
                .map(policy -> {
                    Server.Links made = principal -> {
                        if (List.of(gone).contains(policy.name())) {
                            throw new IOException("the server `" + policy.name() + "` can't be started");
                        }
                        ScriptedLink link = new ScriptedLink(script);
                        made(policy.name()).add(link);
                        return link;
                    };
                    return policy.line().shared()
                            ? Server.shared(policy, made, close -> opened.add(close::run), logged::add)
                            : new Server(policy, made);
                })
                .toList();
    }

    private List<ScriptedLink> made(String server) {
        return links.computeIfAbsent(server, name -> new CopyOnWriteArrayList<>());
    }

    private static final ScriptedLink.Script ANSWERS = (link, message) -> {
        if (message instanceof RpcMessage.Request request) {
            link.answer(request, "{\"content\":[]}");
        }
    };

    @AfterEach
    void close() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    @Test
    void serverThatEnds_itsCallsAreAnswered_andTheNextOneStartsItAgain() throws Exception {
        Guard guard = guard("{version: 1, servers: {a: {command: a, tools: {act: {effects: reads}}}}}");
        List<Server> servers = servers(guard, (link, message) -> {
            if (message instanceof RpcMessage.Request request) {
                if (made("a").size() == 1) {
                    link.die();
                } else {
                    link.answer(request, "{\"content\":[]}");
                }
            }
        });
        Client client = new Client(guard, "one", servers).begin();
        assertEquals(Standing.Word.OPEN, servers.get(0).standing().now().word());
        client.call(1, "act");
        assertTrue(client.next().contains("its process ended with exit code 1. Whether it did anything is not known."));
        assertEquals(Standing.Word.FAILING, servers.get(0).standing().now().word());
        client.call(2, "act");
        assertTrue(client.next().contains("\"content\":[]"));
        assertEquals(2, made("a").size());
        assertTrue(made("a").get(0).closed, "what was started for it is ended");
        assertTrue(made("a").get(1).got.get(1).contains("notifications/initialized"), "the handshake is whole");
        assertEquals(Standing.Word.OPEN, servers.get(0).standing().now().word());
    }

    @Test
    void serverThatIsStartedAgain_isToldTheLogLevelAndWhatIsWatched() throws Exception {
        Guard guard = guard("{version: 1, servers: {a: {command: a, tools: {act: {effects: reads}}}}}");
        Client client = new Client(guard, "one", servers(guard, (link, message) -> {
                    if (message instanceof RpcMessage.Request request) {
                        if (request.method().equals("tools/call") && made("a").size() == 1) {
                            link.die();
                        } else {
                            link.answer(request, "{\"content\":[]}");
                        }
                    }
                }))
                .begin();
        for (String asked : List.of(
                "1,\"method\":\"logging/setLevel\",\"params\":{\"level\":\"debug\"}}",
                "2,\"method\":\"resources/subscribe\",\"params\":{\"uri\":\"x:/y\"}}",
                "3,\"method\":\"resources/subscribe\",\"params\":{\"uri\":\"x:/z\"}}",
                "4,\"method\":\"resources/unsubscribe\",\"params\":{\"uri\":\"x:/z\"}}")) {
            client.say("{\"jsonrpc\":\"2.0\",\"id\":" + asked);
            assertTrue(client.next().contains("\"result\""), asked);
        }
        client.call(5, "act");
        assertTrue(client.next().contains("its process ended"));
        client.call(6, "act");
        assertTrue(client.next().contains("\"id\":6"), "the answers to what is set again are for nobody");

        List<String> got = made("a").get(1).got;
        assertTrue(got.get(1).contains("notifications/initialized"), got.toString());
        assertTrue(got.get(2).contains("logging/setLevel") && got.get(2).contains("debug"), got.toString());
        assertTrue(got.get(3).contains("resources/subscribe") && got.get(3).contains("x:/y"), got.toString());
        assertFalse(got.toString().contains("x:/z"), got.toString());
    }

    @Test
    void serverThatKeepsDying_isLeftAlone_andCallsAreToldTillWhen() throws Exception {
        Guard guard = guard("{version: 1, servers: {a: {command: a, tools: {act: {effects: reads}}}}}");
        Client client = new Client(guard, "one", servers(guard, (link, message) -> {
                    if (message instanceof RpcMessage.Request) {
                        link.die();
                    }
                }))
                .begin();
        for (int i = 1; i <= 2; i++) {
            client.call(i, "act");
            assertTrue(client.next().contains("gave no answer"));
        }
        String last = "";
        for (int i = 3; i <= 20; i++) {
            client.call(i, "act");
            last = client.next();
        }
        assertTrue(last.contains("\"isError\":true"), last);
        assertTrue(
                last.matches(
                        ".*the server `a` is gone: its process ended with exit code 1; it is tried again in [1-9] s.*"),
                last);
        assertTrue(made("a").size() < 6, "it was started " + made("a").size() + " times");
    }

    @Test
    void serverThatCanNotBeStarted_doesNotBreakTheOthers() throws Exception {
        Guard guard =
                guard("{version: 1, servers: {a: {command: a}, b: {command: b, tools: {act: {effects: reads}}}}}");
        List<Server> servers = servers(guard, ANSWERS, "a");
        Client client = new Client(guard, "one", servers).begin();
        client.say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
        String list = client.next();
        assertTrue(list.contains("b__act") && !list.contains("a__act"), list);
        client.call(2, "b__act");
        assertTrue(client.next().contains("\"content\":[]"));
        client.call(3, "a__act");
        String away = client.next();
        assertTrue(away.contains("the server `a` can't be started; it is tried again in"), away);
        assertTrue(away.contains("\"isError\":true"), away);
        client.say("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"resources/read\",\"params\":{\"uri\":\"x:/y\"}}");
        assertTrue(client.next().contains("\"code\":-31502"), "who has it may be the one that is away");
        assertEquals(Standing.Word.FAILING, servers.get(0).standing().now().word());
        assertEquals(Standing.Word.OPEN, servers.get(1).standing().now().word());
        assertTrue(
                logged.get(0).startsWith("the server `a` can't be started; it is tried again in 1 s"), logged.get(0));
    }

    @Test
    void lineThatNobodyUses_isClosed_andBegunAgainWhenNeeded() throws Exception {
        Guard guard = guard("{version: 1, servers: {a: {command: a, idle: 1s, tools: {act: {effects: reads}}}}}");
        List<Server> servers = servers(guard, ANSWERS);
        Client client = new Client(guard, "one", servers).begin();
        PlayedClient.until(() -> made("a").get(0).closed);
        assertEquals(Standing.Word.IDLE, servers.get(0).standing().now().word());
        client.call(1, "act");
        assertTrue(client.next().contains("\"content\":[]"));
        assertEquals(2, made("a").size());
        client.say("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/subscribe\",\"params\":{\"uri\":\"x:/y\"}}");
        client.next();
        Thread.sleep(2_500);
        assertFalse(made("a").get(1).closed, "a line on which something is watched is in use");
    }

    /** An approval is good for one call, and must not be used up by a line that was stopped while a person was asked. */
    @Test
    void approvedCall_goesOverTheLineThatThereIsThen() throws Exception {
        Guard guard = guard("{version: 1, gateway: {ask: {wait: 60s}}, servers: {a: {command: a, idle: 1s, tools: {"
                + "act: {effects: reads, review: true}}}}}");
        Client client = new Client(guard, "one", servers(guard, ANSWERS)).begin();
        client.call(1, "act");
        PlayedClient.until(() -> made("a").get(0).closed);
        Approval asked = questions.get().get(0);
        guard.answer(asked, true, "approver");
        String answer = client.next();
        while (answer.contains("notifications/progress")) {
            answer = client.next();
        }
        assertTrue(answer.contains("\"content\":[]"), answer);
        assertEquals(2, made("a").size());
        assertTrue(
                made("a").get(1).got.stream().anyMatch(each -> each.contains("tools/list")), "its tools are learned");
    }

    @Test
    void approvalOfACallWhoseServerIsAway_isNotUsedUp() throws Exception {
        Guard guard = guard("{version: 1, gateway: {ask: {wait: 60s}}, servers: {a: {command: a, tools: {"
                + "act: {effects: reads, review: true}}}}}");
        List<Server> servers = new ArrayList<>();
        AtomicBoolean away = new AtomicBoolean();
        for (Server each : servers(guard, ANSWERS)) {
            servers.add(new Server(each.policy(), principal -> {
                if (away.get()) {
                    throw new IOException("the server `a` can't be started");
                }
                return each.links().link(principal);
            }));
        }
        Client client = new Client(guard, "one", servers).begin();
        client.call(1, "act");
        PlayedClient.until(() -> !questions.get().isEmpty());
        away.set(true);
        made("a").get(0).die();
        Approval asked = questions.get().get(0);
        guard.answer(asked, true, "approver");
        String answer = client.next();
        while (answer.contains("notifications/progress")) {
            answer = client.next();
        }
        assertTrue(answer.contains("the server `a` can't be started; it is tried again in"), answer);
        assertEquals(Status.APPROVED, guard.question(asked.id()).orElseThrow().status());
    }

    /** Begins a line anew on which nobody answers what the client set before, until it is late. */
    private Client setAgainInVain(String server) throws Exception {
        Guard guard = guard("{version: 1, servers: {a: {command: a, " + server + ", tools: {act: {effects: reads}}}}}");
        Client client = new Client(guard, "one", servers(guard, (link, message) -> {
                    if (message instanceof RpcMessage.Request request) {
                        if (request.method().equals("tools/call") && made("a").size() == 1) {
                            link.die();
                        } else if (made("a").size() == 1) {
                            link.answer(request, "{}");
                        } else if (request.id().json().equals("3")) {
                            link.answer(request, "{\"content\":[]}");
                        } else if (request.method().equals("tools/call")) {
                            link.say(
                                    "{\"jsonrpc\":\"2.0\",\"id\":\"sluice-2\",\"result\":{\"content\":[],\"late\":1}}");
                            link.answer(request, "{\"content\":[]}");
                        }
                    }
                }))
                .begin();
        client.say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"logging/setLevel\",\"params\":{\"level\":\"debug\"}}");
        assertTrue(client.next().contains("\"result\""));
        client.call(2, "act");
        assertTrue(client.next().contains("its process ended"));
        client.call(3, "act");
        assertTrue(client.next().contains("\"content\":[]"));
        assertTrue(made("a").get(1).got.get(2).contains("\"id\":\"sluice-2\",\"method\":\"logging/setLevel\""));
        return client;
    }

    @Test
    void ownRequestThatIsNotAnswered_keepsNoLineOpen() throws Exception {
        var _ = setAgainInVain("timeout: 1s, idle: 1s");
        PlayedClient.until(() -> made("a").get(1).closed);
    }

    @Test
    void lateAnswerToAnOwnRequest_isNoAnswerToTheClientsOfThatId() throws Exception {
        Client client = setAgainInVain("timeout: 1s");
        List<String> got = made("a").get(1).got;
        PlayedClient.until(() -> got.stream().anyMatch(each -> each.contains("notifications/cancelled")));
        client.say("{\"jsonrpc\":\"2.0\",\"id\":\"sluice-2\",\"method\":\"tools/call\",\"params\":{\"name\":\"act\","
                + "\"arguments\":{}}}");
        String answer = client.next();
        assertTrue(answer.contains("\"id\":\"sluice-2\"") && !answer.contains("late"), answer);
        assertTrue(logged.contains("skipped from `a`: an answer to nothing that was asked"), logged.toString());
    }

    private static long lists(ScriptedLink link) {
        return link.got.stream().filter(each -> each.contains("tools/list")).count();
    }

    /** A list in one piece is known; one in pages, or one that changed on its way, is learned before the next call. */
    @Test
    void toolsThatTheClientListed_areKnownOnlyWhereTheListIsWholeAndDidNotChange() throws Exception {
        Guard guard = guard("{version: 1, servers: {a: {command: a, tools: {act: {effects: reads}}}}}");
        AtomicReference<String> before = new AtomicReference<>("");
        Server server = servers(guard, (link, message) -> {
                    if (message instanceof RpcMessage.Request request
                            && request.method().equals("tools/list")) {
                        if (before.get().equals("changed")) {
                            before.set("");
                            link.say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
                        }
                        boolean more =
                                before.get().equals("pages") && request.params().isEmpty();
                        link.answer(
                                request,
                                "{\"tools\":[{\"name\":\"act\",\"inputSchema\":{\"type\":\"object\"}}]"
                                        + (more ? ",\"nextCursor\":\"2\"}" : "}"));
                    } else if (message instanceof RpcMessage.Request request) {
                        link.answer(request, "{\"content\":[]}");
                    }
                })
                .get(0);
        Client client = new Client(guard, "one", server).begin();
        ScriptedLink link = made("a").get(0);
        link.listsByScript = true;

        before.set("pages");
        for (String params : List.of("", ",\"params\":{\"cursor\":\"2\"}")) {
            client.say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"" + params + "}");
            assertTrue(client.next().contains("\"tools\""));
        }
        before.set("");
        client.call(2, "act");
        assertTrue(client.next().contains("\"content\":[]"));
        assertEquals(3, lists(link), "pages do not tell whether they are of one list");

        client.call(3, "act");
        assertTrue(client.next().contains("\"content\":[]"));
        assertEquals(3, lists(link), "now they are known");

        before.set("changed");
        client.say("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\"}");
        assertTrue(client.next().contains("list_changed"));
        assertTrue(client.next().contains("\"tools\""));
        client.call(5, "act");
        assertTrue(client.next().contains("\"content\":[]"));
        assertEquals(5, lists(link), "the list may be of before the change");

        link.say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
        assertTrue(client.next().contains("list_changed"));
        client.say("{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"tools/list\"}");
        assertTrue(client.next().contains("\"tools\""));
        client.call(7, "act");
        assertTrue(client.next().contains("\"content\":[]"));
        assertEquals(6, lists(link), "a whole list that the client got is known");
    }

    @Test
    void callWithoutProgress_isEnded_andTakenBack() throws Exception {
        Guard guard = guard("{version: 1, servers: {a: {command: a, timeout: 1s, tools: {act: {effects: reads}}}}}");
        Client client = new Client(guard, "one", servers(guard, (link, message) -> {})).begin();
        client.call(1, "act");
        String answer = client.next();
        assertTrue(answer.contains("\"isError\":true") && answer.contains("it showed no progress for 1 s"), answer);
        List<String> got = made("a").get(0).got;
        PlayedClient.until(() -> got.stream().anyMatch(each -> each.contains("notifications/cancelled")));
        assertEquals(
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1,"
                        + "\"reason\":\"no progress in time\"}}",
                got.get(got.size() - 1));
        made("a").get(0).say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}");
        client.say("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
        assertEquals("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}", client.next(), "a late answer is for nobody");
    }

    @Test
    void callThatShowsProgress_goesOn() throws Exception {
        Guard guard = guard("{version: 1, servers: {a: {command: a, timeout: 3s, tools: {act: {effects: reads}}}}}");
        Client client = new Client(guard, "one", servers(guard, (link, message) -> {
                    if (message instanceof RpcMessage.Request request) {
                        for (int i = 0; i < 15; i++) {
                            link.say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
                                    + "{\"progressToken\":7,\"progress\":" + i + "}}");
                            sleep(300);
                        }
                        link.answer(request, "{\"content\":[]}");
                    }
                }))
                .begin();
        client.call(1, "act");
        for (int i = 0; i < 15; i++) {
            assertTrue(client.next().contains("\"progress\":" + i + "}"));
        }
        assertTrue(client.next().contains("\"content\":[]"));
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void serverThatWaitsForThePerson_isGivenTheTime() throws Exception {
        Guard guard = guard("{version: 1, servers: {a: {command: a, timeout: 1s, tools: {act: {effects: reads}}}}}");
        CountDownLatch answered = new CountDownLatch(1);
        Client client = new Client(guard, "one", servers(guard, (link, message) -> {
                    if (message instanceof RpcMessage.Request request) {
                        link.say("{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"roots/list\"}");
                        sleepUntil(answered);
                        link.answer(request, "{\"content\":[]}");
                    } else if (message instanceof RpcMessage.Result) {
                        answered.countDown();
                    }
                }))
                .begin();
        client.call(1, "act");
        assertTrue(client.next().contains("roots/list"));
        Thread.sleep(2_500);
        client.say("{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"result\":{\"roots\":[]}}");
        assertTrue(client.next().contains("\"content\":[]"));
    }

    private static void sleepUntil(CountDownLatch latch) {
        try {
            assertTrue(latch.await(PlayedClient.HANG_SECONDS, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void sessionThatEndsWhileAServerIsSilent_ends() throws Exception {
        Guard guard = guard("{version: 1, servers: {a: {command: a}}}");
        CompletableFuture<UpstreamLink.Receiver> started = new CompletableFuture<>();
        UpstreamLink silent = new UpstreamLink() {
            @Override
            public void start(Receiver to) {
                started.complete(to);
            }

            @Override
            public void send(byte[] message) {}

            @Override
            public void close() {
                started.join().ended("it was stopped");
            }
        };
        Client client = new Client(
                guard,
                "one",
                List.of(new Server(
                        Objects.requireNonNull(guard.policy().servers().get("a")), principal -> silent)));
        Thread beginning = Thread.ofVirtual()
                .start(() -> client.say(
                        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
                                + "\"capabilities\":{}}}"));
        started.get(PlayedClient.HANG_SECONDS, TimeUnit.SECONDS);
        client.session().close();
        assertTrue(
                beginning.join(Duration.ofSeconds(PlayedClient.HANG_SECONDS)), "nothing waits for the server any more");
    }

    @Test
    void sharedServer_hasOneLine_onWhichNoSessionGetsWhatIsAnothers() throws Exception {
        Guard guard = guard("{version: 1, servers: {a: {command: a, shared: true, tools: {act: {effects: reads}}}}}");
        BlockingQueue<RpcMessage.Request> calls = new LinkedBlockingQueue<>();
        List<Server> servers = servers(guard, (link, message) -> {
            if (message instanceof RpcMessage.Request request) {
                calls.add(request);
            }
        });
        Client ana = new Client(guard, "one", servers).begin();
        Client bo = new Client(guard, "two", servers).begin();
        assertEquals(1, made("a").size());
        ScriptedLink link = made("a").get(0);
        assertFalse(link.got.get(0).contains("sampling"), "the handshake is nobody's: " + link.got.get(0));
        ana.call(1, "act");
        RpcMessage.Request ofAna = calls.take();
        bo.call(1, "act");
        RpcMessage.Request ofBo = calls.take();
        assertFalse(ofAna.id().key().equals(ofBo.id().key()), "two sessions chose the same id");

        link.say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sampling/createMessage\",\"params\":{}}");
        link.say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"data\":\"of somebody\"}}");
        String token = ofBo.index()
                .root()
                .pointer("/params/_meta/progressToken")
                .orElseThrow()
                .raw();
        link.say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":" + token
                + ",\"progress\":1}}");
        link.say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
        link.answer(ofBo, "{\"content\":[],\"for\":\"bo\"}");
        link.answer(ofAna, "{\"content\":[],\"for\":\"ana\"}");

        assertEquals(
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":7,\"progress\":1}}",
                bo.next());
        assertTrue(bo.next().contains("list_changed"));
        String toBo = bo.next();
        assertTrue(toBo.contains("\"id\":1") && toBo.contains("\"for\":\"bo\""), toBo);
        assertTrue(ana.next().contains("list_changed"));
        assertTrue(ana.next().contains("\"for\":\"ana\""));
        PlayedClient.until(() -> link.got.stream()
                .anyMatch(each -> each.contains("shared by many clients, so none of them can be asked anything")));
        assertTrue(logged.contains(
                "`a` is shared by all sessions, so it can ask no client; take `shared` out of its entry if it must"));

        bo.session().close();
        assertFalse(link.closed, "others use the line");
    }

    @Test
    void childrenBeyondTheCap_areNotStarted() throws Exception {
        Children children = new Children(3, 2);
        ScriptedLink.Script nothing = (link, message) -> {};
        UpstreamLink first = children.counted("a", "ana", new ScriptedLink(nothing));
        var _ = children.counted("b", "ana", new ScriptedLink(nothing));
        IOException ofAna =
                assertThrows(IOException.class, () -> children.counted("c", "ana", new ScriptedLink(nothing)));
        assertEquals(
                "the server `c` can't be started: 2 servers run for this client already; end a session that is not needed,"
                        + " or say `shared: true` of servers that keep no state",
                ofAna.getMessage());
        var _ = children.counted("a", "bo", new ScriptedLink(nothing));
        IOException ofAll =
                assertThrows(IOException.class, () -> children.counted("b", "bo", new ScriptedLink(nothing)));
        assertTrue(String.valueOf(ofAll.getMessage()).contains("3 servers run already"), ofAll.getMessage());
        first.close();
        first.close();
        var _ = children.counted("b", "bo", new ScriptedLink(nothing));
        assertThrows(IOException.class, () -> children.counted("b", "bo", new ScriptedLink(nothing)));
    }

    @Test
    void manySessionsOneAfterTheOther_leaveNoChild() throws Exception {
        Guard guard = guard("{version: 1, servers: {a: {command: a}}}");
        String script = "read hello; echo '{\"jsonrpc\":\"2.0\",\"id\":\"sluice-1\",\"result\":{\"protocolVersion\":"
                + "\"2025-11-25\",\"capabilities\":{},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}'; exec cat";
        List<Server> servers = List.of(new Server(
                Objects.requireNonNull(guard.policy().servers().get("a")),
                principal -> new ChildProcess("a", List.of("sh", "-c", script), 1 << 16, logged::add)));
        for (int i = 0; i < 200; i++) {
            Client client = new Client(guard, "session-" + i, servers).begin();
            if (i % 2 == 0) {
                ProcessHandle.current().children().forEach(ProcessHandle::destroyForcibly);
            }
            client.session().close();
            opened.remove(client.session());
        }
        PlayedClient.until(() -> ProcessHandle.current().descendants().noneMatch(ProcessHandle::isAlive));
    }
}
