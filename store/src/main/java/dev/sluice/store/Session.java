package dev.sluice.store;

import dev.sluice.labels.SessionLabel;
import java.time.Instant;

/**
 * One agent session and what it has seen.
 *
 * @param id names this session and no other, ever; not a secret
 * @param key finds the session while it lives, such as a host process or a digest of a client's session id
 * @param principal on whose behalf it runs
 * @param display what a person recognises it by, such as {@code claude (process 4242)}
 * @param started when it began
 * @param seen when it was last used
 * @param client what the client said of itself when it began, as JSON text; empty where nothing was kept
 * @param label what entered its model context
 * @param witness who let the last of that in which is not trusted and public, and so knows its texts; empty for nobody
 */
public record Session(
        String id,
        String key,
        String principal,
        String display,
        Instant started,
        Instant seen,
        String client,
        SessionLabel label,
        String witness) {

    /** Makes one into which nobody has let anything. */
    public Session(
            String id,
            String key,
            String principal,
            String display,
            Instant started,
            Instant seen,
            String client,
            SessionLabel label) {
        this(id, key, principal, display, started, seen, client, label, "");
    }
}
