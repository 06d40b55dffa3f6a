package dev.sluice.guard;

import dev.sluice.store.StoreException;

/** That a session is over with which somebody goes on: what its agent saw is in no live label, so nothing is done for it. */
public final class SessionOver extends StoreException {

    private static final long serialVersionUID = 1L;

    SessionOver() {
        super("the session is over: begin another");
    }
}
