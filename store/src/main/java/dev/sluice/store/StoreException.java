package dev.sluice.store;

/** That the state can't be read or written: the caller must take the stricter answer. The message says the mend. */
public class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StoreException(String message) {
        super(message);
    }

    public StoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
