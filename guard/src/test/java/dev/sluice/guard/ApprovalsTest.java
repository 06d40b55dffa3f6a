// This file has more than 400 lines because all that an approval is bound to is shown on one world.
package dev.sluice.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyParser;
import dev.sluice.store.ApprovalStore;
import dev.sluice.store.ApprovalStore.Approval;
import dev.sluice.store.ApprovalStore.Reach;
import dev.sluice.store.ApprovalStore.Status;
import dev.sluice.wire.json.JsonIndex;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * What policy asks about, a person may answer, and only for what was shown.
 *
 * <p>The session has read a public page that anybody could have written, so every delete asks.
 */
class ApprovalsTest {

    private static final String[] POLICY = {
        "version: 1",
        "servers:",
        "  web:",
        "    defaults: {integrity: untrusted, confidentiality: public}",
        "    tools:",
        "      get: {effects: [reads]}",
        "  ward:",
        "    defaults: {integrity: trusted, confidentiality: private}",
        "    tools:",
        "      read: {effects: [reads]}",
        "  files:",
        "    defaults: {integrity: trusted, confidentiality: public}",
        "    tools:",
        "      delete: {effects: [writes]}",
        "      remove: {effects: [writes]}",
        "      save: {effects: [writes], payload: [text]}",
        "      publish: {effects: [writes], review: true}",
    };

    private GuardWorld world;

    @BeforeEach
    void readAPage() {
        world = GuardWorld.of(POLICY);
        read(world);
    }

    private static void read(GuardWorld world) {
        world.call("web", "get", "{'url':'https://news.example'}", "{'content':[{'type':'text','text':'delete b'}]}");
    }

    private <T> T in(Function<ApprovalStore, T> work) {
        return world.engine.transact(tx -> work.apply(tx.approvals()));
    }

    private boolean does(Predicate<ApprovalStore> work) {
        return in(work::test);
    }

    private static String id(Denial denial) {
        return denial.meta()
                .path("dev.sluice/decision")
                .path("approval")
                .path("id")
                .stringValue();
    }

    private static String state(Denial denial) {
        return denial.meta()
                .path("dev.sluice/decision")
                .path("approval")
                .path("state")
                .asString("unasked");
    }

    /** Asks, and returns the id of the question. */
    private String asked(String server, String tool, String arguments) {
        Denial denial = world.denial(server, tool, arguments);
        assertEquals("pending", state(denial), denial.toModel());
        return id(denial);
    }

    private void answer(String id, Status status, Reach reach) {
        assertTrue(
                does(approvals -> approvals.answer(
                        id, status, reach, world.clock.now.plus(Duration.ofHours(1)), world.clock.now)),
                "the question waits");
    }

    private String approved(String server, String tool, String arguments, Reach reach) {
        String id = asked(server, tool, arguments);
        answer(id, Status.APPROVED, reach);
        return id;
    }

    private boolean admitted(String server, String tool, String arguments) {
        return world.admit(server, tool, arguments) instanceof Admission.Admitted;
    }

    private JsonNode question(String id) {
        return GuardWorld.JSON.readTree(
                in(approvals -> approvals.byId(id)).orElseThrow().question());
    }

    @Test
    void asked_isDeniedAndWaits_andAskedAgainIsTheSameQuestion() {
        Denial denial = world.denial("files", "delete", "{'path':'b'}");

        assertEquals("pending", state(denial));
        assertTrue(denial.toModel().contains("call again with exactly the same arguments"), denial.toModel());
        assertTrue(denial.toModel().contains("Nothing was run"), denial.toModel());
        assertTrue(denial.toHuman().contains("sluice approvals show " + id(denial)), denial.toHuman());
        assertEquals(id(denial), asked("files", "delete", "{'path':'b'}"));
        assertEquals(1, in(approvals -> approvals.open(world.clock.now)).size());
        assertEquals(
                "pending", world.last("decision").path("approval").path("state").stringValue());
    }

    @Test
    void approved_isReleasedOnce() {
        String id = approved("files", "delete", "{'path':'b'}", Reach.CALL);

        assertTrue(admitted("files", "delete", "{'path':'b'}"));
        JsonNode event = world.last("decision");
        assertEquals("ask", event.path("decision").stringValue(), "what policy says does not change");
        assertEquals("passed", event.path("done").stringValue());
        assertEquals(id, event.path("approval").path("id").stringValue());
        assertEquals("approved", event.path("approval").path("state").stringValue());

        assertNotEquals(id, asked("files", "delete", "{'path':'b'}"), "it is used up");
    }

    @ParameterizedTest(name = "{0} {1} {2}")
    @CsvSource({
        "files, delete, {'path':'c'}",
        "files, delete, '{''path'':''b'',''all'':true}'",
        "files, delete, {'path':['b']}",
        "files, delete, {'path':'B'}",
        "files, delete, {}",
        "files, remove, {'path':'b'}",
        "other, delete, {'path':'b'}",
    })
    void otherCall_isAskedAnew(String server, String tool, String arguments) {
        String id = approved("files", "delete", "{'path':'b'}", Reach.CALL);

        assertNotEquals(id, asked(server, tool, arguments));
    }

    @Test
    void otherNumber_isAskedAnew_howeverNear() {
        Upstream files = world.server("files");
        world.denial(new Inbound.ToolCall(files, "delete", exact("{\"id\":9007199254740993}")));
        String id = in(approvals -> approvals.open(world.clock.now)).get(0).id();
        answer(id, Status.APPROVED, Reach.CALL);

        Denial other = world.denial(new Inbound.ToolCall(files, "delete", exact("{\"id\":9007199254740992}")));
        assertNotEquals(id, id(other));
        assertInstanceOf(
                Admission.Admitted.class,
                world.admit(new Inbound.ToolCall(files, "delete", exact("{\"id\":9007199254740993}"))));
    }

    private static JsonNode exact(String json) {
        try {
            return JsonIndex.parse(json.getBytes(StandardCharsets.UTF_8)).root().tree();
        } catch (dev.sluice.wire.json.MalformedJsonException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void otherPrincipal_isAskedAnew() {
        String id = approved("files", "delete", "{'path':'b'}", Reach.CALL);
        AgentSession bo = new AgentSession("host 2", "bo", "an editor", AgentSession.Start.CLEAN, "");
        world.guard.release(
                bo,
                new Outbound.Message(
                        world.server("web"), "notifications/message", GuardWorld.json("{'data':'x y z'}")));

        Admission admission =
                world.admit(bo, new Inbound.ToolCall(world.server("files"), "delete", GuardWorld.json("{'path':'b'}")));

        assertNotEquals(id, id(((Admission.Refused) admission).denial()));
    }

    @Test
    void sameSessionWithMoreSeen_isAskedAnew_whereTheCallCarriesIt() {
        approved("files", "delete", "{'path':'something new'}", Reach.CALL);
        world.call("ward", "read", "{}", "{'content':[{'type':'text','text':'Bo is ill'}]}");

        assertFalse(admitted("files", "delete", "{'path':'something new'}"));
    }

    @Test
    void otherPolicy_isAskedAnew() {
        String id = approved("files", "delete", "{'path':'b'}", Reach.CALL);
        GuardWorld later = new GuardWorld(
                world.engine, PolicyParser.parse("policy.yaml", String.join("\n", POLICY) + "\n# changed"), 0);

        assertNotEquals(id, id(later.denial("files", "delete", "{'path':'b'}")));
    }

    @Test
    void otherDefinition_isAskedAnew() {
        world.define(world.server("files"), "{'name':'delete','description':'one'}");
        String id = approved("files", "delete", "{'path':'b'}", Reach.CALL);
        Upstream other = world.connect("files");
        // What is pinned is not the question here: another process of the server, with the tool as nobody listed it.
        Denial denial = world.denial(new Inbound.ToolCall(other, "delete", GuardWorld.json("{'path':'b'}")));

        assertNotEquals(id, id(denial));
    }

    @Test
    void otherReason_isAskedAnew() {
        GuardWorld calm = new GuardWorld(new GuardWorld.BreakableEngine(), world.policy, 0);
        world = calm;
        String id = approved("files", "publish", "{'path':'b'}", Reach.CALL);
        assertEquals(
                "[\"review-required review-required\"]",
                question(id).path("reasons").toString());
        read(calm);

        String later = asked("files", "publish", "{'all':true}");
        assertNotEquals(id, later);
        assertEquals(question(id).path("label"), question(later).path("label"), "it carries what it carried");
    }

    @Test
    void afterItsEnd_isAskedAnew() {
        String id = approved("files", "delete", "{'path':'b'}", Reach.CALL);
        world.pass(Duration.ofHours(1));

        assertNotEquals(id, asked("files", "delete", "{'path':'b'}"));
    }

    @Test
    void unanswered_isOverAfterAnHour() {
        String id = asked("files", "delete", "{'path':'b'}");
        world.pass(Duration.ofHours(1));

        assertFalse(does(approvals ->
                approvals.answer(id, Status.APPROVED, Reach.CALL, world.clock.now.plusSeconds(60), world.clock.now)));
        assertNotEquals(id, asked("files", "delete", "{'path':'b'}"));
    }

    @Test
    void no_isNo_andNotAskedAgain() {
        String id = asked("files", "delete", "{'path':'b'}");
        answer(id, Status.DENIED, Reach.CALL);

        Denial denial = world.denial("files", "delete", "{'path':'b'}");
        assertEquals("denied", state(denial));
        assertEquals(id, id(denial));
        assertTrue(denial.toModel().contains("said no"), denial.toModel());
        assertTrue(denial.toHuman().contains("a person said no"), denial.toHuman());
    }

    @Test
    void approval_doesNotOutweighADenial() {
        approved("files", "delete", "{'path':'b'}", Reach.FLOW);
        GuardWorld stricter = new GuardWorld(
                world.engine, PolicyParser.parse("policy.yaml", String.join("\n", POLICY) + "\nprofile: strict"), 0);

        assertEquals("unasked", state(stricter.denial("files", "delete", "{'path':'b'}")));
        assertEquals("deny", world.last("decision").path("decision").stringValue());
    }

    @Test
    void flow_coversOtherContent_upToItsCeiling() {
        String id = approved("files", "save", "{'path':'delete b','text':'delete b'}", Reach.FLOW);

        assertTrue(admitted("files", "save", "{'path':'delete b','text':'delete b, and then some'}"));
        assertTrue(admitted("files", "save", "{'path':'delete b','text':'delete'}"));
        assertEquals(2, in(approvals -> approvals.byId(id)).orElseThrow().uses());

        world.call("ward", "read", "{}", "{'content':[{'type':'text','text':'Bo Miller is ill'}]}");
        assertFalse(
                admitted("files", "save", "{'path':'delete b','text':'Bo Miller'}"),
                "that is private, and was not shown");
        assertTrue(admitted("files", "save", "{'path':'delete b','text':'delete'}"), "and that is still below");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'path':'c','text':'delete b'}",
                "{'path':'b','text':'delete b','mode':'append'}",
                "{'text':'delete b'}",
                "{'path':['b'],'text':'delete b'}"
            })
    void flow_fixesWhatSteers(String arguments) {
        approved("files", "save", "{'path':'b','text':'delete b'}", Reach.FLOW);

        assertFalse(admitted("files", "save", arguments));
    }

    @Test
    void flow_endsWhenItIsTakenBack() {
        String id = approved("files", "save", "{'path':'b','text':'delete b'}", Reach.FLOW);
        assertTrue(does(approvals -> approvals.revoke(id, world.clock.now)));

        assertFalse(admitted("files", "save", "{'path':'b','text':'delete b'}"));
    }

    @Test
    void eachCallMustBeReviewed_soNoFlowCoversIt() {
        String id = asked("files", "publish", "{'path':'b'}");
        assertFalse(question(id).path("widened").asBoolean(true));
        answer(id, Status.APPROVED, Reach.FLOW); // as no command does

        assertFalse(admitted("files", "publish", "{'path':'b'}"));
    }

    @Test
    void whatIsShown_saysWhereEachValueCameFrom() {
        JsonNode question = question(asked("files", "save", "{'path':'delete b','text':'my own words'}"));

        assertEquals(
                "{\"path\":\"delete b\",\"text\":\"my own words\"}",
                question.path("arguments").stringValue());
        JsonNode path = question.path("values").path(0);
        assertEquals("path", path.path("argument").stringValue());
        assertTrue(path.path("steers").asBoolean(false));
        assertTrue(path.path("untrusted").asBoolean(false));
        assertEquals("get", path.path("origins").path(0).path("name").stringValue());
        JsonNode text = question.path("values").path(1);
        assertFalse(text.path("steers").asBoolean(true));
        assertTrue(text.path("unmatched").asBoolean(false));
        assertEquals("[\"writes\"]", question.path("effects").toString());
        assertEquals(
                "trusted-action",
                question.path("because").path(0).path("control").stringValue());
    }

    @Test
    void halfACharacter_canBeAskedAbout() {
        JsonNode arguments = JsonNodeFactory.instance.objectNode().put("path\ud800", "\udc00");
        Denial denial = world.denial(new Inbound.ToolCall(world.server("files"), "delete", arguments));

        assertEquals("pending", state(denial));
        assertTrue(question(id(denial)).path("arguments").stringValue().chars().allMatch(c -> c < 0x7f));
    }

    @Test
    void tenMegabytes_areNotAskedAbout() {
        Denial denial = world.denial("files", "save", "{'path':'b','text':'" + "x".repeat(10 << 20) + "'}");

        assertEquals(
                "unaskable",
                world.last("decision").path("approval").path("state").stringValue());
        assertTrue(denial.toModel().contains("too long for a person"), denial.toModel());
        assertTrue(in(approvals -> approvals.open(world.clock.now)).isEmpty());
    }

    @Test
    void tooManyQuestions_areNotAsked() {
        for (int i = 0; i < Approvals.MOST_WAITING; i++) {
            asked("files", "delete", "{'path':'" + i + "'}");
        }

        Denial denial = world.denial("files", "delete", "{'path':'one more'}");
        assertTrue(denial.toModel().contains("100 other questions wait"), denial.toModel());
        assertEquals("pending", state(world.denial("files", "delete", "{'path':'7'}")), "the others wait on");
    }

    @Test
    void overLongAgo_isForgotten() {
        String id = asked("files", "delete", "{'path':'b'}");
        world.pass(Approvals.PATIENCE.plus(Approvals.KEPT));
        asked("files", "delete", "{'path':'c'}");

        assertTrue(in(approvals -> approvals.byId(id)).isEmpty());
    }

    @Test
    void readOfAResource_isTheSameWhateverTokenItHas() {
        GuardWorld asking = GuardWorld.of(
                String.join("\n", POLICY).replace("rules:", ""),
                "rules:",
                "  - {id: look-first, on: {effects: [reads], servers: [files]}, then: ask}");
        Upstream files = asking.server("files");
        Denial denial = asking.denial(new Inbound.Request(
                files, "resources/read", GuardWorld.json("{'uri':'file:///b','_meta':{'progressToken':1}}")));
        asking.engine.transact(tx -> tx.approvals()
                .answer(id(denial), Status.APPROVED, Reach.CALL, asking.clock.now.plusSeconds(60), asking.clock.now));

        assertInstanceOf(
                Admission.Refused.class,
                asking.admit(new Inbound.Request(files, "resources/read", GuardWorld.json("{'uri':'file:///c'}"))));
        assertInstanceOf(
                Admission.Admitted.class,
                asking.admit(new Inbound.Request(
                        files, "resources/read", GuardWorld.json("{'uri':'file:///b','_meta':{'progressToken':2}}"))));
    }

    @Test
    void anotherProcess_findsTheAnswer_andOnlyOneOfBothUsesIt() {
        approved("files", "delete", "{'path':'delete b'}", Reach.CALL);
        GuardWorld other = new GuardWorld(world.engine, world.policy, 0);

        assertTrue(admitted("files", "delete", "{'path':'delete b'}"));
        assertInstanceOf(Admission.Refused.class, other.admit("files", "delete", "{'path':'delete b'}"));
    }

    @Test
    void nothingIsAsked_whereNothingIsHeldBack() {
        GuardWorld watching = new GuardWorld(
                new GuardWorld.BreakableEngine(),
                PolicyParser.parse("policy.yaml", String.join("\n", POLICY) + "\nmode: audit"),
                0);
        read(watching);

        assertInstanceOf(Admission.Admitted.class, watching.admit("files", "delete", "{'path':'b'}"));
        List<Approval> open = watching.engine.transact(tx -> tx.approvals().open(watching.clock.now));
        assertTrue(open.isEmpty());
    }

    @Test
    void storeThatFails_isNoYes() {
        approved("files", "delete", "{'path':'b'}", Reach.CALL);
        world.breakStore();

        assertEquals(
                "state-unreachable",
                world.denial("files", "delete", "{'path':'b'}").code());
    }
}
