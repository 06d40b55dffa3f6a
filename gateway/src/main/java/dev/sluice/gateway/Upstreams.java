package dev.sluice.gateway;

import dev.sluice.gateway.proxy.Children;
import dev.sluice.gateway.proxy.Server;
import dev.sluice.gateway.proxy.Standing;
import dev.sluice.gateway.transport.ChildProcess;
import dev.sluice.gateway.transport.HttpAddress;
import dev.sluice.gateway.transport.HttpUpstream;
import dev.sluice.gateway.transport.UpstreamHttp;
import dev.sluice.gateway.transport.UpstreamLink;
import dev.sluice.policy.EnvironmentText;
import dev.sluice.policy.ServerLine;
import dev.sluice.policy.ServerPolicy;
import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The servers of a policy, as this process reaches them. Whatever they share of it lives and ends with this. */
public final class Upstreams implements AutoCloseable {

    private final Map<String, String> environment;
    private final int limit;
    private final Log log;
    private final List<Server> servers = new ArrayList<>();
    private final List<Server.Links> links = new ArrayList<>();
    private final List<Runnable> lines = new ArrayList<>();
    private final Children children;
    private @Nullable UpstreamHttp http;

    /**
     * How one server does.
     *
     * @param name its name
     * @param word how it does
     * @param since since when
     */
    public record State(String name, Standing.Word word, Instant since) {}

    private Upstreams(Map<String, String> environment, int limit, int children, Log log) {
        this.children = new Children(children, Math.max(1, children / 2));
        this.environment = Map.copyOf(environment);
        this.limit = limit;
        this.log = log;
    }

    /**
     * Returns what reaches these servers. None is started or asked yet.
     *
     * @param environment what fills the places of headers and variables
     * @param limit the longest message, in bytes
     * @param children how many child processes there may be; half of them for one principal
     * @throws IOException where the environment lacks what an entry names; the message names it
     */
    public static Upstreams of(
            Collection<ServerPolicy> policies, Map<String, String> environment, int limit, int children, Log log)
            throws IOException {
        Upstreams all = new Upstreams(environment, limit, children, log);
        for (ServerPolicy policy : policies) {
            Server.Links links = all.links(policy);
            all.links.add(links);
            Server.Links counted = policy.line().url().isEmpty()
                    ? principal -> all.children.counted(policy.name(), principal, links.link(principal))
                    : links;
            all.servers.add(
                    policy.line().shared()
                            ? Server.shared(policy, counted, line -> all.lines.add(line), log)
                            : new Server(policy, counted));
        }
        return all;
    }

    private Server.Links links(ServerPolicy policy) throws IOException {
        ServerLine line = policy.line();
        if (line.url().isEmpty()) {
            Map<String, String> env = filled(policy.name(), "env", line.env());
            return principal -> new ChildProcess(policy.name(), policy.command(), env, limit, log);
        }
        HttpAddress address = HttpAddress.of(
                policy.name(),
                URI.create(line.url()),
                filled(policy.name(), "headers", line.headers()),
                line.headers().values().stream()
                        .flatMap(text -> text.variables().stream())
                        .distinct()
                        .toList());
        UpstreamHttp client = http == null ? new UpstreamHttp() : http;
        http = client;
        return principal -> new HttpUpstream(policy.name(), address, client, limit, log);
    }

    private Map<String, String> filled(String server, String key, Map<String, EnvironmentText> texts)
            throws IOException {
        Map<String, String> filled = new LinkedHashMap<>();
        for (Map.Entry<String, EnvironmentText> entry : texts.entrySet()) {
            Optional<String> missing = entry.getValue().missing(environment);
            if (missing.isPresent()) {
                throw new IOException("the environment has no `" + missing.get() + "`, which `" + entry.getKey()
                        + "` under `" + key + "` of the server `" + server + "` names; set it");
            }
            filled.put(entry.getKey(), entry.getValue().filled(environment));
        }
        return filled;
    }

    /** Returns the servers, in the order of the policy. */
    public List<Server> servers() {
        return List.copyOf(servers);
    }

    /**
     * Returns a new line to the only server, which is for nobody else: no cap and no sharing applies.
     *
     * @throws IOException where there can be none
     */
    public UpstreamLink onlyLink() throws IOException {
        return links.get(0).link("");
    }

    /** Returns how each server does. */
    public List<State> states() {
        return servers.stream()
                .map(server -> {
                    Standing.Now now = server.standing().now();
                    return new State(server.policy().name(), now.word(), now.since());
                })
                .toList();
    }

    /** Returns the words of the policy by which a server gets to know of files: those that it is started with. */
    public static List<String> told(ServerPolicy policy) {
        List<String> words = new ArrayList<>(policy.command());
        policy.line().env().values().forEach(text -> words.add(text.written()));
        return words;
    }

    @Override
    public void close() {
        lines.forEach(Runnable::run);
        if (http != null) {
            http.close();
        }
    }
}
