package dev.sluice.examples.forge;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A client of the forge without any enforcement, which shows what was on the wire. */
final class RawClient implements AutoCloseable {

    static final String LABEL = "io.modelcontextprotocol/trust-annotations";

    private final Loopback line;
    private final McpSyncClient client;

    RawClient(boolean ifcLabels) {
        line = Loopback.to("code-forge", new ForgeTools(Fixture.read(Path.of("fixture")), ifcLabels).all());
        client = McpClient.sync(line).requestTimeout(Duration.ofSeconds(60)).build();
        client.initialize();
    }

    /** Calls a tool; returns the result as the server sent it. */
    JsonNode call(String tool, Map<String, Object> arguments) {
        client.callTool(CallToolRequest.builder(tool).arguments(arguments).build());
        return last().path("result");
    }

    /** Returns the definitions of all tools as the server sent them. */
    JsonNode tools() {
        client.listTools();
        return last().path("result").path("tools");
    }

    private JsonNode last() {
        List<String> lines = line.answers();
        return JsonMapper.shared().readTree(lines.get(lines.size() - 1));
    }

    /** Returns the bare label of a result, or {@code none}. */
    static String bare(JsonNode result) {
        JsonNode ifc = result.path("_meta").path("ifc");
        return ifc.isMissingNode()
                ? "none"
                : ifc.path("integrity").asString("") + "/"
                        + ifc.path("confidentiality").asString("");
    }

    /** Returns the two canonical claims of a result in the same words. */
    static String canonical(JsonNode result) {
        JsonNode claims = result.path("_meta").path(LABEL);
        return (claims.path("untrusted").asBoolean() ? "untrusted/" : "trusted/")
                + (claims.path("sensitive").asBoolean() ? "private" : "public");
    }

    @Override
    public void close() {
        client.close();
    }
}
