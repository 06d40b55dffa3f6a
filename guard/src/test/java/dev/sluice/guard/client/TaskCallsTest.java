package dev.sluice.guard.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.guard.Admission;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.guard.Inbound;
import dev.sluice.guard.Outbound;
import dev.sluice.guard.TaskRoom;
import dev.sluice.guard.Ticket;
import dev.sluice.guard.Upstream;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import dev.sluice.store.MemoryEngine;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

class TaskCallsTest {

    private final Policy policy = PolicyParser.parse("p.yaml", Clinic.POLICY);
    private final Guard guard = new Guard(new MemoryEngine(), policy, Clock.systemUTC(), 0);
    private final Upstream web =
            guard.connect(Objects.requireNonNull(policy.servers().get("web")));
    private final Ticket call = call(web);
    private final TaskRoom room = new TaskRoom(10_000);
    private final TaskCalls tasks = new TaskCalls(new TaskRoom());

    private Ticket call(Upstream upstream) {
        Admission admission = guard.admit(
                        new AgentSession("one", "ana", "one", AgentSession.Start.CLEAN, ""),
                        new Inbound.ToolCall(upstream, "get", JsonNodeFactory.instance.objectNode()))
                .toCompletableFuture()
                .join();
        return assertInstanceOf(Admission.Admitted.class, admission).ticket();
    }

    private static ObjectNode task(String id) {
        return JsonNodeFactory.instance.objectNode().put("taskId", id);
    }

    private int calls(String id) {
        return calls(tasks, id);
    }

    private int calls(TaskCalls tasks, String id) {
        JsonNode none = JsonNodeFactory.instance.missingNode();
        Outbound said = tasks.ofTask(new Outbound.Message(web, "m", none), web, "tasks/get", task(id), none);
        return assertInstanceOf(Outbound.OfTask.class, said).calls().size();
    }

    @Test
    void taskIsFound_howeverItIsNamed() {
        ObjectNode wrapped = JsonNodeFactory.instance.objectNode();
        wrapped.set("task", task("t1"));
        tasks.answered(call, wrapped, 10);
        tasks.answered(call, task("t2"), 10);
        assertEquals(Optional.of("web"), tasks.server("t1"));
        assertEquals(Optional.of("web"), tasks.server("t2"));
        assertEquals(1, calls("t1"));
        assertEquals(Optional.empty(), tasks.server(""));
        assertEquals(0, calls("t3"));
    }

    @Test
    void moreThanCanBeKept_forgetsTheOldest() {
        for (int i = 0; i <= TaskCalls.MOST; i++) {
            tasks.answered(call, task("t" + i), 1);
        }
        assertEquals(Optional.empty(), tasks.server("t0"));
        assertEquals(Optional.of("web"), tasks.server("t1"));
        assertEquals(Optional.of("web"), tasks.server("t" + TaskCalls.MOST));
    }

    /** What the forgotten calls carried may be in its answer all the same. */
    @Test
    void taskThatWasForgotten_isNotOfALaterCallAlone() {
        for (int i = 0; i <= TaskCalls.MOST; i++) {
            tasks.answered(call, task("t" + i), 1);
        }
        tasks.answered(call, task("t0"), 1);
        assertEquals(Optional.of("web"), tasks.server("t0"));
        assertEquals(0, calls("t0"));
        assertEquals(1, calls("t" + TaskCalls.MOST));
    }

    @Test
    void listOfTasks_isOfNoOne_whateverItNames() {
        tasks.answered(call, task("t"), 1);
        JsonNode none = JsonNodeFactory.instance.missingNode();
        Outbound said = tasks.ofTask(new Outbound.Message(web, "m", none), web, "tasks/list", task("t"), none);
        assertEquals(List.of(), assertInstanceOf(Outbound.OfTask.class, said).calls());
    }

    @Test
    void callsThatAreTooLongTogether_areForgotten_butForTheLast() {
        int half = (int) (TaskCalls.MOST_BYTES / 2);
        for (String id : List.of("t1", "t2", "t3")) {
            tasks.answered(call, task(id), half);
        }
        assertEquals(Optional.empty(), tasks.server("t1"));
        assertEquals(Optional.of("web"), tasks.server("t2"));
        tasks.answered(call, task("t4"), (int) TaskRoom.MOST / 2);
        assertEquals(Optional.empty(), tasks.server("t3"));
        assertEquals(Optional.of("web"), tasks.server("t4"));
    }

    /** Where others have taken the room, the newest task is known still, and counts as of any tool. */
    @Test
    void sessionsTogether_rememberNoMoreThanTheRoomHolds() {
        TaskCalls one = new TaskCalls(room);
        TaskCalls other = new TaskCalls(room);
        one.answered(call, task("t1"), 4_000);
        one.answered(call, task("t2"), 3_500);
        other.answered(call, task("t3"), 1_000);

        assertEquals(List.of(1, 1, 0), List.of(calls(one, "t1"), calls(one, "t2"), calls(other, "t3")));
        assertEquals(Optional.of("web"), other.server("t3"));
        assertFalse(other.isOfRead("web", task("t3")));
        one.answered(call, task("t4"), 3_000);
        assertEquals(Optional.empty(), one.server("t1"), "a session makes room in what is its own");
        assertEquals(1, calls(one, "t4"));

        one.forget();
        other.answered(call, task("t5"), 5_000);
        assertEquals(1, calls(other, "t5"));
    }

    @Test
    void roomOfAHolderThatIsGone_isFree() {
        assertTrue(room.take(new Object(), 10_000));
        Object holder = new Object();
        for (int tries = 0; tries < 100 && !room.take(holder, 10_000); tries++) {
            System.gc();
        }
        assertTrue(room.take(holder, 10_000));
        assertFalse(room.take(tasks, 1));
        assertTrue(room.take(holder, 9_000));
        assertTrue(room.take(tasks, 1_000));
        room.give(holder);
        assertTrue(room.take(tasks, 10_000));
    }

    @Test
    void taskThatTooManyCallsMade_mayBeOfAnyTool() {
        for (int i = 0; i < TaskCalls.MOST_OF_ONE; i++) {
            tasks.answered(call, task("t"), 1);
        }
        assertEquals(TaskCalls.MOST_OF_ONE, calls("t"));
        tasks.answered(call, task("t"), 1);
        assertEquals(0, calls("t"));
        tasks.answered(call, task("t"), 1);
        assertEquals(0, calls("t"));
        assertEquals(Optional.of("web"), tasks.server("t"));
    }

    @Test
    void idThatIsTooLong_isNotRemembered() {
        tasks.answered(call, task("t".repeat(TaskCalls.LONGEST + 1)), 1);
        assertEquals(Optional.empty(), tasks.server("t".repeat(TaskCalls.LONGEST + 1)));
    }

    @Test
    void idOfAnotherServer_staysThatOnes() {
        tasks.answered(call, task("t"), 1);
        tasks.answered(
                call(guard.connect(Objects.requireNonNull(policy.servers().get("mail")))), task("t"), 1);
        assertEquals(Optional.of("web"), tasks.server("t"));
        assertEquals(1, calls("t"));
    }
}
