package dev.sluice.guard.message;

import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a request says of its client, as every request does since 2026-07-28, in {@code _meta} of its parameters.
 *
 * <p>All of it is the client's own word, and none of it is proven. Revisions that say such things with every request are
 * called modern, those that begin with {@code initialize} legacy.
 *
 * <p>Source: MCP revision 2026-07-28, {@code RequestMetaObject}.
 *
 * @param meta the {@code _meta} that it stands in, an object
 */
public record RequestMeta(Value meta) {

    /** The revision that is served of those in which every request says such things. */
    public static final String REVISION = "2026-07-28";

    /** Which revision a request is of. */
    public static final String VERSION = "io.modelcontextprotocol/protocolVersion";

    /** What the client can do, for this request. */
    public static final String CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

    /** What the client is. */
    public static final String CLIENT_INFO = "io.modelcontextprotocol/clientInfo";

    /** Of which gravity messages the client wants to be sent; none where it is not there. */
    public static final String LOG_LEVEL = "io.modelcontextprotocol/logLevel";

    /** What the server is, in {@code _meta} of results. */
    public static final String SERVER_INFO = "io.modelcontextprotocol/serverInfo";

    /** By which request the client asked for a message, in {@code _meta} of notifications. */
    public static final String SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

    /** All that a client says of itself with a request, and a handshake says once before these revisions. */
    public static final List<String> OF_THE_CLIENT = List.of(VERSION, CAPABILITIES, CLIENT_INFO, LOG_LEVEL);

    /** The gravities of messages, the least first. */
    public static final List<String> LOG_LEVELS =
            List.of("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency");

    /** That the server does not serve the revision that a request is of. */
    public static final int UNSUPPORTED_VERSION = -32022;

    private static final Pattern DATE = Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}");

    private static final List<String> ANSWERS = List.of("inputResponses", "requestState");

    /**
     * Returns what {@code message} says of its client; empty for one that is no modern one: it names no revision, or an
     * earlier one, or what is none. Nothing that such a message says of its client counts.
     */
    public static Optional<RequestMeta> of(RpcMessage message) {
        return said(message).filter(meta -> isModern(meta.version()));
    }

    /** Returns whether that is the date of a revision in which each request says what its client can do. */
    public static boolean isModern(String version) {
        return DATE.matcher(version).matches() && version.compareTo(REVISION) >= 0;
    }

    /**
     * Returns what {@code message} says of its client, whatever revision it names; empty where it names none. This is for
     * where messages come in and those of revisions that are not served are refused.
     */
    public static Optional<RequestMeta> said(RpcMessage message) {
        return message.index()
                .root()
                .pointer("/params/_meta")
                .filter(meta ->
                        meta.kind() == Kind.OBJECT && meta.member(VERSION).isPresent())
                .map(RequestMeta::new);
    }

    /**
     * Returns the error that answers a modern request which does not say of its client what each must say, or is of a
     * revision that is not served; empty for one that does.
     *
     * @param served all revisions that are served, also those that begin with {@code initialize}, for the client to read
     */
    public static Optional<byte[]> refusal(RpcMessage.Request request, List<String> served) {
        Optional<RequestMeta> said = said(request);
        if (said.isEmpty()) {
            return Optional.of(invalid(request, "`_meta` must say `" + VERSION + "`"));
        }
        RequestMeta meta = said.get();
        String version = meta.version();
        if (version.isEmpty()) {
            return Optional.of(invalid(request, "`" + VERSION + "` must be a text"));
        }
        if (!version.equals(REVISION)) {
            ObjectNode data = JsonNodeFactory.instance.objectNode();
            ArrayNode supported = data.putArray("supported");
            served.forEach(supported::add);
            data.put("requested", version);
            return Optional.of(RpcWriter.failure(
                    request.id(),
                    UNSUPPORTED_VERSION,
                    "this protocol version is not served; use a supported one",
                    data));
        }
        if (meta.capabilities().isEmpty()) {
            return Optional.of(invalid(request, "`_meta` must have `" + CAPABILITIES + "`, an object"));
        }
        if (meta.meta().member(LOG_LEVEL).isPresent() && !LOG_LEVELS.contains(meta.logLevel())) {
            return Optional.of(invalid(request, "`" + LOG_LEVEL + "` must be one of " + String.join(", ", LOG_LEVELS)));
        }
        return Optional.empty();
    }

    private static byte[] invalid(RpcMessage.Request request, String why) {
        return RpcWriter.failure(request.id(), RpcWriter.INVALID_PARAMS, why);
    }

    /** Returns the revision; empty text where it is no text. */
    public String version() {
        return text(VERSION);
    }

    /** Returns what the client can do; empty where that is not said, or is no object. */
    public Optional<Value> capabilities() {
        return meta.member(CAPABILITIES).filter(value -> value.kind() == Kind.OBJECT);
    }

    /** Returns whether the client says that it has the capability of that name. */
    public boolean can(String capability) {
        return capabilities().flatMap(all -> all.member(capability)).isPresent();
    }

    /** Returns whether the client says that it has the extension of that name. */
    public boolean extendsBy(String extension) {
        return capabilities()
                .flatMap(all -> all.member("extensions"))
                .filter(value -> value.kind() == Kind.OBJECT)
                .flatMap(extensions -> extensions.member(extension))
                .isPresent();
    }

    /** Returns by what name the client calls itself; empty text where it does not. */
    public String clientName() {
        return meta.member(CLIENT_INFO)
                .filter(value -> value.kind() == Kind.OBJECT)
                .flatMap(info -> info.member("name"))
                .filter(name -> name.kind() == Kind.STRING)
                .map(Value::string)
                .orElse("");
    }

    /** Returns of which gravity messages the client wants to be sent; empty text for none. */
    public String logLevel() {
        return text(LOG_LEVEL);
    }

    /**
     * Returns what of the parameters of a request is judged as what the request sends: not what a client says of itself each
     * time, which no model writes and a handshake says once before these revisions, and not the answers to what a server
     * asked, which are judged apart.
     */
    public static JsonNode judged(JsonNode params) {
        if (!(params instanceof ObjectNode own)) {
            return params;
        }
        JsonNode meta = own.path("_meta");
        boolean ofClient = meta.isObject() && OF_THE_CLIENT.stream().anyMatch(meta::has);
        if (!ofClient && ANSWERS.stream().noneMatch(own::has)) {
            return params;
        }
        ObjectNode judged = own.deepCopy().without(ANSWERS);
        if (ofClient && judged.path("_meta") instanceof ObjectNode left) {
            left.remove(OF_THE_CLIENT);
            if (left.isEmpty()) {
                judged.remove("_meta");
            }
        }
        return judged;
    }

    private String text(String key) {
        return meta.member(key)
                .filter(value -> value.kind() == Kind.STRING)
                .map(Value::string)
                .orElse("");
    }
}
