package dev.sluice.policy;

import dev.sluice.labels.Vocabulary;
import dev.sluice.wire.canonical.Digest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Reads policy files: YAML 1.2, checked whole, every problem with its line and mend. {@code docs/policy.md} has the keys.
 */
public final class PolicyParser {

    static final int LARGEST_FILE = 4 << 20;
    private static final Pattern SERVER_NAME = Pattern.compile("[A-Za-z0-9](([A-Za-z0-9-]|_(?!_)){0,38}[A-Za-z0-9-])?");

    private final String file;
    private final List<PolicyException.Problem> problems = new ArrayList<>();
    private final HidingReader hiding = new HidingReader();
    private final Map<String, ReaderLookup> lookups = new HashMap<>();
    private final Map<String, Profile> ofServers = new HashMap<>();
    private final Map<String, Map<String, Profile>> ofTools = new HashMap<>();

    /** Returns whether a server can have that name. */
    public static boolean isServerName(String name) {
        return SERVER_NAME.matcher(name).matches();
    }

    private PolicyParser(String file) {
        this.file = file;
    }

    /**
     * Returns the policy in {@code file}.
     *
     * @throws PolicyException where it can't be read, or says anything that can't be meant
     */
    public static Policy read(Path file) {
        try {
            if (Files.size(file) > LARGEST_FILE) {
                throw new PolicyException(List.of(
                        new PolicyException.Problem(file.toString(), 0, "a policy file can have 4 MiB at most")));
            }
            return parse(file.toString(), utf8(file.toString(), Files.readAllBytes(file)));
        } catch (IOException e) {
            throw new PolicyException(List.of(
                    new PolicyException.Problem(file.toString(), 0, "the policy can't be read; name a readable file")));
        }
    }

    private static String utf8(String file, byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length);
        CoderResult result = StandardCharsets.UTF_8.newDecoder().decode(in, out, true);
        out.flip();
        if (result.isError()) {
            throw new PolicyException(List.of(new PolicyException.Problem(
                    file, lineAt(out, out.length()), "this line is no UTF-8; save the file as UTF-8")));
        }
        return out.toString();
    }

    static int lineAt(CharSequence text, int end) {
        return 1 + (int) text.subSequence(0, end).chars().filter(c -> c == '\n').count();
    }

    /**
     * Returns the policy that {@code text} states.
     *
     * @param file what problems name as their file
     * @throws PolicyException where the text says anything that can't be meant
     */
    public static Policy parse(String file, String text) {
        PolicyParser parser = new PolicyParser(file);
        Policy policy = parser.policy(text);
        parser.check();
        return policy;
    }

    /** Returns the policy of a first use, where there is no file: balanced, enforced, nothing said of any server. */
    public static Policy firstUse() {
        return new Policy(
                "",
                Digest.sha256(new byte[0]).text(),
                Mode.ENFORCE,
                Profiles.all(Profile.BALANCED),
                Map.of(),
                List.of(),
                List.of(),
                Map.of(),
                List.of(),
                List.of(),
                List.of(),
                Map.of(),
                Obligations.NONE,
                GatewaySettings.USUAL);
    }

    /**
     * Returns why a server can't be reached at {@code url}, with the mend; empty where it can.
     *
     * @param insecure whether an address that is not encrypted will do, though it is not of this machine
     */
    public static Optional<String> urlFault(String url, boolean insecure) {
        return ServerLineReader.fault(url, insecure);
    }

    /** Returns what a shipped profile says of the tools of one server: a mapping {@code tools}, as in a policy. */
    static Map<String, ToolStatement> tools(String file, String text) {
        PolicyParser parser = new PolicyParser(file);
        YamlMap root = YamlMap.of(file, PolicyYaml.compose(file, text), "the profile", parser.problems);
        Map<String, ToolStatement> tools = new ToolReader(new Expressions(Map.of()), null).tools(root, "");
        root.end("a shipped profile");
        parser.check();
        return tools;
    }

    private void check() {
        if (!problems.isEmpty()) {
            problems.sort(Comparator.comparingInt(PolicyException.Problem::line));
            throw new PolicyException(problems);
        }
    }

    private Policy policy(String text) {
        Node rootNode = PolicyYaml.compose(file, text);
        YamlMap root = YamlMap.of(file, rootNode, "the policy", problems);
        Optional<String> version = root.text("version");
        if (version.isEmpty() || !version.get().equals("1")) {
            root.problem(root.node("version").orElse(rootNode), "the policy must say `version: 1`");
        }
        Mode mode = root.choice("mode", Mode.class).orElse(Mode.ENFORCE);
        Profile profile = root.choice("profile", Profile.class).orElse(Profile.BALANCED);
        Map<String, Audience> audiences = audiences(root);
        Expressions expressions = new Expressions(audiences);
        Map<String, ServerPolicy> servers = new LinkedHashMap<>();
        root.map("servers").ifPresent(map -> {
            for (String name : map.keys()) {
                Node node = map.node(name).orElseThrow();
                if (!SERVER_NAME.matcher(name).matches()) {
                    map.problem(
                            node,
                            "`" + name
                                    + "` can't name a server; use up to 40 letters, digits, `-` and single `_` between them");
                }
                servers.put(name, server(name, map.map(name).orElseThrow(), expressions));
            }
        });
        List<String> inside = root.texts("inside").orElse(List.of());
        for (String name : inside) {
            if (!audiences.containsKey(name)) {
                root.problem(
                        root.node("inside").orElseThrow(),
                        "`" + name + "` is no audience of this policy; describe it under `audiences`");
            }
        }
        List<Vocabulary> vocabularies = vocabularies(root);
        RulesReader rulesReader = new RulesReader(expressions, servers);
        List<Rule> rules = rulesReader.rules(root);
        List<Sequence> sequences = new SequencesReader(expressions, rulesReader).sequences(root);
        List<Grant> grants = new GrantsReader(expressions, rulesReader, servers.keySet()).grants(root);
        Obligations obligations = new Obligations(rulesReader.redactions(root), hiding.hiding(root));
        GatewaySettings gateway = GatewayReader.gateway(root);
        root.end("a policy");
        String digest = Digest.sha256(text.getBytes(StandardCharsets.UTF_8)).text();
        Profiles profiles = new Profiles(profile, ofServers, ofTools);
        return new Policy(
                file,
                digest,
                mode,
                profiles,
                audiences,
                inside,
                vocabularies,
                servers,
                rules,
                sequences,
                grants,
                lookups,
                obligations,
                gateway);
    }

    private Map<String, Audience> audiences(YamlMap root) {
        Map<String, Audience> audiences = new LinkedHashMap<>();
        root.map("audiences")
                .ifPresent(map -> map.keys().forEach(name -> {
                    YamlMap audience = YamlMap.of(file, map.node(name).orElseThrow(), "`" + name + "`", problems);
                    audiences.put(
                            name,
                            new Audience(
                                    new TreeSet<>(audience.texts("domains").orElse(List.of())),
                                    new TreeSet<>(audience.texts("members").orElse(List.of())),
                                    new TreeSet<>(audience.texts("servers").orElse(List.of()))));
                    audience.end("an audience");
                }));
        return audiences;
    }

    private List<Vocabulary> vocabularies(YamlMap root) {
        List<Vocabulary> all = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        root.node("vocabularies")
                .ifPresent(list -> root.items(list)
                        .forEach(item -> EvidenceReader.vocabulary(
                                        item, YamlMap.of(file, item, "a vocabulary", problems), ids)
                                .ifPresent(all::add)));
        return all;
    }

    private ServerPolicy server(String name, YamlMap map, Expressions expressions) {
        List<String> command = map.texts("command").orElse(List.of());
        ServerLine line = ServerLineReader.line(map);
        String known = map.text("known").orElse(ServerPolicy.AUTO);
        if (known.equals("none")) {
            known = "";
        } else if (!known.equals(ServerPolicy.AUTO) && !KnownServers.names().contains(known)) {
            map.problem(
                    map.node("known").orElseThrow(),
                    "no profile `" + known + "` ships with sluice; these do: " + String.join(", ", KnownServers.names())
                            + "; or write `none`");
        }
        Returns defaults = map.map("defaults").map(ReturnsReader::defaults).orElse(Returns.NOTHING);
        ServerPolicy.ClaimTrust claims =
                map.node("claims").map(node -> claims(map, node)).orElse(ServerPolicy.ClaimTrust.RAISE_ALL);
        EvidenceTrust evidence = map.map("evidence")
                .map(each -> EvidenceReader.evidence(name, each))
                .orElse(EvidenceTrust.none(name));
        boolean informed = map.bool("informed").orElse(false);
        boolean resolves = map.bool("resolve").orElse(true);
        map.map("readers").ifPresent(each -> lookups.put(name, ReadersReader.readers(each)));
        map.choice("profile", Profile.class).ifPresent(profile -> ofServers.put(name, profile));
        ToolReader reader = new ToolReader(expressions, hiding);
        Map<String, ToolStatement> tools = reader.tools(map, name);
        ofTools.put(name, reader.profiles());
        hiding.server(name, map);
        DefinitionPins pins =
                new DefinitionPins(ToolReader.digest(map, "instructions").orElse(""), reader.definitions());
        map.end("a server");
        return new ServerPolicy(
                name, command, line, known, defaults, claims, evidence, informed, resolves, tools, pins);
    }

    private enum ClaimUse {
        RAISE,
        FULL
    }

    private ServerPolicy.ClaimTrust claims(YamlMap server, Node node) {
        if (!(node instanceof MappingNode)) {
            return server.choice("claims", ClaimUse.class).orElse(ClaimUse.RAISE) == ClaimUse.FULL
                    ? ServerPolicy.ClaimTrust.FULL_ALL
                    : ServerPolicy.ClaimTrust.RAISE_ALL;
        }
        YamlMap map = YamlMap.of(file, node, "`claims`", problems);
        ServerPolicy.ClaimTrust trust = new ServerPolicy.ClaimTrust(
                map.choice("integrity", ClaimUse.class).orElse(ClaimUse.RAISE) == ClaimUse.FULL,
                map.choice("confidentiality", ClaimUse.class).orElse(ClaimUse.RAISE) == ClaimUse.FULL,
                map.choice("classes", ClaimUse.class).orElse(ClaimUse.RAISE) == ClaimUse.FULL);
        map.end("`claims`");
        return trust;
    }
}
