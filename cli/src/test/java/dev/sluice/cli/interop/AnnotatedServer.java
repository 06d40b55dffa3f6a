package dev.sluice.cli.interop;

import dev.sluice.schemes.evidence.EvidenceWriter;
import dev.sluice.wire.ActionMetadata;
import dev.sluice.wire.Claim;
import dev.sluice.wire.DataSource;
import dev.sluice.wire.Destination;
import dev.sluice.wire.Dimension;
import dev.sluice.wire.EvidenceRef;
import dev.sluice.wire.Outcome;
import dev.sluice.wire.Sensitivity;
import dev.sluice.wire.TrustAnnotations;
import dev.sluice.wire.canonical.Canonicalizations;
import dev.sluice.wire.json.JsonIndex;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A server over stdio that says whatever the encoders of Sluice can write, in every place where it can stand, and
 * numbers that few readers keep. Each start says the same, to the byte.
 */
public final class AnnotatedServer {

    private static final JsonMapper JSON = JsonMapper.shared();

    /** Numbers that no double holds, or not with these digits. */
    private static final String NUMBERS =
            "{\"one\":1,\"integer\":12345678901234567890,\"long\":9007199254740993,\"decimal\":1.10,\"exact\":0.1234567890123456789}";

    private static final String NUMBERS_KEY = "numbers.example/all";

    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");

    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private final EvidenceWriter evidence = new EvidenceWriter(Canonicalizations.JCS);

    /** JCS refuses a result with the numbers above, so a binding to it is made in the other form. */
    private final EvidenceWriter binding = new EvidenceWriter(Canonicalizations.CBOR);

    private final EvidenceWriter.Signer signer =
            new EvidenceWriter.Signer("records.clinic.example", "main", key(), Clock.fixed(NOW, ZoneOffset.UTC));

    private AnnotatedServer() {}

    /** Runs until standard input ends. */
    public static void main(String[] args) throws IOException {
        new AnnotatedServer().serve();
    }

    /** A fixed key: signatures are the same at each start. */
    private static PrivateKey key() {
        byte[] encoded = HexFormat.of().parseHex("302e020100300506032b657004220420" + "07".repeat(32));
        try {
            return KeyFactory.getInstance("Ed25519").generatePrivate(new PKCS8EncodedKeySpec(encoded));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private void serve() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JsonNode message = JSON.readTree(line);
            if (message.has("method") && message.has("id")) {
                out.println("{\"jsonrpc\":\"2.0\",\"id\":" + message.path("id") + ","
                        + answer(message.path("method").asString(""), message.path("params")) + "}");
            }
        }
    }

    private String answer(String method, JsonNode params) {
        return switch (method) {
            case "initialize" ->
                "\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{},\"resources\":{},"
                        + "\"prompts\":{},\"extensions\":{\"" + TrustAnnotations.KEY + "\":{},\"" + ActionMetadata.KEY
                        + "\":{}}},\"serverInfo\":{\"name\":\"annotated\",\"version\":\"1\"}}";
            case "ping" -> "\"result\":{}";
            case "tools/list" -> "\"result\":" + tools();
            case "tools/call" -> "\"result\":" + called(params.path("name").asString(""));
            case "resources/read" -> "\"result\":" + read();
            case "prompts/get" -> "\"result\":" + prompt();
            default -> "\"error\":{\"code\":-32601,\"message\":\"method not found\"}";
        };
    }

    private ObjectNode tools() {
        ObjectNode list = object("{\"tools\":[]}");
        ObjectNode report = tool("report");
        new ActionMetadata(
                        new ActionMetadata.Input(
                                Dimension.of(Destination.EPHEMERAL), Dimension.of(Sensitivity.NONE), Map.of()),
                        new ActionMetadata.Returns(
                                Dimension.of(DataSource.UNTRUSTED_PUBLIC), Dimension.of(Sensitivity.PII), Map.of()),
                        Dimension.of(Outcome.BENIGN),
                        Claim.FALSE,
                        Map.of())
                .writeTo(report);
        ObjectNode send = tool("send");
        Sensitivity regulated = new Sensitivity(Sensitivity.Kind.REGULATED, Set.of("HIPAA"), "");
        new ActionMetadata(
                        new ActionMetadata.Input(
                                several(Destination.INTERNAL, Destination.PUBLIC),
                                several(Sensitivity.NONE, regulated),
                                vendor()),
                        new ActionMetadata.Returns(
                                several(DataSource.SYSTEM, DataSource.USER),
                                several(Sensitivity.NONE, regulated),
                                vendor()),
                        several(Outcome.CONSEQUENTIAL, Outcome.IRREVERSIBLE),
                        Claim.TRUE,
                        vendor())
                .writeTo(send);
        list.withArray("tools").add(report).add(send);
        object(list, "_meta").set(NUMBERS_KEY, object(NUMBERS));
        return list;
    }

    private static ObjectNode tool(String name) {
        ObjectNode tool = object("{\"name\":\"" + name + "\",\"description\":\"" + name
                + "\",\"inputSchema\":{\"type\":\"object\",\"properties\":{}},\"annotations\":{\"readOnlyHint\":"
                + name.equals("report") + ",\"openWorldHint\":true,\"vendor.example/hint\":true}}");
        object(tool, "_meta").set(NUMBERS_KEY, object(NUMBERS));
        return tool;
    }

    /** Two values, in this order at each start. */
    private static <T> Dimension<T> several(T first, T second) {
        return Dimension.of(new LinkedHashSet<>(List.of(first, second)));
    }

    private static Map<String, JsonNode> vendor() {
        return Map.of("vendor.example/more", object("{\"list\":[1,null,\"a\"]}"));
    }

    private ObjectNode called(String tool) {
        if (!tool.equals("report")) {
            return object("{\"content\":[{\"type\":\"text\",\"text\":\"sent\"}]}");
        }
        ObjectNode result = object("{\"content\":["
                + "{\"type\":\"text\",\"text\":\"a report\"},"
                + "{\"type\":\"image\",\"data\":\"AAAA\",\"mimeType\":\"image/png\"},"
                + "{\"type\":\"audio\",\"data\":\"AAAA\",\"mimeType\":\"audio/wav\"},"
                + "{\"type\":\"resource_link\",\"uri\":\"report:1\",\"name\":\"one\"},"
                + "{\"type\":\"resource\",\"resource\":{\"uri\":\"report:2\",\"text\":\"two\"}},"
                + "{\"type\":\"resource\",\"resource\":{\"uri\":\"report:3\",\"blob\":\"AAAA\"}}"
                + "],\"structuredContent\":" + NUMBERS + "}");
        for (JsonNode block : result.path("content")) {
            if (block.path("resource") instanceof ObjectNode resource) {
                claim().writeTo(resource);
            }
            claim().writeTo((ObjectNode) block);
        }
        EvidenceRef bound = binding.write(
                "ifc.fides.v1",
                object("{\"integrity\":\"untrusted\",\"confidentiality\":\"private\"}"),
                result,
                signer);
        EvidenceRef unbound = evidence.write(
                "data-class.v1",
                object("{\"class\":\"confidential\",\"container_visibility\":\"public\",\"origin\":\"open_world\","
                        + "\"resource_kind\":\"security_advisory_draft\"}"));
        new TrustAnnotations(Claim.TRUE, Claim.TRUE, List.of(bound, unbound), vendor()).writeTo(result);
        object(result, "_meta").set(NUMBERS_KEY, object(NUMBERS));
        return result;
    }

    /** What stands on blocks: all but a binding, which is to a whole result. */
    private TrustAnnotations claim() {
        return new TrustAnnotations(
                Claim.TRUE,
                Claim.FALSE,
                List.of(evidence.write(
                        "ifc.fides.v1", object("{\"integrity\":\"trusted\",\"confidentiality\":\"private\"}"))),
                vendor());
    }

    private ObjectNode read() {
        ObjectNode result = object("{\"contents\":[{\"uri\":\"report:2\",\"text\":\"two\"},"
                + "{\"uri\":\"report:3\",\"blob\":\"AAAA\"}]}");
        result.path("contents").forEach(each -> claim().writeTo((ObjectNode) each));
        claim().writeTo(result);
        return result;
    }

    private ObjectNode prompt() {
        ObjectNode result =
                object("{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"hi\"}}]}");
        claim().writeTo((ObjectNode) result.at("/messages/0/content"));
        claim().writeTo(result);
        return result;
    }

    /** Numbers stay as they are written. */
    private static ObjectNode object(String json) {
        return (ObjectNode)
                JsonIndex.parse(json.getBytes(StandardCharsets.UTF_8)).root().tree();
    }

    private static ObjectNode object(ObjectNode holder, String member) {
        if (holder.get(member) instanceof ObjectNode there) {
            return there;
        }
        ObjectNode made = JsonNodeFactory.instance.objectNode();
        holder.set(member, made);
        return made;
    }
}
