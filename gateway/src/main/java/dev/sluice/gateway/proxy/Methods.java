package dev.sluice.gateway.proxy;

import java.util.Set;

/**
 * Which methods carry no data that policy would judge.
 *
 * <p>These are all; whatever is not named here, known or unknown, is judged and labelled.
 */
final class Methods {

    static final String INITIALIZE = "initialize";
    static final String INITIALIZED = "notifications/initialized";
    static final String DISCOVER = "server/discover";
    static final String PING = "ping";
    static final String TOOLS_LIST = "tools/list";
    static final String TOOLS_CALL = "tools/call";
    static final String RESOURCES_LIST = "resources/list";
    static final String TEMPLATES_LIST = "resources/templates/list";
    static final String PROMPTS_LIST = "prompts/list";
    static final String COMPLETE = "completion/complete";
    static final String SET_LEVEL = "logging/setLevel";
    static final String CANCELLED = "notifications/cancelled";
    static final String PROGRESS = "notifications/progress";
    static final String TOOLS_CHANGED = "notifications/tools/list_changed";

    /** Lists are endorsed by their pins and never vary with labels; the rest sets up the line. */
    private static final Set<String> PLAIN_REQUESTS =
            Set.of(INITIALIZE, PING, TOOLS_LIST, RESOURCES_LIST, TEMPLATES_LIST, PROMPTS_LIST, SET_LEVEL, "roots/list");

    /** A cancellation must always arrive, and holds words of the program that cancels, not of the model. */
    private static final Set<String> PLAIN_NOTIFICATIONS = Set.of(
            INITIALIZED,
            CANCELLED,
            "notifications/roots/list_changed",
            TOOLS_CHANGED,
            "notifications/resources/list_changed",
            "notifications/resources/updated",
            "notifications/prompts/list_changed");

    /** Requests that name a tool, a prompt or a resource. */
    private static final Set<String> NAMING = Set.of(
            TOOLS_CALL, COMPLETE, "prompts/get", "resources/read", "resources/subscribe", "resources/unsubscribe");

    private Methods() {}

    static boolean namesSomething(String method) {
        return NAMING.contains(method);
    }

    static boolean isOfTasks(String method) {
        return method.startsWith("tasks/");
    }

    static boolean isPlainRequest(String method) {
        return PLAIN_REQUESTS.contains(method);
    }

    static boolean isPlainNotification(String method) {
        return PLAIN_NOTIFICATIONS.contains(method);
    }
}
