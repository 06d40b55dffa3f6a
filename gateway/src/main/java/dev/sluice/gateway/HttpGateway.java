package dev.sluice.gateway;

import dev.sluice.gateway.jsonrpc.RpcMessage;
import dev.sluice.gateway.proxy.ProxySession;
import dev.sluice.gateway.proxy.Server;
import dev.sluice.gateway.transport.HttpEndpoint;
import dev.sluice.gateway.transport.HttpSession;
import dev.sluice.gateway.transport.HttpSessions;
import dev.sluice.gateway.transport.UserWords;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.policy.Policy;
import dev.sluice.store.Engine;
import dev.sluice.store.Session;
import dev.sluice.wire.canonical.Digest;
import dev.sluice.wire.json.JsonIndex;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * One endpoint on loopback, with several servers behind it.
 *
 * <p>A session's id is a secret and is kept only as a digest. A session outlives this process: what its client said in its
 * handshake is kept with its label, so a gateway that was killed and started again answers to the same id.
 */
public final class HttpGateway implements AutoCloseable {

    private static final String PRINCIPAL = "local";
    private static final int MOST_SESSIONS = 1_000;
    private static final Duration SWEEP = Duration.ofMinutes(1);

    private final org.eclipse.jetty.server.Server jetty;
    private final ServerConnector connector;
    private final Open sessions;
    private final Upstreams upstreams;

    private HttpGateway(
            org.eclipse.jetty.server.Server jetty, ServerConnector connector, Open sessions, Upstreams upstreams) {
        this.upstreams = upstreams;
        this.jetty = jetty;
        this.connector = connector;
        this.sessions = sessions;
    }

    /**
     * Starts the endpoint.
     *
     * @param forbiddenRoot which roots no server may be given
     * @param isHost which tokens let a host say what its user typed
     * @param port the port on 127.0.0.1; 0 for any free one
     * @param limit the longest message, in bytes
     * @throws IOException where the port can't be had, or the environment lacks what an entry of the policy names
     */
    public static HttpGateway start(
            Guard guard,
            Engine engine,
            Policy policy,
            Predicate<String> forbiddenRoot,
            Predicate<String> isHost,
            int port,
            int limit,
            Log log)
            throws IOException {
        Upstreams upstreams = Upstreams.of(policy.servers().values(), System.getenv(), limit, log);
        org.eclipse.jetty.server.Server jetty = new org.eclipse.jetty.server.Server(new VirtualThreadPool());
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        ServerConnector connector = new ServerConnector(jetty, 1, 1, new HttpConnectionFactory(http));
        connector.setHost("127.0.0.1");
        connector.setPort(port);
        connector.setIdleTimeout(0); // a stream may be silent for as long as its session lives
        jetty.addConnector(connector);
        Open sessions = new Open(guard, engine, upstreams.servers(), forbiddenRoot, log);
        jetty.setHandler(new HttpEndpoint(sessions, sessions.words(isHost), limit, log));
        try {
            jetty.start();
        } catch (Exception e) {
            throw new IOException("port " + port + " on 127.0.0.1 can't be had; name another with `--port`", e);
        }
        HttpGateway gateway = new HttpGateway(jetty, connector, sessions, upstreams);
        Thread.ofVirtual().name("sweep").start(gateway::sweep);
        return gateway;
    }

    private void sweep() {
        try {
            while (jetty.isRunning()) {
                Thread.sleep(SWEEP);
                sessions.sweep();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the endpoint's address. */
    public String address() {
        return "http://127.0.0.1:" + connector.getLocalPort() + HttpEndpoint.PATH;
    }

    /** Returns how each server does. */
    public List<Upstreams.State> states() {
        return upstreams.states();
    }

    @Override
    public void close() {
        sessions.close();
        upstreams.close();
        try {
            jetty.stop();
        } catch (Exception e) {
            throw new IllegalStateException("the endpoint did not stop", e);
        }
    }

    /** The sessions that are open in this process. */
    private static final class Open implements HttpSessions {

        private record Line(HttpSession http, ProxySession proxy) {}

        private final Guard guard;
        private final Engine engine;
        private final List<Server> servers;
        private final Predicate<String> forbiddenRoot;
        private final Log log;
        private final Map<String, Line> lines = new ConcurrentHashMap<>();
        private final SecureRandom random = new SecureRandom();

        Open(Guard guard, Engine engine, List<Server> servers, Predicate<String> forbiddenRoot, Log log) {
            this.forbiddenRoot = forbiddenRoot;
            this.guard = guard;
            this.engine = engine;
            this.servers = servers;
            this.log = log;
        }

        @Override
        public Optional<Begun> begin(RpcMessage.Request initialize) {
            if (lines.size() >= MOST_SESSIONS) {
                return Optional.empty();
            }
            byte[] bytes = new byte[24];
            random.nextBytes(bytes);
            String id = HexFormat.of().formatHex(bytes);
            String client = initialize.params().map(JsonIndex.Value::raw).orElse("");
            AgentSession agent = agent(id, client);
            var _ = guard.open(agent);
            Line line = line(agent, JsonNodeFactory.instance.missingNode());
            lines.put(agent.key(), line);
            return Optional.of(new Begun(id, line.http()));
        }

        private static AgentSession agent(String id, String client) {
            String digest =
                    Digest.sha256(id.getBytes(StandardCharsets.UTF_8)).text().substring(7);
            return new AgentSession(
                    "http:" + PRINCIPAL + ":" + digest,
                    PRINCIPAL,
                    "http session " + digest.substring(0, 8),
                    AgentSession.Start.PRINCIPAL,
                    client);
        }

        private Line line(AgentSession agent, JsonNode resumed) {
            HttpSession http = new HttpSession(log);
            ProxySession proxy = ProxySession.shared(guard, agent, http, log, forbiddenRoot, servers, resumed);
            http.connect(proxy::fromClient);
            return new Line(http, proxy);
        }

        @Override
        public Optional<HttpSession> find(String id) {
            String key = agent(id, "").key();
            Optional<Session> kept = engine.transact(tx -> tx.sessions().live(key));
            if (kept.isEmpty()) {
                drop(key); // ended by a person, or by another process
                return Optional.empty();
            }
            Line line = lines.computeIfAbsent(
                    key,
                    absent -> line(
                            agent(id, kept.get().client()),
                            JsonIndex.parse(kept.get().client().getBytes(StandardCharsets.UTF_8))
                                    .root()
                                    .tree()));
            return Optional.of(line.http());
        }

        @Override
        public void end(String id) {
            String key = agent(id, "").key();
            guard.end(agent(id, ""));
            drop(key);
        }

        /** Returns what takes the words of users, from whoever has one of these tokens. */
        UserWords words(Predicate<String> isHost) {
            return new UserWords() {
                @Override
                public boolean isHost(String token) {
                    return isHost.test(token);
                }

                @Override
                public boolean typed(String session, String text) {
                    return guard.typedIfLive(agent(session, ""), text);
                }
            };
        }

        private void drop(String key) {
            Line line = lines.remove(key);
            if (line != null) {
                line.http().close();
                line.proxy().close();
            }
        }

        /** Ends what nobody used for too long, and closes the lines of all that ended. */
        void sweep() {
            try {
                guard.endIdle();
                Set<String> live = new HashSet<>();
                engine.transact(tx -> tx.sessions().live()).forEach(session -> live.add(session.key()));
                List.copyOf(lines.keySet()).stream()
                        .filter(key -> !live.contains(key))
                        .forEach(this::drop);
            } catch (RuntimeException e) {
                log.line("looking for idle sessions failed: " + e.getMessage());
            }
        }

        void close() {
            List.copyOf(lines.keySet()).forEach(this::drop);
        }
    }
}
