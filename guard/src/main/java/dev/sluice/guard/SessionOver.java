package dev.sluice.guard;

import dev.sluice.store.StoreException;

/** A session that somebody goes on with is over, so what its agent saw is in no live label. */
final class SessionOver extends StoreException {

    private static final long serialVersionUID = 1L;

    SessionOver() {
        super("the session is over: begin another");
    }
}
