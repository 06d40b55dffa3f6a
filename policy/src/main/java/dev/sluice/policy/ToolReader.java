package dev.sluice.policy;

import dev.sluice.labels.DataClass;
import dev.sluice.wire.Outcome;
import dev.sluice.wire.canonical.Digest;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** Reads what a policy says of tools: {@code tools} of a server. */
final class ToolReader {

    private final ReturnsReader returns;
    private final @Nullable HidingReader hiding;
    private final Map<String, Profile> profiles = new HashMap<>();
    private final Map<String, String> definitions = new HashMap<>();

    /** Reads tools; where {@code hiding} is null, nothing may be said of hiding. */
    ToolReader(Expressions expressions, @Nullable HidingReader hiding) {
        this.returns = new ReturnsReader(expressions);
        this.hiding = hiding;
    }

    Map<String, ToolStatement> tools(YamlMap server, String serverName) {
        Map<String, ToolStatement> tools = new HashMap<>();
        server.map("tools")
                .ifPresent(map -> map.keys()
                        .forEach(
                                name -> tools.put(name, tool(name, map.map(name).orElseThrow(), serverName))));
        return tools;
    }

    /** Returns the profiles that the tools read so far have of their own, by name. */
    Map<String, Profile> profiles() {
        return profiles;
    }

    /** Returns the definitions that the tools read so far were pinned to, by the name of the tool. */
    Map<String, String> definitions() {
        return definitions;
    }

    /** Returns the digest that a key holds. */
    static Optional<String> digest(YamlMap map, String key) {
        Optional<String> digest = map.text(key);
        if (digest.isPresent() && !Digest.isDigest(digest.get())) {
            map.problem(
                    map.node(key).orElseThrow(),
                    "`" + key + "` must be `sha256:` and 64 lower-case hex digits; `sluice init` writes it");
        }
        return digest;
    }

    private ToolStatement tool(String name, YamlMap map, String serverName) {
        map.choice("profile", Profile.class).ifPresent(profile -> profiles.put(name, profile));
        digest(map, "definition").ifPresent(digest -> definitions.put(name, digest));
        Set<Effect> effects =
                map.node("effects").map(node -> effects(map, node)).orElse(null);
        AudienceRule audience = map.node("audience")
                .map(node -> audience(map, node, serverName))
                .orElse(null);
        if (audience != null && effects != null && !effects.contains(Effect.SENDS)) {
            map.problem(
                    map.node("audience").orElseThrow(),
                    "an `audience` is for a tool that sends; add `sends` to its `effects`, or take the audience out");
        }
        ToolStatement statement = new ToolStatement(
                effects,
                audience,
                map.choice("outcome", Outcome.class).orElse(null),
                map.bool("review").orElse(null),
                map.texts("payload").orElse(null),
                map.texts("resource").orElse(null),
                map.bool("derives").orElse(null),
                map.map("returns").map(returns::returns).orElse(null),
                map.texts("inert").orElse(null),
                map.texts("accepts").map(ToolReader::folded).orElse(null),
                map.texts("steers").orElse(null),
                map.bool("alone").orElse(null),
                map.choice("user_named", UserNamed.class)
                        .map(each -> each == UserNamed.DECLASSIFY)
                        .orElse(null));
        checkOneUse(map, statement);
        if (hiding != null) {
            hiding.tool(serverName, name, map);
        }
        map.end("a tool");
        return statement;
    }

    /** An argument that carries nothing can't be content, a recipient or a part of a name. */
    private static void checkOneUse(YamlMap map, ToolStatement said) {
        Set<String> used = new TreeSet<>();
        if (said.payload() != null) {
            used.addAll(said.payload());
        }
        if (said.resource() != null) {
            used.addAll(said.resource());
        }
        if (said.audience() != null) {
            used.addAll(said.audience().arguments());
        }
        if (said.inert() != null) {
            for (String name : said.inert()) {
                if (used.contains(name)) {
                    map.problem(
                            map.node("inert").orElseThrow(),
                            "`" + name + "` can't be inert and also payload, audience or resource; keep one");
                }
            }
        }
    }

    /** Returns the effects that a list names. */
    static Set<Effect> effects(YamlMap map, Node node) {
        Set<Effect> effects = EnumSet.noneOf(Effect.class);
        map.items(node)
                .forEach(item -> map.choice(item, "effects", Effect.class).ifPresent(effects::add));
        if (map.items(node).isEmpty()) {
            map.problem(node, "`effects` names none; write at least `reads`");
        }
        return effects;
    }

    /** {@code public}, {@code server}, or a list of argument names, {@code person: NAME} and {@code resource: true}. */
    private static AudienceRule audience(YamlMap map, Node node, String serverName) {
        if (node instanceof ScalarNode scalar) {
            return switch (scalar.getValue()) {
                case "public" -> AudienceRule.PUBLIC;
                case "server" -> AudienceRule.SERVER_ONLY;
                case "resource" -> new AudienceRule(List.of(), List.of(), true);
                default -> {
                    map.problem(
                            node,
                            "`audience` can't be `" + scalar.getValue()
                                    + "`; write public, server, resource, or a list such as [to, cc]");
                    yield AudienceRule.PUBLIC;
                }
            };
        }
        List<String> arguments = new ArrayList<>();
        List<AudienceMember> constants = new ArrayList<>();
        for (Node item : map.items(node)) {
            if (item instanceof ScalarNode scalar && !scalar.getValue().isEmpty()) {
                arguments.add(scalar.getValue());
            } else {
                YamlMap entry = map.map(item, "an entry of `audience`");
                entry.text("person").ifPresent(person -> {
                    constants.add(AudienceMember.recipient(serverName, person));
                    ReturnsReader.checkPerson(entry, entry.node("person").orElseThrow(), person);
                });
                entry.end("an entry of `audience`");
            }
        }
        if (arguments.isEmpty() && constants.isEmpty()) {
            map.problem(node, "`audience` names nobody; write `server` where nobody but the server sees the data");
        }
        return new AudienceRule(arguments, constants, false);
    }

    private enum UserNamed {
        KEEP,
        DECLASSIFY
    }

    private static Set<String> folded(List<String> names) {
        Set<String> folded = new TreeSet<>();
        names.forEach(name -> folded.add(DataClass.of(name).name()));
        return folded;
    }
}
