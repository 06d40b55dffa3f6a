package dev.sluice.gateway.telemetry;

import java.util.Set;

/**
 * The methods that are named; any other is {@code other}, since whoever speaks to the gateway could make up as many as they
 * like, and write into them what they like.
 *
 * <p>Source: MCP, revisions 2024-11-05 to 2025-11-25, schema.
 */
final class KnownMethods {

    static final String OTHER = "other";

    private static final Set<String> ALL = Set.of(
            "initialize",
            "ping",
            "server/discover",
            "tools/list",
            "tools/call",
            "tools/resolve",
            "resources/list",
            "resources/templates/list",
            "resources/read",
            "resources/subscribe",
            "resources/unsubscribe",
            "prompts/list",
            "prompts/get",
            "completion/complete",
            "logging/setLevel",
            "roots/list",
            "sampling/createMessage",
            "elicitation/create",
            "tasks/get",
            "tasks/result",
            "tasks/list",
            "tasks/cancel",
            "notifications/initialized",
            "notifications/cancelled",
            "notifications/progress",
            "notifications/message",
            "notifications/roots/list_changed",
            "notifications/tools/list_changed",
            "notifications/resources/list_changed",
            "notifications/resources/updated",
            "notifications/prompts/list_changed",
            "notifications/elicitation/complete",
            "notifications/tasks/status");

    private KnownMethods() {}

    static String of(String method) {
        return ALL.contains(method) ? method : OTHER;
    }
}
