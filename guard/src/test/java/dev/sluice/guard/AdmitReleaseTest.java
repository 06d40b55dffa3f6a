// This file has more than 400 lines because it holds one test for each way that a message can take through the guard.
package dev.sluice.guard;

import static dev.sluice.guard.GuardWorld.json;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Lineage;
import dev.sluice.labels.SessionLabel;
import dev.sluice.labels.Source;
import dev.sluice.policy.Profile;
import dev.sluice.store.StoreException;
import dev.sluice.wire.VendorKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/** Messages on their way in and out, one after another. */
class AdmitReleaseTest {

    private static final Source FILES = new Source.OfServer("files");
    private static final Source CHAT = new Source.OfServer("chat");
    private static final String CLAIMS = "'io.modelcontextprotocol/trust-annotations'";

    /** Two servers; the second answers trusted and public where nothing says otherwise. */
    private static GuardWorld world(String mode) {
        return GuardWorld.of(
                "version: 1",
                "mode: " + mode,
                "servers:",
                "  files: {tools: {read: {effects: [reads]}, write: {effects: [writes]}}}",
                "  chat:",
                "    defaults: {integrity: trusted, confidentiality: public}",
                "    tools:",
                "      echo: {effects: [reads]}",
                "      post: {effects: [sends], audience: public}",
                "      receipt: {effects: [reads], derives: false}",
                "      clean: {effects: [reads], returns: {integrity: trusted}}");
    }

    @Test
    void answerOfWhichNobodySaidAnything_isUntrustedAndPrivate() {
        GuardWorld world = GuardWorld.firstUse();
        world.server("files", "npx", "@modelcontextprotocol/server-filesystem");

        Released released = world.call("files", "read_file", "{'path':'a'}", "{'content':[]}");

        assertEquals(
                Label.of(Integrity.UNTRUSTED, Confidentiality.of(FILES), DataClass.UNCLASSIFIED), released.label());
        assertFalse(released.untrusted());
        assertFalse(released.sensitive());
        assertEquals(released.label(), world.seen().label());
    }

    @Test
    void readThenPost_isRefusedWithTheNameOfTheRead() {
        GuardWorld world = world("enforce");
        world.ticket("chat", "post", "{'text':'x'}");
        world.call("files", "read", "{}", "{'content':[]}");

        Denial denial = world.denial("chat", "post", "{'text':'x'}");

        assertEquals("flow-not-permitted", denial.code());
        assertTrue(denial.toModel().contains("sluice denied `post`"), denial.toModel());
        assertTrue(denial.toModel().contains("`read` of `files`, call c"), denial.toModel());
        assertTrue(denial.toModel().contains("Nothing was run and nothing was sent."), denial.toModel());
        assertFalse(denial.toModel().contains("A person could approve"), denial.toModel());
        assertTrue(denial.toHuman().contains("anybody"), denial.toHuman());
        assertEquals(
                "deny", denial.meta().path(VendorKeys.DECISION).path("decision").stringValue());
    }

    @Test
    void ask_waitsForAPerson_andSaysSo() {
        GuardWorld world = world("enforce");
        world.call("files", "read", "{}", "{'content':[]}");

        Denial denial = world.denial("files", "write", "{}");

        assertEquals("untrusted-session", denial.code());
        assertTrue(denial.toModel().contains("A person has been asked"), denial.toModel());
        assertEquals("ask", world.last("decision").path("decision").stringValue());
        assertEquals("refused", world.last("decision").path("done").stringValue());
    }

    @Test
    void sessionSurvives_anotherGuardOnTheSameState() {
        GuardWorld world = world("enforce");
        world.call("files", "read", "{}", "{'content':[]}");

        GuardWorld later = new GuardWorld(world.engine, world.policy, 0);

        assertEquals(
                "flow-not-permitted",
                later.denial("chat", "post", "{'text':'x'}").code());
    }

    @Test
    void answer_joinsWhatItsCallCarried() {
        GuardWorld world = world("audit");
        world.call("files", "read", "{}", "{'content':[]}");

        Released echo = world.call("chat", "echo", "{'text':'x'}", "{'content':[]}");

        assertEquals(Label.of(Integrity.UNTRUSTED, Confidentiality.of(FILES), DataClass.UNCLASSIFIED), echo.label());
    }

    @Test
    void answerThatDerivesNothing_doesNotJoinWhatItsCallCarried() {
        GuardWorld world = world("audit");
        world.call("files", "read", "{}", "{'content':[]}");

        assertEquals(
                Label.BOTTOM,
                world.call("chat", "receipt", "{'text':'x'}", "{'content':[]}").label());
    }

    @Test
    void operatorsWordOnIntegrity_isNotRaisedByTheCall() {
        GuardWorld world = world("audit");
        world.call("files", "read", "{}", "{'content':[]}");

        assertEquals(
                Label.of(Integrity.TRUSTED, Confidentiality.of(FILES), DataClass.UNCLASSIFIED),
                world.call("chat", "clean", "{'text':'x'}", "{'content':[]}").label());
        assertEquals(
                Integrity.UNTRUSTED,
                world.call("chat", "clean", "{}", "{'_meta':{" + CLAIMS + ":{'untrusted':true}}}")
                        .label()
                        .integrity());
    }

    /** What an answer is joined with is what its call carried, even where the session saw more meanwhile. */
    @Test
    void answersOutOfOrder_joinWhatTheirOwnCallsCarried() {
        GuardWorld world = world("audit");
        Ticket first = world.ticket("chat", "echo", "{'text':'x'}");
        Ticket second = world.ticket("files", "read", "{}");
        world.release(new Outbound.Answer(second, json("{'content':[]}")));

        assertEquals(
                Label.BOTTOM,
                world.release(new Outbound.Answer(first, json("{}"))).label());
        assertEquals(Confidentiality.of(FILES), world.seen().label().confidentiality());
    }

    @Test
    void failureAndLostAnswer_joinAsAnAnswerWould() {
        GuardWorld world = world("audit");
        world.call("files", "read", "{}", "{}");
        Ticket failing = world.ticket("chat", "echo", "{'text':'x'}");
        Ticket lost = world.ticket("chat", "echo", "{'text':'x'}");
        GuardWorld fresh = world("enforce");
        Ticket failingFirst = fresh.ticket("files", "read", "{}");
        Ticket lostFirst = fresh.ticket("files", "read", "{}");

        assertEquals(
                Confidentiality.of(FILES),
                world.release(new Outbound.Failure(failing, json("{'message':'x'}")))
                        .label()
                        .confidentiality());
        assertEquals(
                Confidentiality.of(FILES),
                world.release(new Outbound.Lost(lost, "too long")).label().confidentiality());
        fresh.release(new Outbound.Lost(lostFirst, "too long"));
        assertEquals(Confidentiality.of(FILES), fresh.seen().label().confidentiality());
        assertEquals("lost", fresh.last("lost").path("kind").stringValue());
        fresh.release(new Outbound.Failure(failingFirst, json("{'message':'x'}")));
        assertEquals(1, fresh.events("failure").size());
    }

    @Test
    void claimsThatLower_areIgnoredAndRecordedUnlessTheyCountInFull() {
        GuardWorld world = GuardWorld.of(
                "version: 1",
                "servers:",
                "  raise: {tools: {get: {effects: [reads]}}}",
                "  full: {claims: full, tools: {get: {effects: [reads]}}}",
                "  said:",
                "    claims: full",
                "    tools: {get: {effects: [reads], returns: {integrity: untrusted, confidentiality: private}}}");
        String result = "{'_meta':{" + CLAIMS + ":{'untrusted':false,'sensitive':false}}}";

        assertEquals(Label.BOTTOM, world.call("full", "get", "{}", result).label());
        assertEquals(List.of(), ignored(world));
        assertEquals(
                Label.of(Integrity.UNTRUSTED, Confidentiality.of(new Source.OfServer("raise")), DataClass.UNCLASSIFIED),
                world.call("raise", "get", "{}", result).label());
        assertEquals(List.of("untrusted: false", "sensitive: false"), ignored(world));

        GuardWorld other = new GuardWorld(new GuardWorld.BreakableEngine(), world.policy, 0);
        Released said = other.call("said", "get", "{}", result);
        assertEquals(Integrity.UNTRUSTED, said.label().integrity());
        assertTrue(said.untrusted());
        assertTrue(said.sensitive());
        assertEquals(List.of("untrusted: false", "sensitive: false"), ignored(other));
    }

    private static List<String> ignored(GuardWorld world) {
        List<String> ignored = new ArrayList<>();
        world.last("answer").path("ignoredClaims").forEach(each -> ignored.add(each.stringValue()));
        return ignored;
    }

    @Test
    void malformedClaims_areFindingsAndStrict() {
        GuardWorld world = world("enforce");

        Released released = world.call("chat", "echo", "{}", "{'_meta':{" + CLAIMS + ":'trusted'}}");

        assertEquals(Label.of(Integrity.UNTRUSTED, Confidentiality.of(CHAT), DataClass.UNCLASSIFIED), released.label());
        JsonNode finding = world.last("answer").path("findings").path(0);
        assertEquals("not_an_object", finding.path("code").stringValue());
        assertEquals(
                "/_meta/io.modelcontextprotocol~1trust-annotations",
                finding.path("pointer").stringValue());
        world.call("chat", "echo", "{}", "{'_meta':{" + CLAIMS + ":{'untrusted':'no'}}}");
        assertEquals(
                "not_a_boolean",
                world.last("answer").path("findings").path(0).path("code").stringValue());
    }

    @Test
    void claimOfOneBlock_holdsForTheWhole() {
        GuardWorld world = world("enforce");

        Released released = world.call(
                "chat",
                "echo",
                "{}",
                "{'_meta':{" + CLAIMS + ":{'untrusted':false}},'content':[{'type':'text'},{'_meta':{" + CLAIMS
                        + ":{'untrusted':true,'sensitive':true}}}]}");

        assertEquals(Label.of(Integrity.UNTRUSTED, Confidentiality.of(CHAT), DataClass.UNCLASSIFIED), released.label());
        assertTrue(released.untrusted());
        assertTrue(released.sensitive());
    }

    @Test
    void olderWords_claimTheSame() {
        GuardWorld world = GuardWorld.of(
                "version: 1",
                "servers:",
                "  raise: {tools: {get: {effects: [reads], returns: {integrity: trusted, confidentiality: public}}}}",
                "  full: {claims: full, tools: {get: {effects: [reads]}}}");
        String lowering = "'ifc':{'integrity':'trusted','confidentiality':'public'}";

        assertEquals(
                Label.BOTTOM,
                world.call("full", "get", "{}", "{'_meta':{" + lowering + "}}").label());
        Released raised = world.call(
                "raise",
                "get",
                "{}",
                "{'_meta':{" + lowering + "},'content':[{'_meta':{'annotations':{'privateHint':true,"
                        + "'maliciousActivityHint':true}}}]}");

        assertTrue(raised.untrusted());
        assertTrue(raised.sensitive());
        assertEquals(
                Label.of(Integrity.UNTRUSTED, Confidentiality.of(new Source.OfServer("raise")), DataClass.UNCLASSIFIED),
                raised.label());
        JsonNode finding = world.last("answer").path("findings").path(0);
        assertEquals("malicious_activity", finding.path("code").stringValue());
        assertEquals(
                "/content/0/_meta/annotations/maliciousActivityHint",
                finding.path("pointer").stringValue());
    }

    @Test
    void readersAndResources_labelAnswers() {
        GuardWorld world = GuardWorld.of(
                "version: 1",
                "servers:",
                "  mail: {tools: {read: {effects: [reads], returns: {integrity: trusted, readers: [/from, /to]}}}}",
                "  forge: {known: server-github}");

        assertEquals(
                Confidentiality.of(Source.Readers.of("mail", List.of("ana@x", "bo@x"))),
                world.call("mail", "read", "{}", "{'structuredContent':{'from':'ana@x','to':['bo@x']}}")
                        .label()
                        .confidentiality());
        GuardWorld other = new GuardWorld(new GuardWorld.BreakableEngine(), world.policy, 0);
        assertEquals(
                Confidentiality.of(new Source.OfServer("mail")),
                other.call("mail", "read", "{}", "{'isError':true}").label().confidentiality());
        GuardWorld third = new GuardWorld(new GuardWorld.BreakableEngine(), world.policy, 0);
        assertEquals(
                Confidentiality.of(new Source.OfResource("forge", "o/r")),
                third.call("forge", "get_file_contents", "{'owner':'O','repo':'r','path':'a'}", "{}")
                        .label()
                        .confidentiality());
        GuardWorld fourth = new GuardWorld(new GuardWorld.BreakableEngine(), world.policy, 0);
        assertEquals(
                Confidentiality.of(new Source.OfServer("forge")),
                fourth.call(
                                "forge",
                                "get_file_contents",
                                "{'owner':'o','repo':'r','path':'../../../s/t/contents/a'}",
                                "{}")
                        .label()
                        .confidentiality());
    }

    @ParameterizedTest
    @ValueSource(strings = {"notifications/message", "notifications/progress", "sampling/createMessage", "x/unknown"})
    void messageOfAServer_entersTheSession(String method) {
        GuardWorld world = world("enforce");

        Released released =
                world.release(new Outbound.Message(world.server("files"), method, json("{'data':'private words'}")));

        assertEquals(
                Label.of(Integrity.UNTRUSTED, Confidentiality.of(FILES), DataClass.UNCLASSIFIED), released.label());
        SessionLabel seen = world.seen();
        assertEquals(released.label(), seen.label());
        assertEquals(
                method, seen.lineage().of(new Lineage.Part.From(FILES)).get(0).name());
        assertEquals(
                "flow-not-permitted",
                world.denial("chat", "post", "{'text':'x'}").code());
    }

    @Test
    void messageWithoutContent_entersToo() {
        GuardWorld world = world("enforce");

        world.release(new Outbound.Message(world.server("files"), "notifications/message", MissingNode.getInstance()));

        assertEquals(Confidentiality.of(FILES), world.seen().label().confidentiality());
    }

    @Test
    void answerOfThePersonToAForm_isReleasedAndRecorded() {
        GuardWorld world = world("enforce");
        world.call("files", "read", "{}", "{}");

        Admission admission = world.admit(
                new Inbound.Answer(world.server("chat"), "elicitation/create", json("{'action':'accept'}")));

        assertInstanceOf(Admission.Admitted.class, admission);
        JsonNode event = world.last("decision");
        assertEquals("elicitation/create", event.path("method").stringValue());
        assertEquals("allow", event.path("decision").stringValue());
        assertEquals("passed", event.path("done").stringValue());
    }

    @ParameterizedTest
    @ValueSource(strings = {"sampling/createMessage", "roots/list", "x/unknown"})
    void answerOfTheClient_isRefusedWithAnotherServersPrivateData(String method) {
        GuardWorld world = world("enforce");
        Inbound answer = new Inbound.Answer(world.server("chat"), method, json("{'content':{'text':'x'}}"));
        assertInstanceOf(Admission.Admitted.class, world.admit(answer));
        world.call("files", "read", "{}", "{}");

        Denial denial = world.denial(answer);

        assertEquals("flow-not-permitted", denial.code());
        assertTrue(denial.toHuman().contains("the server `chat`"), denial.toHuman());
        assertInstanceOf(
                Admission.Admitted.class, world.admit(new Inbound.Answer(world.server("files"), method, json("{}"))));
    }

    /** The form's exception is for answers alone: a request of that name is a request like any other. */
    @ParameterizedTest
    @ValueSource(strings = {"resources/read", "prompts/get", "completion/complete", "elicitation/create", "x/unknown"})
    void requestOtherThanACall_isAReadAtItsServer(String method) {
        GuardWorld world = world("enforce");
        world.call("files", "read", "{}", "{}");

        assertEquals(
                "flow-not-permitted",
                world.denial(new Inbound.Request(world.server("chat"), method, json("{'uri':'a:b'}")))
                        .code());
        assertInstanceOf(
                Admission.Admitted.class, world.admit(new Inbound.Request(world.server("files"), method, json("{}"))));
    }

    @Test
    void answerToARequest_joinsWhatTheRequestCarried() {
        GuardWorld world = world("audit");
        world.call("files", "read", "{}", "{}");
        Admission.Admitted admitted = (Admission.Admitted)
                world.admit(new Inbound.Request(world.server("chat"), "resources/read", json("{'uri':'a:b'}")));

        assertEquals(
                Confidentiality.of(FILES),
                world.release(new Outbound.Answer(admitted.ticket(), json("{'contents':[]}")))
                        .label()
                        .confidentiality());
    }

    @Test
    void callWithoutValues_carriesNothingInBalancedAndAllInStrict() {
        GuardWorld world = world("enforce");
        world.call("files", "read", "{}", "{'content':[{'type':'text','text':'private words'}]}");

        assertEquals(Label.BOTTOM, world.ticket("chat", "echo", "{}").carried());
        assertInstanceOf(
                Admission.Admitted.class,
                world.admit(new Inbound.Request(world.server("chat"), "prompts/get", json("{}"))));
        assertEquals("untrusted-session", world.denial("chat", "post", "{}").code());
        GuardWorld strict = new GuardWorld(new GuardWorld.BreakableEngine(), world.policy.as(Profile.STRICT), 0);
        strict.call("files", "read", "{}", "{'content':[]}");
        assertEquals("flow-not-permitted", strict.denial("chat", "echo", "{}").code());
    }

    @Test
    void missingArguments_areAnEmptyObjectAndNullIsNot() {
        GuardWorld world = world("enforce");
        Upstream files = world.server("files");

        assertInstanceOf(
                Admission.Admitted.class, world.admit(new Inbound.ToolCall(files, "read", MissingNode.getInstance())));
        for (String arguments : List.of("null", "[]", "'a'", "7")) {
            assertEquals(
                    "malformed-call",
                    world.denial(new Inbound.ToolCall(files, "read", json(arguments)))
                            .code());
        }
    }

    @Test
    void malformedCallThatPassesInAudit_isAnsweredAndLabelled() {
        GuardWorld world = world("audit");
        Ticket ticket = world.ticket("files", "read", "[]");

        assertEquals(
                Confidentiality.of(FILES),
                world.release(new Outbound.Answer(ticket, json("[]"))).label().confidentiality());
    }

    @Test
    void modes_passOrRefuseTheSameRecordedDecision() {
        List<ObjectNode> decisions = new ArrayList<>();
        for (String mode : List.of("audit", "warn", "enforce")) {
            GuardWorld world = world(mode);
            world.call("files", "read", "{}", "{}");
            Admission admission = world.admit("chat", "post", "{'text':'x'}");

            assertEquals(mode.equals("enforce"), admission instanceof Admission.Refused, mode);
            ObjectNode event = (ObjectNode) world.last("decision");
            assertEquals(mode, event.path("mode").stringValue());
            assertEquals(
                    mode.equals("enforce") ? "refused" : "passed",
                    event.path("done").stringValue());
            if (admission instanceof Admission.Admitted admitted) {
                ObjectNode meta = world.release(new Outbound.Answer(admitted.ticket(), json("{}")))
                        .meta();
                assertEquals(mode.equals("warn"), meta.has(VendorKeys.DECISION), mode);
                if (mode.equals("warn")) {
                    assertEquals(
                            "deny",
                            meta.path(VendorKeys.DECISION).path("decision").stringValue());
                }
            }
            ((ObjectNode) event.path("digests")).remove("policy");
            decisions.add(event.without(Set.of("mode", "done", "session", "prev")));
        }
        assertEquals(decisions.get(0), decisions.get(1));
        assertEquals(decisions.get(0), decisions.get(2));
    }

    @Test
    void allowedCallInWarn_carriesNoWarning() {
        GuardWorld world = world("warn");

        assertFalse(world.call("files", "read", "{}", "{}").meta().has(VendorKeys.DECISION));
    }

    @Test
    void labelOnAMessage_namesNoReaderAndNoSource() {
        GuardWorld world = GuardWorld.of(
                "version: 1",
                "servers: {mail: {tools: {read: {effects: [reads], returns: {readers: [ana@x], classes: [phi]}}}}}");

        ObjectNode meta = world.call("mail", "read", "{}", "{}").meta();

        assertEquals(
                json("{'" + VendorKeys.LABEL
                        + "':{'integrity':'untrusted','confidentiality':'private','classes':['phi'],'call':'c2'}}"),
                meta);
    }

    @Test
    void storeThatFails_refusesAndReleasesNothing() {
        GuardWorld world = world("audit");
        Ticket ticket = world.ticket("files", "read", "{}");
        world.breakStore();

        Denial denial = world.denial("files", "read", "{}");
        assertEquals("state-unreachable", denial.code());
        assertTrue(denial.toModel().contains("Nothing was run."), denial.toModel());
        assertEquals("the disk is full: make room", denial.toHuman());
        assertThrows(StoreException.class, () -> world.release(new Outbound.Answer(ticket, json("{}"))));
        assertThrows(StoreException.class, () -> world.define(world.server("files"), "{'name':'read'}"));
        assertThrows(StoreException.class, () -> world.guard.instruct(GuardWorld.AGENT, world.server("files"), "do"));
        assertThrows(StoreException.class, world::session);
        assertEquals(
                "state-unreachable",
                world.denial(new Inbound.Answer(world.server("files"), "elicitation/create", json("{}")))
                        .code());

        world.engine.fault = null;
        assertEquals(SessionLabel.EMPTY, world.seen());
    }

    @Test
    void faultOfAnyKind_refuses() {
        GuardWorld world = world("enforce");
        world.engine.fault = new IllegalStateException("odd");

        Denial denial = world.denial("files", "read", "{}");

        assertEquals("state-unreachable", denial.code());
        assertEquals("deciding failed: odd", denial.toHuman());
        assertFalse(denial.toModel().contains("odd"), denial.toModel());
    }

    @Test
    void manyAnswersAtOnce_allEnter() throws Exception {
        GuardWorld world = world("audit");
        world.session();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<Released>> all = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                Upstream upstream = world.connect("server" + i, "run");
                all.add(threads.submit(() -> world.guard.release(
                        GuardWorld.AGENT, new Outbound.Message(upstream, "notifications/message", json("{}")))));
            }
            for (Future<Released> one : all) {
                one.get();
            }
        } finally {
            threads.shutdownNow();
        }

        assertEquals(64, world.seen().label().confidentiality().sources().size());
        assertEquals(64, world.events("message").size());
    }
}
