package dev.sluice.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.Integrity;
import dev.sluice.policy.Mode;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import dev.sluice.policy.ServerPolicy;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Another policy counts for connections and sessions that are there. */
class AdoptTest {

    private static final String NOTES =
            "servers: {notes: {tools: {read: {effects: [reads], returns: {integrity: trusted}}, send: {effects: [sends],"
                    + " audience: server}}}}";

    private static final String TEXT = "{'content':[{'type':'text','text':'some words'}]}";

    private static Policy policy(String... lines) {
        return PolicyParser.parse("policy.yaml", "version: 1\n" + String.join("\n", lines) + "\n");
    }

    @Test
    void decisionsModeAndLabels_areThoseOfTheNewPolicy() {
        GuardWorld world = GuardWorld.of("version: 1", NOTES);
        assertEquals(
                Integrity.TRUSTED,
                world.call("notes", "read", "{}", TEXT).label().integrity());
        world.call("notes", "send", "{}", TEXT);

        world.guard.adopt(policy(
                NOTES.replace("trusted}}", "untrusted}}"), "rules: [{id: none, on: {tools: send}, then: deny}]"));
        assertEquals(
                Integrity.UNTRUSTED,
                world.call("notes", "read", "{}", TEXT).label().integrity());
        assertEquals("rule", world.denial("notes", "send", "{}").code());
        assertEquals(
                world.guard.policy().digest(),
                world.last("decision").at("/digests/policy").stringValue());

        world.guard.adopt(policy("mode: audit", NOTES));
        assertEquals(Mode.AUDIT, world.guard.mode());
        world.call("notes", "send", "{}", TEXT);
    }

    @Test
    void answerOfACallUnderTheOldPolicy_isLabelledByWhatHoldsNow() {
        GuardWorld world = GuardWorld.of(
                "version: 1",
                NOTES,
                "grants: [{id: own, on: {servers: notes}, declassify: {sources: notes}, owner: ana, until: 2027-01-01}]");
        Ticket ticket = world.ticket("notes", "read", "{}");
        world.guard.adopt(policy(NOTES));

        assertTrue(!world.release(new Outbound.Answer(ticket, GuardWorld.json(TEXT)))
                .label()
                .confidentiality()
                .isPublic());
    }

    @Test
    void serverThatIsDescribedNoMore_isOneOfWhichNothingIsSaid() {
        GuardWorld world = GuardWorld.of("version: 1", NOTES);
        Upstream live = world.server("notes");
        ServerPolicy first = world.policy.servers().get("notes");
        world.guard.adopt(policy("servers: {other: {}}"));

        for (Upstream upstream : List.of(live, world.guard.connect(first))) {
            assertEquals(ServerPolicy.unstated("notes", List.of()), upstream.policy());
        }
    }

    @Test
    void serverThatWasNeverDescribed_staysAsItWasConnected() {
        GuardWorld world = GuardWorld.of("version: 1");
        Upstream live = world.server("notes", "notes-server");
        world.guard.adopt(policy(NOTES));

        assertEquals(ServerPolicy.unstated("notes", List.of("notes-server")), live.policy());
    }

    @Test
    void howAServerWasStarted_stays() {
        GuardWorld world = GuardWorld.of("version: 1", "servers: {notes: {command: [one]}}");
        Upstream live = world.server("notes");
        world.guard.adopt(policy("servers: {notes: {command: [other], informed: true}}"));

        assertEquals(List.of("one"), live.policy().command());
        assertTrue(live.policy().informed(), "the rest is new");
    }

    @Test
    void vocabularyThatIsInConflict_leavesWhatIsInForce() {
        GuardWorld world = GuardWorld.of("version: 1", NOTES);
        Policy broken = policy("vocabularies: [{id: 'urn:sluice:vocabulary:data-class', classes: {a: public}}]");
        String before = world.guard.policy().digest();

        assertThrows(IllegalArgumentException.class, () -> world.guard.adopt(broken));
        assertEquals(before, world.guard.policy().digest());
    }
}
