package dev.sluice.wire;

/**
 * Sluice's own keys in {@code _meta} and in what lies there. They never stand under {@code io.modelcontextprotocol/}, which MCP reserves, and in {@code
 * _meta} itself are taken out of what comes from either side of the gateway, so nobody else can speak in our name. Those
 * inside an annotation or a reference are a form of writing and lend no authority.
 */
public final class VendorKeys {

    /** What all our keys start with. */
    public static final String PREFIX = "dev.sluice/";

    /** The effective label of a result, with what came from defaults. */
    public static final String LABEL = PREFIX + "label";

    /** Why a call was denied, changed, or put to a human. */
    public static final String DECISION = PREFIX + "decision";

    /** How many parts of an answer were taken out, by which rules. */
    public static final String REDACTED = PREFIX + "redacted";

    /** How many values of an answer the agent has only handles of. */
    public static final String HIDDEN = PREFIX + "hidden";

    /** Further evidence references: beside the server's in {@code _meta}, or beside the first one in an annotation. */
    public static final String EVIDENCE = PREFIX + "evidence";

    /** In an evidence reference: the record itself. */
    public static final String RECORD = PREFIX + "record";

    /** In an evidence reference: a signed envelope (DSSE) around the record. */
    public static final String ENVELOPE = PREFIX + "envelope";

    private VendorKeys() {}

    /** Returns whether a key is one of ours. */
    public static boolean isOurs(String key) {
        return key.startsWith(PREFIX);
    }
}
