package dev.sluice.guard;

import dev.sluice.wire.RequestAnnotations;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A message on its way to a server: everything in it may hold what the session has seen. */
public sealed interface Inbound {

    /** The method of a request to be told of changes; of MCP revision 2026-07-28. */
    String LISTEN = "subscriptions/listen";

    /** What such a request may be about: each is in it or is not, and only the addresses of resources are texts. */
    Set<String> LISTENED = Set.of(
            "notifications", "toolsListChanged", "promptsListChanged", "resourcesListChanged", "resourceSubscriptions");

    /** Returns the server it goes to. */
    Upstream upstream();

    /** Returns its method: for an answer, that of the server's request. */
    String method();

    /** Returns what a person calls it by: the tool's name, or the method. */
    String name();

    /** Returns the part that carries data. */
    JsonNode content();

    /** Returns what the client says of its own context; it can only raise what the session has seen. */
    default RequestAnnotations told() {
        return RequestAnnotations.NONE;
    }

    /**
     * A tool call.
     *
     * @param resolver asks the server what the call does; null where the server can't say
     */
    record ToolCall(
            Upstream upstream,
            String tool,
            JsonNode arguments,
            RequestAnnotations told,
            @Nullable ToolResolver resolver)
            implements Inbound {

        /** Makes a call of which nobody can say what it does. */
        public ToolCall(Upstream upstream, String tool, JsonNode arguments, RequestAnnotations told) {
            this(upstream, tool, arguments, told, null);
        }

        /** Makes a call of a client that says nothing of its context. */
        public ToolCall(Upstream upstream, String tool, JsonNode arguments) {
            this(upstream, tool, arguments, RequestAnnotations.NONE);
        }

        @Override
        public String method() {
            return "tools/call";
        }

        @Override
        public String name() {
            return tool;
        }

        @Override
        public JsonNode content() {
            return arguments;
        }
    }

    /** The client's own question what a call of a tool would do ({@code tools/resolve}, SEP-1862): it sends the arguments. */
    record Resolve(Upstream upstream, String tool, JsonNode arguments) implements Inbound {

        /** The method. */
        public static final String METHOD = "tools/resolve";

        @Override
        public String method() {
            return METHOD;
        }

        @Override
        public String name() {
            return tool;
        }

        @Override
        public JsonNode content() {
            return arguments;
        }
    }

    /**
     * Any other request or notification that carries data, such as {@code resources/read}.
     *
     * @param ofRead whether what it is about is known to only read at the server, such as the call that made a task
     */
    record Request(Upstream upstream, String method, JsonNode content, boolean ofRead) implements Inbound {

        /** Makes one of which nobody knows what it is about. */
        public Request(Upstream upstream, String method, JsonNode content) {
            this(upstream, method, content, false);
        }

        @Override
        public String name() {
            return method;
        }
    }

    /** The client's answer to a request of the server, such as {@code sampling/createMessage}. */
    record Answer(Upstream upstream, String method, JsonNode content) implements Inbound {
        @Override
        public String name() {
            return method;
        }
    }
}
