package dev.sluice.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.sluice.guard.AgentSession;
import dev.sluice.guard.AgentSession.Besides;
import dev.sluice.guard.AgentSession.Start;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.policy.GatewaySettings.Place;
import dev.sluice.policy.GatewaySettings.SessionKey;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConversationsTest {

    private static final SessionKey META = new SessionKey(Place.META, "chat", true);
    private static final SessionKey HEADER = new SessionKey(Place.HEADER, "x-chat", true);

    private static AgentSession session(List<SessionKey> keys, String meta, List<String> header) {
        RpcMessage message = RpcMessage.parse(
                ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"_meta\":{" + meta + "}}}")
                        .getBytes(StandardCharsets.UTF_8));
        return assertInstanceOf(
                        Conversations.Which.Of.class, new Conversations(keys).of("ana", message, name -> header, ""))
                .agent();
    }

    @Test
    void nameUnderTheFirstKey_isAConversationOfItsOwn() {
        AgentSession both = session(List.of(META, HEADER), "\"chat\":\"one\"", List.of("one"));
        assertEquals(Besides.UNNAMED, both.besides());
        assertEquals(Start.CLEAN, both.start());
        assertEquals(both, session(List.of(META), "\"chat\":\"one\"", List.of()));
    }

    @Test
    void nameUnderALaterKey_countsAsAllOfItsPrincipal() {
        AgentSession later = session(List.of(META, HEADER), "", List.of("one"));
        assertEquals(Besides.PRINCIPAL, later.besides());
        AgentSession first = session(List.of(HEADER), "", List.of("one"));
        assertEquals(Besides.UNNAMED, first.besides());
        assertEquals(first.key(), later.key(), "another order of keys makes no other session of what lives");
    }

    @Test
    void oneNameUnderTwoKeys_isTwoSessions() {
        assertNotEquals(
                session(List.of(META, HEADER), "\"chat\":\"one\"", List.of()).key(),
                session(List.of(META, HEADER), "", List.of("one")).key());
        assertEquals(
                Besides.PRINCIPAL, session(List.of(META, HEADER), "", List.of()).besides());
    }
}
