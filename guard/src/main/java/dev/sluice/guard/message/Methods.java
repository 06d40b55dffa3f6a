package dev.sluice.guard.message;

import dev.sluice.guard.Inbound;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Member;
import dev.sluice.wire.json.JsonIndex.Value;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which methods carry no data that policy would judge.
 *
 * <p>These are all; whatever is not named here, known or unknown, is judged and labelled.
 */
public final class Methods {

    public static final String INITIALIZE = "initialize";
    public static final String INITIALIZED = "notifications/initialized";
    public static final String DISCOVER = "server/discover";
    public static final String PING = "ping";
    public static final String TOOLS_LIST = "tools/list";
    public static final String TOOLS_CALL = "tools/call";
    public static final String TOOLS_RESOLVE = Inbound.Resolve.METHOD;
    public static final String RESOURCES_LIST = "resources/list";
    public static final String TEMPLATES_LIST = "resources/templates/list";
    public static final String PROMPTS_LIST = "prompts/list";
    public static final String COMPLETE = "completion/complete";
    public static final String SET_LEVEL = "logging/setLevel";
    public static final String SUBSCRIBE = "resources/subscribe";
    public static final String UNSUBSCRIBE = "resources/unsubscribe";
    public static final String TASKS_LIST = "tasks/list";
    public static final String CANCELLED = "notifications/cancelled";
    public static final String PROGRESS = "notifications/progress";
    public static final String MESSAGE = "notifications/message";
    public static final String ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
    public static final String TOOLS_CHANGED = "notifications/tools/list_changed";

    /** Lists never vary with labels, and only those of tools are endorsed by pins; the rest sets up the line. */
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

    /** The members of what a server may say without that it counts as having said something; others are numbers. */
    private static final Map<String, Set<String>> SILENT = Map.of(
            PROGRESS,
            Set.of("progressToken"),
            "notifications/resources/updated",
            Set.of("uri"),
            "notifications/resources/list_changed",
            Set.of(),
            "notifications/prompts/list_changed",
            Set.of(),
            TOOLS_CHANGED,
            Set.of(),
            ACKNOWLEDGED,
            Set.of(),
            PING,
            Set.of(),
            "roots/list",
            Set.of());

    /** Notifications that say on which stream they are. */
    private static final Set<String> SUBSCRIBED = Set.of(
            ACKNOWLEDGED,
            TOOLS_CHANGED,
            "notifications/prompts/list_changed",
            "notifications/resources/list_changed",
            "notifications/resources/updated");

    /** A longer id of a stream, in characters, counts as words. */
    private static final int LONGEST_ID = 128;

    private static final Set<String> NUMBERS = Set.of("progress", "total");

    /** Requests that name a tool, a prompt or a resource. */
    private static final Set<String> NAMING =
            Set.of(TOOLS_CALL, TOOLS_RESOLVE, COMPLETE, "prompts/get", "resources/read", SUBSCRIBE, UNSUBSCRIBE);

    private Methods() {}

    public static boolean namesSomething(String method) {
        return NAMING.contains(method);
    }

    /** Returns whether what is asked is about one tool, whose definition must be known. */
    public static boolean isOfOneTool(String method) {
        return method.equals(TOOLS_CALL) || method.equals(TOOLS_RESOLVE);
    }

    /** Returns whether what is asked is to be told of changes of a resource, or no longer. */
    public static boolean isOfWatching(String method) {
        return method.equals(SUBSCRIBE) || method.equals(UNSUBSCRIBE);
    }

    public static boolean isOfTasks(String method) {
        return method.startsWith("tasks/");
    }

    /** Returns whether a notification of that method tells how a task is, with all that there is of it. */
    public static boolean tellsOfTask(String method) {
        return method.equals("notifications/tasks") || method.startsWith("notifications/tasks/");
    }

    public static boolean isPlainRequest(String method) {
        return PLAIN_REQUESTS.contains(method);
    }

    /**
     * Returns whether a request or notification of a server holds no words that could be meant for a model.
     *
     * @param strict whether {@code _meta} counts as such
     */
    public static boolean isSilent(String method, Optional<Value> params, boolean strict) {
        Set<String> names = SILENT.get(method);
        return names != null
                && params.stream()
                        .allMatch(all -> all.kind() == Kind.OBJECT
                                && all.members().stream().allMatch(member -> isSilent(method, names, member, strict)));
    }

    private static boolean isSilent(String method, Set<String> names, Member member, boolean strict) {
        return switch (member.value().kind()) {
            case NUMBER ->
                names.contains(member.name()) || (method.equals(PROGRESS) && NUMBERS.contains(member.name()));
            case STRING -> names.contains(member.name());
            case OBJECT ->
                member.name().equals("_meta")
                        ? !strict || saysOnlyWhichStream(method, member.value())
                        : method.equals(ACKNOWLEDGED)
                                && member.name().equals("notifications")
                                && isChoice(member.value());
            default -> false;
        };
    }

    private static boolean saysOnlyWhichStream(String method, Value meta) {
        return meta.members().stream()
                .allMatch(member -> SUBSCRIBED.contains(method)
                        && member.name().equals(RequestMeta.SUBSCRIPTION)
                        && (member.value().kind() == Kind.NUMBER
                                || (member.value().kind() == Kind.STRING
                                        && isPlainId(member.value().string()))));
    }

    /** A request is called by a number, or a text without spaces; what else stands there could be read. */
    private static boolean isPlainId(String id) {
        return id.length() <= LONGEST_ID && id.chars().allMatch(c -> c > 0x20 && c < 0x7f);
    }

    /** Returns whether nothing is said but which changes are told. */
    private static boolean isChoice(Value notifications) {
        return notifications.members().stream()
                .allMatch(member -> Inbound.LISTENED.contains(member.name())
                        && switch (member.value().kind()) {
                            case TRUE, FALSE -> true;
                            case ARRAY ->
                                member.name().equals("resourceSubscriptions")
                                        && member.value().elements().stream()
                                                .allMatch(uri -> uri.kind() == Kind.STRING);
                            default -> false;
                        });
    }

    public static boolean isPlainNotification(String method) {
        return PLAIN_NOTIFICATIONS.contains(method);
    }
}
