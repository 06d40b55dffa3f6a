package dev.sluice.springai;

import dev.sluice.guard.client.Conversation;
import dev.sluice.wire.VendorKeys;
import java.util.Map;
import java.util.Optional;
import org.springframework.ai.chat.client.ChatClientRequest;
import org.springframework.ai.chat.client.ChatClientResponse;
import org.springframework.ai.chat.client.advisor.api.AdvisorChain;
import org.springframework.ai.chat.client.advisor.api.BaseAdvisor;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.core.Ordered;

/**
 * Takes note of what the user typed, before any other advisor adds words of others to it, guards the tools of the request, and
 * tells them which conversation they are called in. Whoever has two of it has no more than one.
 *
 * <p>A request that names no conversation goes on, since a model may be asked without tools; its tools refuse to be called.
 */
final class ConversationAdvisor implements BaseAdvisor {

    /** In the context of a request: what the user typed is known. */
    private static final String NOTED = VendorKeys.PREFIX + "noted";

    private final Sluice sluice;

    ConversationAdvisor(Sluice sluice) {
        this.sluice = sluice;
    }

    @Override
    public String getName() {
        return "sluice";
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public ChatClientRequest before(ChatClientRequest request, AdvisorChain chain) {
        Prompt prompt = request.prompt();
        if (!(prompt.getOptions() instanceof ToolCallingChatOptions options)) {
            typed(sluice.find(Said.of(request.context())), request);
            return request.mutate().context(NOTED, true).build();
        }
        Map<String, Object> context = options.getToolContext() == null ? Map.of() : options.getToolContext();
        Said said = Said.of(request.context(), context);
        typed(sluice.find(said), request);
        ToolCallingChatOptions.Builder<?> guarded = sluice.guard(options);
        if (!said.conversation().isEmpty()) {
            guarded.toolContext(Sluice.CONVERSATION, said.conversation());
        }
        if (!said.principal().isEmpty()) {
            guarded.toolContext(Sluice.PRINCIPAL, said.principal());
        }
        return request.mutate()
                .context(NOTED, true)
                .prompt(prompt.mutate().chatOptions(guarded.build()).build())
                .build();
    }

    private void typed(Optional<Conversation> conversation, ChatClientRequest request) {
        if (request.context().containsKey(NOTED)) {
            return; // by now the user message may hold words of others
        }
        Object said = request.context().get(Sluice.TYPED);
        String typed = said != null
                ? said.toString()
                : sluice.areUserMessagesTyped()
                        ? request.prompt().getUserMessage().getText()
                        : null;
        if (typed != null && !typed.isBlank()) {
            conversation.ifPresent(each -> each.typed(typed));
        }
    }

    @Override
    public ChatClientResponse after(ChatClientResponse response, AdvisorChain chain) {
        return response;
    }
}
