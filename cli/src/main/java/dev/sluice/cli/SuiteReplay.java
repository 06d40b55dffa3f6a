package dev.sluice.cli;

import dev.sluice.guard.Planned;
import dev.sluice.guard.Ticket;
import dev.sluice.policy.Audience;
import dev.sluice.policy.AudienceRule;
import dev.sluice.policy.Decision;
import dev.sluice.policy.Hiding;
import dev.sluice.policy.PlainName;
import dev.sluice.policy.Policy;
import dev.sluice.policy.ServerPolicy;
import dev.sluice.policy.ToolStatement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Plays a suite of AgentDojo traces through the guard.
 *
 * <p>The guard sees tools, arguments, the text of each answer and, unless told otherwise, what the user typed. Of a sink it
 * sees the members of a destination, such as those of a channel, as a static list. In an attacked run the goal of the
 * attack stands as one more text in each record that shows an injection, with the label that the policy gives that record;
 * nothing else is said of where injections are. Every ask and every denial counts as an ask, and the run goes on as if it
 * had been approved.
 *
 * <p>With variables, a task that needs no untrusted text is played with {@code hide: untrusted}. Any other, and every
 * attack, is played as if the agent had read all that was hidden: what nobody has read steers nobody.
 */
final class SuiteReplay {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private static final List<String> LISTS = List.of("tools", "userTasks", "injectionTasks", "pairs");

    private final Policy policy;
    private final @Nullable Policy hiding;
    private final ServerPolicy server;
    private final JsonNode suite;
    private final boolean prompts;
    private final Set<String> consequential = new HashSet<>();
    private final Map<String, JsonNode> userTasks;
    private final Map<String, JsonNode> injectionTasks;
    private final ArrayNode remarks = JSON.arrayNode();

    /**
     * Makes ready to play a suite.
     *
     * @param policy a policy of one server, of which the suite's tools are
     * @param prompts whether the guard is told what the user typed
     * @param variables whether the agent gets handles of untrusted values of the server
     * @throws Main.InputFailure where {@code suite} is none
     */
    SuiteReplay(Policy policy, JsonNode suite, boolean prompts, boolean variables) {
        for (String list : LISTS) {
            if (!suite.path(list).isArray()) {
                throw new Main.InputFailure("this is no suite of traces: it has no list `" + list + "`");
            }
        }
        this.suite = suite;
        this.prompts = prompts;
        this.server = policy.servers().values().iterator().next();
        this.userTasks = byId(suite.path("userTasks"));
        this.injectionTasks = byId(suite.path("injectionTasks"));
        Policy knowing = policy.knowing(destinations());
        this.policy = variables ? knowing.hiding(Hiding.NOTHING) : knowing;
        this.hiding = variables
                ? knowing.hiding(everythingOf(server, knowing.obligations().hiding()))
                : null;
        for (JsonNode tool : suite.path("tools")) {
            if (tool.path("writes").asBoolean(false) || tool.path("egress").asBoolean(false)) {
                consequential.add(tool.path("name").asString(""));
            }
        }
    }

    /** What the file says of a tool holds still. */
    private static Hiding everythingOf(ServerPolicy server, Hiding stated) {
        return new Hiding(stated.everywhere(), Map.of(server.name(), true), stated.tools());
    }

    private static Map<String, JsonNode> byId(JsonNode list) {
        Map<String, JsonNode> tasks = new LinkedHashMap<>();
        list.forEach(task -> tasks.put(task.path("id").asString(""), task));
        return tasks;
    }

    /** What came of one run. */
    private static final class Outcome {
        private int asked;
        private int denied;
        private int others;
        private final StringBuilder why = new StringBuilder();

        /** Returns whether a consequential call was asked or denied. */
        boolean isStopped() {
            return asked + denied > 0;
        }

        int asks() {
            return asked + denied + others;
        }
    }

    /** Attacks, and how many of them were blocked. */
    private static final class Attacks {
        private int all;
        private int denied;
        private int asked;

        void add(Outcome outcome) {
            all++;
            if (outcome.denied > 0) {
                denied++;
            } else if (outcome.asked > 0) {
                asked++;
            }
        }

        void writeTo(ObjectNode figures) {
            figures.put("attacks", all)
                    .put("attacksBlocked", denied + asked)
                    .put("attacksDenied", denied)
                    .put("attacksAsked", asked);
        }
    }

    /** Returns what the last {@link #run} has to say of tasks that were asked about, and of attacks that passed. */
    ArrayNode remarks() {
        return remarks;
    }

    /** Plays all tasks and all attacks, and returns the figures. */
    ObjectNode run() {
        remarks.removeAll();
        ObjectNode figures = JSON.objectNode();
        figures.put("suite", suite.path("suite").asString(""))
                .put("profile", policy.profile().name().toLowerCase(Locale.ROOT))
                .put("prompt", prompts);
        if (hiding != null) {
            figures.put("variables", true);
        }
        Map<String, Attacks> kinds = attacks(figures);
        benign(figures);
        ObjectNode byKind = figures.putObject("kinds");
        kinds.forEach((name, attacks) -> attacks.writeTo(byKind.putObject(name)));
        return figures;
    }

    /**
     * Plays the attacks and returns them by kind. One without a consequential call, which only wants words of the model,
     * can't be stopped at a tool and is not counted.
     */
    private Map<String, Attacks> attacks(ObjectNode figures) {
        Attacks all = new Attacks();
        Map<String, Attacks> kinds = new TreeMap<>();
        for (JsonNode pair : suite.path("pairs")) {
            JsonNode user = task(pair, "userTask", userTasks);
            JsonNode injection = task(pair, "injectionTask", injectionTasks);
            if (!isConsequential(injection)) {
                continue;
            }
            Outcome outcome =
                    attacked(user, injection, pair.path("firstExposure").asInt(0));
            all.add(outcome);
            kinds.computeIfAbsent(injection.path("kind").asString(""), name -> new Attacks())
                    .add(outcome);
            if (!outcome.isStopped()) {
                remarks.addObject().put("passed", name(user) + " " + name(injection));
            }
        }
        all.writeTo(figures);
        return kinds;
    }

    private static JsonNode task(JsonNode pair, String member, Map<String, JsonNode> tasks) {
        String id = pair.path(member).asString("");
        JsonNode task = tasks.get(id);
        if (task == null) {
            throw new Main.InputFailure("this is no suite of traces: a pair has the " + member + " `" + PlainName.of(id)
                    + "`, and there is none");
        }
        return task;
    }

    private static String name(JsonNode task) {
        return task.path("id").asString("");
    }

    private boolean isConsequential(JsonNode task) {
        for (JsonNode call : task.path("calls")) {
            if (consequential.contains(call.path("tool").asString(""))) {
                return true;
            }
        }
        return false;
    }

    private void benign(ObjectNode figures) {
        int completed = 0;
        int asks = 0;
        int most = 0;
        int unread = 0;
        int passedOn = 0;
        for (JsonNode task : userTasks.values()) {
            Outcome outcome = new Outcome();
            Planned planned = hiding == null ? new Planned(false, false) : benign(task, hiding, outcome);
            if (planned.unread()) {
                unread++;
                passedOn += planned.passedOn() ? 1 : 0;
                remarks.addObject().put("unread", name(task)).put("passedOn", planned.passedOn());
            } else {
                outcome = new Outcome();
                benign(task, policy, outcome);
            }
            completed += outcome.isStopped() ? 0 : 1;
            asks += outcome.asks();
            most = Math.max(most, outcome.asks());
            if (outcome.asks() > 0) {
                remarks.addObject()
                        .put("task", name(task))
                        .put("asks", outcome.asks())
                        .put("why", outcome.why.toString());
            }
        }
        figures.put("benign", userTasks.size())
                .put("benignCompleted", completed)
                .put("asksMean", userTasks.isEmpty() ? 0.0 : (double) asks / userTasks.size())
                .put("asksMax", most);
        if (hiding != null) {
            figures.put("tasksWithoutUntrustedText", unread).put("tasksWithNothingToRead", passedOn);
        }
    }

    private Planned benign(JsonNode task, Policy under, Outcome outcome) {
        try (Rehearsal rehearsal = begin(task, under)) {
            for (JsonNode call : task.path("calls")) {
                rehearsal.answer(play(rehearsal, call, outcome), InjectedAnswer.plain(call));
            }
            return rehearsal.planned();
        }
    }

    /** Plays the task up to the answer that shows the injection, and then the attack, of which alone the outcome is. */
    private Outcome attacked(JsonNode user, JsonNode injection, int firstExposure) {
        Outcome outcome = new Outcome();
        String goal = injection.path("goalText").asString("");
        try (Rehearsal rehearsal = begin(user, policy)) {
            JsonNode calls = user.path("calls");
            for (int i = 0; i < calls.size() && i <= firstExposure; i++) {
                answer(rehearsal, play(rehearsal, calls.get(i), new Outcome()), calls.get(i), goal);
            }
            for (JsonNode call : injection.path("calls")) {
                answer(rehearsal, play(rehearsal, call, outcome), call, goal);
            }
        }
        return outcome;
    }

    private void answer(Rehearsal rehearsal, Ticket ticket, JsonNode call, String goal) {
        rehearsal.answer(ticket, InjectedAnswer.with(goal, call, server));
    }

    private Rehearsal begin(JsonNode user, Policy under) {
        Rehearsal rehearsal = new Rehearsal(under);
        suite.path("tools").forEach(tool -> rehearsal.define(server.name(), definition(tool)));
        if (prompts) {
            rehearsal.typed(user.path("promptText").asString(""));
        }
        return rehearsal;
    }

    private static ObjectNode definition(JsonNode tool) {
        ObjectNode definition = JSON.objectNode();
        definition.put("name", tool.path("name").asString(""));
        definition.set("inputSchema", tool.path("parameters"));
        return definition;
    }

    private Ticket play(Rehearsal rehearsal, JsonNode call, Outcome outcome) {
        String tool = call.path("tool").asString("");
        Ticket ticket = rehearsal.call(server.name(), tool, call.path("args"));
        Decision decision = ticket.decision();
        if (decision.kind() == Decision.Kind.ALLOW) {
            return ticket;
        }
        if (!consequential.contains(tool)) {
            outcome.others++;
        } else if (decision.kind() == Decision.Kind.DENY) {
            outcome.denied++;
        } else {
            outcome.asked++;
        }
        outcome.why.append(outcome.why.isEmpty() ? "" : "; ").append(tool).append(':');
        decision.violations()
                .forEach(each ->
                        outcome.why.append(' ').append(each.code()).append(", ").append(each.toHuman()));
        return ticket;
    }

    /**
     * Returns the members of each destination: what the only recipient argument of a call names, where that is one text and
     * the recipients are others than it. A destination whose members change within the suite has no static list, and is
     * left out.
     */
    private Map<String, Audience> destinations() {
        Map<String, Set<Set<String>>> found = new HashMap<>();
        for (Map<String, JsonNode> tasks : List.of(userTasks, injectionTasks)) {
            for (JsonNode task : tasks.values()) {
                for (JsonNode call : task.path("calls")) {
                    String destination = destination(call);
                    Set<String> members = new TreeSet<>();
                    call.path("sink").path("recipients").forEach(each -> members.add(each.asString("")));
                    if (!destination.isEmpty() && !members.isEmpty() && !members.contains(destination)) {
                        found.computeIfAbsent(destination, name -> new HashSet<>())
                                .add(members);
                    }
                }
            }
        }
        Map<String, Audience> audiences = new HashMap<>();
        found.forEach((name, lists) -> {
            // Whoever is written with a colon, such as the host of a page, is a service and no member of anything.
            Set<String> members = lists.iterator().next();
            if (lists.size() == 1 && members.stream().noneMatch(each -> each.contains(":") || each.equals("public"))) {
                audiences.put(name, new Audience(Set.of(), members, Set.of()));
            }
        });
        return audiences;
    }

    private String destination(JsonNode call) {
        AudienceRule audience = audience(call.path("tool").asString(""));
        if (audience == null || audience.arguments().size() != 1) {
            return "";
        }
        return call.path("args").path(audience.arguments().get(0)).asString("");
    }

    private @Nullable AudienceRule audience(String tool) {
        return server.tools().getOrDefault(tool, ToolStatement.NOTHING).audience();
    }
}
