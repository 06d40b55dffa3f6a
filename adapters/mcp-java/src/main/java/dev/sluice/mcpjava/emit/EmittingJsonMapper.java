package dev.sluice.mcpjava.emit;

import dev.sluice.wire.ActionMetadata;
import dev.sluice.wire.json.JsonEdits;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import dev.sluice.wire.json.MalformedJsonException;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A mapper that writes the metadata of tools into their {@code annotations}: the SDK's record for these has no place for
 * it, so what stands in {@code _meta} of a tool is written a second time where the drafts want it.
 *
 * <p>Give it to the transport of a server, of either stack, in the place of the SDK's own. It changes answers that list
 * tools, and nothing else. Where it is forgotten, clients that read {@code _meta} miss nothing.
 */
public final class EmittingJsonMapper implements McpJsonMapper {

    private static final String META = "_meta";
    private static final String ANNOTATIONS = "annotations";

    private final McpJsonMapper mapper;

    /** Makes one that writes and reads as {@code mapper} does. */
    public EmittingJsonMapper(McpJsonMapper mapper) {
        this.mapper = mapper;
    }

    /** Returns one that writes and reads as the SDK's mapper does that is on the class path. */
    public static EmittingJsonMapper usual() {
        return new EmittingJsonMapper(McpJsonDefaults.getMapper());
    }

    @Override
    public String writeValueAsString(Object value) throws IOException {
        String json = mapper.writeValueAsString(value);
        return isAnswer(value) && json.contains(ActionMetadata.KEY) ? mirrored(json) : json;
    }

    @Override
    public byte[] writeValueAsBytes(Object value) throws IOException {
        return isAnswer(value)
                ? writeValueAsString(value).getBytes(StandardCharsets.UTF_8)
                : mapper.writeValueAsBytes(value);
    }

    /** Both stacks have a class of that name, and the older SDK has only one of them. */
    private static boolean isAnswer(Object value) {
        return value.getClass().getSimpleName().equals("JSONRPCResponse")
                && value.getClass().getName().startsWith("io.modelcontextprotocol.");
    }

    private static String mirrored(String json) {
        try {
            JsonIndex index = JsonIndex.parse(json.getBytes(StandardCharsets.UTF_8));
            Optional<Value> tools = index.root()
                    .member("result")
                    .filter(result -> result.kind() == Kind.OBJECT)
                    .flatMap(result -> result.member("tools"))
                    .filter(list -> list.kind() == Kind.ARRAY);
            JsonEdits edits = new JsonEdits(index);
            tools.ifPresent(list -> list.elements().forEach(tool -> mirror(tool, edits)));
            return edits.isEmpty() ? json : new String(edits.apply(), StandardCharsets.UTF_8);
        } catch (MalformedJsonException e) {
            return json; // the mirror in `_meta` is there, and it is not for this place to refuse what the SDK sends
        }
    }

    private static void mirror(Value tool, JsonEdits edits) {
        Optional<Value> metadata = object(tool, META).flatMap(meta -> meta.member(ActionMetadata.KEY));
        if (metadata.isEmpty()) {
            return;
        }
        byte[] bytes = metadata.get().bytes();
        Optional<Value> annotations = object(tool, ANNOTATIONS);
        if (annotations.isPresent()) {
            edits.setMember(annotations.get(), ActionMetadata.KEY, bytes);
        } else {
            String fresh = "{\"" + ActionMetadata.KEY + "\":" + new String(bytes, StandardCharsets.UTF_8) + "}";
            edits.setMember(tool, ANNOTATIONS, fresh.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static Optional<Value> object(Value holder, String name) {
        return Optional.of(holder)
                .filter(each -> each.kind() == Kind.OBJECT)
                .flatMap(each -> each.member(name))
                .filter(each -> each.kind() == Kind.OBJECT);
    }

    @Override
    public <T> T readValue(String json, Class<T> type) throws IOException {
        return mapper.readValue(json, type);
    }

    @Override
    public <T> T readValue(byte[] json, Class<T> type) throws IOException {
        return mapper.readValue(json, type);
    }

    @Override
    public <T> T readValue(String json, TypeRef<T> type) throws IOException {
        return mapper.readValue(json, type);
    }

    @Override
    public <T> T readValue(byte[] json, TypeRef<T> type) throws IOException {
        return mapper.readValue(json, type);
    }

    @Override
    public <T> T convertValue(Object value, Class<T> type) {
        return mapper.convertValue(value, type);
    }

    @Override
    public <T> T convertValue(Object value, TypeRef<T> type) {
        return mapper.convertValue(value, type);
    }
}
