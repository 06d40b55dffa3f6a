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
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.ai.model.tool.ToolCallingManager;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.resolution.ToolCallbackResolver;

/**
 * An {@link Enforcement} for an application that is built on Spring AI: guards the transports of its MCP clients and its own
 * tools, and learns from its chat clients what users type and which conversation a call belongs to.
 *
 * <p>In Spring AI one MCP client serves all conversations, so each call must say which it belongs to: a call of which that is
 * not known is refused. Safe for use by several threads.
 *
 * <p>The starter does this for the beans of an application, and lets none start whose beans it can't guard. What is no bean
 * nobody guards but the application itself: chat models and MCP clients that it makes for itself alone.
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
     * Gives, in the parameters of an advisor, what the user typed, such as the question without the page that is to be summed
     * up. Where it is left out, the user typed nothing, unless {@link #withTypedUserMessages} is said; there empty text says so.
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
    private final boolean typed;
    private final Map<Key, Conversation> conversations = new LinkedHashMap<>(16, 0.75f, true);

    private Sluice(Enforcement enforcement, String local, String only, boolean typed) {
        this.enforcement = enforcement;
        this.local = local;
        this.only = only;
        this.typed = typed;
    }

    /** Returns the enforcement for an application of many conversations, whose own tools are those of the server {@link #LOCAL}. */
    public static Sluice of(Enforcement enforcement) {
        return new Sluice(enforcement, LOCAL, "", false);
    }

    /** Returns the same for an application whose own tools are those of the server {@code name} of the policy. */
    public Sluice withLocalServer(String name) {
        return new Sluice(enforcement, name, only, typed);
    }

    /**
     * Returns the same for an application that only ever has one conversation, as an assistant on somebody's desk or a job has:
     * whatever is called belongs to it, and servers may ask the client something on their own.
     */
    public Sluice withOneConversation(String id) {
        return new Sluice(enforcement, local, id, typed);
    }

    /**
     * Returns the same for an application whose user messages hold what users typed and nothing else: no template with words of
     * others in it, no page, no mail. Recipients in them count as named by the user.
     */
    public Sluice withTypedUserMessages() {
        return new Sluice(enforcement, local, only, true);
    }

    boolean areUserMessagesTyped() {
        return typed;
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

    /**
     * Wraps a tool. Those of MCP servers to which guarded transports lead are returned as they are; those of other servers are
     * tools of the application's own in the policy.
     */
    public ToolCallback guard(ToolCallback tool) {
        return isGuarded(tool) ? tool : new GuardedToolCallback(tool, this);
    }

    /**
     * Tells whether policy is enforced on all that passes through a part of an application.
     *
     * @param part a transport, an MCP client, a tool, or what finds or calls tools; nothing else is guarded
     */
    public static boolean isGuarded(Object part) {
        return part instanceof GuardedTransport
                || part instanceof GuardedToolCallback
                || part instanceof GuardedResolver
                || part instanceof GuardedToolCalls
                || Inside.isGuardedClient(part)
                || (part instanceof ToolCallback tool && Inside.isOfGuardedServer(tool));
    }

    /**
     * Refuses a request to a model in which tools are offered that are not guarded, whoever would call them.
     *
     * @throws IllegalStateException where there are such
     */
    public static void requireGuarded(Prompt request) {
        if (request.getOptions() instanceof ToolCallingChatOptions options && options.getToolCallbacks() != null) {
            for (ToolCallback tool : options.getToolCallbacks()) {
                if (!isGuarded(tool)) {
                    throw new IllegalStateException(
                            "`" + tool.getToolDefinition().name()
                                    + "` is offered to a model without being guarded; add `sluice.advisor()` to the chat client, or"
                                    + " offer `sluice.guard(tool)`");
                }
            }
        }
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
        return resolver instanceof GuardedResolver ? resolver : new GuardedResolver(resolver, this);
    }

    /**
     * Wraps what calls tools, so that it calls none that is not guarded: only those that are offered with a request, unless it
     * is Spring AI's own and finds others with a {@linkplain #guard(ToolCallbackResolver) guarded} resolver.
     */
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
