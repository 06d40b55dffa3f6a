package dev.sluice.gateway;

import dev.sluice.gateway.auth.Gatekeeper;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.policy.GatewaySettings.Place;
import dev.sluice.policy.GatewaySettings.SessionKey;
import dev.sluice.wire.canonical.Digest;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which conversation a request belongs to where the protocol has no sessions, as far as its client says.
 *
 * <p>What the client says is bound to its principal, and kept as a digest. A name that was never heard before is mostly no
 * proof of a new conversation, and none at all may be of any. Nor is a name that stands elsewhere than where one is looked
 * for first: other requests of the same conversation may have it there.
 */
final class Conversations {

    /** The longest name of a conversation, in characters. */
    private static final int LONGEST = 512;

    private static final int SHOWN = 8;

    private final List<SessionKey> keys;

    /** What became of looking for the name. */
    sealed interface Which {

        /**
         * The session that counts.
         *
         * @param agent whose, that knows of no client yet
         * @param isNamed whether a name was said
         */
        record Of(AgentSession agent, boolean isNamed) implements Which {}

        /**
         * What is said is no name.
         *
         * @param why what the client is told
         */
        record Unclear(String why) implements Which {}
    }

    Conversations(List<SessionKey> keys) {
        this.keys = List.copyOf(keys);
    }

    /**
     * Returns the session of a message.
     *
     * @param headers gives all values of the header of a name
     * @param client what the client says of itself, as JSON text
     */
    Which of(String principal, RpcMessage message, Function<String, List<String>> headers, String client) {
        return of(principal, message.index().root().pointer("/params/_meta").orElse(null), headers, client);
    }

    /**
     * Returns the session of whatever has those names.
     *
     * @param meta the {@code _meta} of a message; null where there is none
     * @param headers gives all values of the header of a name
     * @param client what the client says of itself, as JSON text
     */
    Which of(String principal, @Nullable Value meta, Function<String, List<String>> headers, String client) {
        String whose = principal.equals(Gatekeeper.ANYBODY) ? "" : " of " + principal;
        for (SessionKey key : keys) {
            List<Optional<String>> said = key.place() == Place.META
                    ? meta(meta, key.name())
                    : headers.apply(key.name()).stream().map(Optional::of).toList();
            if (said.isEmpty()) {
                continue;
            }
            Optional<String> value = said.get(0).filter(text -> !text.isEmpty() && text.length() <= LONGEST);
            if (said.size() > 1 || value.isEmpty()) {
                return new Which.Unclear((key.place() == Place.META ? "`_meta` member `" : "the header `") + key.name()
                        + "` names the conversation here: send it once, as a text of 1 to " + LONGEST
                        + " characters, or leave it out");
            }
            String source = digest(key.place() + "\n" + key.name());
            String digest = digest(value.get());
            String display = "conversation " + digest.substring(0, SHOWN) + whose;
            if (!key.equals(keys.get(0))) {
                return new Which.Of(AgentSession.namedOtherwise(principal, source, digest, display, client), true);
            }
            AgentSession.Start start = key.clean() ? AgentSession.Start.CLEAN : AgentSession.Start.PRINCIPAL;
            return new Which.Of(AgentSession.conversation(principal, source, digest, display, start, client), true);
        }
        return new Which.Of(AgentSession.unnamed(principal, "requests without a conversation" + whose, client), false);
    }

    /** Returns what {@code _meta} has under a name: nothing, a text, or what is none. */
    private static List<Optional<String>> meta(@Nullable Value said, String name) {
        return Optional.ofNullable(said)
                .filter(meta -> meta.kind() == Kind.OBJECT)
                .flatMap(meta -> meta.member(name))
                .map(value -> Optional.of(value)
                        .filter(text -> text.kind() == Kind.STRING)
                        .map(Value::string))
                .stream()
                .toList();
    }

    private static String digest(String text) {
        return Digest.sha256(text.getBytes(StandardCharsets.UTF_8)).text().substring("sha256:".length());
    }
}
