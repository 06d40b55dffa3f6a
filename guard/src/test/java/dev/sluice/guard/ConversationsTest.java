package dev.sluice.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.Source;
import dev.sluice.policy.PolicyParser;
import dev.sluice.store.Session;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Sessions that requests need not name: what counts for a decision, whatever the requests before it named. */
class ConversationsTest {

    private static final AgentSession UNNAMED = AgentSession.unnamed("ana", "requests", "");
    private static final AgentSession ONE = conversation("one", AgentSession.Start.PRINCIPAL);
    private static final AgentSession TWO = conversation("two", AgentSession.Start.PRINCIPAL);
    private static final AgentSession CLEAN = conversation("three", AgentSession.Start.CLEAN);
    private static final AgentSession HEADER =
            AgentSession.namedOtherwise("ana", "header", "one", "conversation one by header", "");
    private static final AgentSession OTHER_HEADER =
            AgentSession.namedOtherwise("ana", "header", "two", "conversation two by header", "");
    private static final AgentSession LEGACY =
            new AgentSession("http:ana:1", "ana", "a client", AgentSession.Start.PRINCIPAL, "");
    private static final AgentSession STRANGER = AgentSession.unnamed("bo", "requests", "");

    private static AgentSession conversation(String digest, AgentSession.Start start) {
        return AgentSession.conversation("ana", "meta", digest, "conversation " + digest, start, "");
    }

    private static GuardWorld world(GuardWorld.BreakableEngine engine, long idle) {
        return new GuardWorld(engine, PolicyParser.firstUse(), idle);
    }

    private static void see(GuardWorld world, AgentSession agent, String server) {
        world.guard.release(
                agent,
                new Outbound.Message(world.connect(server, "run"), "notifications/message", GuardWorld.json("{}")));
    }

    private static void decide(GuardWorld world, AgentSession agent) {
        world.admit(agent, new Inbound.ToolCall(world.connect("any", "run"), "tool", GuardWorld.json("{}")));
    }

    private static Set<String> servers(Session session) {
        return session.label().label().confidentiality().sources().stream()
                .map(Source::server)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> decided(GuardWorld world, AgentSession agent) {
        decide(world, agent);
        return servers(world.session(agent));
    }

    @Test
    void requestThatNamesNothing_countsAsOfAllConversations_atEachDecision() {
        GuardWorld world = world(new GuardWorld.BreakableEngine(), 0);
        assertEquals(Set.of(), decided(world, UNNAMED));
        see(world, ONE, "files");
        assertEquals(Set.of("files"), decided(world, UNNAMED));
        see(world, LEGACY, "mail");
        see(world, STRANGER, "chat");
        assertEquals(Set.of("files", "mail"), decided(world, UNNAMED));
    }

    @Test
    void conversation_countsWhatWasSeenWithoutAName_andNotWhatAnotherSaw() {
        GuardWorld world = world(new GuardWorld.BreakableEngine(), 0);
        decide(world, CLEAN);
        see(world, ONE, "files");
        assertEquals(Set.of(), decided(world, CLEAN));
        see(world, UNNAMED, "mail");
        assertEquals(Set.of("mail"), decided(world, CLEAN));
    }

    @Test
    void conversationThatIsNamedInTwoWays_countsAsOne_whicheverIsUsed() {
        GuardWorld world = world(new GuardWorld.BreakableEngine(), 0);
        decide(world, CLEAN);
        see(world, HEADER, "files");
        assertEquals(Set.of("files"), decided(world, CLEAN), "the answer may have been of this conversation");
        see(world, ONE, "mail");
        assertEquals(Set.of("files", "mail"), decided(world, HEADER));
        assertEquals(Set.of("files", "mail"), decided(world, OTHER_HEADER));
    }

    @Test
    void nameOfAnotherPrincipal_isNone_howeverItIsSaid() {
        GuardWorld world = world(new GuardWorld.BreakableEngine(), 0);
        see(world, AgentSession.namedOtherwise("bo", "header", "one", "conversation of bo", ""), "chat");
        assertEquals(Set.of(), decided(world, ONE));
        assertEquals(Set.of(), decided(world, HEADER));
    }

    @Test
    void whatIsNotDecided_joinsNothing() {
        GuardWorld world = world(new GuardWorld.BreakableEngine(), 0);
        see(world, ONE, "files");
        assertEquals(Set.of(), servers(world.session(UNNAMED)), "it was only opened");
        assertEquals(Set.of(), decided(world, CLEAN));
    }

    @Test
    void sessionThatEndedOrWasNotUsedForTooLong_countsNoMore() {
        GuardWorld world = world(new GuardWorld.BreakableEngine(), 60);
        see(world, ONE, "files");
        see(world, TWO, "mail");
        world.guard.end(ONE);
        world.pass(Duration.ofHours(1));
        see(world, LEGACY, "chat");
        world.pass(Duration.ofMinutes(2));
        assertEquals(
                Set.of("chat", "files", "mail"), decided(world, UNNAMED), "the legacy session began with the others'");
        world.pass(Duration.ofHours(2));
        assertEquals(Set.of(), decided(world, UNNAMED));
    }

    @Test
    void whatIsJoined_isRecordedOnce() {
        GuardWorld world = world(new GuardWorld.BreakableEngine(), 0);
        see(world, ONE, "files");
        decide(world, UNNAMED);
        decide(world, UNNAMED);

        List<String> events = world.events("session").stream()
                .map(event -> event.path("event").stringValue() + " "
                        + event.path("display").stringValue())
                .toList();
        assertEquals(List.of("begin conversation one", "begin requests", "join requests"), events);
        assertTrue(world.last("session").path("label").toString().contains("files"));
    }

    @Test
    void joinThatCannotBeKept_isNoDecision() {
        GuardWorld world = world(new GuardWorld.BreakableEngine(), 0);
        decide(world, CLEAN);
        see(world, UNNAMED, "mail");
        world.breakStore();
        assertInstanceOf(
                Admission.Refused.class,
                world.admit(CLEAN, new Inbound.ToolCall(world.connect("any", "run"), "tool", GuardWorld.json("{}"))));
        world.engine.fault = null;
        assertEquals(Set.of("mail"), decided(world, CLEAN));
    }

    /** Two processes, any requests in any order: never less than what has to count, and nothing that has not. */
    @Test
    void anyRequestsInAnyOrder_haveTheLabelThatTheyHaveToHave() {
        List<AgentSession> agents = List.of(UNNAMED, ONE, TWO, CLEAN, HEADER, OTHER_HEADER, LEGACY, STRANGER);
        for (int seed = 0; seed < 60; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            GuardWorld.BreakableEngine engine = new GuardWorld.BreakableEngine();
            List<GuardWorld> processes = List.of(world(engine, 0), world(engine, 0));
            Map<AgentSession, Set<String>> seen = new HashMap<>();
            for (int step = 0; step < 80; step++) {
                GuardWorld world = processes.get(random.nextInt(2));
                AgentSession agent = agents.get(random.nextInt(agents.size()));
                int what = random.nextInt(10);
                if (what == 0) {
                    world.guard.end(agent);
                    seen.remove(agent);
                    continue;
                }
                Set<String> own = seen.computeIfAbsent(agent, key -> begun(key, seen));
                if (what < 4) {
                    String server = "s" + random.nextInt(8);
                    see(world, agent, server);
                    own.add(server);
                } else if (what == 4) {
                    world.session(agent);
                } else {
                    decide(world, agent);
                    own.addAll(beside(agent, seen));
                }
                assertEquals(own, servers(world.session(agent)), "seed " + seed + ", step " + step);
            }
        }
    }

    private static Set<String> begun(AgentSession agent, Map<AgentSession, Set<String>> seen) {
        return agent.start() == AgentSession.Start.PRINCIPAL ? all(agent, seen) : new TreeSet<>();
    }

    private static Set<String> beside(AgentSession agent, Map<AgentSession, Set<String>> seen) {
        return switch (agent.besides()) {
            case NOTHING -> Set.of();
            case UNNAMED -> {
                Set<String> all = new TreeSet<>();
                List.of(UNNAMED, HEADER, OTHER_HEADER).forEach(each -> all.addAll(seen.getOrDefault(each, Set.of())));
                yield all;
            }
            case PRINCIPAL -> all(agent, seen);
        };
    }

    private static Set<String> all(AgentSession agent, Map<AgentSession, Set<String>> seen) {
        Set<String> all = new TreeSet<>();
        seen.forEach((other, servers) -> {
            if (other.principal().equals(agent.principal())) {
                all.addAll(servers);
            }
        });
        return all;
    }

    @Test
    void whatWasCalledWithoutAName_isAStepOfAConversationToo() {
        GuardWorld world = GuardWorld.of(
                "version: 1",
                "servers:",
                "  hr:",
                "    tools:",
                "      read: {effects: [reads], returns: {integrity: trusted, confidentiality: public}}",
                "  mail:",
                "    tools:",
                "      send: {effects: [sends], audience: server,"
                        + " returns: {integrity: trusted, confidentiality: public}}",
                "sequences: [{id: hr, steps: [{on: {servers: hr}}, {on: {effects: sends}}]}]");
        Inbound read = new Inbound.ToolCall(world.server("hr"), "read", GuardWorld.json("{}"));
        Inbound send = new Inbound.ToolCall(world.server("mail"), "send", GuardWorld.json("{}"));
        assertInstanceOf(Admission.Admitted.class, world.admit(CLEAN, send));
        assertInstanceOf(Admission.Admitted.class, world.admit(UNNAMED, read));
        assertInstanceOf(Admission.Refused.class, world.admit(CLEAN, send));
        assertInstanceOf(Admission.Admitted.class, world.admit(STRANGER, send));
    }
}
