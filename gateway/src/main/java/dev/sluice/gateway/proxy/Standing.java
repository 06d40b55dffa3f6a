package dev.sluice.gateway.proxy;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How a server does in this process, over all lines to it. */
public final class Standing {

    /** How it does. */
    public enum Word {
        /** Nobody has a line to it. */
        IDLE,
        /** There is a line to it. */
        OPEN,
        /** The last line to it could not be made, or ended of itself. */
        FAILING
    }

    /**
     * How it does at one time.
     *
     * @param word how
     * @param since since when
     */
    public record Now(Word word, Instant since) {}

    private int lines;
    private @Nullable Era era;
    private Now now = new Now(Word.IDLE, Instant.now());

    private void become(Word word) {
        if (now.word() != word) {
            now = new Now(word, Instant.now());
        }
    }

    synchronized void opened() {
        lines++;
        become(Word.OPEN);
    }

    /** Takes note that a line was closed that was open. */
    synchronized void closed() {
        lines--;
        if (lines == 0 && now.word() == Word.OPEN) {
            become(Word.IDLE);
        }
    }

    /** Takes note that a line ended that was open. */
    synchronized void died() {
        lines--;
        become(Word.FAILING);
    }

    synchronized void failed() {
        become(Word.FAILING);
    }

    /** Returns the era that its last line began in; empty where none did yet. */
    synchronized Optional<Era> era() {
        return Optional.ofNullable(era);
    }

    /** Takes note that a line to it began in that era. */
    synchronized void speaks(Era spoken) {
        era = spoken;
    }

    /** Returns how it does now. */
    public synchronized Now now() {
        return now;
    }
}
