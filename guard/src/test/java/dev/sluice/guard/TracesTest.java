package dev.sluice.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import dev.sluice.labels.SessionLabel;
import dev.sluice.policy.ArgumentValue;
import dev.sluice.policy.PolicyParser;
import dev.sluice.store.PromptStore;
import dev.sluice.store.Session;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is remembered of sessions, and for how long. */
class TracesTest {

    private static Session session(String id) {
        return new Session(id, id, "ana", "an editor", Instant.EPOCH, Instant.EPOCH, "", SessionLabel.EMPTY);
    }

    private static boolean isNamed(Traces traces, String session) {
        List<ArgumentValue> values =
                traces.values(session(session), GuardWorld.json("{'to':'a@b.c'}"), Set.of("to"), true);
        return values.get(0).named();
    }

    @Test
    void roomOfAllSessions_isBoundedAndTheOneUsedLeastRecentlyGoesFirst() {
        Traces traces = new Traces(10_000);
        typed(traces, session("first"), "a@b.c");
        typed(traces, session("second"), "a@b.c");
        assertTrue(isNamed(traces, "first"));

        typed(traces, session("third"), "x".repeat(9_750));

        assertEquals(2, traces.sessions());
        assertTrue(isNamed(traces, "first"));
        assertFalse(isNamed(traces, "second"));
    }

    @Test
    void sessionsThatSawNothing_areBoundedToo() {
        Traces traces = new Traces(10_000);
        for (int i = 0; i < 1_000; i++) {
            typed(traces, session("s" + i), "");
        }

        assertEquals(100, traces.sessions());
    }

    /** What another session saw has no texts here: a value that stands in a trusted place may have stood there too. */
    @Test
    void valueOfATrustedPlace_hasTheLabelOfWhatOthersSaw_also_whereTheSessionHasItAlready() {
        Traces traces = new Traces(10_000);
        Session session = session("first");
        Label outside = Label.of(Integrity.UNTRUSTED, Confidentiality.PUBLIC);
        Origin origin = new Origin(Instant.EPOCH, "c1", "book", "find");
        traces.came(session, List.of(new Part("write to ana", outside, false)), false, outside, origin);
        traces.came(session, List.of(new Part("a@b.c", Label.BOTTOM, true)), false, Label.BOTTOM, origin);
        assertEquals(Label.BOTTOM, labelOf(traces, session, outside));

        traces.missed(session, outside);

        assertEquals(outside, labelOf(traces, session, outside));
    }

    private static Label labelOf(Traces traces, Session session, Label seen) {
        Session now = new Session(
                session.id(),
                session.key(),
                "ana",
                "an editor",
                Instant.EPOCH,
                Instant.EPOCH,
                "",
                SessionLabel.EMPTY.observe(seen, new Origin(Instant.EPOCH, "c1", "book", "find")));
        return traces.values(now, GuardWorld.json("{'to':'a@b.c'}"), Set.of("to"), true)
                .get(0)
                .label();
    }

    @Test
    void oneSession_isKeptHoweverMuchItHolds() {
        Traces traces = new Traces(10);
        typed(traces, session("first"), "write to a@b.c");

        assertTrue(isNamed(traces, "first"));
        traces.forget("first");
        assertFalse(isNamed(traces, "first"));
    }

    @Test
    void whatWasRead_isForgottenWithItsSession() {
        GuardWorld world = new GuardWorld(new GuardWorld.BreakableEngine(), PolicyParser.firstUse(), 10);
        world.guard.typed(GuardWorld.AGENT, "find a@b.c");
        world.define(
                world.server("notes", "run-notes"),
                "{'name':'find','inputSchema':{'properties':{'q':{'type':'string'}}}}");
        assertTrue(world.ticket("notes", "find", "{'q':'a@b.c'}").chosen());

        world.pass(Duration.ofMinutes(20));

        assertFalse(world.ticket("notes", "find", "{'q':'a@b.c'}").chosen());
    }

    /** Half of the room of a session is for one answer; the rest of a longer one counts as forgotten. */
    @Test
    void longAnswer_isNotRememberedToItsEnd() {
        GuardWorld world = GuardWorld.of(
                "version: 1",
                "mode: audit",
                "servers:",
                "  web: {defaults: {integrity: untrusted, confidentiality: public}}",
                "  files: {}");
        world.call("web", "get", "{}", "{'content':[{'type':'text','text':'opening hours'}]}");
        assertTrue(world.ticket("web", "get", "{'q':'opening hours'}")
                .carried()
                .confidentiality()
                .isPublic());
        String half = "a secret word. ".repeat(25_000);

        Released released = world.call(
                "files",
                "read",
                "{}",
                "{'content':[{'type':'text','text':'" + half + "'},{'type':'text','text':'" + half
                        + " opening hours'}]}");

        Label carried = world.ticket("web", "get", "{'q':'opening hours'}").carried();
        assertTrue(released.label().canFlowTo(carried));
        assertTrue(world.ticket("web", "get", "{'q':'a secret word'}").carried().equals(carried));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "amount",
                "total_amount",
                "maxPrice",
                "limit",
                "max_results",
                "qty",
                "durationMinutes",
                "amountUSD",
                "amount_1",
            })
    void nameThatSaysSo_isOfAnAmount(String name) {
        assertTrue(Traces.isAmount(name));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "pull_number",
                "issue_number",
                "account",
                "chat",
                "channel",
                "row",
                "version",
                "accountId",
                "price_id",
                "limitID",
                "max_ids",
                "discount",
                "admin",
                "summary",
                "minutesKey",
            })
    void anyOtherName_isOfAReference(String name) {
        assertFalse(Traces.isAmount(name));
    }

    /** The user asked for the last five changes; what was read asks for number five. */
    @Test
    void typedAmount_namesNoReference() {
        Traces traces = new Traces();
        typed(traces, session("s"), "summarise the last 5 changes and merge pull 7, then pay 12");

        assertEquals(
                List.of(false, true, true, true, false, false, true),
                traces
                        .values(
                                session("s"),
                                GuardWorld.json("{'pull_number':5,'limit':5,'pull':7,'amount':12.0,'row':12,"
                                        + "'of':{'row':5,'count':5}}"),
                                Set.of("pull_number", "limit", "pull", "amount", "row", "of", "count"),
                                true)
                        .stream()
                        .map(ArgumentValue::named)
                        .toList());
    }

    /** Each of many values can be another word that was typed: together they spell something. */
    @Test
    void manyValuesThatWereTyped_mayHoldAnything() {
        Traces traces = new Traces();
        typed(traces, session("s"), "alpha beta gamma");

        assertFalse(mayHoldMore(traces, "'alpha',".repeat(32)));
        assertTrue(mayHoldMore(traces, "'alpha',".repeat(33)));
        assertFalse(mayHoldMore(traces, "'Alpha',".repeat(4)));
        assertTrue(mayHoldMore(traces, "'Alpha',".repeat(5)));
    }

    private static boolean mayHoldMore(Traces traces, String values) {
        String list = values.substring(0, values.length() - 1);
        return traces.values(session("s"), GuardWorld.json("{'q':[" + list + "]}"), Set.of("q"), true).stream()
                .anyMatch(ArgumentValue::unmatched);
    }

    @Test
    void amountUnderANameThatNobodyStated_isAReference() {
        Traces traces = new Traces();
        typed(traces, session("s"), "pay 12");

        List<ArgumentValue> values =
                traces.values(session("s"), GuardWorld.json("{'of':{'amount':12}}"), Set.of("of"), true);

        assertTrue(values.stream().noneMatch(ArgumentValue::named));
    }

    private static void typed(Traces traces, Session session, String text) {
        traces.typed(session, number -> List.of(new PromptStore.Prompt(number + 1, text, Instant.EPOCH)));
    }
}
