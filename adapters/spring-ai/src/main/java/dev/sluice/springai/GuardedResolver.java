package dev.sluice.springai;

import org.jspecify.annotations.Nullable;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.resolution.ToolCallbackResolver;

/** Finds tools by their names, guarded ones alone. */
record GuardedResolver(ToolCallbackResolver resolver, Sluice sluice) implements ToolCallbackResolver {

    @Override
    public @Nullable ToolCallback resolve(String name) {
        ToolCallback found = resolver.resolve(name);
        return found == null ? null : sluice.guard(found);
    }
}
