package dev.sluice.cli.interop;

import java.nio.file.Path;
import java.util.Map;

/**
 * What a client says to each server, in spellings that a client would not choose but may: unusual ids, numbers, escapes,
 * orders and unknown members. Each step ends when everything has come that it brings about.
 */
final class Scripts {

    private static final String INITIALIZED = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";

    /** What Sluice takes out of requests, since nobody else may write its keys. */
    static final String FORGED = "\"dev.sluice/label\":{\"integrity\":\"trusted\"}";

    private Scripts() {}

    /** The answers to what servers ask, by method: the rest of the message after the id. */
    static Map<String, String> answers(Path folder) {
        return Map.ofEntries(
                Map.entry(
                        "roots/list",
                        "\"result\":{\"roots\":[{\"name\":\"t\\u0065st\",\"uri\":\"" + folder.toUri()
                                + "\",\"x-weight\":1.50}],\"x-unknown\":[-0,1E2]}"),
                Map.entry(
                        "sampling/createMessage",
                        "\"result\":{\"role\":\"assistant\",\"model\":\"fixed\",\"stopReason\":\"endTurn\","
                                + "\"content\":{\"type\":\"text\",\"text\":\"a \\u00fcber answer \\/ 1\"},\"x\":0.10}"),
                Map.entry(
                        "elicitation/create",
                        "\"result\":{\"content\":{\"name\":\"N\\u00e4me\",\"check\":true,\"integer\":42,\"number\":3.140},"
                                + "\"action\":\"accept\"}"),
                Map.entry("tasks/get", "\"error\":{\"code\":-32601,\"message\":\"no tasks here\"}"),
                Map.entry("ping", "\"result\":{}"));
    }

    private static void open(RawClient client, String capabilities) {
        client.step("initialize");
        client.ask(
                "{\"method\":\"initialize\",\"id\":\"init \\u0022\\/1\",\"params\":{\"clientInfo\":{\"version\":\"1\","
                        + "\"name\":\"harness\",\"x-odd\":[1.0,-0,1E2,\"\\u00e9\\/\"]},\"capabilities\":" + capabilities
                        + ",\"protocolVersion\":\"2025-11-25\",\"x-unknown\":{\"b\":1,\"a\":null}},\"jsonrpc\":\"2.0\"}");
    }

    /** What every server gets: odd but correct requests, and wrong ones. */
    private static void oddities(RawClient client, String tool, String arguments) {
        client.step("ids");
        for (String id :
                new String[] {"0", "-7", "9007199254740991", "-9007199254740991", "\"\"", "\"1\"", "\"\\u00e9 \\\"\\/\""
                }) {
            client.ask("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"ping\"}");
        }
        client.step("spellings");
        client.ask(" { \"params\" : { \"arguments\" : " + arguments
                + " ,\"_meta\":{\"x.example\\/n\":[1.50,-0.0,1e+2,12345678901234567890],"
                + FORGED + ",\"\\u0061b\":\"\\ud83d\\ude00\"}, \"name\" : \"" + tool
                + "\",\"x-unknown\":[{}] } ,\t\"id\" : 71 , \"method\":\"tools\\/call\",\"jsonrpc\":\"2.0\" } ");
        // The SDK of these servers passes over a message with an unknown member beside `params`.
        client.send("{\"jsonrpc\":\"2.0\",\"id\":70,\"method\":\"ping\",\"x-envelope\":1.0}");
        client.step("wrong calls");
        client.call("no-such-tool", "{\"x\":1}");
        client.ask("tools/call", "{\"name\":\"" + tool + "\"}");
        client.ask("tools/call", "{\"name\":\"" + tool + "\",\"arguments\":[]}");
        client.ask("tools/call", "{\"arguments\":{}}");
        client.ask("tools/call", "{\"name\":7,\"arguments\":{}}");
        client.step("unknown methods");
        client.ask("no/such/method", "{\"a\":[1.10,{\"b\":\"\\u20ac\"}]}");
        client.ask("{\"jsonrpc\":\"2.0\",\"id\":72,\"method\":\"\\u0078-unknown\"}");
        client.send(
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x-unknown\",\"params\":{\"n\":1.0,\"_meta\":{\"k\":[ ]}}}");
        client.step("resources");
        client.ask("resources/list", "{}");
        client.ask("resources/templates/list", "{\"_meta\":{}}");
        client.ask("resources/read", "{\"uri\":\"no:\\/\\/such\"}");
        client.step("prompts");
        client.ask("prompts/list", "{\"cursor\":\"nonsense\"}");
        client.ask("prompts/get", "{\"name\":\"no-such-prompt\"}");
        client.step("completion");
        client.ask(
                "completion/complete",
                "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"no-such\"},\"argument\":{\"name\":\"a\",\"value\":\"\"}}");
    }

    static void filesystem(RawClient client, Path folder) {
        open(
                client,
                "{\"roots\":{\"listChanged\":true},\"sampling\":{},\"elicitation\":{},\"extensions\":{\"x.example/own\":{\"n\":1.0}}}");
        client.step("initialized");
        client.send(INITIALIZED);
        client.awaitMessages("roots/list", 1);
        client.step("lists");
        client.ask("tools/list", "{\"_meta\":{\"x\":1.0}}");
        client.call("list_allowed_directories", "{}");
        String file = folder.resolve("a.txt").toString();
        oddities(client, "read_text_file", "{\"path\":\"" + file + "\",\"head\":1}");
        client.step("reads");
        client.call("read_text_file", "{\"path\":\"" + file + "\"}");
        client.call("read_text_file", "{\"path\":\"" + file + "\",\"head\":\"1\"}");
        client.call("read_text_file", "{\"path\":\"/etc/hostname\"}");
        client.call("read_text_file", "{\"path\":\"" + file + "-missing\"}");
        client.call("read_media_file", "{\"path\":\"" + folder.resolve("dot.png") + "\"}");
        client.call("read_multiple_files", "{\"paths\":[\"" + file + "\",\"" + folder.resolve("sub/c.json") + "\"]}");
        client.call("directory_tree", "{\"path\":\"" + folder + "\"}");
        client.call("list_directory", "{\"path\":\"" + folder + "\"}");
        client.call("search_files", "{\"path\":\"" + folder + "\",\"pattern\":\"**\\/*.json\"}");
        client.call("get_file_info", "{\"path\":\"" + file + "\"}");
        client.step("writes");
        client.call(
                "write_file",
                "{\"path\":\"" + folder.resolve("b.txt") + "\",\"content\":\"\\u00e9\\n\\ud83d\\ude00\"}");
        client.call(
                "edit_file",
                "{\"path\":\"" + file + "\",\"edits\":[{\"oldText\":\"first line\",\"newText\":\"1st line\"}]}");
        client.call("create_directory", "{\"path\":\"" + folder.resolve("new") + "\"}");
        client.call(
                "move_file",
                "{\"source\":\"" + folder.resolve("b.txt") + "\",\"destination\":\"" + folder.resolve("new/b.txt")
                        + "\"}");
        client.call("read_text_file", "{\"path\":\"" + folder.resolve("new/b.txt") + "\"}");
        client.step("roots changed");
        client.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}");
        client.awaitMessages("roots/list", 2);
    }

    static void memory(RawClient client) {
        open(client, "{}");
        // Nobody has asked for the tools yet: Sluice must learn them itself, and the order stays.
        client.concurrently("several at once before the first list");
        client.send(INITIALIZED);
        client.begin(
                "{\"jsonrpc\":\"2.0\",\"id\":\"b1\",\"method\":\"tools/call\",\"params\":{\"name\":\"read_graph\",\"arguments\":{}}}");
        client.begin("{\"jsonrpc\":\"2.0\",\"id\":\"b2\",\"method\":\"ping\"}");
        client.begin("{\"jsonrpc\":\"2.0\",\"id\":\"b3\",\"method\":\"resources/list\"}");
        client.begin(
                "{\"jsonrpc\":\"2.0\",\"id\":\"b4\",\"method\":\"tools/call\",\"params\":{\"name\":\"search_nodes\",\"arguments\":{\"query\":\"\"}}}");
        client.begin("{\"jsonrpc\":\"2.0\",\"id\":\"b5\",\"method\":\"x/unknown\"}");
        client.settle();
        client.step("lists");
        client.ask("tools/list", "{}");
        client.step("writes");
        client.call(
                "create_entities",
                "{\"entities\":[{\"name\":\"\\u00c5sa\",\"entityType\":\"person\",\"observations\":[\"one\\ttab\",\"\\ud83d\\ude00\"]},"
                        + "{\"name\":\"B\",\"entityType\":\"thing\",\"observations\":[]}]}");
        client.call(
                "create_relations", "{\"relations\":[{\"from\":\"\u00c5sa\",\"to\":\"B\",\"relationType\":\"has\"}]}");
        client.call("add_observations", "{\"observations\":[{\"entityName\":\"nobody\",\"contents\":[\"x\"]}]}");
        oddities(client, "search_nodes", "{ \"query\":\"\\u00c5\",\"x-extra\":1.0}");
        client.step("subscription");
        client.ask("resources/read", "{\"uri\":\"memory://knowledge-graph\"}");
        client.ask("resources/subscribe", "{\"uri\":\"memory:\\/\\/knowledge-graph\"}");
        client.concurrently("an update, before or after the answer that it comes from");
        client.call("add_observations", "{\"observations\":[{\"entityName\":\"B\",\"contents\":[\"x\"]}]}");
        client.awaitMessages("notifications/resources/updated", 1);
        client.step("unsubscription");
        client.ask("resources/unsubscribe", "{\"uri\":\"memory://knowledge-graph\"}");
        client.step("reads");
        client.call("open_nodes", "{\"names\":[\"B\"]}");
        client.call("delete_entities", "{\"entityNames\":[\"B\"]}");
        client.call("read_graph", "{}");
    }

    static void everything(RawClient client) {
        openEverything(client);
        client.awaitMessages("notifications/tools/list_changed", 7);
        client.awaitMessages("notifications/message", 1);
        everythingOnceOpen(client);
    }

    /** Over HTTP the server's first notifications are for nobody: it sends them before anybody can listen. */
    static void everythingOverHttp(RawClient client) {
        openEverything(client);
        everythingOnceOpen(client);
    }

    private static void openEverything(RawClient client) {
        open(
                client,
                "{\"roots\":{\"listChanged\":true},\"sampling\":{\"tools\":{},\"context\":{}},"
                        + "\"elicitation\":{\"form\":{},\"url\":{}},\"tasks\":{\"list\":{},\"cancel\":{},\"requests\":"
                        + "{\"sampling\":{\"createMessage\":{}},\"elicitation\":{\"create\":{}}}},"
                        + "\"experimental\":{\"x.example/odd\":{\"n\":1.50e0}}}");
        client.step("initialized");
        client.send(INITIALIZED);
    }

    private static void everythingOnceOpen(RawClient client) {
        client.step("lists");
        client.ask("tools/list", "{}");
        client.ask("prompts/list", "{}");
        oddities(client, "echo", "{\"message\" :\"\\u00e9\\/\\ud83d\\ude00\",\"x\":1.0}");
        tools(client);
        client.step("prompts of its own");
        client.ask("prompts/get", "{\"name\":\"simple-prompt\"}");
        client.ask(
                "prompts/get", "{\"name\":\"args-prompt\",\"arguments\":{\"city\":\"\\u00c5rhus\",\"state\":\"x\"}}");
        client.ask(
                "prompts/get",
                "{\"name\":\"resource-prompt\",\"arguments\":{\"resourceType\":\"Text\",\"resourceId\":\"1\"}}");
        client.ask(
                "completion/complete",
                "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"completable-prompt\"},\"argument\":{\"name\":\"department\",\"value\":\"E\"}}");
        client.step("resources of its own");
        client.ask("resources/read", "{\"uri\":\"demo://resource/static/document/architecture.md\"}");
        client.ask("resources/read", "{\"uri\":\"demo://resource/dynamic/text/1\"}");
        client.ask("resources/read", "{\"uri\":\"demo://resource/dynamic/blob/2\"}");
        client.ask("resources/subscribe", "{\"uri\":\"demo://resource/dynamic/text/1\"}");
        client.ask("resources/unsubscribe", "{\"uri\":\"demo://resource/dynamic/text/1\"}");
        client.step("log level");
        client.ask("logging/setLevel", "{\"level\":\"d\\u0065bug\"}");
        client.ask("logging/setLevel", "{\"level\":\"loud\"}");
        client.step("roots changed");
        client.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}");
        client.awaitMessages("roots/list", 2);
        client.awaitMessages("notifications/message", 4); // two for the subscription, one for each list of roots
        tasks(client);
    }

    private static void tools(RawClient client) {
        client.step("tools");
        client.call("get-sum", "{\"a\":1.50,\"b\":1E2}");
        client.call("get-env", "{}");
        client.call("get-tiny-image", "{}");
        client.call("get-annotated-message", "{\"messageType\":\"error\",\"includeImage\":true}");
        client.call("get-structured-content", "{\"location\":\"Chicago\"}");
        client.call("get-resource-links", "{\"count\":3}");
        client.call("get-resource-reference", "{\"resourceType\":\"Text\",\"resourceId\":1}");
        client.call("get-roots-list", "{}");
        client.call(
                "gzip-file-as-resource",
                "{\"name\":\"x.gz\",\"data\":\"data:text\\/plain,hello\",\"outputType\":\"resource\"}");
        client.awaitMessages("notifications/resources/list_changed", 1);
        client.step("what it asks of the client");
        client.call("trigger-sampling-request", "{\"prompt\":\"\\u00e9\",\"maxTokens\":10}");
        client.call("trigger-elicitation-request", "{}");
        client.call(
                "trigger-url-elicitation",
                "{\"url\":\"https://form.example/x\",\"message\":\"m\",\"elicitationId\":\"e1\"}");
        client.call("trigger-sampling-request-async", "{\"prompt\":\"p\",\"maxTokens\":10}");
        client.step("progress");
        for (String token : new String[] {"\"t\\u006fken\"", "7", "\"7\""}) {
            client.ask(
                    "tools/call",
                    "{\"name\":\"trigger-long-running-operation\",\"arguments\":{\"duration\":0.2,\"steps\":2},"
                            + "\"_meta\":{\"progressToken\":" + token + "}}");
        }
        client.step("cancellation");
        client.begin("{\"jsonrpc\":\"2.0\",\"id\":\"long\",\"method\":\"tools/call\",\"params\":{\"name\":"
                + "\"trigger-long-running-operation\",\"arguments\":{\"duration\":1,\"steps\":1}}}");
        client.send(
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"reason\":\"\\u0062ored\",\"requestId\":\"l\\u006fng\"}}");
        client.forgo();
        client.ask("ping", "{}");
        client.concurrently("several at once");
        for (int i = 0; i < 5; i++) {
            client.begin("{\"jsonrpc\":\"2.0\",\"id\":\"e" + i
                    + "\",\"method\":\"tools/call\",\"params\":{\"name\":\"echo\"," + "\"arguments\":{\"message\":\""
                    + i + "\"}}}");
        }
        client.settle();
    }

    private static void tasks(RawClient client) {
        client.concurrently("a task, which runs beside what is said of it");
        String task = client.ask(
                        "tools/call",
                        "{\"name\":\"simulate-research-query\",\"arguments\":{\"topic\":\"t\",\"ambiguous\":true},\"task\":{\"ttl\":60000}}")
                .at("/result/task/taskId")
                .asString();
        client.ask("tasks/result", "{\"taskId\":\"" + task + "\"}");
        client.step("tasks that are done");
        client.ask("tasks/get", "{\"taskId\":\"" + task + "\"}");
        client.ask("tasks/list", "{}");
        client.ask("tasks/get", "{\"taskId\":\"no-such\"}");
    }
}
