package dev.sluice.gateway.transport;

import dev.sluice.wire.json.JsonIndex.Value;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Takes what hosts say that their users typed. */
public interface UserWords {

    /** What became of it. */
    sealed interface Taken {

        /** It is kept. */
        record Kept() implements Taken {}

        /** No conversation is named. */
        record Nowhere() implements Taken {}

        /**
         * It is not kept.
         *
         * @param status the HTTP status
         * @param why what the host is told
         */
        record Refused(int status, String why) implements Taken {}
    }

    /** Returns whether {@code token} is that of a host, which may speak for the user. */
    boolean isHost(String token);

    /** Takes note of what the user of a principal's session typed; returns whether that session is live. */
    boolean typed(String principal, String session, String text);

    /**
     * Takes note of what the user typed in the conversation that requests of clients without sessions belong to which have
     * that {@code _meta} and those headers. One that no request belongs to yet begins here.
     *
     * @param meta the {@code _meta}; null where none is said: then only headers name a conversation
     * @param headers gives all values of the header of a name
     */
    Taken typed(String principal, @Nullable Value meta, Function<String, List<String>> headers, String text);
}
