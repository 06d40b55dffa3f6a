// This file has more than 400 lines because all that takes a sequence on, or excuses it, stands in one place.
package dev.sluice.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.Label;
import dev.sluice.policy.PolicyParser;
import dev.sluice.store.ApprovalStore;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How far a session is in a sequence is kept with it, and whatever is not known counts as far. */
class SequencesTest {

    private static final String[] SERVERS = {
        "version: 1",
        "servers:",
        "  hr:",
        "    tools:",
        "      read: {effects: [reads], returns: {integrity: trusted, confidentiality: public}}",
        "      page: {effects: [reads]}",
        "  mail:",
        "    defaults: {integrity: trusted, confidentiality: public}",
        "    tools:",
        "      send: {effects: [sends], audience: server, returns: {integrity: trusted, confidentiality: public}}",
        "      approve: {effects: [reads], returns: {integrity: trusted, confidentiality: public}}",
    };

    private static final String HR = "sequences: [{id: hr, steps: [{on: {servers: hr}}, {on: {effects: sends}}],"
            + " unless: {on: {tools: approve}}}]";

    private static final String APPROVE_FIRST =
            "sequences: [{id: first, steps: [{on: {tools: send}}], until: {on: {tools: approve}}}]";

    private static final String DONE = "{'content':[{'type':'text','text':'done'}]}";

    private static GuardWorld world(GuardWorld.BreakableEngine engine, String sequences) {
        String text = String.join("\n", SERVERS) + "\n" + sequences + "\n";
        return new GuardWorld(engine, PolicyParser.parse("policy.yaml", text), 0);
    }

    private static GuardWorld world(String sequences) {
        return world(new GuardWorld.BreakableEngine(), sequences);
    }

    @Test
    void send_isDeniedAfterReadingUntilApproved() {
        GuardWorld world = world(HR);
        world.call("mail", "send", "{}", DONE);
        world.call("hr", "read", "{}", DONE);

        Denial denial = world.denial("mail", "send", "{}");
        assertEquals("sequence", denial.code());
        assertTrue(denial.toModel().contains("the sequence `hr` of the policy forbids this call"), denial.toModel());
        assertEquals("hr", world.last("decision").at("/violations/0/control").stringValue());

        world.call("mail", "approve", "{}", DONE);
        world.call("mail", "send", "{}", DONE);
    }

    @Test
    void approvalThatWasAnErrorOrWasLost_excusesNothing() {
        GuardWorld world = world(HR);
        world.call("hr", "read", "{}", DONE);
        world.call("mail", "approve", "{}", "{'content':[],'isError':true}");
        world.call("mail", "approve", "{}", "{'content':[],'isError':'no'}");
        world.release(new Outbound.Failure(world.ticket("mail", "approve", "{}"), GuardWorld.json("{'code':1}")));
        world.release(new Outbound.Lost(world.ticket("mail", "approve", "{}"), "too long"));

        assertEquals("sequence", world.denial("mail", "send", "{}").code());
    }

    /** A question, and the name of a task, come before anything was done. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'resultType':'input_required','inputRequests':{'a':{'method':'elicitation/create'}}}",
                "{'resultType':'input_required','requestState':'s'}",
                "{'inputRequests':{}}",
                "{'content':[],'requestState':'s'}",
                "{'resultType':'task','taskId':'t','status':'working'}",
                "{'content':[],'taskId':'t'}",
                "{'task':{'taskId':'t','status':'working'}}",
                "{'content':[],'resultType':'of another revision'}",
                "{'content':[],'resultType':null}",
                "null"
            })
    void answerThatIsNoneYet_excusesNothing(String result) {
        GuardWorld world = world(HR);
        world.call("hr", "read", "{}", DONE);
        world.call("mail", "approve", "{}", result);
        assertEquals("sequence", world.denial("mail", "send", "{}").code());
        world.call("mail", "approve", "{}", "{'resultType':'complete','content':[]}");
        world.call("mail", "send", "{}", DONE);

        GuardWorld first = world(APPROVE_FIRST);
        first.call("mail", "approve", "{}", result);
        assertEquals("sequence", first.denial("mail", "send", "{}").code());
        first.call("mail", "approve", "{}", DONE);
        first.call("mail", "send", "{}", DONE);
    }

    private static Outbound ofTask(GuardWorld world, String method, String said, String answer, Ticket... calls) {
        Admission admission =
                world.admit(new Inbound.Request(world.server("mail"), method, GuardWorld.json("{'taskId':'t'}")));
        return new Outbound.OfTask(
                new Outbound.Answer(((Admission.Admitted) admission).ticket(), GuardWorld.json(said)),
                world.server("mail"),
                List.of(calls),
                GuardWorld.json("[" + answer + "]").path(0));
    }

    private static Outbound got(GuardWorld world, String status, String answer, Ticket... calls) {
        String result = answer.isEmpty() ? "" : ",'result':" + answer;
        return ofTask(world, "tasks/get", "{'taskId':'t','status':'" + status + "'" + result + "}", answer, calls);
    }

    @Test
    void approvalThatIsATask_countsWhenItIsOver() {
        for (String sequence : new String[] {HR, APPROVE_FIRST}) {
            GuardWorld world = world(sequence);
            world.call("hr", "read", "{}", DONE);
            Ticket approve = world.ticket("mail", "approve", "{}");
            world.release(new Outbound.Answer(approve, GuardWorld.json("{'taskId':'t','status':'working'}")));
            world.release(got(world, "working", "", approve));
            world.release(got(world, "working", DONE, approve));
            assertEquals("sequence", world.denial("mail", "send", "{}").code());
            world.release(got(world, "completed", DONE, approve));
            world.call("mail", "send", "{}", DONE);
        }
    }

    @Test
    void resultOfATaskThatIsAskedForAlone_countsToo() {
        GuardWorld world = world(HR);
        world.call("hr", "read", "{}", DONE);
        Ticket approve = world.ticket("mail", "approve", "{}");
        world.release(ofTask(world, "tasks/result", "{'isError':true}", "{'isError':true}", approve));
        assertEquals("sequence", world.denial("mail", "send", "{}").code());
        world.release(ofTask(world, "tasks/result", DONE, DONE, approve));
        world.call("mail", "send", "{}", DONE);
    }

    @Test
    void taskThatIsTold_countsToo() {
        GuardWorld world = world(HR);
        world.call("hr", "read", "{}", DONE);
        Ticket approve = world.ticket("mail", "approve", "{}");
        world.release(new Outbound.OfTask(
                new Outbound.Message(
                        world.server("mail"), "notifications/tasks", GuardWorld.json("{'status':'completed'}")),
                world.server("mail"),
                List.of(approve),
                GuardWorld.json(DONE)));
        world.call("mail", "send", "{}", DONE);
    }

    @Test
    void taskThatFailed_orThatSeveralCallsMade_excusesNothing() {
        GuardWorld world = world(HR);
        world.call("hr", "read", "{}", DONE);
        Ticket approve = world.ticket("mail", "approve", "{}");
        world.release(got(world, "failed", DONE, approve));
        world.release(got(world, "completed", "", approve));
        world.release(got(world, "completed", "{'content':[],'isError':true}", approve));
        world.release(got(world, "completed", "{'resultType':'input_required','inputRequests':{}}", approve));
        world.release(got(world, "completed", DONE, approve, world.ticket("mail", "approve", "{'a':1}")));
        world.release(got(world, "completed", DONE));
        world.release(new Outbound.OfTask(
                new Outbound.Failure(approve, GuardWorld.json("{'code':1}")),
                world.server("mail"),
                List.of(approve),
                GuardWorld.json(DONE)));
        assertEquals("sequence", world.denial("mail", "send", "{}").code());
    }

    /** The label is known with the real answer only, which comes under another name. */
    @Test
    void answerOfATask_isAStepOfItsTool_alsoWhereThatIsNotKnown() {
        String claim = "{'_meta':{'io.modelcontextprotocol/trust-annotations':{'untrusted':true}}}";
        for (boolean known : new boolean[] {true, false}) {
            GuardWorld world = world("sequences: [{id: words, steps: [{on: {tools: approve},"
                    + " answer: \"answer.label.integrity == 'untrusted'\"}, {on: {effects: sends}}]}]");
            Ticket call = world.ticket("mail", "approve", "{}");
            world.release(new Outbound.Answer(call, GuardWorld.json("{'taskId':'t'}")));
            world.call("mail", "send", "{}", DONE);
            world.release(known ? got(world, "completed", claim, call) : got(world, "completed", claim));
            assertTrue(world.denial("mail", "send", "{}").toHuman().contains("the sequence `words`"));
        }
    }

    /** What calls carried that nobody knows any more, the session has seen. */
    @Test
    void taskOfNobody_hasTheLabelOfTheSession() {
        GuardWorld world = world("rules: []");
        world.call("hr", "page", "{}", DONE);
        Outbound.Message message =
                new Outbound.Message(world.server("mail"), "notifications/tasks", GuardWorld.json("{'taskId':'t'}"));
        Label told = world.release(new Outbound.OfTask(message, world.server("mail"), List.of(), GuardWorld.json("{}")))
                .label();
        assertTrue(world.seen().label().canFlowTo(told), told.toString());
    }

    @Test
    void callThatWasDenied_isNoStep() {
        GuardWorld world = world("sequences: [{id: once, steps: [{on: {tools: send}, times: 2}]},"
                + " {id: never-before-reading, steps: [{on: {tools: send}}], until: {on: {servers: hr}}}]");

        assertEquals("sequence", world.denial("mail", "send", "{}").code());
        world.call("hr", "read", "{}", DONE);
        world.call("mail", "send", "{}", DONE);
        assertEquals("sequence", world.denial("mail", "send", "{}").code());
    }

    @Test
    void otherProcess_knowsHowFarTheSessionIs() {
        GuardWorld one = world(HR);
        GuardWorld other = world(one.engine, HR);
        one.call("hr", "read", "{}", DONE);

        assertEquals("sequence", other.denial("mail", "send", "{}").code());
        other.call("mail", "approve", "{}", DONE);
        one.call("mail", "send", "{}", DONE);
    }

    @Test
    void sessionThatBeganWithoutTheSequence_countsAsFar() {
        GuardWorld before = world("rules: []");
        before.session();
        GuardWorld after = world(before.engine, HR);

        assertEquals("sequence", after.denial("mail", "send", "{}").code());
        assertTrue(after.last("decision")
                .at("/violations/0/because")
                .stringValue()
                .contains("it began after the session did"));
        after.call("mail", "approve", "{}", DONE);
        after.call("mail", "send", "{}", DONE);
    }

    @Test
    void newSessionOfAPrincipal_isAsFarAsTheFarthestOfItsOthers() {
        GuardWorld world = world(HR);
        AgentSession one = new AgentSession("http 1", "bo", "a client", AgentSession.Start.PRINCIPAL, "");
        AgentSession two = new AgentSession("http 2", "bo", "a client", AgentSession.Start.PRINCIPAL, "");
        Inbound read = new Inbound.ToolCall(world.server("hr"), "read", GuardWorld.json("{}"));
        Inbound send = new Inbound.ToolCall(world.server("mail"), "send", GuardWorld.json("{}"));
        assertTrue(world.admit(one, read) instanceof Admission.Admitted);

        assertTrue(world.admit(two, send) instanceof Admission.Refused);
        assertTrue(world.admit(GuardWorld.AGENT, send) instanceof Admission.Admitted);
    }

    /** With thirty conversations and two sequences these were 63 looks. */
    @Test
    void decision_looksAFewTimes_howeverManyConversationsThereAre() {
        GuardWorld world = world("sequences: [{id: a, steps: [{on: {servers: hr}}, {on: {effects: sends}}]},"
                + " {id: b, steps: [{on: {servers: hr}, times: 2}, {on: {effects: sends}}]}]");
        Inbound read = new Inbound.ToolCall(world.server("hr"), "read", GuardWorld.json("{}"));
        Inbound send = new Inbound.ToolCall(world.server("mail"), "send", GuardWorld.json("{}"));
        AgentSession unnamed = AgentSession.unnamed("ana", "requests", "");
        world.session(unnamed);
        for (int i = 0; i < 30; i++) {
            world.session(
                    AgentSession.conversation("ana", "meta", "c" + i, "conversation", AgentSession.Start.CLEAN, ""));
        }
        world.admit(AgentSession.conversation("ana", "meta", "c7", "conversation", AgentSession.Start.CLEAN, ""), read);
        world.engine.looks.set(0);

        assertTrue(world.admit(unnamed, send) instanceof Admission.Refused, "one of them has read");
        assertEquals(3, world.engine.looks.get());
    }

    /** How far a conversation is that began before a sequence was stated is not known: as far as can be. */
    @Test
    void conversationOfWhichNothingIsKnown_countsAsFar_besideOthersOfWhichItIs() {
        GuardWorld before = world("rules: []");
        before.session(AgentSession.conversation("ana", "meta", "1", "old", AgentSession.Start.CLEAN, ""));
        GuardWorld after = world(before.engine, HR);
        AgentSession unnamed = AgentSession.unnamed("ana", "requests", "");
        after.session(AgentSession.conversation("ana", "meta", "2", "new", AgentSession.Start.CLEAN, ""));
        after.session(unnamed);

        assertTrue(
                after.admit(unnamed, new Inbound.ToolCall(after.server("mail"), "send", GuardWorld.json("{}")))
                        instanceof Admission.Refused);
    }

    @Test
    void resourceOfAServer_isAStepToo() {
        GuardWorld world = world(HR);
        world.admit(new Inbound.Request(world.server("hr"), "resources/read", GuardWorld.json("{'uri':'hr://1'}")));

        assertEquals("sequence", world.denial("mail", "send", "{}").code());
    }

    @Test
    void messageWithSuchALabel_isAStepToo() {
        GuardWorld world = world("sequences: [{id: words, steps: [{answer: \"answer.label.integrity == 'untrusted'\"},"
                + " {on: {effects: sends}, when: \"true\"}]}]");
        world.call("mail", "send", "{}", DONE);
        world.release(new Outbound.Message(
                world.server("hr"), "notifications/message", GuardWorld.json("{'data':'an outsider says'}")));

        assertTrue(world.denial("mail", "send", "{}").toHuman().contains("the sequence `words`"));
    }

    /** A person is asked about each such call: one word for all of them would be the end of the sequence. */
    @Test
    void approval_isForOneCallAndNotForAFlow() {
        GuardWorld world = world("sequences: [{id: few, steps: [{on: {tools: send}, times: 2}], then: ask}]");
        world.call("mail", "send", "{}", DONE);
        Denial denial = world.denial("mail", "send", "{}");
        String id = denial.meta()
                .path("dev.sluice/decision")
                .path("approval")
                .path("id")
                .stringValue();
        ApprovalStore.Approval asked =
                world.engine.transact(tx -> tx.approvals().byId(id)).orElseThrow();
        assertEquals(
                "false",
                GuardWorld.JSON.readTree(asked.question()).path("widened").toString());

        boolean waited = world.engine.transact(tx -> tx.approvals()
                .answer(
                        id,
                        ApprovalStore.Status.APPROVED,
                        ApprovalStore.Reach.CALL,
                        world.clock.now.plusSeconds(60),
                        world.clock.now));
        assertTrue(waited, "the question waits");
        world.call("mail", "send", "{}", DONE);
        assertEquals("sequence", world.denial("mail", "send", "{}").code());
    }

    private static GuardWorld hiding(String sequences) {
        return world("hide: untrusted\n" + sequences);
    }

    /** What counts is what the server said, and not what the agent was shown of it. */
    @Test
    void answerThatIsHidden_isAStepByItsOwnLabel() {
        GuardWorld world = hiding("sequences: [{id: words, steps: [{answer: \"answer.label.integrity == 'untrusted'\"},"
                + " {on: {effects: sends}}]}]");
        world.call("mail", "send", "{}", DONE);
        world.call("hr", "page", "{}", DONE);

        assertEquals(Label.BOTTOM, world.seen().label());
        assertEquals("sequence", world.denial("mail", "send", "{}").code());
    }

    @Test
    void answerThatIsHidden_excusesNothingThatATrustedOneWould() {
        GuardWorld world = hiding("sequences: [{id: first, steps: [{on: {tools: send}}],"
                + " until: {on: {servers: hr}, answer: \"answer.label.integrity == 'trusted'\"}}]");
        world.call("hr", "page", "{}", DONE);
        assertEquals("sequence", world.denial("mail", "send", "{}").code());

        world.call("hr", "read", "{}", DONE);
        world.call("mail", "send", "{}", DONE);
    }

    @Test
    void sessionThatBeganWithWhatTheUserTyped_isAtTheFirstStepForWhoeverOpensIt() {
        GuardWorld hook = new GuardWorld(new GuardWorld.BreakableEngine(), PolicyParser.firstUse(), 0);
        hook.guard.typedUnjudged(GuardWorld.AGENT, "write to ana");
        GuardWorld world = world(hook.engine, HR);
        world.session();

        world.call("mail", "send", "{}", DONE);
        world.call("hr", "read", "{}", DONE);
        world.session();
        hook.guard.typedUnjudged(GuardWorld.AGENT, "and to bo");
        assertEquals("sequence", world.denial("mail", "send", "{}").code());
    }

    @Test
    void sessionThatWasUsedUnderAnotherPolicyAfterTyping_countsAsFar() {
        GuardWorld hook = new GuardWorld(new GuardWorld.BreakableEngine(), PolicyParser.firstUse(), 0);
        hook.guard.typedUnjudged(GuardWorld.AGENT, "write to ana");
        world(hook.engine, "rules: []").session();
        GuardWorld world = world(hook.engine, HR);
        world.session();

        assertEquals("sequence", world.denial("mail", "send", "{}").code());
    }

    @Test
    void approvalThatRanBesideAReading_excusesNothing() {
        GuardWorld world = world(HR);
        world.call("hr", "read", "{}", DONE);
        Ticket approval = world.ticket("mail", "approve", "{}");
        world.call("hr", "read", "{}", DONE);
        world.release(new Outbound.Answer(approval, GuardWorld.json(DONE)));

        assertEquals("sequence", world.denial("mail", "send", "{}").code());
    }
}
