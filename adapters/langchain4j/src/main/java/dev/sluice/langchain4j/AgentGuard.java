package dev.sluice.langchain4j;

import dev.langchain4j.invocation.InvocationContext;
import dev.langchain4j.mcp.client.transport.McpTransport;
import dev.langchain4j.service.tool.AiServiceTool;
import dev.langchain4j.service.tool.ToolExecutor;
import dev.langchain4j.service.tool.ToolService;
import dev.sluice.guard.client.Conversation;
import dev.sluice.guard.client.Enforcement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A policy in force in an agent that is built on LangChain4j: guards the transports of its MCP clients and its own tools.
 *
 * <p>A conversation is what has one memory id: whatever is called for a memory id is judged by all that was read for it
 * before, and a call without one is denied. Safe for use by several threads.
 */
public final class AgentGuard {

    private static final System.Logger LOG = System.getLogger("dev.sluice");

    /** Beyond these the longest unused memory ids are looked up again when they come. */
    private static final int MOST_REMEMBERED = 10_000;

    /** What a model is told of a call without a memory id. */
    static final String NO_CONVERSATION =
            "sluice denied this: it is not known which conversation it belongs to. Say so where the call is made, or use a"
                    + " connection that has one conversation";

    private final Enforcement enforcement;
    private final Function<Object, Conversation> conversations;
    private final Map<Object, Conversation> byMemoryId = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, Conversation> eldest) {
            return size() > MOST_REMEMBERED;
        }
    };

    private AgentGuard(Enforcement enforcement, Function<Object, Conversation> conversations) {
        this.enforcement = enforcement;
        this.conversations = conversations;
    }

    /**
     * Guards an agent all of whose conversations run for one principal. Memory ids are texts, numbers, UUIDs or constants of
     * an enum, and two of them with the same text are one; for others say what they mean.
     */
    public static AgentGuard of(Enforcement enforcement) {
        return new AgentGuard(enforcement, id -> enforcement.conversation(text(id)));
    }

    /**
     * Guards an agent that says which conversation a memory id is, for instance one of several principals.
     *
     * @param conversations gives the conversation of a memory id, of that enforcement; where it throws, calls are denied
     */
    public static AgentGuard of(Enforcement enforcement, Function<Object, Conversation> conversations) {
        return new AgentGuard(enforcement, conversations);
    }

    private static String text(Object id) {
        if (id instanceof CharSequence || id instanceof Number || id instanceof UUID || id instanceof Enum<?>) {
            return id.toString();
        }
        throw new IllegalArgumentException(
                "a memory id that is neither text nor a number nor a UUID may be another each time: say which conversation"
                        + " it is, where the guard is made");
    }

    /**
     * Returns {@code transport} with policy enforced on every message, for one client that serves any number of conversations.
     * A denied call of a tool comes back as a result with {@code isError}. The client's time limits must be longer than a
     * person may take to answer. What the server says to no request does not reach the client, and its prompts and
     * subscriptions, for which LangChain4j passes on no memory id, are denied.
     *
     * @param server the server's name in the policy
     * @param transport nobody else may use it then
     * @throws IllegalArgumentException where no server can have that name
     */
    public McpTransport transport(String server, McpTransport transport) {
        return new GuardedTransport(transport, this, own -> enforcement.share(server, NO_CONVERSATION, own));
    }

    /**
     * Returns {@code transport} with policy enforced on every message, for one client all of whose calls belong to one
     * conversation, whatever their memory id.
     *
     * @param server the server's name in the policy
     * @param transport nobody else may use it then
     * @throws IllegalArgumentException where no server can have that name
     */
    public McpTransport transport(String server, McpTransport transport, Conversation conversation) {
        return new GuardedTransport(transport, this, own -> conversation.connect(server, own));
    }

    /**
     * Returns {@code executor} so that a denial reaches the model as the answer of its call, whatever the agent does with
     * errors of tools: give {@code guard::tool} to {@code McpToolProvider.Builder.toolWrapper}, or call it innermost in a
     * wrapper of your own. What a tool of MCP answers without having passed a guarded transport is withheld.
     */
    public ToolExecutor tool(ToolExecutor executor) {
        return new GuardedExecutor(executor);
    }

    /**
     * Returns the tools of these objects, guarded as those of a server of the policy: for {@code AiServices.tools}.
     *
     * @param server a name in the policy, such as {@code local}
     * @param objectsWithTools objects with methods that are annotated as {@code Tool}
     * @throws IllegalArgumentException where no server can have that name
     */
    public List<AiServiceTool> tools(String server, Object... objectsWithTools) {
        return tools(
                server,
                Stream.of(objectsWithTools)
                        .flatMap(each -> ToolService.findTools(each).stream())
                        .toList());
    }

    /**
     * Returns {@code tools}, guarded as those of a server of the policy: for {@code AiServices.tools}.
     *
     * @param server a name in the policy, such as {@code local}
     * @throws IllegalArgumentException where no server can have that name
     */
    public List<AiServiceTool> tools(String server, List<AiServiceTool> tools) {
        Enforcement.checkServerName(server);
        return tools.stream()
                .map(tool -> tool.toBuilder()
                        .toolExecutor(new GuardedTool(this, server, tool))
                        .build())
                .toList();
    }

    /**
     * Returns the conversation of a memory id, begun where it is new.
     *
     * @throws IllegalArgumentException where the memory id says no conversation
     * @throws dev.sluice.store.StoreException where the state can't be read or written
     */
    public Conversation conversation(Object memoryId) {
        synchronized (byMemoryId) {
            Conversation there = byMemoryId.get(memoryId);
            if (there == null) {
                there = conversations.apply(memoryId);
                byMemoryId.put(memoryId, there);
            }
            return there;
        }
    }

    /**
     * Takes note of what the user typed in a conversation: call it before the agent gets that, and never with the words of a
     * model, of a tool or of retrieved documents.
     *
     * @see Conversation#typed
     */
    public void typed(Object memoryId, String userPrompt) {
        conversation(memoryId).typed(userPrompt);
    }

    /**
     * Ends a conversation whose memory is deleted: what is called for the same memory id afterwards has seen nothing.
     *
     * @throws dev.sluice.store.StoreException where that can't be kept
     */
    public void end(Object memoryId) {
        Conversation over = conversation(memoryId);
        over.end();
        synchronized (byMemoryId) {
            byMemoryId.remove(memoryId, over);
        }
    }

    /** Returns the conversation that a call belongs to; none where that can't be known. */
    Optional<Conversation> conversationOf(@Nullable InvocationContext context) {
        Object memoryId = context == null ? null : context.chatMemoryId();
        if (memoryId == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(conversation(memoryId));
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "no conversation can be had for a memory id: its calls are denied", e);
            return Optional.empty();
        }
    }
}
