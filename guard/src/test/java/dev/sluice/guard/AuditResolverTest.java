package dev.sluice.guard;

import static dev.sluice.guard.GuardWorld.json;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.labels.Label;
import dev.sluice.schemes.evidence.Evidence;
import dev.sluice.schemes.evidence.Evidence.Outcome;
import dev.sluice.schemes.evidence.UnresolvableException;
import dev.sluice.wire.EvidenceRef;
import dev.sluice.wire.VendorKeys;
import dev.sluice.wire.canonical.Canonicalizations;
import dev.sluice.wire.canonical.Digest;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** References to our own decisions lead to what was recorded. */
class AuditResolverTest {

    /** A session that has read an untrusted private answer and was refused to send it on. */
    private final GuardWorld world = GuardWorld.of(
            "version: 1",
            "servers:",
            "  mail: {tools: {read: {effects: [reads]}, send: {effects: [sends], audience: [to]}}}",
            "  chat: {defaults: {integrity: trusted, confidentiality: public},"
                    + " tools: {echo: {effects: [reads], derives: false}}}");

    private EvidenceRef refusal() {
        world.call("mail", "read", "{}", "{}");
        JsonNode mark =
                world.denial("mail", "send", "{'to':'eve@evil.example'}").meta().path(VendorKeys.DECISION);
        return EvidenceRef.decode((ObjectNode) mark.path("evidenceRef")).value();
    }

    private Optional<byte[]> resolve(String ref) throws UnresolvableException {
        return new AuditResolver(world.engine).resolve(new EvidenceRef("policy-decision", "", "", "", ref, Map.of()));
    }

    @Test
    void ownDecision_hasTheDigestThatTheDenialStates() throws UnresolvableException {
        EvidenceRef reference = refusal();

        byte[] record = resolve(reference.ref()).orElseThrow();

        assertEquals(
                reference.digest(),
                Digest.sha256(Canonicalizations.JCS.canonicalize(record)).text());
        assertEquals(world.last("decision").path("evidence"), GuardWorld.JSON.readTree(record));
    }

    @Test
    void ownDecisionInAnAnswer_isVerified_andClaimsNothing() {
        EvidenceRef reference = refusal();
        ObjectNode result = (ObjectNode) json("{'_meta':{'io.modelcontextprotocol/trust-annotations':{}}}");
        ((ObjectNode) result.path("_meta").path("io.modelcontextprotocol/trust-annotations"))
                .set("evidenceRef", reference.encode());

        AgentSession other = new AgentSession("host 2", "ana", "a shell", AgentSession.Start.CLEAN, "{}");
        Admission admission = world.admit(other, new Inbound.ToolCall(world.server("chat"), "echo", json("{}")));
        Ticket ticket = assertInstanceOf(Admission.Admitted.class, admission).ticket();
        Released released = world.guard.release(other, new Outbound.Answer(ticket, result));

        assertEquals(Label.BOTTOM, released.label());
        assertEquals(
                "verified-unbound",
                world.last("answer").path("evidence").path(0).path("outcome").stringValue());
        Evidence forged = world.server("chat")
                .evidence()
                .verify(
                        new EvidenceRef(
                                reference.type(),
                                Digest.sha256(new byte[0]).text(),
                                reference.canonicalization(),
                                "",
                                reference.ref(),
                                Map.of()),
                        result);
        assertEquals(Outcome.MISMATCH, forged.outcome());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "audit://",
                "audit://0",
                "audit://-1",
                "audit://+3",
                "audit://03",
                "audit://3/",
                "audit://three",
                "audit:// 3",
                "audit://1000000000000000000"
            })
    void whatIsNoNumber_isRefused(String ref) {
        refusal();

        assertEquals(
                "an `audit://` reference names no record: write the record's number",
                assertThrows(UnresolvableException.class, () -> resolve(ref)).getMessage());
    }

    @Test
    void recordThatIsNoDecision_orNotThere_isRefused() {
        EvidenceRef reference = refusal();
        long decision = Long.parseLong(reference.ref().substring("audit://".length()));
        long answer = world.last("answer").path("seq").longValue();
        long session = world.last("session").path("seq").longValue();

        for (long seq : new long[] {answer, session, decision + 1, 999_999_999_999_999_999L}) {
            assertEquals(
                    "the audit log has no decision `" + seq + "`: name one with `audit://` and its number",
                    assertThrows(UnresolvableException.class, () -> resolve("audit://" + seq))
                            .getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "https://x.example", "AUDIT://3", "audit:3", "3"})
    void otherReferences_areNotForIt(String ref) throws UnresolvableException {
        assertEquals(Optional.empty(), resolve(ref));
    }

    @Test
    void brokenStore_isUnresolvable() {
        EvidenceRef reference = refusal();
        world.breakStore();

        assertEquals(
                "the audit log can't be read",
                assertThrows(UnresolvableException.class, () -> resolve(reference.ref()))
                        .getMessage());
        assertEquals(
                Outcome.UNRESOLVABLE,
                world.server("chat").evidence().verify(reference, json("{}")).outcome());
    }
}
