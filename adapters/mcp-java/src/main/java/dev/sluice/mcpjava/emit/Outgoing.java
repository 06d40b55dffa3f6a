package dev.sluice.mcpjava.emit;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A result of either stack of the SDK, on its way out.
 *
 * @param <R> the SDK's own type
 */
interface Outgoing<R> {

    /** Returns its {@code _meta}; null where it has none. */
    @Nullable
    Map<String, Object> meta();

    /** Returns the {@code _meta} of each block, null for one that has none. */
    List<@Nullable Map<String, Object>> blockMetas();

    /** Returns the {@code _meta} of what each block embeds, null for one that embeds nothing or has none. */
    List<@Nullable Map<String, Object>> embeddedMetas();

    /** Returns it as it will be sent. */
    JsonNode tree();

    /**
     * Returns it with another {@code _meta} in one block.
     *
     * @throws IllegalArgumentException where that block is of a kind that this version can't copy
     */
    Outgoing<R> withBlockMeta(int block, Map<String, Object> meta);

    /** Returns the result as it is. */
    R result();

    /** Returns the result with another {@code _meta} of its own. */
    R withMeta(Map<String, Object> meta);
}
