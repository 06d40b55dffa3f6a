package dev.sluice.gateway.proxy;

import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a server's answer to {@code server/discover} says: whether it speaks the modern revision that is served here.
 *
 * <p>A server that answers with anything else than such an answer, or an error that only modern revisions have, is a legacy
 * one.
 *
 * <p>Source: MCP revision 2026-07-28, Versioning and {@code server/discover}.
 *
 * @param word what it speaks
 * @param why what a person can read of it, after "the server"; empty text where it is modern
 */
public record Discovery(Word word, String why) {

    /**
     * How long the answer is waited for where a handshake can be tried then: a server that does not know the method may say
     * nothing at all.
     */
    public static final Duration PATIENCE = Duration.ofSeconds(10);

    /** What a server speaks. */
    public enum Word {
        /** The revision that is served. */
        MODERN,
        /** One that begins with a handshake, or it is not known. */
        LEGACY,
        /** A modern one, but none that is served here, or not with this client. */
        NEITHER
    }

    /** That the headers of a message do not say what the message does. */
    static final int HEADERS_DIFFER = -32020;

    private static final int REVISION_UNKNOWN = -32022;
    private static final int MOST_NAMED = 10;

    /** Returns what {@code answer} says. */
    public static Discovery of(RpcMessage answer) {
        if (answer instanceof RpcMessage.Result result) {
            JsonNode supported = result.result().tree().path("supportedVersions");
            return supported.isArray()
                    ? of(supported)
                    : legacy("answered `" + Methods.DISCOVER + "` with something else");
        }
        if (!(answer instanceof RpcMessage.Failure failure)) {
            return legacy("did not answer `" + Methods.DISCOVER + "`");
        }
        JsonNode error = failure.error().tree();
        JsonNode data = error.path("data");
        return switch (error.path("code").asInt(0)) {
            case REVISION_UNKNOWN -> {
                if (!data.path("supported").isArray()) {
                    yield legacy("refused `" + Methods.DISCOVER + "`");
                }
                Discovery said = of(data.path("supported"));
                yield said.word() == Word.MODERN
                        ? new Discovery(
                                Word.NEITHER, "refuses revision " + RequestMeta.REVISION + ", which it names itself")
                        : said;
            }
            case RpcWriter.CAPABILITY_MISSING ->
                data.path("requiredCapabilities").isObject()
                        ? new Discovery(
                                Word.NEITHER,
                                "wants a client that can do "
                                        + named(data.path("requiredCapabilities")
                                                .propertyNames()) + ", which this one can't")
                        : legacy("refused `" + Methods.DISCOVER + "`");
            case HEADERS_DIFFER ->
                new Discovery(
                        Word.NEITHER,
                        "says that headers and message differ; is there something between that changes them?");
            default -> legacy("refused `" + Methods.DISCOVER + "`");
        };
    }

    /**
     * Returns whether {@code answer} refuses the revision that it names as supported. Who was told so is to ask once more, in
     * the revision that is named.
     */
    public static boolean isToBeAskedAgain(RpcMessage answer) {
        if (!(answer instanceof RpcMessage.Failure failure)) {
            return false;
        }
        JsonNode error = failure.error().tree();
        return error.path("code").asInt(0) == REVISION_UNKNOWN
                && of(error.path("data").path("supported")).word() == Word.MODERN;
    }

    private static Discovery of(JsonNode supported) {
        List<String> revisions = new ArrayList<>();
        supported.forEach(each -> revisions.add(each.asString("")));
        if (revisions.contains(RequestMeta.REVISION)) {
            return new Discovery(Word.MODERN, "");
        }
        String only = "speaks only " + named(revisions) + " of MCP, and sluice " + RequestMeta.REVISION + " and "
                + String.join(", ", Revisions.SERVED.stream().sorted().toList());
        return revisions.stream().map(Revisions::spoken).anyMatch(Revisions.SERVED::contains)
                ? legacy(only)
                : new Discovery(Word.NEITHER, only + "; take a version of the server that speaks one of these");
    }

    private static Discovery legacy(String why) {
        return new Discovery(Word.LEGACY, why);
    }

    /** A server's own words: few, and without what a terminal would obey. */
    private static String named(Iterable<String> words) {
        List<String> named = new ArrayList<>();
        for (String word : words) {
            if (named.size() == MOST_NAMED) {
                break;
            }
            named.add(word.matches("[0-9A-Za-z._/-]{1,60}") ? "`" + word + "`" : "`?`");
        }
        return named.isEmpty() ? "none" : String.join(", ", named);
    }

    /**
     * Returns what a request says of a client whose handshake is {@code handshake}: the keys of its {@code _meta}.
     *
     * @param level the parameters with which the client set the log level; a missing node where it did not
     */
    public static ObjectNode client(JsonNode handshake, JsonNode level) {
        ObjectNode said = JsonNodeFactory.instance.objectNode();
        said.put(RequestMeta.VERSION, RequestMeta.REVISION);
        said.set(
                RequestMeta.CAPABILITIES,
                handshake.path("capabilities").isObject()
                        ? handshake.path("capabilities")
                        : JsonNodeFactory.instance.objectNode());
        if (handshake.path("clientInfo").isObject()) {
            said.set(RequestMeta.CLIENT_INFO, handshake.path("clientInfo"));
        }
        if (level.path("level").isString()) {
            said.set(RequestMeta.LOG_LEVEL, level.path("level"));
        }
        return said;
    }

    /** Returns parameters of a request that say that, and nothing else. */
    public static ObjectNode params(ObjectNode client) {
        ObjectNode params = JsonNodeFactory.instance.objectNode();
        params.set("_meta", client);
        return params;
    }

    /**
     * Returns what a server answers to {@code initialize} that answered {@code server/discover} with {@code discovered}.
     *
     * @param revision the revision that the client is told
     */
    public static ObjectNode handshake(JsonNode discovered, String revision) {
        ObjectNode result = JsonNodeFactory.instance.objectNode();
        result.put("protocolVersion", revision);
        result.set(
                "capabilities",
                discovered.path("capabilities").isObject()
                        ? discovered.path("capabilities").deepCopy()
                        : JsonNodeFactory.instance.objectNode());
        JsonNode info = discovered.path("_meta").path(RequestMeta.SERVER_INFO);
        if (info.path("name").isString() && info.path("version").isString()) {
            result.set("serverInfo", info);
        } else {
            result.putObject("serverInfo").put("name", "unknown").put("version", "unknown");
        }
        if (discovered.path("instructions").isString()) {
            result.set("instructions", discovered.path("instructions"));
        }
        return result;
    }

    /** Returns the revision that a legacy client is told that asked for {@code asked}. */
    static String told(String asked) {
        String spoken = Revisions.spoken(asked);
        return Revisions.SERVED.contains(spoken) ? spoken : Revisions.NEWEST;
    }
}
