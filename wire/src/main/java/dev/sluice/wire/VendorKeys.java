package dev.sluice.wire;

/**
 * Sluice's own keys in {@code _meta}. They never stand under {@code io.modelcontextprotocol/}, which MCP reserves, and
 * are taken out of what comes from either side of the gateway, so nobody else can speak in our name.
 */
public final class VendorKeys {

    /** What all our keys start with. */
    public static final String PREFIX = "dev.sluice/";

    /** The effective label of a result, with what came from defaults. */
    public static final String LABEL = PREFIX + "label";

    /** Why a call was denied, changed, or put to a human. */
    public static final String DECISION = PREFIX + "decision";

    /** Our own evidence references, beside the server's. */
    public static final String EVIDENCE = PREFIX + "evidence";

    private VendorKeys() {}

    /** Returns whether a key is one of ours. */
    public static boolean isOurs(String key) {
        return key.startsWith(PREFIX);
    }
}
