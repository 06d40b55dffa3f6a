// This file has more than 400 lines because the parts of the gateway are put together here, and its open sessions with
// it.
package dev.sluice.gateway;

import dev.sluice.gateway.auth.Gatekeeper;
import dev.sluice.gateway.proxy.ModernFront;
import dev.sluice.gateway.proxy.ProxySession;
import dev.sluice.gateway.proxy.Revisions;
import dev.sluice.gateway.proxy.Server;
import dev.sluice.gateway.telemetry.Telemetry;
import dev.sluice.gateway.transport.Backlog;
import dev.sluice.gateway.transport.BodyBudget;
import dev.sluice.gateway.transport.Health;
import dev.sluice.gateway.transport.HttpEndpoint;
import dev.sluice.gateway.transport.HttpSession;
import dev.sluice.gateway.transport.HttpSessions;
import dev.sluice.gateway.transport.MetricsEndpoint;
import dev.sluice.gateway.transport.QuietConnections;
import dev.sluice.gateway.transport.Tally;
import dev.sluice.gateway.transport.UnreadableRequests;
import dev.sluice.gateway.transport.UserWords;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.policy.GatewaySettings;
import dev.sluice.policy.GatewaySettings.Limits;
import dev.sluice.policy.Policy;
import dev.sluice.store.Engine;
import dev.sluice.store.Session;
import dev.sluice.wire.canonical.Digest;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.JsonIndex.Value;
import dev.sluice.wire.json.MalformedJsonException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.MissingNode;

/**
 * One endpoint, with several servers behind it.
 *
 * <p>A session's id is a secret and is kept only as a digest, together with the principal it was given to: to anybody else
 * it is no session. A session outlives this process: what its client said in its handshake is kept with its label, so a
 * gateway that was killed and started again answers to the same id.
 */
public final class HttpGateway implements AutoCloseable {

    /**
     * What the system holds for a client that does not read, in bytes; it takes up to twice that. Left to itself, it takes
     * some 3 MB for each connection, which no limit here would know of.
     */
    private static final int SEND_BUFFER = 64 << 10;

    private static final int UNBOUNDED = -1;
    private static final int LONGEST_HANDSHAKE = 16 << 10;

    /** How long a client may leave a write waiting; a stream has a sign of life far more often. */
    private static final Duration SLOWEST_READER = Duration.ofMinutes(1);

    /**
     * What no policy says, and tests do.
     *
     * @param slowestReader how long a client may leave a write waiting
     * @param beats how long a stream is silent before it has a sign of life
     * @param modern the same for modern clients, who take a request back by leaving
     * @param bodies how many bytes of messages may be here at once, and are
     */
    record Bounds(Duration slowestReader, Duration beats, Duration modern, BodyBudget bodies) {

        Bounds(Duration slowestReader, Duration beats, BodyBudget bodies) {
            this(slowestReader, beats, MODERN_BEATS, bodies);
        }

        static Bounds usual(Limits limits) {
            return new Bounds(
                    SLOWEST_READER,
                    HttpSession.BETWEEN_BEATS,
                    new BodyBudget(BodyBudget.usual(Runtime.getRuntime().maxMemory(), limits.messageBytes())));
        }
    }

    /** How long a modern client may be gone before that shows in a request that has no answer yet. */
    private static final Duration UNTIL_EVENTS = Duration.ofSeconds(1);

    private static final Duration MODERN_BEATS = Duration.ofSeconds(3);
    private static final Duration SWEEP = Duration.ofMinutes(1);
    private static final Duration LOOK = Duration.ofSeconds(5);
    private static final Duration HEALTH_KEPT = Duration.ofSeconds(1);

    private final org.eclipse.jetty.server.Server jetty;
    private final ServerConnector connector;
    private final Open sessions;
    private final QuietConnections quiet;
    private final GatewaySettings settings;
    private final @Nullable Certificate certificate;
    private final Upstreams upstreams;

    private HttpGateway(
            org.eclipse.jetty.server.Server jetty,
            ServerConnector connector,
            Open sessions,
            Upstreams upstreams,
            QuietConnections quiet,
            GatewaySettings settings,
            @Nullable Certificate certificate) {
        this.upstreams = upstreams;
        this.jetty = jetty;
        this.connector = connector;
        this.sessions = sessions;
        this.quiet = quiet;
        this.settings = settings;
        this.certificate = certificate;
    }

    /**
     * Starts the endpoint.
     *
     * @param policy whose servers are served
     * @param settings where it listens and what it may cost; who may call is read from what {@code guard} has in force
     * @param forbiddenRoot which roots no server may be given
     * @param isHost which tokens let a host say what its user typed
     * @param environment the variables that the policy's places may name
     * @param telemetry what is told of the work
     * @throws IOException where it can't be started so, or the environment lacks what an entry of the policy names; the
     *     message says the mend
     */
    public static HttpGateway start(
            Guard guard,
            Engine engine,
            Policy policy,
            GatewaySettings settings,
            Predicate<String> forbiddenRoot,
            Predicate<String> isHost,
            Map<String, String> environment,
            Telemetry telemetry,
            Log log)
            throws IOException {
        return start(
                guard,
                engine,
                policy,
                settings,
                forbiddenRoot,
                isHost,
                environment,
                telemetry,
                log,
                Bounds.usual(settings.limits()));
    }

    static HttpGateway start(
            Guard guard,
            Engine engine,
            Policy policy,
            GatewaySettings settings,
            Predicate<String> forbiddenRoot,
            Predicate<String> isHost,
            Map<String, String> environment,
            Telemetry telemetry,
            Log log,
            Bounds bounds)
            throws IOException {
        Optional<String> exposure = settings.exposure();
        if (exposure.isPresent()) {
            throw new IOException(exposure.get());
        }
        Gatekeeper gatekeeper =
                new Gatekeeper(() -> guard.policy().gateway(), environment::get, Clock.systemUTC(), log);
        if (!gatekeeper.problems().isEmpty()) {
            throw new IOException(String.join("; ", gatekeeper.problems()));
        }
        Limits limits = settings.limits();
        Upstreams upstreams =
                Upstreams.of(policy.servers().values(), environment, limits.messageBytes(), limits.children(), log);
        Open sessions = new Open(guard, engine, upstreams.servers(), forbiddenRoot, settings, bounds, telemetry, log);
        telemetry.metrics().ifPresent(metrics -> metrics.states(() -> states(upstreams)));
        // Its own bound of 200 tasks would let that many slow readers stall everybody; ours are connections and
        // sessions.
        org.eclipse.jetty.server.Server jetty = new org.eclipse.jetty.server.Server(new VirtualThreadPool(UNBOUNDED));
        QuietConnections quiet = new QuietConnections(
                new HttpEndpoint(
                        sessions,
                        Revisions.ALL,
                        sessions.words(isHost),
                        gatekeeper,
                        health(engine, upstreams, log),
                        limits,
                        bounds.bodies(),
                        new MetricsEndpoint(telemetry, settings.telemetry().scrapers()),
                        log),
                limits.bodyTime());
        GatewaySettings.Tls tls = settings.tls();
        Certificate certificate = tls == null ? null : new Certificate(tls, log);
        ServerConnector connector = connector(jetty, settings, certificate, bounds.slowestReader());
        connector.addBean(quiet);
        connector.addBean(new NetworkConnectionLimit(limits.connections(), connector));
        jetty.addConnector(connector);
        jetty.setHandler(quiet);
        jetty.setErrorHandler(new UnreadableRequests(limits.headerBytes()));
        try {
            jetty.start();
        } catch (Exception e) {
            throw new IOException(
                    "port " + settings.listen().port() + " on "
                            + settings.listen().host() + " can't be had; name another with `--port` or `listen`",
                    e);
        }
        HttpGateway gateway = new HttpGateway(jetty, connector, sessions, upstreams, quiet, settings, certificate);
        Thread.ofVirtual().name("sweep").start(() -> gateway.every(SWEEP, gateway::sweep));
        Duration quarter = limits.bodyTime().dividedBy(4);
        Thread.ofVirtual()
                .name("quiet")
                .start(() -> gateway.every(quarter.compareTo(LOOK) < 0 ? quarter : LOOK, gateway::look));
        return gateway;
    }

    private static ServerConnector connector(
            org.eclipse.jetty.server.Server jetty,
            GatewaySettings settings,
            @Nullable Certificate certificate,
            Duration slowestReader) {
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        // Jetty's own check answers 400 where the certificate is not for the `Host`; which are ours, the policy says.
        http.addCustomizer(new SecureRequestCustomizer(false));
        http.setRequestHeaderSize(settings.limits().headerBytes());
        HttpConnectionFactory plain = new HttpConnectionFactory(http);
        ServerConnector connector = certificate == null
                ? new ServerConnector(jetty, 1, 1, plain)
                : new ServerConnector(
                        jetty, 1, 1, new SslConnectionFactory(certificate.factory(), plain.getProtocol()), plain);
        connector.setHost(settings.listen().host());
        connector.setPort(settings.listen().port());
        connector.setAcceptedSendBufferSize(SEND_BUFFER);
        connector.setIdleTimeout(slowestReader.toMillis());
        return connector;
    }

    /** What it costs to look is paid once a second at most, whoever asks how often. */
    private static Supplier<Health> health(Engine engine, Upstreams upstreams, Log log) {
        return new Supplier<>() {
            private long at;
            private @Nullable Health kept;

            @Override
            public synchronized Health get() {
                Health last = kept;
                if (last == null || System.nanoTime() - at > HEALTH_KEPT.toNanos()) {
                    last = new Health(isReachable(), states(upstreams));
                    kept = last;
                    at = System.nanoTime();
                }
                return last;
            }

            private boolean isReachable() {
                try {
                    return engine.transact(tx -> tx.sessions().live("")).isEmpty();
                } catch (RuntimeException e) {
                    log.fault(LogEvent.STATE_UNUSABLE, "the state can't be used", e);
                    return false;
                }
            }
        };
    }

    /** Ends the sessions that nobody used for too long. */
    void sweep() {
        sessions.sweep();
    }

    /** Returns how each server does, by its name. */
    private static Map<String, String> states(Upstreams upstreams) {
        Map<String, String> states = new LinkedHashMap<>();
        upstreams
                .states()
                .forEach(each -> states.put(each.name(), each.word().name().toLowerCase(Locale.ROOT)));
        return states;
    }

    private void look() {
        quiet.sweep();
        if (certificate != null) {
            certificate.look();
        }
    }

    private void every(Duration time, Runnable work) {
        try {
            while (jetty.isRunning()) {
                Thread.sleep(time);
                work.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the endpoint's address. */
    public String address() {
        String host = settings.listen().host();
        return (certificate == null ? "http://" : "https://")
                + (host.contains(":") ? "[" + host + "]" : host)
                + ":" + connector.getLocalPort() + HttpEndpoint.PATH;
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

        /** How long a digest is that a key ends with, and how much of it is told. */
        private static final int DIGEST = 64;

        private static final int SHOWN = 8;

        /** Clients without sessions have nothing that they could end. */
        private static final String UNTIL_IDLE =
                "wait until one was not used for `sessions.idle` of the policy, or there shorten that, or raise"
                        + " `sessions_per_principal` or `sessions` of `limits`";

        /** For so long a session that lived is not looked up again; its label is, for all that is judged. */
        private static final long FRESH = TimeUnit.SECONDS.toNanos(5);

        /**
         * What serves a session of a principal.
         *
         * @param session the id of the modern session that it began with; empty for others, which end with their key
         * @param looked when it was last seen to live, in the time of {@link System#nanoTime}
         */
        private record Line(
                String principal,
                HttpSession http,
                ProxySession proxy,
                Optional<ModernFront> front,
                String session,
                AtomicLong looked) {

            boolean isFresh() {
                return System.nanoTime() - looked.get() < FRESH;
            }
        }

        private final Guard guard;
        private final Engine engine;
        private final List<Server> servers;
        private final Predicate<String> forbiddenRoot;
        private final Telemetry telemetry;
        private final Log log;
        private final Map<String, Line> lines = new ConcurrentHashMap<>();
        private final Backlog backlog;
        private final SecureRandom random = new SecureRandom();
        private final Limits limits;
        private final Bounds bounds;
        private final Conversations conversations;
        private final Tally all;
        private final Tally ofPrincipals;

        Open(
                Guard guard,
                Engine engine,
                List<Server> servers,
                Predicate<String> forbiddenRoot,
                GatewaySettings settings,
                Bounds bounds,
                Telemetry telemetry,
                Log log) {
            this.bounds = bounds;
            this.conversations = new Conversations(settings.sessions().keys());
            this.telemetry = telemetry;
            this.limits = settings.limits();
            this.backlog = Backlog.of(limits.queue());
            telemetry
                    .metrics()
                    .ifPresent(metrics -> metrics.gauge(
                                    "sluice_sessions_open",
                                    "Sessions of clients that are open in this process.",
                                    lines::size)
                            .gauge("sluice_backlog_bytes", "Bytes that wait to be read by clients.", backlog::waiting)
                            .counter(
                                    "sluice_backlog_given_up_total",
                                    "Messages given up, since their client did not read.",
                                    backlog::givenUp));
            this.all = new Tally(limits.sessions());
            this.ofPrincipals = new Tally(limits.sessionsPerPrincipal());
            this.forbiddenRoot = forbiddenRoot;
            this.guard = guard;
            this.engine = engine;
            this.servers = servers;
            this.log = log;
        }

        @Override
        public Beginning begin(String principal, RpcMessage.Request initialize) {
            JsonNode handshake = initialize.params().map(JsonIndex.Value::tree).orElse(MissingNode.getInstance());
            String client = initialize.params().map(JsonIndex.Value::raw).orElse("");
            if (!ProxySession.isHandshake(handshake)) {
                return new Beginning.Malformed("`initialize` must have `protocolVersion` and `capabilities`");
            }
            if (client.length() > LONGEST_HANDSHAKE) {
                return new Beginning.Malformed("the parameters of `initialize` are kept, so they may have "
                        + LONGEST_HANDSHAKE + " characters");
            }
            Optional<Beginning.Full> full = full(principal, "end one, or try again later");
            if (full.isPresent()) {
                return full.get();
            }
            boolean begun = false;
            try {
                byte[] bytes = new byte[24];
                random.nextBytes(bytes);
                String id = HexFormat.of().formatHex(bytes);
                AgentSession agent = agent(principal, id, client);
                var _ = guard.open(agent);
                Line line = line(agent, JsonNodeFactory.instance.missingNode());
                lines.put(agent.key(), line);
                begun = true;
                return new Beginning.Begun(id, line.http());
            } finally {
                if (!begun) {
                    forgo(principal);
                }
            }
        }

        /**
         * Counts one more session, or returns why there can't be one.
         *
         * @param mend what can be done about it
         */
        private Optional<Beginning.Full> full(String principal, String mend) {
            if (!ofPrincipals.take(principal)) {
                return Optional.of(new Beginning.Full(
                        429,
                        "you have " + limits.sessionsPerPrincipal() + " open sessions, which is the most; " + mend));
            }
            if (!all.take("")) {
                ofPrincipals.give(principal);
                return Optional.of(new Beginning.Full(503, "too many sessions are open; " + mend));
            }
            return Optional.empty();
        }

        private void forgo(String principal) {
            all.give("");
            ofPrincipals.give(principal);
        }

        /** The key holds the principal before the digest, which has one length, so no two principals share a key. */
        private static AgentSession agent(String principal, String id, String client) {
            String digest =
                    Digest.sha256(id.getBytes(StandardCharsets.UTF_8)).text().substring(7);
            String whose = principal.equals(Gatekeeper.ANYBODY) ? "" : " of " + principal;
            return new AgentSession(
                    "http:" + principal + ":" + digest,
                    principal,
                    "http session " + digest.substring(0, SHOWN) + whose,
                    AgentSession.Start.PRINCIPAL,
                    client);
        }

        private Log log(AgentSession agent, String shown) {
            Log own = log.about("session", shown);
            return agent.principal().equals(Gatekeeper.ANYBODY) ? own : own.about("principal", agent.principal());
        }

        private Line line(AgentSession agent, JsonNode resumed) {
            String digest = agent.key()
                    .substring(agent.key().length() - DIGEST, agent.key().length() - DIGEST + SHOWN);
            Log own = log(agent, digest);
            HttpSession http = new HttpSession(backlog, own, bounds.beats());
            ProxySession proxy = ProxySession.shared(
                    guard,
                    agent.whileItLives(),
                    http,
                    own,
                    forbiddenRoot,
                    servers,
                    resumed,
                    telemetry.session(digest, "tcp"));
            http.connect(proxy::fromClient);
            return new Line(agent.principal(), http, proxy, Optional.empty(), "", new AtomicLong(System.nanoTime()));
        }

        @Override
        public Beginning join(String principal, RpcMessage.Request request, Function<String, List<String>> headers) {
            JsonNode handshake = RequestMeta.of(request)
                    .map(ModernFront::handshake)
                    .orElseThrow(() -> new IllegalArgumentException("a request that says nothing of its client"));
            String client = handshake.toString();
            if (client.length() > LONGEST_HANDSHAKE) {
                return new Beginning.Malformed(
                        "what `_meta` says of the client is kept, so it may have " + LONGEST_HANDSHAKE + " characters");
            }
            return switch (conversations.of(principal, request, headers, client)) {
                case Conversations.Which.Unclear unclear -> new Beginning.Malformed(unclear.why());
                case Conversations.Which.Of of -> join(of.agent(), handshake);
            };
        }

        /** A session that ended is begun anew: nobody who sends a request could know of it. */
        private Beginning join(AgentSession agent, JsonNode handshake) {
            Line known = lines.get(agent.key());
            if (known != null && known.isFresh()) {
                return new Beginning.Begun("", known.http());
            }
            if (known != null
                    && guard.resume(agent)
                            .filter(session -> session.id().equals(known.session()))
                            .isPresent()) {
                known.looked().set(System.nanoTime());
                return new Beginning.Begun("", known.http());
            }
            if (known != null && lines.remove(agent.key(), known)) {
                forgo(known.principal());
                close(known); // what its servers know is of the session that ended
            }
            Optional<Beginning.Full> full = full(agent.principal(), UNTIL_IDLE);
            if (full.isPresent()) {
                return full.get();
            }
            boolean counts = false;
            try {
                Line made = modern(agent, handshake, guard.open(agent).id());
                Line first = lines.putIfAbsent(agent.key(), made);
                counts = first == null;
                if (first != null) {
                    close(made); // another request was first
                }
                return new Beginning.Begun("", first == null ? made.http() : first.http());
            } finally {
                if (!counts) {
                    forgo(agent.principal());
                }
            }
        }

        private Line modern(AgentSession agent, JsonNode handshake, String session) {
            String digest = Digest.sha256(agent.key().getBytes(StandardCharsets.UTF_8))
                    .text()
                    .substring("sha256:".length(), "sha256:".length() + SHOWN);
            Log own = log(agent, digest);
            HttpSession http = HttpSession.modern(backlog, own, UNTIL_EVENTS, bounds.modern());
            ModernFront front = new ModernFront(http, guard, agent, bounds.bodies(), own);
            ProxySession proxy = ProxySession.shared(
                    guard, agent, front, own, forbiddenRoot, servers, handshake, telemetry.session(digest, "tcp"));
            front.connect(proxy);
            http.connect(front);
            return new Line(
                    agent.principal(), http, proxy, Optional.of(front), session, new AtomicLong(System.nanoTime()));
        }

        @Override
        public Optional<HttpSession> joined(
                String principal, RpcMessage.Notification message, Function<String, List<String>> headers) {
            return conversations.of(principal, message, headers, "") instanceof Conversations.Which.Of of
                    ? Optional.ofNullable(lines.get(of.agent().key())).map(Line::http)
                    : Optional.empty();
        }

        @Override
        public Optional<HttpSession> find(String principal, String id) {
            String key = agent(principal, id, "").key();
            Line known = lines.get(key);
            if (known != null && known.isFresh()) {
                return Optional.of(known.http());
            }
            // One that nobody used for too long is over now: what its client remembers must not meet a new label.
            Optional<JsonNode> kept = guard.resume(agent(principal, id, "")).flatMap(Open::handshake);
            if (kept.isEmpty()) {
                drop(key); // ended by a person, by time or by another process
                return Optional.empty();
            }
            Line line = lines.computeIfAbsent(key, absent -> {
                Line made = line(agent(principal, id, kept.get().toString()), kept.get());
                // It began under a limit already; how many there may be is for new ones.
                all.add("");
                ofPrincipals.add(principal);
                return made;
            });
            line.looked().set(System.nanoTime());
            return Optional.of(line.http());
        }

        /** Returns what the client said when its session began; empty for what is no handshake. */
        private static Optional<JsonNode> handshake(Session kept) {
            try {
                return Optional.of(JsonIndex.parse(kept.client().getBytes(StandardCharsets.UTF_8))
                                .root()
                                .tree())
                        .filter(ProxySession::isHandshake);
            } catch (MalformedJsonException e) {
                return Optional.empty();
            }
        }

        @Override
        public void end(String principal, String id) {
            AgentSession agent = agent(principal, id, "");
            drop(agent.key()); // first: a call that comes now finds no line, and one that has it begins nothing anew
            guard.end(agent);
        }

        /** Returns what takes the words of users, from whoever has one of these tokens. */
        UserWords words(Predicate<String> isHost) {
            return new UserWords() {
                @Override
                public boolean isHost(String token) {
                    return isHost.test(token);
                }

                @Override
                public boolean typed(String principal, String session, String text) {
                    return guard.typedIfLive(agent(principal, session, ""), text);
                }

                @Override
                public Taken typed(
                        String principal, @Nullable Value meta, Function<String, List<String>> headers, String text) {
                    return switch (conversations.of(principal, meta, headers, "")) {
                        case Conversations.Which.Unclear unclear -> new Taken.Refused(400, unclear.why());
                        case Conversations.Which.Of of when meta == null && !of.isNamed() -> new Taken.Nowhere();
                        case Conversations.Which.Of of -> typedIn(of.agent(), text);
                    };
                }
            };
        }

        /** A prompt comes before the first request that it leads to. */
        private UserWords.Taken typedIn(AgentSession agent, String text) {
            if (guard.typedIfLive(agent, text)) {
                return new UserWords.Taken.Kept();
            }
            long open = engine.transact(tx -> tx.sessions().live()).stream()
                    .filter(session -> session.principal().equals(agent.principal()))
                    .count();
            if (open >= limits.sessionsPerPrincipal()) {
                return new UserWords.Taken.Refused(
                        429,
                        "you have " + limits.sessionsPerPrincipal() + " open sessions, which is the most; "
                                + UNTIL_IDLE);
            }
            var _ = guard.open(agent);
            guard.typed(agent, text);
            return new UserWords.Taken.Kept();
        }

        private void drop(String key) {
            Line line = lines.remove(key);
            if (line != null) {
                forgo(line.principal());
                close(line);
            }
        }

        /** Drops all at once: a server may take seconds to end, and those of other sessions need not wait for it. */
        private void drop(List<String> keys) {
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                keys.forEach(key -> threads.execute(() -> {
                    try {
                        drop(key);
                    } catch (RuntimeException e) {
                        log.fault(LogEvent.SESSION_SWEEP_FAILED, "closing a session failed", e);
                    }
                }));
            }
        }

        private static void close(Line line) {
            line.front().ifPresent(ModernFront::close); // first: what it has to say goes out over http
            line.http().close();
            line.proxy().close();
        }

        /** Ends what nobody used for too long, and closes the lines of all that ended. */
        void sweep() {
            try {
                guard.endIdle();
                Set<String> ours =
                        Set.copyOf(lines.keySet()); // before the others: one that begins meanwhile is none of these
                Set<String> live = new HashSet<>();
                engine.transact(tx -> tx.sessions().live()).forEach(session -> live.add(session.key()));
                drop(ours.stream().filter(key -> !live.contains(key)).toList());
            } catch (RuntimeException e) {
                log.fault(LogEvent.SESSION_SWEEP_FAILED, "looking for idle sessions failed", e);
            }
        }

        void close() {
            drop(List.copyOf(lines.keySet()));
        }
    }
}
