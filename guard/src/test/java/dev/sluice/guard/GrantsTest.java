package dev.sluice.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Source;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Somebody answers for an answer being less than its label says: until an end, within a scope, and on the record. */
class GrantsTest {

    private static final Label SILENT =
            Label.of(Integrity.UNTRUSTED, Confidentiality.of(new Source.OfServer("notes")), DataClass.UNCLASSIFIED);

    private static final String TEXT = "{'content':[{'type':'text','text':'some words'}]}";

    /** The clock of the world stands at the second of January 2026. */
    private static GuardWorld world(String... grant) {
        return GuardWorld.of(
                "version: 1",
                "servers:",
                "  notes:",
                "    tools:",
                "      read: {effects: [reads]}",
                "      clean: {effects: [reads], payload: [text]}",
                "      list: {effects: [reads], returns: {items: '/notes/*', classes: [note]}}",
                "  mail: {}",
                "grants:",
                "  - {id: clean, owner: ana@clinic.example, " + String.join(", ", grant) + "}");
    }

    private static Label label(GuardWorld world, String tool, String answer) {
        return world.call("notes", tool, "{}", answer).label();
    }

    @Test
    void endorsed_isTrustedAndRecorded() {
        GuardWorld world = world("on: {servers: notes, tools: read}", "endorse: true", "until: 2026-01-02");

        assertEquals(
                new Label(Integrity.TRUSTED, SILENT.confidentiality(), SILENT.classes()), label(world, "read", TEXT));
        assertEquals(
                "[{\"id\":\"clean\",\"owner\":\"ana@clinic.example\",\"until\":\"2026-01-03T00:00:00Z\"}]",
                world.last("answer").path("grants").toString());
        assertEquals(SILENT, label(world, "clean", TEXT));
        assertTrue(world.last("answer").path("grants").isMissingNode(), "no grant was used");
    }

    /** It is not what somebody answers for. */
    @Test
    void questionAndNameOfATask_comeUnderNoGrant() {
        GuardWorld world = world("on: {servers: notes}", "endorse: true", "until: 2026-01-02");
        String words = ",'content':[{'type':'text','text':'some words'}]}";

        assertEquals(SILENT, label(world, "read", "{'resultType':'input_required'" + words));
        assertEquals(SILENT, label(world, "read", "{'taskId':'t'" + words));
        assertEquals(
                Integrity.TRUSTED,
                label(world, "read", "{'resultType':'complete'" + words).integrity());
    }

    @Test
    void declassified_losesWhatIsNamed() {
        String on = "on: {servers: notes}";
        String until = "until: 2026-01-02";

        assertEquals(
                Label.of(Integrity.UNTRUSTED, Confidentiality.PUBLIC, DataClass.UNCLASSIFIED),
                label(world(on, "declassify: {sources: notes}", until), "read", TEXT));
        assertEquals(
                Label.of(Integrity.UNTRUSTED, Confidentiality.PUBLIC),
                label(world(on, "declassify: {sources: notes, classes: Unclassified}", until), "read", TEXT));
        assertEquals(SILENT, label(world(on, "declassify: {classes: unclassified}", until), "read", TEXT));
        assertEquals(SILENT, label(world(on, "declassify: {sources: mail}", until), "read", TEXT));
        assertEquals(
                SILENT, label(world(on, "declassify: {sources: {server: notes, resource: o/r}}", until), "read", TEXT));
    }

    @Test
    void whatTheCallBroughtIn_isCoveredToo() {
        GuardWorld world = world("on: {servers: notes, tools: clean}", "endorse: true", "until: 2026-01-02");
        label(world, "read", TEXT);

        Released cleaned = world.call("notes", "clean", "{'text':'some words'}", TEXT);
        assertEquals(Integrity.TRUSTED, cleaned.label().integrity());
    }

    @Test
    void ended_hasNoEffect() {
        GuardWorld world = world("on: {servers: notes}", "endorse: true", "until: 2026-01-02T03:04:06Z");
        assertEquals(Integrity.TRUSTED, label(world, "read", TEXT).integrity());
        world.pass(Duration.ofSeconds(1));

        assertEquals(SILENT, label(world, "read", TEXT));
        assertEquals(
                "[policy.yaml:10: the grant `clean` has ended and has no effect; have `ana@clinic.example` give it"
                        + " another `until`, or take it out]",
                world.policy.warnings(world.clock.instant()).toString());
    }

    @Test
    void errorAndLostAnswer_comeUnderNoGrant() {
        GuardWorld world = world("on: {servers: notes}", "endorse: true", "until: 2026-01-02");

        assertEquals(SILENT, label(world, "read", "{'content':[],'isError':true}"));
        assertEquals(
                SILENT,
                world.release(new Outbound.Failure(world.ticket("notes", "read", "{}"), GuardWorld.json("{'code':1}")))
                        .label());
        assertEquals(
                SILENT,
                world.release(new Outbound.Lost(world.ticket("notes", "read", "{}"), "too long"))
                        .label());
        assertEquals(
                SILENT,
                world.release(new Outbound.Message(
                                world.server("notes"), "notifications/message", GuardWorld.json("{'data':'x'}")))
                        .label());
    }

    @Test
    void strictProfile_allowsThemToo() {
        GuardWorld world = GuardWorld.of(
                "version: 1",
                "profile: strict",
                "servers: {notes: {}}",
                "grants: [{id: g, on: {servers: notes}, endorse: true, owner: ana, until: 2026-01-02}]");

        assertEquals(Integrity.TRUSTED, label(world, "read", TEXT).integrity());
    }

    @Test
    void condition_isAskedOfEachItem() {
        GuardWorld world =
                world("on: {servers: notes}", "when: item.mine == true", "endorse: true", "until: 2026-01-02");

        assertEquals(
                Integrity.TRUSTED,
                label(world, "list", "{'structuredContent':{'notes':[{'mine':true,'text':'my own words'}]}}")
                        .integrity());
        assertEquals(
                Integrity.UNTRUSTED,
                label(world, "list", "{'structuredContent':{'notes':[{'mine':true,'text':'a'},{'text':'not my own'}]}}")
                        .integrity());
        assertEquals(
                Integrity.TRUSTED,
                label(world, "read", "{'structuredContent':{'mine':true}}").integrity());
        assertEquals(Integrity.UNTRUSTED, label(world, "read", TEXT).integrity());
    }

    @Test
    void conditionOfTheStructuredContent_saysNothingOfWhatStandsBesideIt() {
        GuardWorld world =
                world("on: {servers: notes}", "when: item.mine == true", "endorse: true", "until: 2026-01-02");
        String mirror = "{'type':'text','text':'{\\'mine\\': true}'}";
        for (String beside : new String[] {"'content':[]", "'content':[" + mirror + "]", "'isError':false"}) {
            assertEquals(Integrity.TRUSTED, integrity(world, beside), beside);
        }
        for (String beside : new String[] {
            "'content':[{'type':'text','text':'an outsider says'}]",
            "'content':[" + mirror + ",{'type':'text','text':'an outsider says'}]",
            "'content':[{'type':'text','text':'{\\'mine\\': true}','note':'an outsider says'}]",
            "'content':[{'type':'image','data':'AAAA','mimeType':'image/png'}]",
            "'_meta':{'note':'an outsider says'}",
            "'note':'an outsider says'",
        }) {
            assertEquals(Integrity.UNTRUSTED, integrity(world, beside), beside);
        }
    }

    private static Integrity integrity(GuardWorld world, String beside) {
        return label(world, "read", "{'structuredContent':{'mine':true}," + beside + "}")
                .integrity();
    }
}
