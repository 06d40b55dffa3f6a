package dev.sluice.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.guard.ReaderResolver.UnresolvedException;
import dev.sluice.labels.Source;
import dev.sluice.policy.PolicyParser;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Who may read a repository is asked where a decision needs it, and what nobody can say permits nobody. */
class ReaderLookupsTest {

    private static final String POLICY = """
            version: 1
            audiences: {staff: {members: [cy], servers: [mail]}}
            servers:
              forge:
                readers: {command: [who-may-read]}
                tools:
                  read: {effects: [reads], resource: [owner, repo], returns: {integrity: trusted}}
                  search: {effects: [reads], returns: {integrity: trusted}}
                  message: {effects: [sends], audience: [to], payload: [body], returns: {integrity: trusted}}
                  comment: {effects: [sends], audience: resource, resource: [owner, repo], payload: [body]}
              mail:
                tools:
                  send: {effects: [sends], audience: [to], payload: [body]}
            """;

    /** What there is to know, and who asked for it. */
    private static final class Known implements ReaderResolver {
        private final Map<String, Set<String>> readers = new HashMap<>();
        private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
        private Runnable meanwhile = () -> {};

        @Override
        public Set<String> readers(Source.OfResource resource) throws UnresolvedException {
            asked.add(resource.key());
            meanwhile.run();
            Set<String> found = readers.get(resource.key());
            if (found == null) {
                throw new UnresolvedException("nobody knows");
            }
            return found;
        }
    }

    private final Known known = new Known();
    private final GuardWorld world =
            new GuardWorld(new GuardWorld.BreakableEngine(), PolicyParser.parse("policy.yaml", POLICY), known);

    private void read(String repo) {
        world.call(
                "forge",
                "read",
                "{'owner':'o','repo':'" + repo + "'}",
                "{'content':[{'type':'text','text':'plans of " + repo + "'}]}");
    }

    private String message(String to) {
        return code("forge", "message", "{'to':'" + to + "','body':'what I have read'}");
    }

    private String code(String server, String tool, String arguments) {
        return world.admit(server, tool, arguments) instanceof Admission.Refused refused
                ? refused.denial().code()
                : "admitted";
    }

    @Test
    void dataOfTwoRepositories_goesOnlyToThoseWhoCanReadBoth() {
        known.readers.put("o/a", Set.of("ana", "bo"));
        known.readers.put("o/b", Set.of("bo", "eve"));
        read("a");
        assertEquals("admitted", message("ana"));
        assertEquals("flow-not-permitted", message("eve"));
        read("b");

        assertEquals("admitted", message("bo"));
        assertEquals("admitted", message("BO"));
        assertEquals("flow-not-permitted", message("ana"));
        assertEquals("flow-not-permitted", message("eve"));
        assertEquals("flow-not-permitted", code("forge", "message", "{'to':['bo','ana'],'body':'x'}"));
    }

    @Test
    void nobodyWhoCanSay_permitsNobodyButTheServer() {
        known.readers.put("o/a", Set.of("bo"));
        read("a");
        read("b");

        assertEquals("flow-not-permitted", message("bo"));
        assertEquals("admitted", code("forge", "search", "{'query':'what I have read'}"));
    }

    @Test
    void resolverThatFails_permitsNobody() {
        known.meanwhile = () -> {
            throw new IllegalStateException("broken");
        };
        read("a");

        assertEquals("flow-not-permitted", message("bo"));
    }

    @Test
    void commentElsewhere_needsAllWhoSeeItToBeReaders() {
        known.readers.put("o/a", Set.of("ana", "bo"));
        known.readers.put("o/b", Set.of("bo"));
        known.readers.put("o/c", Set.of("bo", "eve"));
        read("a");

        assertEquals("admitted", code("forge", "comment", "{'owner':'o','repo':'b','body':'x'}"));
        assertEquals("flow-not-permitted", code("forge", "comment", "{'owner':'o','repo':'c','body':'x'}"));
        assertEquals("flow-not-permitted", code("forge", "comment", "{'owner':'o','repo':'d','body':'x'}"));
    }

    @Test
    void otherServer_carriesItOnlyWhereAnAudienceSaysSo() {
        known.readers.put("o/a", Set.of("cy"));
        known.readers.put("o/b", Set.of("staff"));
        read("b");
        assertEquals("admitted", code("mail", "send", "{'to':'cy','body':'x'}"));
        read("a");
        assertEquals("flow-not-permitted", code("mail", "send", "{'to':'cy','body':'x'}"));
    }

    @Test
    void readerWithTheNameOfAnAudience_isNotThoseWhoAreInIt() {
        known.readers.put("o/a", Set.of("cy"));
        known.readers.put("o/b", Set.of("staff"));
        known.readers.put("o/c", Set.of("cy"));
        read("a");

        assertEquals("flow-not-permitted", code("forge", "comment", "{'owner':'o','repo':'b','body':'x'}"));
        assertEquals("admitted", code("forge", "comment", "{'owner':'o','repo':'c','body':'x'}"));
    }

    @Test
    void nothingIsAsked_whereNoAnswerCouldHelp() {
        read("a");
        code("forge", "search", "{'query':'x'}");
        code("mail", "send", "{'to':'one, two','body':'x'}");
        assertEquals(
                List.of(),
                known.asked.stream().filter(each -> !each.equals("o/a")).toList());
        known.asked.clear();
        world.call("forge", "search", "{}", "{'content':[{'type':'text','text':'all over'}]}");

        assertEquals("flow-not-permitted", message("bo"));
        assertEquals(List.of(), known.asked);
    }

    @Test
    void answer_isKeptForItsTimeAndAFailureForLess() {
        known.readers.put("o/a", Set.of("bo"));
        read("a");
        message("bo");
        message("bo");
        world.pass(Duration.ofSeconds(59));
        message("bo");
        assertEquals(List.of("o/a"), known.asked);
        world.pass(Duration.ofSeconds(2));
        message("bo");
        assertEquals(List.of("o/a", "o/a"), known.asked);

        known.asked.clear();
        read("b");
        message("bo");
        message("bo");
        assertEquals(List.of("o/b"), known.asked);
        known.readers.put("o/b", Set.of("bo"));
        world.pass(Duration.ofSeconds(6));
        assertEquals("admitted", message("bo"));
    }

    @Test
    void secondWhoAsksForWhatIsBeingLookedUp_isAnsweredToo_whenThatFails() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch both = new CountDownLatch(1);
        known.meanwhile = () -> {
            begun.countDown();
            await(both);
        };
        ReaderLookups lookups = new ReaderLookups(world.policy.readers(), lookup -> known, world.clock);
        Source resource = new Source.OfResource("forge", "o/a");
        var one = lookups.readers(Set.of(resource));
        begun.await();
        var two = lookups.readers(Set.of(resource));
        both.countDown();

        assertEquals(Map.of(resource, Set.of()), one.join());
        assertEquals(Map.of(resource, Set.of()), two.join());
        assertEquals(List.of("o/a"), known.asked);
    }

    @Test
    void twoCallsThatNeedOneLookup_areBothRefused_whenThatFails() {
        read("a");
        CountDownLatch both = new CountDownLatch(1);
        known.meanwhile = () -> await(both);
        Inbound call = new Inbound.ToolCall(
                world.server("forge"), "message", GuardWorld.json("{'to':'bo','body':'what I have read'}"));
        var one = world.guard.admit(GuardWorld.AGENT, call).toCompletableFuture();
        var two = world.guard.admit(GuardWorld.AGENT, call).toCompletableFuture();
        both.countDown();

        for (Admission each : List.of(one.join(), two.join())) {
            assertEquals(
                    "flow-not-permitted", ((Admission.Refused) each).denial().code());
        }
        assertEquals(List.of("o/a"), known.asked);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whatFollowsTheLookup_runsWhereTheHostSays() throws InterruptedException {
        known.readers.put("o/a", Set.of("bo"));
        BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();
        Guard guard = guard(waiting::add);
        read(guard, "a");
        List<Thread> where = new ArrayList<>();
        var admission = guard.admit(GuardWorld.AGENT, message(guard))
                .thenApply(each -> {
                    where.add(Thread.currentThread());
                    return each;
                })
                .toCompletableFuture();
        waiting.take().run();

        assertTrue(admission.join() instanceof Admission.Admitted);
        assertEquals(List.of(Thread.currentThread()), where);
    }

    @Test
    void hostThatHasNoThreadLeft_refusesTheCall() {
        known.readers.put("o/a", Set.of("bo"));
        Guard guard = guard(work -> {
            throw new RejectedExecutionException("no thread is left");
        });
        read(guard, "a");
        Admission admission = guard.admit(GuardWorld.AGENT, message(guard))
                .toCompletableFuture()
                .join();

        Denial denial = ((Admission.Refused) admission).denial();
        assertEquals("state-unreachable", denial.code());
        assertEquals("what follows the lookup of readers could not be run", denial.toHuman());
    }

    private Guard guard(Executor later) {
        return new Guard(new GuardWorld.BreakableEngine(), world.policy, world.clock, 0, lookup -> known, later);
    }

    private void read(Guard guard, String repo) {
        Inbound call = new Inbound.ToolCall(
                guard.connect(world.policy.servers().get("forge")),
                "read",
                GuardWorld.json("{'owner':'o','repo':'" + repo + "'}"));
        Admission admitted =
                guard.admit(GuardWorld.AGENT, call).toCompletableFuture().join();
        guard.release(
                GuardWorld.AGENT,
                new Outbound.Answer(((Admission.Admitted) admitted).ticket(), GuardWorld.json("{'content':[]}")));
    }

    private Inbound message(Guard guard) {
        return new Inbound.ToolCall(
                guard.connect(world.policy.servers().get("forge")),
                "message",
                GuardWorld.json("{'to':'bo','body':'what I have read'}"));
    }

    @Test
    void stateIsNotHeld_whileItIsAsked() {
        known.readers.put("o/a", Set.of("bo"));
        read("a");
        known.meanwhile = world::session; // an engine refuses a transaction inside another

        assertEquals("admitted", message("bo"));
    }

    @Test
    void whatIsReadMeanwhile_countsToo() {
        known.readers.put("o/a", Set.of("bo", "eve"));
        known.readers.put("o/b", Set.of("bo"));
        read("a");
        Ticket other = world.ticket("forge", "read", "{'owner':'o','repo':'b'}");
        known.meanwhile = () -> {
            known.meanwhile = () -> {};
            world.release(new Outbound.Answer(other, GuardWorld.json("{'content':[]}")));
        };

        assertEquals("flow-not-permitted", message("eve"));
        assertEquals(List.of("o/a", "o/b"), known.asked);
    }

    @Test
    void sessionThatReadsOnAndOn_isNotAskedAboutForEver() {
        read("a0");
        int[] next = {0};
        known.meanwhile = () -> {
            known.readers.put("o/a" + next[0], Set.of("bo"));
            read("a" + ++next[0]);
        };

        assertEquals("flow-not-permitted", message("bo"));
        assertTrue(known.asked.size() <= 5, "asked: " + known.asked);
    }

    @Test
    void record_saysHowManyReadersThereWereAndNotWho() {
        known.readers.put("o/a", Set.of("ana", "bo"));
        read("a");
        message("bo");

        assertEquals(
                "[{\"server\":\"forge\",\"resource\":\"o/a\",\"count\":2}]",
                GuardWorld.JSON
                        .readTree(world.last("decision").path("readers").toString())
                        .toString()
                        .replace(
                                "{\"count\":2,\"resource\":\"o/a\",\"server\":\"forge\"}",
                                "{\"server\":\"forge\",\"resource\":\"o/a\",\"count\":2}"));
    }
}
