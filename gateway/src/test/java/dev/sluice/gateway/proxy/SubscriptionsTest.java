package dev.sluice.gateway.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What is known of a modern server while one stream of its changes takes another's place. */
class SubscriptionsTest {

    /** Ends a wait that would never end; no assertion on speed. */
    private static final long HANG_SECONDS = 60;

    private final Set<String> watched = ConcurrentHashMap.newKeySet();
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
    private final Map<String, CompletableFuture<RpcMessage>> open = new HashMap<>();

    private final Subscriptions.Line line = new Subscriptions.Line() {
        private int ids;

        @Override
        public RpcId freshId() {
            return RpcId.ofText("s" + ++ids);
        }

        @Override
        public CompletableFuture<RpcMessage> listen(RpcId id, ObjectNode params) {
            said.add("listen " + id.json());
            return open.computeIfAbsent(id.json(), key -> new CompletableFuture<>());
        }

        @Override
        public void takeBack(RpcId id) {
            said.add("end " + id.json());
        }

        @Override
        public void toolsChanged() {
            assertFalse(subscriptions().hearsOfTools(), "tools are unknown before they count as heard of");
            said.add("tools changed");
        }
    };

    private final Subscriptions subscriptions =
            new Subscriptions(line, JsonMapper.shared().readTree("{\"tools\":{\"listChanged\":true}}"), watched);

    private Subscriptions subscriptions() {
        return subscriptions;
    }

    private void acknowledge(String id) {
        String text = "{\"jsonrpc\":\"2.0\",\"method\":\"" + Subscriptions.ACKNOWLEDGED
                + "\",\"params\":{\"notifications\":{\"toolsListChanged\":true},\"_meta\":{\""
                + RequestMeta.SUBSCRIPTION + "\":\"" + id + "\"}}}";
        subscriptions.acknowledged((RpcMessage.Notification) RpcMessage.parse(text.getBytes(StandardCharsets.UTF_8)));
    }

    private List<String> said(int count) throws InterruptedException {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String next = said.poll(HANG_SECONDS, TimeUnit.SECONDS);
            assertTrue(next != null, "only this was said: " + all);
            all.add(next);
        }
        return all;
    }

    @Test
    void firstStream_makesToolsThatWereListedBeforeUnknown() throws Exception {
        subscriptions.refresh();
        assertEquals(List.of("listen \"s1\""), said(1));
        acknowledge("s1");
        assertEquals(List.of("tools changed"), said(1));
        assertTrue(subscriptions.hearsOfTools());
        acknowledge("s1");
        assertTrue(said.isEmpty(), "what is acknowledged again changes nothing");
    }

    @Test
    void streamBefore_endsOnceTheNextIsAcknowledged_andToolsAreUnknownThen() throws Exception {
        subscriptions.refresh();
        acknowledge("s1");
        said(2);
        watched.add("x:y");
        subscriptions.refresh();
        assertEquals(List.of("listen \"s2\""), said(1));
        assertTrue(said.isEmpty(), "the first is open until the next is acknowledged");
        watched.add("x:z");
        subscriptions.refresh();
        assertEquals(List.of("listen \"s3\"", "end \"s2\""), said(2));
        acknowledge("s2");
        assertFalse(subscriptions.hearsOfTools(), "that one was taken back");
        acknowledge("s3");
        assertEquals(List.of("tools changed", "end \"s1\""), said(2));
        assertTrue(subscriptions.hearsOfTools());
    }

    @Test
    void streamBefore_endsToo_whereTheNextIsRefused() throws Exception {
        subscriptions.refresh();
        acknowledge("s1");
        said(2);
        watched.add("x:y");
        subscriptions.refresh();
        said(1);
        open.get("\"s2\"").completeExceptionally(new IllegalStateException("refused"));
        assertEquals(List.of("end \"s1\""), said(1));
        assertFalse(subscriptions.hearsOfTools());
        subscriptions.close();
    }
}
