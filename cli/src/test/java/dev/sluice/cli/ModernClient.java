package dev.sluice.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** A raw client of revision 2026-07-28 over HTTP: each request says all of itself, and can say it wrongly. */
final class ModernClient implements AutoCloseable {

    static final String REVISION = "2026-07-28";

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String PREFIX = "io.modelcontextprotocol/";

    private final HttpClient http = HttpClient.newHttpClient();
    private final URI address;
    private int ids;

    /** Sent with every request. */
    String token = "";

    ModernClient(URI address) {
        this.address = address;
    }

    /** A request that can still be changed. */
    final class Asked {
        final ObjectNode message = JSON.createObjectNode().put("jsonrpc", "2.0").put("id", ++ids);
        final Map<String, List<String>> headers = new LinkedHashMap<>();

        Asked(String method, String params) {
            message.put("method", method).set("params", JSON.readTree(params));
            meta().put(PREFIX + "protocolVersion", REVISION).putObject(PREFIX + "clientCapabilities");
            meta().putObject(PREFIX + "clientInfo").put("name", "t").put("version", "1");
            header("Content-Type", "application/json");
            header("Accept", "application/json, text/event-stream");
            header("MCP-Protocol-Version", REVISION);
            header("Mcp-Method", method);
            JsonNode name = message.path("params").path(method.equals("resources/read") ? "uri" : "name");
            if (name.isString()) {
                header("Mcp-Name", name.stringValue());
            }
        }

        ObjectNode meta() {
            return ((ObjectNode) message.get("params")).withObjectProperty("_meta");
        }

        /** Says something more in {@code _meta}. */
        Asked says(String key, String value) {
            meta().put(key, value);
            return this;
        }

        /** Sends the header with these values, which are none where it is left out. */
        Asked header(String name, String... values) {
            headers.put(name, List.of(values));
            return this;
        }

        HttpRequest request() {
            HttpRequest.Builder builder = HttpRequest.newBuilder(address);
            headers.forEach((name, values) -> values.forEach(value -> builder.header(name, value)));
            if (!token.isEmpty()) {
                builder.header("Authorization", "Bearer " + token);
            }
            return builder.POST(HttpRequest.BodyPublishers.ofString(message.toString()))
                    .build();
        }

        HttpResponse<String> send() throws IOException, InterruptedException {
            return http.send(request(), HttpResponse.BodyHandlers.ofString());
        }

        CompletableFuture<HttpResponse<InputStream>> start() {
            return http.sendAsync(request(), HttpResponse.BodyHandlers.ofInputStream());
        }

        /** Returns the answer, from JSON or from the last event. */
        JsonNode answer() throws IOException, InterruptedException {
            List<JsonNode> messages = HttpClientSide.messages(send().body());
            return messages.get(messages.size() - 1);
        }
    }

    Asked ask(String method, String params) {
        return new Asked(method, params);
    }

    Asked call(String tool, String arguments) {
        return new Asked("tools/call", "{\"name\":\"" + tool + "\",\"arguments\":" + arguments + "}");
    }

    HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() {
        http.shutdownNow();
        http.close();
    }
}
