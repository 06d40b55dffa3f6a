package dev.sluice.gateway.transport;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How one HTTP exchange ends: when the thread that began it returns, or, where that leaves it, whenever another one says.
 *
 * <p>The one who leaves does so before anybody else can know the exchange.
 */
final class Ending {

    private final Consumer<@Nullable Throwable> over;
    private final AtomicBoolean isDue = new AtomicBoolean(true);
    private boolean left;

    /**
     * @param over given why the exchange failed, or null; run once
     */
    Ending(Consumer<@Nullable Throwable> over) {
        this.over = over;
    }

    /** Says that the thread that began it will not end it. */
    void leave() {
        left = true;
    }

    /** Ends what was left; once, whoever comes first. */
    void end(@Nullable Throwable fault) {
        if (isDue.getAndSet(false)) {
            over.accept(fault);
        }
    }

    /** Ends it where it was not left: for the thread that began it, at last. */
    void endUnlessLeft(@Nullable Throwable fault) {
        if (!left) {
            end(fault);
        }
    }
}
