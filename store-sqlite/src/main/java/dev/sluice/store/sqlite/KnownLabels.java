package dev.sluice.store.sqlite;

import dev.sluice.labels.SessionLabel;
import dev.sluice.store.LabelCodec;
import dev.sluice.store.StoreException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The labels that were read last, by their texts.
 *
 * <p>Each message reads its session's label anew, since another process may have changed it; but the text mostly is the
 * same, and taking it apart costs more than all else that a transaction does.
 */
final class KnownLabels {

    private static final int MOST = 256;

    /** Longer ones are read anew each time, so that this stays small. */
    private static final int LONGEST = 1 << 14;

    private static final Map<String, SessionLabel> LAST = new LinkedHashMap<>(MOST, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, SessionLabel> eldest) {
            return size() > MOST;
        }
    };

    private KnownLabels() {}

    /**
     * Returns what a text says.
     *
     * @throws StoreException where it is no label
     */
    static SessionLabel of(String text) {
        if (text.length() > LONGEST) {
            return LabelCodec.sessionLabel(text);
        }
        synchronized (LAST) {
            SessionLabel known = LAST.get(text);
            if (known == null) {
                known = LabelCodec.sessionLabel(text);
                LAST.put(text, known);
            }
            return known;
        }
    }
}
