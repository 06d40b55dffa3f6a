package dev.sluice.policy;

import dev.sluice.labels.Origin;
import java.util.List;

/**
 * What policy says of one call. Deny outweighs Ask, Ask outweighs Allow; all violations are kept, not the first.
 *
 * <p>There is no decision without its reasons, and none that allows by being empty: {@link Allow} is made only where every
 * control was asked.
 */
public sealed interface Decision {

    /** Which decision. */
    enum Kind {
        ALLOW,
        ASK,
        DENY
    }

    /** Returns which decision this is. */
    Kind kind();

    /** Returns the controls that were not satisfied, in the order of {@link Control}, warnings among them. */
    List<Violation> violations();

    /** Returns the stable word for the reason: that of the strongest violation, or {@code allowed}. */
    default String code() {
        return strongest(violations()).map(Violation::code).orElse("allowed");
    }

    /** Returns the earlier answers that brought what stands in the way, the earliest first. */
    default List<Origin> lineage() {
        return violations().stream()
                .flatMap(violation -> violation.origins().stream())
                .distinct()
                .sorted()
                .toList();
    }

    /** The call may go on. */
    record Allow(List<Violation> violations) implements Decision {
        public Allow {
            violations = List.copyOf(violations);
        }

        @Override
        public Kind kind() {
            return Kind.ALLOW;
        }
    }

    /** A person must be asked first. */
    record Ask(List<Violation> violations) implements Decision {
        public Ask {
            violations = List.copyOf(violations);
        }

        @Override
        public Kind kind() {
            return Kind.ASK;
        }
    }

    /** The call must not go on. */
    record Deny(List<Violation> violations) implements Decision {
        public Deny {
            violations = List.copyOf(violations);
        }

        @Override
        public Kind kind() {
            return Kind.DENY;
        }
    }

    private static java.util.Optional<Violation> strongest(List<Violation> violations) {
        Violation best = null;
        for (Violation violation : violations) {
            if (best == null || violation.strength().compareTo(best.strength()) > 0) {
                best = violation;
            }
        }
        return java.util.Optional.ofNullable(best);
    }
}
