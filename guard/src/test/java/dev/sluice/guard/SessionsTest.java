package dev.sluice.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.SessionLabel;
import dev.sluice.labels.Source;
import dev.sluice.policy.PolicyParser;
import dev.sluice.store.Session;
import dev.sluice.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a session begins with, and when it ends. */
class SessionsTest {

    private static GuardWorld world(long idle) {
        return new GuardWorld(new GuardWorld.BreakableEngine(), PolicyParser.firstUse(), idle);
    }

    private static AgentSession agent(String key, String principal, AgentSession.Start start) {
        return new AgentSession(key, principal, "a client", start, "");
    }

    private static void see(GuardWorld world, AgentSession agent, String server) {
        world.guard.release(
                agent,
                new Outbound.Message(world.connect(server, "run"), "notifications/message", GuardWorld.json("{}")));
    }

    private static Set<String> servers(Session session) {
        return session.label().label().confidentiality().sources().stream()
                .map(Source::server)
                .collect(Collectors.toSet());
    }

    @Test
    void newSessionOfAClientThatChoseItsKey_beginsWithAllItsPrincipalSees() {
        GuardWorld world = world(0);
        see(world, agent("k1", "ana", AgentSession.Start.PRINCIPAL), "files");
        see(world, agent("k2", "ana", AgentSession.Start.CLEAN), "mail");
        see(world, agent("k3", "bo", AgentSession.Start.PRINCIPAL), "chat");

        Session joined = world.session(agent("k4", "ana", AgentSession.Start.PRINCIPAL));

        assertEquals(Set.of("files", "mail"), servers(joined));
        assertEquals(Set.of("chat"), servers(world.session(agent("k5", "bo", AgentSession.Start.PRINCIPAL))));
        assertEquals(
                SessionLabel.EMPTY,
                world.session(agent("k6", "cy", AgentSession.Start.PRINCIPAL)).label());
        assertEquals(Set.of("files", "mail"), joined.label().lineage().untrustedServers());
    }

    @Test
    void joinedLabel_isACopyAndNotShared() {
        GuardWorld world = world(0);
        AgentSession one = agent("k1", "ana", AgentSession.Start.PRINCIPAL);
        AgentSession two = agent("k2", "ana", AgentSession.Start.PRINCIPAL);
        see(world, one, "files");
        see(world, two, "mail");

        assertEquals(Set.of("files"), servers(world.session(one)));
        assertEquals(Set.of("files", "mail"), servers(world.session(two)));
    }

    @Test
    void sessionOfANewContext_beginsClean() {
        GuardWorld world = world(0);
        see(world, agent("k1", "ana", AgentSession.Start.CLEAN), "files");

        assertEquals(
                SessionLabel.EMPTY,
                world.session(agent("k2", "ana", AgentSession.Start.CLEAN)).label());
    }

    @Test
    void endedSession_isNotJoined() {
        GuardWorld world = world(0);
        AgentSession one = agent("k1", "ana", AgentSession.Start.PRINCIPAL);
        see(world, one, "files");
        String id = world.session(one).id();
        world.engine.transact(tx -> tx.sessions().end(id, world.clock.instant()));

        assertEquals(
                SessionLabel.EMPTY,
                world.session(agent("k2", "ana", AgentSession.Start.PRINCIPAL)).label());
        assertNotEquals(id, world.session(one).id());
    }

    @Test
    void everySessionThatBegins_isRecorded() {
        GuardWorld world = world(0);
        Session session = world.session();
        world.session();

        assertEquals(1, world.events("session").size());
        assertEquals("begin", world.last("session").path("event").stringValue());
        assertEquals(session.id(), world.last("session").path("session").stringValue());
        assertEquals("ana", world.last("session").path("principal").stringValue());
    }

    @Test
    void unusedSession_endsAndIsRecorded() {
        GuardWorld world = world(60);
        see(world, GuardWorld.AGENT, "files");
        Session before = world.session();

        world.pass(Duration.ofMinutes(62));
        Session after = world.session();

        assertNotEquals(before.id(), after.id());
        assertEquals(SessionLabel.EMPTY, after.label());
        assertEquals(
                List.of("begin", "idle", "begin"),
                world.events("session").stream()
                        .map(event -> event.path("event").stringValue())
                        .toList());
        assertEquals(before.id(), world.events("session").get(1).path("session").stringValue());
    }

    /** A client that comes back too late must begin anew, not go on with what it remembers under an empty label. */
    @Test
    void unusedSession_isNotResumed_andNoneIsBegunInItsPlace() {
        GuardWorld world = world(60);
        AgentSession agent = agent("k1", "ana", AgentSession.Start.PRINCIPAL);
        see(world, agent, "files");

        world.pass(Duration.ofMinutes(60));
        assertEquals(Set.of("files"), servers(world.guard.resume(agent).orElseThrow()));
        world.pass(Duration.ofMinutes(60));
        assertEquals(Set.of("files"), servers(world.guard.resume(agent).orElseThrow()), "coming back is a use");
        world.pass(Duration.ofMinutes(62));
        assertEquals(Optional.empty(), world.guard.resume(agent));
        assertEquals(Optional.empty(), world.guard.resume(agent), "nor later");
        assertEquals(Optional.empty(), world.guard.resume(agent("k2", "ana", AgentSession.Start.PRINCIPAL)));
    }

    @Test
    void unusedSession_isNotJoinedIntoANewOne() {
        GuardWorld world = world(60);
        see(world, agent("k1", "ana", AgentSession.Start.PRINCIPAL), "files");

        world.pass(Duration.ofMinutes(62));

        assertEquals(
                SessionLabel.EMPTY,
                world.session(agent("k2", "ana", AgentSession.Start.PRINCIPAL)).label());
    }

    @Test
    void sessionWithoutAnEnd_keepsItsLabelForYears() {
        GuardWorld world = world(0);
        see(world, GuardWorld.AGENT, "files");

        world.pass(Duration.ofDays(2000));

        assertEquals(Set.of("files"), servers(world.session()));
    }

    /** Uses are noted only now and then; a session in use must not lose its label over that. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 60})
    void sessionInUse_neverEnds(int idle) {
        for (int seconds : new int[] {1, 29, 30, 31, 59, 60}) {
            GuardWorld world = world(idle);
            see(world, GuardWorld.AGENT, "files");
            for (int i = 0; i < 400; i++) {
                world.pass(Duration.ofSeconds(seconds));
                assertEquals(Set.of("files"), servers(world.session()), idle + " minutes, every " + seconds + " s");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 60})
    void sessionUsedWithinItsLimit_neverEnds(int idle) {
        GuardWorld world = world(idle);
        see(world, GuardWorld.AGENT, "files");
        world.pass(Duration.ofSeconds(59)); // not noted
        world.session();

        world.pass(Duration.ofMinutes(idle));

        assertEquals(Set.of("files"), servers(world.session()));
    }

    @Test
    void callThatOutlivesItsSession_entersTheNextOne() {
        GuardWorld world = world(60);
        Upstream files = world.server("files", "run");
        Ticket ticket =
                ((Admission.Admitted) world.admit(new Inbound.ToolCall(files, "read", GuardWorld.json("{}")))).ticket();
        world.pass(Duration.ofHours(9));

        world.release(new Outbound.Answer(ticket, GuardWorld.json("{}")));

        assertEquals(Set.of("files"), servers(world.session()));
    }

    /** Its agent may have seen what the ended session's label held; another one would not hold it. */
    @Test
    void sessionThatIsOver_isNotBegunAnew_byWhoeverKnewIt() {
        GuardWorld world = world(60);
        AgentSession known = agent("k", "ana", AgentSession.Start.PRINCIPAL).whileItLives();
        Inbound.ToolCall call = new Inbound.ToolCall(world.server("files", "run"), "read", GuardWorld.json("{}"));
        assertInstanceOf(
                Admission.Refused.class,
                world.guard.admit(known, call).toCompletableFuture().join());
        assertEquals(List.of(), world.engine.transact(tx -> tx.sessions().live()));

        world.session(agent("k", "ana", AgentSession.Start.PRINCIPAL));
        Ticket ticket = assertInstanceOf(
                        Admission.Admitted.class,
                        world.guard.admit(known, call).toCompletableFuture().join())
                .ticket();
        world.guard.end(known);

        Admission.Refused refused = assertInstanceOf(
                Admission.Refused.class,
                world.guard.admit(known, call).toCompletableFuture().join());
        assertEquals("session-over", refused.denial().code());
        assertTrue(refused.denial().toModel().contains("the session is over"), refused.toString());
        StoreException lost = assertThrows(
                StoreException.class,
                () -> world.guard.release(known, new Outbound.Answer(ticket, GuardWorld.json("{}"))));
        assertEquals("the session is over: begin another", lost.getMessage());
        assertEquals(List.of(), world.engine.transact(tx -> tx.sessions().live()));
    }

    @Test
    void whatTheClientSaysOfItself_isKept() {
        GuardWorld world = world(0);
        AgentSession silent = new AgentSession("k", "ana", "d", AgentSession.Start.CLEAN, "");
        AgentSession named = new AgentSession("k", "ana", "d", AgentSession.Start.CLEAN, "{\"name\":\"x\"}");
        world.session(silent);
        world.session(named);

        assertEquals("{\"name\":\"x\"}", world.session(silent).client());
    }
}
