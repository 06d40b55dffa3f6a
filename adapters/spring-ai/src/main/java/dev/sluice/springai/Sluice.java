package dev.sluice.springai;

import dev.sluice.guard.client.Conversation;
import dev.sluice.guard.client.Enforcement;
import dev.sluice.guard.client.LocalFunctions;
import dev.sluice.wire.VendorKeys;
import io.modelcontextprotocol.spec.McpClientTransport;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.ai.chat.client.advisor.api.Advisor;
import org.springframework.ai.chat.memory.ChatMemory;
import org.springframework.ai.mcp.AsyncMcpToolCallback;
import org.springframework.ai.mcp.SyncMcpToolCallback;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.ai.model.tool.ToolCallingManager;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.resolution.ToolCallbackResolver;

/**
 * An {@link Enforcement} for an application that is built on Spring AI: guards the transports of its MCP clients and its own
 * tools, and learns from its chat clients what users type and which conversation a call belongs to.
 *
 * <p>In Spring AI one MCP client serves all conversations, so each call must say which it belongs to: a call of which that is
 * not known is refused. The starter does all of this for the beans of an application. Safe for use by several threads.
 */
public final class Sluice {

    /**
     * Names a conversation, in the parameters of an advisor, in the tool context and in {@code _meta} of a request; it goes to
     * no server. {@link ChatMemory#CONVERSATION_ID} will do too, in all three places.
     */
    public static final String CONVERSATION = VendorKeys.PREFIX + "conversation";

    /** Names on whose behalf the conversation runs, in the same places; that of the enforcement where it is left out. */
    public static final String PRINCIPAL = VendorKeys.PREFIX + "principal";

    /**
     * Gives, in the parameters of an advisor, what the user typed, where the user message holds words of others too, such as
     * a page that is to be summed up. Empty text says that the user typed nothing.
     */
    public static final String TYPED = VendorKeys.PREFIX + "typed";

    /** The name that an application's own tools have in the policy as a server, where nothing else is said. */
    public static final String LOCAL = "local";

    /** Conversations that were not used for longest are forgotten here, and found again in the state. */
    private static final int MOST_CONVERSATIONS = 10_000;

    private record Key(String principal, String id) {}

    private final Enforcement enforcement;
    private final String local;
    private final String only;
    private final Map<Key, Conversation> conversations = new LinkedHashMap<>(16, 0.75f, true);

    private Sluice(Enforcement enforcement, String local, String only) {
        this.enforcement = enforcement;
        this.local = local;
        this.only = only;
    }

    /** Returns the enforcement for an application of many conversations, whose own tools are those of the server {@link #LOCAL}. */
    public static Sluice of(Enforcement enforcement) {
        return new Sluice(enforcement, LOCAL, "");
    }

    /** Returns the same for an application whose own tools are those of the server {@code name} of the policy. */
    public Sluice withLocalServer(String name) {
        return new Sluice(enforcement, name, only);
    }

    /**
     * Returns the same for an application that only ever has one conversation, as an assistant on somebody's desk or a job has:
     * whatever is called belongs to it, and servers may ask the client something on their own.
     */
    public Sluice withOneConversation(String id) {
        return new Sluice(enforcement, local, id);
    }

    /**
     * Wraps the transport of an MCP client, which nobody else may use then.
     *
     * @param server the server's name in the policy
     * @throws IllegalArgumentException where no server can have that name
     */
    public McpClientTransport guard(McpClientTransport transport, String server) {
        return new GuardedTransport(
                transport,
                send -> only.isEmpty()
                        ? enforcement.share(server, meta -> conversation(Said.in(meta)), send)
                        : conversation(Map.of()).connect(server, send));
    }

    /** Wraps a tool that is none of an MCP server; those are returned as they are, since their transport is guarded. */
    public ToolCallback guard(ToolCallback tool) {
        return isGuarded(tool) ? tool : new GuardedToolCallback(tool, this);
    }

    private static boolean isGuarded(ToolCallback tool) {
        return tool instanceof GuardedToolCallback
                || tool instanceof SyncMcpToolCallback
                || tool instanceof AsyncMcpToolCallback;
    }

    /** Wraps the tools in options, as {@link #guard(ToolCallback)} does. */
    ToolCallingChatOptions.Builder<?> guard(ToolCallingChatOptions options) {
        List<ToolCallback> tools = options.getToolCallbacks();
        return tools == null || tools.stream().allMatch(Sluice::isGuarded)
                ? options.mutate()
                : options.mutate().toolCallbacks(tools.stream().map(this::guard).toList());
    }

    /** Wraps what finds tools by their names. */
    public ToolCallbackResolver guard(ToolCallbackResolver resolver) {
        return name -> {
            ToolCallback found = resolver.resolve(name);
            return found == null ? null : guard(found);
        };
    }

    /** Wraps what calls tools, so that it calls none that is not guarded. */
    public ToolCallingManager guard(ToolCallingManager calls) {
        return calls instanceof GuardedToolCalls ? calls : new GuardedToolCalls(calls, this);
    }

    /** Returns what a chat client needs: it takes note of what the user typed, guards tools, and tells them the conversation. */
    public Advisor advisor() {
        return new ConversationAdvisor(this);
    }

    /**
     * Returns the conversation that something belongs to.
     *
     * @param said the tool context, or whatever else has {@link #CONVERSATION} and {@link #PRINCIPAL}
     * @throws IllegalArgumentException where it names none, or two
     * @throws dev.sluice.store.StoreException where the state can't be read or written
     */
    public Conversation conversation(Map<String, ?> said) {
        return find(Said.of(said))
                .orElseThrow(
                        () -> new IllegalArgumentException("sluice can't tell which conversation this belongs to; give"
                                + " its id with `.advisors(a -> a.param(ChatMemory.CONVERSATION_ID, id))`, or under `"
                                + CONVERSATION + "` in the tool context or in `_meta` of the request"));
    }

    /** Returns the application's own tools in the conversation that something belongs to. */
    LocalFunctions functions(Map<String, ?> said) {
        return conversation(said).functions(local);
    }

    /** Returns the conversation that is named; empty where none is. */
    Optional<Conversation> find(Said said) {
        String id = only.isEmpty() ? said.conversation() : only;
        if (id.isEmpty()) {
            return Optional.empty();
        }
        Key key = new Key(only.isEmpty() ? said.principal() : "", id);
        synchronized (conversations) {
            Conversation known = conversations.get(key);
            if (known != null) {
                return Optional.of(known);
            }
        }
        Conversation begun = key.principal().isEmpty()
                ? enforcement.conversation(id)
                : enforcement.conversation(key.principal(), id);
        synchronized (conversations) {
            Conversation other = conversations.putIfAbsent(key, begun);
            if (conversations.size() > MOST_CONVERSATIONS) {
                conversations.remove(conversations.keySet().iterator().next());
            }
            return Optional.of(other == null ? begun : other);
        }
    }

    /**
     * Ends a conversation, for instance since its chat memory was cleared: only then may another be begun under its id, which
     * has seen nothing.
     *
     * @param said the same as in {@link #conversation}
     */
    public void end(Map<String, ?> said) {
        Conversation over = conversation(said);
        over.end();
        synchronized (conversations) {
            conversations.values().remove(over);
        }
    }

    /** Ends the conversations that nobody used for the time that the enforcement says; returns how many. */
    public int endIdle() {
        int ended = enforcement.endIdle();
        if (ended > 0) {
            synchronized (conversations) {
                conversations.clear();
            }
        }
        return ended;
    }
}
