package dev.sluice.guard;

import dev.sluice.labels.Source;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * That a call can't be decided before it was asked who may read some resources. Thrown out of the transaction, which must
 * not wait for that and then has done nothing.
 */
final class LookupNeeded extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Set<Source> sources;

    LookupNeeded(Set<Source> sources) {
        super("readers are looked up", null, false, false);
        this.sources = sources;
    }

    Set<Source> sources() {
        return sources;
    }

    /**
     * What was asked for one decision so far.
     *
     * @param readers what was answered
     * @param rounds how often
     * @param resolution what came of asking the server what the call does; null where it was not asked
     */
    record Asked(
            Map<Source, Set<String>> readers,
            int rounds,
            @Nullable Resolution resolution) {

        /** A label may grow while something is asked; after this many rounds what is not known counts as nobody. */
        private static final int MOST_ROUNDS = 4;

        static final Asked NOTHING = new Asked(Map.of(), 0, null);

        boolean mayAskMore() {
            return rounds < MOST_ROUNDS;
        }

        Asked and(Map<Source, Set<String>> more) {
            Map<Source, Set<String>> all = new HashMap<>(readers);
            all.putAll(more);
            return new Asked(all, rounds + 1, resolution);
        }

        Asked and(Resolution came) {
            return new Asked(readers, rounds, came);
        }
    }
}
