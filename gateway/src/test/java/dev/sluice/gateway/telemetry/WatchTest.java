package dev.sluice.gateway.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What of a request becomes of spans and numbers. */
class WatchTest {

    private static final Verdict DENIED = new Verdict(
            "mail", "ask", "private-outside", List.of("permitted-flow", "r1"), "sha256:0", "pending", "refused");

    private final KeptSpans spans = new KeptSpans();
    private final Metrics metrics = new Metrics();
    private final Watch watch = Telemetry.of(metrics, spans, true).session("0a1b2c3d", "tcp");

    private String line(String start) {
        return new String(metrics.text(), StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith(start))
                .findFirst()
                .orElse("");
    }

    @Test
    void callThatIsServed_isASpanWithTheOneToItsServerInIt() {
        watch.speaks("2025-11-25");
        Operation call = watch.request("tools/call", "00-parent", "state");
        call.about("mail", "send");
        Operation sent = call.upstream("mail", "tools/call", "send");
        sent.end();
        call.end();

        KeptSpans.Kept server = spans.all.get(0);
        KeptSpans.Kept client = spans.all.get(1);
        assertEquals("server tools/call send 00-parent/state", server.kind + " " + server.name + " " + server.parent);
        assertEquals("client tools/call send 00-0", client.kind + " " + client.name + " " + client.parent);
        Map<String, String> values = Map.of(
                "mcp.method.name", "tools/call",
                "mcp.protocol.version", "2025-11-25",
                "network.transport", "tcp",
                "gen_ai.tool.name", "send",
                "gen_ai.operation.name", "execute_tool",
                "sluice.server", "mail",
                "sluice.session", "0a1b2c3d");
        assertEquals(values, server.values);
        assertEquals(values, client.values);
        assertEquals(List.of(""), server.ends);
        assertEquals(List.of(""), client.ends);
        assertEquals(
                "sluice_requests_total{server=\"mail\",method=\"tools/call\",outcome=\"ok\"} 1",
                line("sluice_requests_total"));
        assertEquals(
                "mcp_server_operation_duration_seconds_count{mcp_method_name=\"tools/call\",error_type=\"\"} 1",
                line("mcp_server_operation_duration_seconds_count"));
        assertEquals(
                "mcp_client_operation_duration_seconds_count{server=\"mail\",mcp_method_name=\"tools/call\",error_type=\"\"} 1",
                line("mcp_client_operation_duration_seconds_count"));
        assertEquals("00-0", call.traceparent());
    }

    @Test
    void decision_isOneEvent() {
        Operation call = watch.request("tools/call", "", "");
        call.decided(DENIED);
        call.outcome(Outcome.DENIED, "");
        call.end();

        assertEquals(
                List.of("sluice.decision{sluice.approval.state=pending, sluice.decision=ask,"
                        + " sluice.decision.code=private-outside, sluice.decision.done=refused,"
                        + " sluice.decision.rules=[permitted-flow, r1], sluice.policy.digest=sha256:0,"
                        + " sluice.server=mail}"),
                spans.all.get(0).events);
        assertEquals(List.of("denied"), spans.all.get(0).ends);
        assertEquals(
                "sluice_decisions_total{server=\"mail\",decision=\"ask\",code=\"private-outside\",done=\"refused\"} 1",
                line("sluice_decisions_total"));
    }

    @Test
    void namesThatOthersMakeUp_areNotTold() {
        Operation call = watch.request("tools/call\n\u001b[31m", "", "");
        call.about("mail", "send\nall");
        call.upstream("mail", "x/" + "y".repeat(5_000), "a b").end();
        call.end();

        assertEquals("other", spans.all.get(0).name);
        assertEquals("other", spans.all.get(1).name);
        assertFalse(spans.all.get(0).values.containsKey("gen_ai.tool.name"));
        assertFalse(spans.all.get(1).values.containsKey("gen_ai.tool.name"));
        watch.speaks("2025-11-25\nx");
        watch.request("ping", "", "").end();
        assertFalse(spans.all.get(2).values.containsKey("mcp.protocol.version"));
    }

    @Test
    void errorOfAServer_isTheOneOfTheRequestToo() {
        Operation call = watch.request("resources/read", "", "");
        Operation sent = call.upstream("mail", "resources/read", "");
        sent.outcome(Outcome.ERROR, "-32002");
        sent.end();
        call.end();

        for (KeptSpans.Kept each : spans.all) {
            assertEquals(List.of("-32002"), each.ends);
            assertEquals("-32002", each.values.get("rpc.response.status_code"));
        }
        assertEquals(
                "sluice_requests_total{server=\"\",method=\"resources/read\",outcome=\"error\"} 1",
                line("sluice_requests_total"));
    }

    @Test
    void codeThatIsNone_isNotTold() {
        Operation call = watch.request("resources/read", "", "");
        call.outcome(Outcome.ERROR, "1e400");
        call.end();

        assertEquals(List.of("error"), spans.all.get(0).ends);
        assertFalse(spans.all.get(0).values.containsKey("rpc.response.status_code"));
    }

    @Test
    void firstOutcome_andFirstEnd_count() {
        Operation call = watch.request("ping", "", "");
        assertEquals("sluice_requests_in_flight 1", line("sluice_requests_in_flight"));
        call.outcome(Outcome.CANCELLED, "");
        call.outcome(Outcome.OK, "");
        call.end();
        call.end();

        assertEquals(List.of("cancelled"), spans.all.get(0).ends);
        assertEquals("sluice_requests_in_flight 0", line("sluice_requests_in_flight"));
    }

    @Test
    void parentOfTheHeader_countsWhereTheMessageNamesNone() {
        ScopedValue.where(Watch.HEADER, "00-header").run(() -> {
            watch.request("ping", "", "state-without-parent").end();
            watch.request("ping", "00-message", "s").end();
        });

        assertEquals("00-header/", spans.all.get(0).parent);
        assertEquals("00-message/s", spans.all.get(1).parent);
    }

    @Test
    void lines_areCounted() {
        watch.opened("mail");
        watch.opened("mail");
        watch.ended("mail");
        watch.failed("mail");

        assertEquals("sluice_upstream_lines_open{server=\"mail\"} 1", line("sluice_upstream_lines_open"));
        assertEquals("sluice_upstream_starts_total{server=\"mail\"} 2", line("sluice_upstream_starts_total"));
        assertEquals("sluice_upstream_ends_total{server=\"mail\"} 1", line("sluice_upstream_ends_total"));
        assertEquals("sluice_upstream_failures_total{server=\"mail\"} 1", line("sluice_upstream_failures_total"));
    }

    @Test
    void nobodyWatching_isNothing() {
        Watch none = Telemetry.NONE.session("0a1b2c3d", "pipe");

        assertSame(Watch.NONE, none);
        assertFalse(none.isOn());
        assertSame(Operation.NONE, none.request("ping", "", ""));
        assertSame(Operation.NONE, Operation.NONE.upstream("mail", "ping", ""));
        assertTrue(Telemetry.NONE.metrics().isEmpty());
    }
}
