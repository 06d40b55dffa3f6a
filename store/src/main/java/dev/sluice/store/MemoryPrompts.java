package dev.sluice.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The prompts of a {@link MemoryEngine}. */
final class MemoryPrompts implements PromptStore {

    private final MemoryTransaction transaction;

    MemoryPrompts(MemoryTransaction transaction) {
        this.transaction = transaction;
    }

    @Override
    public Prompt add(String session, String text, Instant at) {
        MemorySessions.Kept kept = transaction.state().sessions.get(session);
        if (kept == null || !kept.live()) {
            throw new StoreException("no session `" + session + "` is live: begin one");
        }
        int bytes = Prompt.bytes(text);
        if (bytes > MOST_BYTES) {
            throw new StoreException("a prompt of " + bytes + " bytes can't be kept: give " + MOST_BYTES + " at most");
        }
        List<Prompt> prompts = new ArrayList<>(after(session, 0));
        Prompt prompt = new Prompt(
                prompts.isEmpty() ? 1 : prompts.get(prompts.size() - 1).number() + 1, text, at);
        prompts.add(prompt);
        int all = prompts.stream().mapToInt(each -> Prompt.bytes(each.text())).sum();
        while (prompts.size() > MOST_PROMPTS || all > MOST_BYTES) {
            all -= Prompt.bytes(prompts.remove(0).text());
        }
        transaction.put(transaction.state().prompts, session, List.copyOf(prompts));
        return prompt;
    }

    @Override
    public List<Prompt> after(String session, long number) {
        return transaction.state().prompts.getOrDefault(session, List.of()).stream()
                .filter(prompt -> prompt.number() > number)
                .toList();
    }
}
