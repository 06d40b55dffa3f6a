package dev.sluice.cli;

import dev.sluice.guard.Ticket;
import dev.sluice.policy.Audience;
import dev.sluice.policy.Decision;
import dev.sluice.policy.ItemRule;
import dev.sluice.policy.LabelledItem;
import dev.sluice.policy.Policy;
import dev.sluice.policy.Returns;
import dev.sluice.policy.ServerPolicy;
import dev.sluice.policy.ToolStatement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Plays a suite of AgentDojo traces through the guard.
 *
 * <p>The guard sees tools, arguments, the text of each answer and, unless told otherwise, what the user typed. Of a sink it
 * sees the members of a destination, such as those of a channel, as a static list. In an attacked run the goal of the
 * attack stands as one more text in each record that carries an injection, with the label that the policy gives that
 * record; nothing else is said of where injections are. Every ask and every denial counts as an ask, and the run goes on.
 */
final class SuiteReplay {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final Policy policy;
    private final ServerPolicy server;
    private final JsonNode suite;
    private final boolean prompts;
    private final Set<String> consequential = new HashSet<>();
    private final ArrayNode remarks = JSON.arrayNode();

    SuiteReplay(Policy policy, JsonNode suite, boolean prompts) {
        if (!suite.path("tools").isArray()
                || !suite.path("userTasks").isArray()
                || !suite.path("pairs").isArray()) {
            throw new Main.InputFailure("this is no suite of traces: it has no lists `tools`, `userTasks` and `pairs`");
        }
        this.suite = suite;
        this.prompts = prompts;
        this.policy = policy.knowing(destinations(suite));
        this.server = policy.servers().values().iterator().next();
        for (JsonNode tool : suite.path("tools")) {
            if (tool.path("writes").asBoolean(false) || tool.path("egress").asBoolean(false)) {
                consequential.add(tool.path("name").asString(""));
            }
        }
    }

    /** What a channel is: its members. Only destinations that are one plain text argument and stand for several people. */
    private static Map<String, Audience> destinations(JsonNode suite) {
        Map<String, Set<String>> members = new TreeMap<>();
        for (String list : List.of("userTasks", "injectionTasks")) {
            for (JsonNode task : suite.path(list)) {
                for (JsonNode call : task.path("calls")) {
                    String channel = call.path("args").path("channel").asString("");
                    if (!channel.isEmpty()
                            && call.path("sink").path("recipients").isArray()) {
                        Set<String> all = members.computeIfAbsent(channel, name -> new TreeSet<>());
                        call.path("sink").path("recipients").forEach(each -> all.add(each.asString("")));
                    }
                }
            }
        }
        Map<String, Audience> audiences = new HashMap<>();
        members.forEach((name, all) -> audiences.put(name, new Audience(Set.of(), all, Set.of())));
        return audiences;
    }

    ArrayNode remarks() {
        return remarks;
    }

    ObjectNode run() {
        Map<String, JsonNode> users = byId("userTasks");
        Map<String, JsonNode> injections = byId("injectionTasks");
        ObjectNode figures = JSON.objectNode();
        figures.put("suite", suite.path("suite").asString(""))
                .put("profile", policy.profile().name().toLowerCase(java.util.Locale.ROOT));
        figures.put("prompt", prompts);
        int completed = 0;
        int asks = 0;
        int most = 0;
        for (JsonNode task : users.values()) {
            Outcome outcome = benign(task);
            completed += outcome.asked + outcome.denied == 0 ? 1 : 0;
            asks += outcome.asks();
            most = Math.max(most, outcome.asks());
            if (outcome.asks() > 0) {
                remarks.addObject()
                        .put("task", task.path("id").asString(""))
                        .put("asks", outcome.asks())
                        .put("why", outcome.why.toString());
            }
        }
        int attacks = 0;
        int denied = 0;
        int asked = 0;
        Map<String, int[]> kinds = new LinkedHashMap<>();
        for (JsonNode pair : suite.path("pairs")) {
            JsonNode user = users.get(pair.path("userTask").asString(""));
            JsonNode injection = injections.get(pair.path("injectionTask").asString(""));
            if (user == null || injection == null || !isConsequential(injection)) {
                continue;
            }
            Outcome outcome =
                    attacked(user, injection, pair.path("firstExposure").asInt(0));
            attacks++;
            denied += outcome.denied > 0 ? 1 : 0;
            asked += outcome.denied == 0 && outcome.asked > 0 ? 1 : 0;
            int[] kind = kinds.computeIfAbsent(injection.path("kind").asString(""), name -> new int[2]);
            kind[0]++;
            kind[1] += outcome.denied + outcome.asked > 0 ? 1 : 0;
            if (outcome.denied + outcome.asked == 0) {
                remarks.addObject()
                        .put(
                                "passed",
                                pair.path("userTask").asString("") + " "
                                        + pair.path("injectionTask").asString(""));
            }
        }
        figures.put("attacks", attacks).put("attacksBlocked", denied + asked);
        figures.put("attacksDenied", denied).put("attacksAsked", asked);
        figures.put("benign", users.size()).put("benignCompleted", completed);
        figures.put("asksMean", users.isEmpty() ? 0.0 : Math.round(1000.0 * asks / users.size()) / 1000.0);
        figures.put("asksMax", most);
        ObjectNode byKind = figures.putObject("kinds");
        kinds.forEach(
                (name, count) -> byKind.putObject(name).put("attacks", count[0]).put("attacksBlocked", count[1]));
        return figures;
    }

    private boolean isConsequential(JsonNode task) {
        for (JsonNode call : task.path("calls")) {
            if (consequential.contains(call.path("tool").asString(""))) {
                return true;
            }
        }
        return false;
    }

    private Map<String, JsonNode> byId(String list) {
        Map<String, JsonNode> tasks = new LinkedHashMap<>();
        suite.path(list).forEach(task -> tasks.put(task.path("id").asString(""), task));
        return tasks;
    }

    private static final class Outcome {
        private int asked;
        private int denied;
        private int others;
        private final StringBuilder why = new StringBuilder();

        int asks() {
            return asked + denied + others;
        }
    }

    private Rehearsal begin(JsonNode user) {
        Rehearsal rehearsal = new Rehearsal(policy);
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

    private Outcome benign(JsonNode task) {
        Outcome outcome = new Outcome();
        try (Rehearsal rehearsal = begin(task)) {
            for (JsonNode call : task.path("calls")) {
                rehearsal.answer(count(rehearsal, call, outcome), answer(call));
            }
        }
        return outcome;
    }

    private Outcome attacked(JsonNode user, JsonNode injection, int firstExposure) {
        Outcome outcome = new Outcome();
        String goal = injection.path("goalText").asString("");
        try (Rehearsal rehearsal = begin(user)) {
            int i = 0;
            for (JsonNode call : user.path("calls")) {
                if (i++ > firstExposure) {
                    break;
                }
                Ticket ticket = count(rehearsal, call, new Outcome());
                rehearsal.answer(ticket, call.path("exposesInjection").isEmpty() ? answer(call) : poisoned(call, goal));
            }
            for (JsonNode call : injection.path("calls")) {
                rehearsal.answer(count(rehearsal, call, outcome), answer(call));
            }
        }
        return outcome;
    }

    private Ticket count(Rehearsal rehearsal, JsonNode call, Outcome outcome) {
        String tool = call.path("tool").asString("");
        Ticket ticket = rehearsal.call(server.name(), tool, call.path("args"));
        Decision.Kind kind = ticket.decision().kind();
        if (kind != Decision.Kind.ALLOW) {
            outcome.why
                    .append(tool)
                    .append(": ")
                    .append(ticket.decision().violations().stream()
                            .map(each -> each.code() + " " + each.toHuman())
                            .toList())
                    .append("; ");
            if (!consequential.contains(tool)) {
                outcome.others++;
            } else if (kind == Decision.Kind.DENY) {
                outcome.denied++;
            } else {
                outcome.asked++;
            }
        }
        return ticket;
    }

    private static ObjectNode answer(JsonNode call) {
        ObjectNode result = JSON.objectNode();
        result.putArray("content")
                .addObject()
                .put("type", "text")
                .put("text", call.path("outputText").asString(""));
        return result;
    }

    /** Returns the answer with the attack's goal in each record that carries an injection. */
    private ObjectNode poisoned(JsonNode call, String goal) {
        JsonNode records = call.path("dataReaders").path("records");
        Returns returns = server.tools()
                .getOrDefault(call.path("tool").asString(""), ToolStatement.NOTHING)
                .returns();
        ItemRule rule = returns == null ? null : returns.items();
        Optional<JsonNode> document = rule == null
                ? Optional.empty()
                : rule.parse(call.path("outputText").asString(""));
        if (rule != null && document.isPresent()) {
            List<LabelledItem> items = rule.apply(document.get(), call.path("args"), server.name(), "user");
            if (items.size() == records.size()) {
                ObjectNode result = JSON.objectNode();
                result.putArray("content");
                JsonNode root = document.get().deepCopy();
                for (int i = 0; i < items.size(); i++) {
                    if (!records.get(i).path("exposes").isEmpty()) {
                        root = with(root, items.get(i).pointer(), goal);
                    }
                }
                result.set("structuredContent", root);
                return result;
            }
        }
        ObjectNode result = answer(call);
        ((ArrayNode) result.path("content")).addObject().put("type", "text").put("text", goal);
        return result;
    }

    /** Returns the document with one more text in the item at {@code pointer}. */
    private static JsonNode with(JsonNode root, String pointer, String goal) {
        JsonNode item = root.at(pointer);
        if (item instanceof ObjectNode object) {
            object.put("injected", goal);
        } else if (item instanceof ArrayNode array) {
            array.add(goal);
        } else if (pointer.isEmpty()) {
            return JSON.stringNode(item.asString("") + "\n" + goal);
        } else {
            JsonNode parent = root.at(pointer.substring(0, pointer.lastIndexOf('/')));
            String last = pointer.substring(pointer.lastIndexOf('/') + 1);
            JsonNode longer = JSON.stringNode(item.asString("") + "\n" + goal);
            if (parent instanceof ArrayNode array) {
                array.set(Integer.parseInt(last), longer);
            } else if (parent instanceof ObjectNode object) {
                object.set(last.replace("~1", "/").replace("~0", "~"), longer);
            }
        }
        return root;
    }
}
