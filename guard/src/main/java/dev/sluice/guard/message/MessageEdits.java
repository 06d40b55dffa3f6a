// This file has more than 400 lines because all edits that anybody makes stand here, to be read together.
package dev.sluice.guard.message;

import dev.sluice.guard.Edit;
import dev.sluice.guard.Released;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.wire.ActionMetadata;
import dev.sluice.wire.IfcLabel;
import dev.sluice.wire.LegacyClaims;
import dev.sluice.wire.RequestAnnotations;
import dev.sluice.wire.TrustAnnotations;
import dev.sluice.wire.VendorKeys;
import dev.sluice.wire.json.JsonEdits;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The edits that Sluice makes on messages of others, and no more: everything else passes byte for byte.
 *
 * <p>{@code docs/lossless.md} lists them for people.
 */
public final class MessageEdits {

    private static final String META = "_meta";
    private static final List<String> BLOCKS = List.of("content", "contents", "messages");
    private static final String TRACEPARENT = "traceparent";

    private final RpcMessage message;
    private final JsonEdits edits;

    /** The {@code _meta} that a message got which had none. */
    private @Nullable ObjectNode made;

    /** Where what is replaced or taken out whole ends, by where it starts: nothing inside may be edited. */
    private final TreeMap<Integer, Integer> gone = new TreeMap<>();

    public MessageEdits(RpcMessage message) {
        this.message = message;
        this.edits = new JsonEdits(message.index());
    }

    /** Returns the edits of a message on its way to a server, which must not speak in our name. */
    public static MessageEdits toServer(RpcMessage message) {
        MessageEdits edits = new MessageEdits(message);
        edits.root().member("params").ifPresent(edits::strip);
        return edits;
    }

    /** Returns the message with all edits; white space around it is no part of it. */
    public byte[] apply() {
        return edits.isEmpty() ? message.bytes() : withoutBlanks(edits.apply());
    }

    private static byte[] withoutBlanks(byte[] text) {
        int from = 0;
        int to = text.length;
        while (text[from] <= ' ' && text[from] > 0) {
            from++;
        }
        while (text[to - 1] <= ' ' && text[to - 1] > 0) {
            to--;
        }
        return from == 0 && to == text.length ? text : Arrays.copyOfRange(text, from, to);
    }

    public JsonEdits edits() {
        return edits;
    }

    private Value root() {
        return message.index().root();
    }

    /** Writes {@code id} in place of the message's own, where they are not the same id; its spelling is its writer's. */
    public MessageEdits id(RpcId id) {
        Value own = root().member("id").orElseThrow();
        if (!RpcMessage.id(own).key().equals(id.key())) {
            edits.replace(own, id.bytes());
        }
        return this;
    }

    /** Writes the text {@code value} in place of the string at {@code pointer}, where there is one. */
    public MessageEdits text(String pointer, String value) {
        root().pointer(pointer)
                .filter(own -> own.kind() == Kind.STRING && !own.string().equals(value))
                .ifPresent(own -> edits.replace(own, json(JsonNodeFactory.instance.stringNode(value))));
        return this;
    }

    /** Declares both extensions among the capabilities that stand in {@code holder}. */
    public MessageEdits declareExtensions(Value holder) {
        Optional<Value> capabilities = holder.member("capabilities").filter(value -> value.kind() == Kind.OBJECT);
        capabilities.ifPresent(this::declareExtensionsIn); // a malformed handshake is answered by whom it is for
        return this;
    }

    /** Declares both extensions in {@code capabilities}, an object. */
    public MessageEdits declareExtensionsIn(Value capabilities) {
        Optional<Value> extensions = capabilities.member("extensions").filter(value -> value.kind() == Kind.OBJECT);
        ObjectNode missing = JsonNodeFactory.instance.objectNode();
        for (String key : List.of(TrustAnnotations.KEY, ActionMetadata.KEY)) {
            if (extensions.isEmpty() || extensions.get().member(key).isEmpty()) {
                missing.putObject(key);
            }
        }
        if (extensions.isEmpty()) {
            edits.setMember(capabilities, "extensions", json(missing));
        } else {
            missing.properties()
                    .forEach(member -> edits.setMember(extensions.get(), member.getKey(), json(member.getValue())));
        }
        return this;
    }

    /** Takes our own keys out of {@code _meta} of {@code holder} and of the blocks in it: nobody else may write them. */
    public MessageEdits strip(Value holder) {
        stripMeta(holder);
        stripBlocks(holder);
        return this;
    }

    private void stripMeta(Value holder) {
        meta(holder)
                .filter(meta -> !isGone(meta))
                .ifPresent(meta -> meta.members().stream()
                        .map(JsonIndex.Member::name)
                        .filter(name -> name.startsWith(VendorKeys.PREFIX))
                        .forEach(name -> edits.removeMember(meta, name)));
    }

    private static Optional<Value> meta(Value holder) {
        return holder.kind() == Kind.OBJECT
                ? holder.member(META).filter(value -> value.kind() == Kind.OBJECT)
                : Optional.empty();
    }

    /** Puts values in the place of their handles in the arguments of a call. */
    public MessageEdits expand(List<Edit> values) {
        root().pointer("/params/arguments").ifPresent(arguments -> take(arguments, values));
        return this;
    }

    /** Adds elements to the end of {@code tools}. */
    public MessageEdits offer(Value tools, List<byte[]> definitions) {
        definitions.forEach(each -> edits.appendElement(tools, each));
        return this;
    }

    /** Takes those parts out of {@code holder} that the agent must not see; before any other edit. */
    public MessageEdits take(Value holder, List<Edit> parts) {
        for (Edit part : parts) {
            JsonNode value = part.value();
            edits.find(holder, part.pointer()).ifPresent(there -> gone.put(there.start(), there.end()));
            if (value == null) {
                edits.removeAt(holder, part.pointer());
            } else {
                edits.replaceAt(holder, part.pointer(), json(value));
            }
        }
        return this;
    }

    private boolean isGone(Value value) {
        Map.Entry<Integer, Integer> before = gone.floorEntry(value.start());
        return before != null && value.end() <= before.getValue();
    }

    /**
     * Takes out what the agent must not see, and writes what the guard says of an answer into {@code _meta} of {@code
     * holder}, in place of what claimed to be ours.
     */
    public MessageEdits mark(Value holder, Released released) {
        Optional<JsonNode> replacement = released.replacement();
        if (replacement.isPresent()) {
            ObjectNode whole = (ObjectNode) replacement.get().deepCopy();
            whole.set(META, released.meta());
            edits.replace(holder, json(whole));
            return this;
        }
        if (holder.kind() != Kind.OBJECT) {
            return this;
        }
        take(holder, released.edits());
        stripBlocks(holder);
        ObjectNode added = released.meta().deepCopy();
        ObjectNode claims = JsonNodeFactory.instance.objectNode();
        if (released.untrusted()) {
            claims.put("untrusted", true);
        }
        if (released.sensitive()) {
            claims.put("sensitive", true);
        }
        Optional<Value> meta = meta(holder).filter(own -> !isGone(own));
        if (meta.isEmpty()) {
            if (!claims.isEmpty()) {
                added.set(TrustAnnotations.KEY, claims);
            }
            edits.setMember(holder, META, json(added));
            return this;
        }
        // Some clients read the bare label of some servers: it must not say what was not believed either.
        meta.get()
                .member(IfcLabel.KEY)
                .filter(value -> value.kind() == Kind.OBJECT)
                .ifPresent(ifc -> {
                    raise(ifc, "integrity", "untrusted", released.label().integrity() == Integrity.UNTRUSTED);
                    raise(
                            ifc,
                            "confidentiality",
                            "private",
                            !released.label().confidentiality().isPublic());
                });
        Optional<Value> annotations =
                meta.get().member(TrustAnnotations.KEY).filter(value -> value.kind() == Kind.OBJECT);
        if (annotations.isPresent()) {
            // A claim that lowers and was not believed must not be read by the next one as if it had been.
            contradict(annotations.get(), "untrusted", released.label().integrity() == Integrity.UNTRUSTED, claims);
            contradict(
                    annotations.get(),
                    "sensitive",
                    !released.label().confidentiality().isPublic(),
                    claims);
            claims.properties().forEach(claim -> {
                Optional<Value> own = annotations.get().member(claim.getKey());
                if (own.isEmpty() || own.get().kind() != Kind.TRUE) {
                    edits.setMember(annotations.get(), claim.getKey(), json(claim.getValue()));
                }
            });
        } else if (!claims.isEmpty()) {
            edits.setMember(meta.get(), TrustAnnotations.KEY, json(claims));
        }
        Set<String> ours = Set.copyOf(added.propertyNames());
        meta.get().members().stream()
                .map(JsonIndex.Member::name)
                .filter(name -> name.startsWith(VendorKeys.PREFIX) && !ours.contains(name))
                .forEach(name -> edits.removeMember(meta.get(), name));
        added.properties().forEach(member -> edits.setMember(meta.get(), member.getKey(), json(member.getValue())));
        return this;
    }

    /** Writes the same into what a tool gave, where {@code holder} tells of a task and holds that: it may be handed on alone. */
    public MessageEdits markOfTask(Value holder, Released released) {
        if (holder.kind() == Kind.OBJECT && !released.isCut()) {
            holder.member("result")
                    .filter(ofTask -> ofTask.kind() == Kind.OBJECT)
                    .ifPresent(ofTask -> mark(ofTask, released));
        }
        return this;
    }

    /**
     * Forbids caches to keep an answer that is not trusted and public, where it says that they may: they would give it away
     * past the guard.
     *
     * <p>Source: MCP revision 2026-07-28, caching.
     */
    public MessageEdits notCached(Value holder, Released released) {
        if (holder.kind() == Kind.OBJECT && !released.label().equals(Label.BOTTOM)) {
            holder.member("ttlMs")
                    .filter(own -> !isGone(own))
                    .ifPresent(own -> edits.replace(own, json(JsonNodeFactory.instance.numberNode(0))));
            holder.member("cacheScope")
                    .filter(own -> !isGone(own))
                    .ifPresent(own -> edits.replace(own, json(JsonNodeFactory.instance.stringNode("private"))));
        }
        return this;
    }

    /** Raises what {@code params} say of the session that the call comes from; the client's own word stays as it is. */
    public MessageEdits tell(Value params, RequestAnnotations told) {
        if (!(params.tree() instanceof ObjectNode raised)) {
            return this;
        }
        told.writeTo(raised);
        JsonNode annotations = raised.path(META).path(LegacyClaims.KEY);
        Optional<Value> meta = meta(params);
        Optional<Value> there =
                meta.flatMap(own -> own.member(LegacyClaims.KEY)).filter(own -> own.kind() == Kind.OBJECT);
        if (meta.isEmpty()) {
            made = (ObjectNode) raised.path(META);
            edits.setMember(params, META, json(made));
        } else if (there.isEmpty()) {
            edits.setMember(meta.get(), LegacyClaims.KEY, json(annotations));
        } else {
            annotations.properties().stream()
                    .filter(member -> there.get()
                            .member(member.getKey())
                            .filter(own -> own.tree().equals(member.getValue()))
                            .isEmpty())
                    .forEach(member -> edits.setMember(there.get(), member.getKey(), json(member.getValue())));
        }
        return this;
    }

    /** Says in {@code params} which span the message belongs to, in place of the client's own word; after {@link #tell}. */
    public MessageEdits trace(Value params, String traceparent) {
        Optional<Value> meta = meta(params);
        JsonNode parent = JsonNodeFactory.instance.stringNode(traceparent);
        if (meta.isPresent()) {
            edits.setMember(meta.get(), TRACEPARENT, json(parent));
        } else if (params.kind() == Kind.OBJECT
                && (made != null || params.member(META).isEmpty())) {
            ObjectNode whole = made == null ? JsonNodeFactory.instance.objectNode() : made.deepCopy();
            whole.set(TRACEPARENT, parent);
            made = whole;
            edits.setMember(params, META, json(whole));
        }
        return this;
    }

    /**
     * Says in {@code _meta} of the parameters what every request of a modern revision says of its client, in place of what
     * stands there under these keys; after {@link #tell} and {@link #trace}.
     *
     * @param said the keys of {@link RequestMeta#OF_THE_CLIENT} that there is something to say under
     */
    public MessageEdits ofClient(ObjectNode said) {
        Optional<Value> params = root().member("params");
        if (params.isEmpty()) {
            ObjectNode whole = JsonNodeFactory.instance.objectNode();
            whole.set(META, said);
            edits.setMember(root(), "params", json(whole));
            return this;
        }
        if (params.get().kind() != Kind.OBJECT) {
            return this;
        }
        Optional<Value> meta = meta(params.get());
        if (meta.isPresent()) {
            withoutClient();
            said.properties().forEach(member -> edits.setMember(meta.get(), member.getKey(), json(member.getValue())));
        } else {
            ObjectNode whole = made == null ? JsonNodeFactory.instance.objectNode() : made.deepCopy();
            whole.setAll(said);
            made = whole;
            edits.setMember(params.get(), META, json(whole));
        }
        return this;
    }

    /**
     * Takes out of {@code _meta} of the parameters what says of a client what a legacy revision says in its handshake: a server
     * of both eras would take the message for one of the other.
     */
    public MessageEdits withoutClient() {
        root().member("params")
                .flatMap(MessageEdits::meta)
                .ifPresent(meta -> RequestMeta.OF_THE_CLIENT.forEach(key -> edits.removeMember(meta, key)));
        return this;
    }

    private void raise(Value ifc, String member, String strict, boolean isStrict) {
        ifc.member(member)
                .filter(own ->
                        isStrict && !(own.kind() == Kind.STRING && own.string().equals(strict)))
                .ifPresent(own -> edits.replace(own, json(JsonNodeFactory.instance.stringNode(strict))));
    }

    private static void contradict(Value annotations, String claim, boolean isTrue, ObjectNode claims) {
        if (isTrue
                && annotations
                        .member(claim)
                        .filter(own -> own.kind() != Kind.TRUE)
                        .isPresent()) {
            claims.put(claim, true);
        }
    }

    /** The places of blocks are those at which annotations are read. */
    private void stripBlocks(Value holder) {
        stripParts(holder, BLOCKS);
        stripRequests(holder);
        holder.member("inputResponses")
                .filter(responses -> responses.kind() == Kind.OBJECT)
                .ifPresent(responses -> responses.members().forEach(each -> stripHeld(each.value())));
        holder.member("result").filter(ofTask -> ofTask.kind() == Kind.OBJECT).ifPresent(ofTask -> {
            stripHeld(ofTask);
            stripRequests(ofTask);
        });
    }

    private void stripHeld(Value holder) {
        if (holder.kind() == Kind.OBJECT) {
            stripMeta(holder);
            stripParts(holder, BLOCKS);
        }
    }

    private void stripParts(Value holder, List<String> names) {
        names.forEach(name -> holder.member(name).ifPresent(this::stripParts));
    }

    /** What a server asks the client for stands in its answer as it would in requests of its own. */
    private void stripRequests(Value holder) {
        holder.member("inputRequests")
                .filter(requests -> requests.kind() == Kind.OBJECT)
                .ifPresent(requests -> requests.members()
                        .forEach(each -> Optional.of(each.value())
                                .filter(request -> request.kind() == Kind.OBJECT)
                                .flatMap(request -> request.member("params"))
                                .ifPresent(this::stripHeld)));
    }

    private void stripParts(Value parts) {
        for (Value part : parts.kind() == Kind.ARRAY ? parts.elements() : List.of(parts)) {
            stripMeta(part);
            part.member("resource").ifPresent(this::stripParts);
            part.member("content").ifPresent(this::stripParts);
        }
    }

    /** Takes the elements of {@code tools} out whose names are in {@code withheld}. */
    public MessageEdits withhold(Value tools, Set<String> withheld) {
        List<Value> elements = tools.elements();
        for (int i = 0; i < elements.size(); i++) {
            if (withheld.contains(name(elements.get(i)))) {
                edits.removeElement(tools, i);
            }
        }
        return this;
    }

    public static String name(Value tool) {
        return tool.kind() == Kind.OBJECT
                ? tool.member("name")
                        .filter(name -> name.kind() == Kind.STRING)
                        .map(Value::string)
                        .orElse("")
                : "";
    }

    public static byte[] json(JsonNode node) {
        return node.toString().getBytes(StandardCharsets.UTF_8);
    }
}
