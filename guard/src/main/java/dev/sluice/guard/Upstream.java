package dev.sluice.guard;

import dev.sluice.labels.Label;
import dev.sluice.labels.Source;
import dev.sluice.policy.Grant;
import dev.sluice.policy.Returns;
import dev.sluice.policy.ServerPolicy;
import dev.sluice.policy.ToolDefinition;
import dev.sluice.policy.ToolStatement;
import dev.sluice.schemes.Base;
import dev.sluice.schemes.DefaultLabels;
import dev.sluice.schemes.evidence.EvidenceVerifier;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * One connection to a server, as the guard sees it: what the operator says of the server, and what it defined here.
 *
 * <p>Definitions belong to a connection, since two processes of one server may define different tools.
 */
public final class Upstream {

    private final ServerPolicy first;
    private final boolean described;
    private final Supplier<InForce> inForce;
    private final Map<String, ToolDefinition> tools = new ConcurrentHashMap<>();
    private final Map<String, OutputSchema> schemas = new ConcurrentHashMap<>();
    private final Set<String> changed = ConcurrentHashMap.newKeySet();
    private final ResolvingPauses resolving = new ResolvingPauses();
    private volatile InForce.OfServer said;

    /**
     * Makes a connection.
     *
     * @param first what is said of the server when it is connected
     * @param inForce the policy that holds now; what it says of a server that was described counts from then on
     */
    Upstream(ServerPolicy first, Supplier<InForce> inForce) {
        this.first = first;
        this.inForce = inForce;
        InForce now = inForce.get();
        this.described = now.described().contains(first.name());
        this.said = now.of(first, described);
    }

    private InForce.OfServer said() {
        InForce now = inForce.get();
        InForce.OfServer held = said;
        if (held.inForce() != now) {
            held = now.of(first, described);
            said = held;
        }
        return held;
    }

    /** Returns the server's name in labels, records and rules. */
    public String name() {
        return first.name();
    }

    ServerPolicy policy() {
        return said().policy();
    }

    /** Returns when it may be asked what a call does. */
    ResolvingPauses resolving() {
        return resolving;
    }

    /** Returns what checks the evidence of this server. */
    EvidenceVerifier evidence() {
        InForce.OfServer now = said();
        return now.inForce().evidence().verifier(now.policy().evidence());
    }

    /** Returns the definition of {@code tool}; that of an unlisted one, with the strict defaults, where there is none. */
    ToolDefinition definition(String tool) {
        ToolDefinition known = tools.get(tool);
        return known != null ? known : ToolDefinition.unlisted(name(), tool);
    }

    /** Returns what the server says of the structured answers of {@code tool}; empty where it says nothing. */
    Optional<OutputSchema> outputSchema(String tool) {
        JsonNode text = definition(tool).outputSchema();
        return text.isObject()
                ? Optional.of(schemas.computeIfAbsent(tool, name -> new OutputSchema(text)))
                : Optional.empty();
    }

    /** Returns what the approved definition of {@code tool} says of its answers; missing where none was ever approved. */
    JsonNode approvedOutput(String tool) {
        return isPinned(tool) ? definition(tool).outputSchema() : MissingNode.getInstance();
    }

    /** Returns the names of those {@code listed} that are more than {@code most} with all that were listed before. */
    Set<String> beyond(int most, List<ToolDefinition> listed) {
        Set<String> fresh = new TreeSet<>();
        Set<String> beyond = new TreeSet<>();
        for (ToolDefinition tool : listed) {
            String name = tool.name();
            if (!tools.containsKey(name) && !fresh.contains(name)) {
                (tools.size() + fresh.size() < most ? fresh : beyond).add(name);
            }
        }
        return beyond;
    }

    /** Returns whether the server listed {@code tool}. */
    public boolean lists(String tool) {
        return tools.containsKey(tool);
    }

    /** Returns the names of arguments, and of their members, that the server, the operator or a shipped profile stated. */
    Set<String> names(Inbound inbound) {
        Set<String> names = new TreeSet<>();
        if (inbound instanceof Inbound.ToolCall || inbound instanceof Inbound.Resolve) {
            ToolStatement stated = stated(inbound.name());
            names.addAll(definition(inbound.name()).arguments());
            names.addAll(definition(inbound.name()).members());
            Stream.of(stated.payload(), stated.resource(), stated.inert(), stated.steers())
                    .filter(Objects::nonNull)
                    .forEach(names::addAll);
            if (stated.audience() != null) {
                names.addAll(stated.audience().arguments());
            }
        } else if (inbound.method().equals(Inbound.LISTEN)) {
            names.addAll(Inbound.LISTENED);
        }
        return names;
    }

    /** Returns the digest to which the policy file pins that definition; empty where it does not say. */
    Optional<String> pinned(String kind, String name) {
        return kind.equals("tool")
                ? policy().pins().tool(name)
                : policy().pins().instructed();
    }

    /**
     * Returns whether {@code tool} is defined as approved. Where the file pins it, that is decided by what is defined now: a
     * server that doesn't list it has not shown what it calls by that name.
     */
    boolean isPinned(String tool) {
        return policy().pins()
                .tool(tool)
                .map(definition(tool).digest()::equals)
                .orElseGet(() -> !changed.contains(tool));
    }

    /** Forgets all definitions: until the server lists them anew its tools are as any that nobody listed. */
    public void forget() {
        tools.clear();
        schemas.clear();
    }

    /** Takes note of a definition and whether it is the approved one; once changed, one that the file doesn't pin stays so here. */
    void define(ToolDefinition definition, boolean approved) {
        if (!approved) {
            changed.add(definition.name()); // first: nobody may read the definition as an approved one meanwhile
        }
        tools.put(definition.name(), definition);
        schemas.remove(definition.name());
    }

    /** Returns what the operator and a shipped profile say of {@code tool}. */
    ToolStatement stated(String tool) {
        InForce.OfServer now = said();
        ToolStatement operator = now.policy().tools().getOrDefault(tool, ToolStatement.NOTHING);
        return operator.orElse(now.shipped().getOrDefault(tool, ToolStatement.NOTHING));
    }

    /** Returns the grants that hold at {@code now} for answers of {@code tool}. */
    List<Grant> grants(String tool, Instant now) {
        return said().inForce().policy().grants().stream()
                .filter(grant -> grant.covers(name(), tool, now))
                .toList();
    }

    /** Returns where the labelling of an answer begins: the operator's word on it, else the server's default. */
    Base base(Returns stated, Source own, JsonNode structured) {
        Returns word = stated.orElse(policy().defaults());
        Label silent = DefaultLabels.unlabelled(own);
        Returns.Privacy privacy = word.confidentiality();
        return new Base(
                new Label(
                        Optional.ofNullable(word.integrity()).orElse(silent.integrity()),
                        privacy == null ? silent.confidentiality() : privacy.of(name(), own, structured),
                        classes(word, silent)),
                word.integrity() != null,
                privacy != null,
                word.classes() != null);
    }

    /** Returns the label of what may be the answer of any tool: no less than that of any of which anybody says anything. */
    Label ofAnyTool() {
        InForce.OfServer now = said();
        Source own = new Source.OfServer(name());
        Label label = base(Returns.NOTHING, own, MissingNode.getInstance()).label();
        Set<String> names = new TreeSet<>(now.policy().tools().keySet());
        names.addAll(now.shipped().keySet());
        for (String name : names) {
            Returns returns = stated(name).returns();
            if (returns != null) {
                label = label.join(base(returns, own, MissingNode.getInstance()).label());
            }
        }
        return label;
    }

    /** Public data of which nobody named a class has none. */
    private static java.util.SortedSet<dev.sluice.labels.DataClass> classes(Returns word, Label silent) {
        if (word.classes() != null) {
            return new java.util.TreeSet<>(word.classes());
        }
        return word.confidentiality() instanceof Returns.Privacy.Public ? new java.util.TreeSet<>() : silent.classes();
    }
}
