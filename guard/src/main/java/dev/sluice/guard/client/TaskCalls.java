package dev.sluice.guard.client;

import dev.sluice.guard.Outbound;
import dev.sluice.guard.TaskRoom;
import dev.sluice.guard.Ticket;
import dev.sluice.guard.Upstream;
import dev.sluice.guard.message.Methods;
import dev.sluice.wire.canonical.Digest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * By which calls the tasks were made that servers told of, and at which servers: what a server says of a task later is the
 * answer of a tool, under another name.
 *
 * <p>Source: extension {@code io.modelcontextprotocol/tasks}; MCP revision 2025-11-25, Utilities, Tasks.
 */
public final class TaskCalls {

    /** Beyond these, those that were not asked for the longest are forgotten. */
    static final int MOST = 1_000;

    /** The requests of all calls that are remembered have no more bytes than this together, but for the last one. */
    static final long MOST_BYTES = 1L << 20;

    /** What a task takes besides the requests of its calls, at least, in bytes. */
    static final long ENTRY = 1_024;

    /** A task with a longer id, in characters, is not remembered. */
    static final int LONGEST = 2_048;

    /** A server that calls more tasks by one name has none of them remembered. */
    static final int MOST_OF_ONE = 20;

    /** What a client is told of a task that no call here is known to have made, where it must be. */
    public static final String UNKNOWN =
            "no server here is known to have the task `taskId` of this session; make the call anew";

    /** What a client is told that asks for all tasks of a server that can't tell sessions apart. */
    public static final String NOT_LISTED = "`tasks/list` is not served here: the server may have tasks of others too;"
            + " ask for each task with `tasks/get`";

    /** What clients declare that know of tasks. */
    public static final String EXTENSION = "io.modelcontextprotocol/tasks";

    private static final String ID = "taskId";

    /** Where a task is, and the calls that made it; none where too many did. */
    private record Made(String server, List<Ticket> calls, long bytes) {}

    private final Map<String, Made> tasks = new LinkedHashMap<>(16, 0.75f, true);
    private final Forgotten forgotten = new Forgotten();
    private final TaskRoom room;
    private long bytes;

    /**
     * Makes one that knows of no task.
     *
     * @param room what it shares with others: where that is full, its own tasks are forgotten, the oldest first, and of the
     *     last one by which calls it was made, so that it may be of any tool
     */
    public TaskCalls(TaskRoom room) {
        this.room = room;
    }

    /**
     * Takes note of a task that {@code result}, the answer to a call, tells of; nothing where it tells of none. An id that
     * is known already as a task of another server stays that one's.
     *
     * @param size how many bytes the request of the call has
     */
    public synchronized void answered(Ticket call, JsonNode result, int size) {
        String id = made(result);
        if (!call.method().equals("tools/call") || id.isEmpty()) {
            return;
        }
        Made before = tasks.get(id);
        if (before != null && !before.server().equals(call.upstream().name())) {
            return;
        }
        List<Ticket> calls = new ArrayList<>(List.of(call));
        if (before != null) {
            calls.addAll(before.calls());
            calls = before.calls().isEmpty() || calls.size() > MOST_OF_ONE ? List.of() : calls;
        } else if (forgotten.mayHave(digest(id))) {
            calls = List.of(); // others may have made it too
        }
        Made made = new Made(call.upstream().name(), List.copyOf(calls), size + (before == null ? 0 : before.bytes()));
        tasks.put(id, made);
        bytes += size;
        Iterator<Map.Entry<String, Made>> oldest = tasks.entrySet().iterator();
        while (tasks.size() > 1 && (tasks.size() > MOST || bytes > MOST_BYTES || !hasRoom())) {
            Map.Entry<String, Made> next = oldest.next();
            bytes -= next.getValue().bytes();
            forgotten.add(digest(next.getKey()));
            oldest.remove();
        }
        if (!hasRoom()) {
            tasks.put(id, new Made(made.server(), List.of(), 0));
            bytes = 0;
            room.give(this);
        }
    }

    private boolean hasRoom() {
        return room.take(this, bytes + ENTRY * tasks.size());
    }

    /** Forgets all tasks, since nobody will ask for one any more. */
    public synchronized void forget() {
        tasks.clear();
        bytes = 0;
        room.give(this);
    }

    private static String digest(String id) {
        return Digest.sha256(id.getBytes(StandardCharsets.UTF_8)).text();
    }

    /** Returns the id of the task that {@code holder} names; empty text for none. */
    public static String id(JsonNode holder) {
        return holder.path(ID).asString("");
    }

    /** Returns the id of the task that {@code result}, the answer to a call, tells of; empty text for none to remember. */
    static String made(JsonNode result) {
        String id = id(result.path("task").isObject() ? result.path("task") : result);
        return id.length() > LONGEST ? "" : id;
    }

    /** Returns the name of the server that has the task {@code id}; empty where that is not known. */
    public synchronized Optional<String> server(String id) {
        return Optional.ofNullable(tasks.get(id)).map(Made::server);
    }

    /** Returns whether a request with {@code params} is about a task that was made only by calls that do nothing but read. */
    public synchronized boolean isOfRead(String server, JsonNode params) {
        Made made = tasks.get(id(params));
        return made != null
                && made.server().equals(server)
                && !made.calls().isEmpty()
                && made.calls().stream().noneMatch(Ticket::isConsequential);
    }

    /**
     * Returns {@code said}, with the calls whose answer may be in it. A list of tasks may hold those of any call, whatever
     * its request names.
     *
     * @param method by which it came: of the request that it answers, or of the notification
     * @param params the parameters of that request; of a notification, its own
     * @param content what was said
     */
    public Outbound ofTask(Outbound said, Upstream from, String method, JsonNode params, JsonNode content) {
        return new Outbound.OfTask(
                said,
                from,
                method.equals(Methods.TASKS_LIST) ? List.of() : calls(from, id(params)),
                method.equals("tasks/result") ? content : content.path("result"));
    }

    private synchronized List<Ticket> calls(Upstream from, String id) {
        Made made = tasks.get(id);
        return made == null || !made.server().equals(from.name()) ? List.of() : made.calls();
    }
}
