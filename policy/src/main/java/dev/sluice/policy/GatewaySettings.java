package dev.sluice.policy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * How {@code sluice gateway} is reached and by whom, and what it may cost: {@code gateway} of a policy file.
 *
 * <p>{@code auth}, {@code hosts}, {@code origins} and {@code ask} count as soon as the file is in force; all else counts from
 * the next start.
 *
 * @param listen where it listens
 * @param tls its certificate and key; null for plain HTTP
 * @param auth who may call; nobody has to say who they are where it is empty
 * @param hosts names that {@code Host} may hold besides those of loopback, lower case and without a port
 * @param origins what {@code Origin} may hold besides pages of loopback, lower case
 * @param limits what it may cost
 * @param sessions how sessions of clients live
 * @param ask how people are asked through their client
 * @param telemetry what it tells of its work
 */
public record GatewaySettings(
        Listen listen,
        @Nullable Tls tls,
        Auth auth,
        Set<String> hosts,
        Set<String> origins,
        Limits limits,
        Sessions sessions,
        Ask ask,
        Telemetry telemetry) {

    /** Loopback, nobody has to say who they are, and the usual limits. */
    public static final GatewaySettings USUAL = new GatewaySettings(
            Listen.USUAL, null, Auth.NONE, Set.of(), Set.of(), Limits.USUAL, Sessions.USUAL, Ask.USUAL, Telemetry.NONE);

    public GatewaySettings {
        hosts = Set.copyOf(hosts);
        origins = Set.copyOf(origins);
    }

    /**
     * Where the gateway listens.
     *
     * @param host an address or name of this machine
     * @param port 0 for any free one
     * @param behindProxy whether others reach it through a proxy of the operator's, which ends TLS
     */
    public record Listen(String host, int port, boolean behindProxy) {

        static final Listen USUAL = new Listen("127.0.0.1", 8931, false);

        private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "::1", "localhost");

        /** Returns whether only programs of this machine reach it. */
        public boolean isLoopback() {
            return LOOPBACK.contains(host) && !behindProxy;
        }
    }

    /**
     * The gateway's own certificate.
     *
     * @param certificate the PEM file with the chain, its own certificate first
     * @param key the PEM file with the private key, PKCS #8
     */
    public record Tls(String certificate, String key) {}

    /**
     * Who may call.
     *
     * @param tokens tokens that the operator gave out
     * @param oauth whose access tokens count; null for nobody's
     */
    public record Auth(List<Token> tokens, @Nullable OAuth oauth) {

        static final Auth NONE = new Auth(List.of(), null);

        public Auth {
            tokens = List.copyOf(tokens);
        }

        /** Returns whether callers have to say who they are. */
        public boolean isNeeded() {
            return !tokens.isEmpty() || oauth != null;
        }
    }

    /**
     * A token that the operator gave to somebody. One of {@code variable} and {@code sha256} is empty.
     *
     * @param principal whose calls it makes
     * @param variable the environment variable that holds it
     * @param sha256 the digest of its UTF-8 bytes, 64 lower-case hex digits
     */
    public record Token(String principal, String variable, String sha256) {}

    /**
     * The gateway as a resource server of OAuth 2.1.
     *
     * @param resource the gateway's own address as its clients know it; access tokens must name it as their audience
     * @param scopes what an access token must hold
     * @param skew how far clocks may differ
     * @param issuers whose access tokens count
     */
    public record OAuth(String resource, List<String> scopes, Duration skew, List<Issuer> issuers) {

        static final Duration USUAL_SKEW = Duration.ofSeconds(30);

        public OAuth {
            scopes = List.copyOf(scopes);
            issuers = List.copyOf(issuers);
        }
    }

    /**
     * An authorization server.
     *
     * @param issuer what {@code iss} must be, to the letter
     * @param jwks where its keys are: an https address, or the path of a file
     * @param algorithms the JWS algorithms that count; none of them is symmetric
     * @param claim which claim names the principal
     */
    public record Issuer(String issuer, String jwks, Set<String> algorithms, String claim) {

        /** The algorithms that can be allowed. */
        static final Set<String> KNOWN_ALGORITHMS =
                Set.of("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512");

        static final String USUAL_CLAIM = "sub";

        static final Set<String> USUAL_ALGORITHMS = Set.of("RS256", "ES256");

        public Issuer {
            algorithms = Set.copyOf(algorithms);
        }
    }

    /**
     * What clients may cost. Bytes and counts; each is refused with a message that says so.
     *
     * @param messageBytes the longest message
     * @param depth most levels of objects and arrays inside each other in a message
     * @param headerBytes the longest headers of a request, all together
     * @param bodyTime how long a request may take to arrive
     * @param connections most open connections
     * @param sessions most sessions of clients
     * @param sessionsPerPrincipal most of them of one principal
     * @param inFlightPerPrincipal most requests of one principal that wait for their answer
     * @param queue most messages that wait for one client that does not listen
     * @param toolsPerServer most tools that a server may list
     * @param children most child processes
     */
    public record Limits(
            int messageBytes,
            int depth,
            int headerBytes,
            Duration bodyTime,
            int connections,
            int sessions,
            int sessionsPerPrincipal,
            int inFlightPerPrincipal,
            int queue,
            int toolsPerServer,
            int children) {

        static final Limits USUAL =
                new Limits(16 << 20, 256, 16 << 10, Duration.ofSeconds(30), 5_000, 10_000, 1_000, 256, 256, 1_000, 256);

        /** Returns this with another longest message. */
        public Limits withMessageBytes(int bytes) {
            return new Limits(
                    bytes,
                    depth,
                    headerBytes,
                    bodyTime,
                    connections,
                    sessions,
                    sessionsPerPrincipal,
                    inFlightPerPrincipal,
                    queue,
                    toolsPerServer,
                    children);
        }
    }

    /**
     * How sessions of clients live, and which requests belong to one where the protocol has no sessions.
     *
     * @param idle how long one lives without use; zero for ever
     * @param keys where such requests name their conversation, the first that one has counts
     */
    public record Sessions(Duration idle, List<SessionKey> keys) {

        static final Sessions USUAL = new Sessions(Duration.ofHours(8), List.of());

        public Sessions {
            keys = List.copyOf(keys);
        }
    }

    /**
     * Where a request names the conversation that it belongs to. It is the client's own word.
     *
     * @param place in what part of the request
     * @param name the key of {@code _meta}, or the name of the header in lower case
     * @param clean whether a conversation that was never named before has seen nothing: the operator's word that the client
     *     names no other one than it is in. Else it has seen what the principal's live sessions have
     */
    public record SessionKey(Place place, String name, boolean clean) {}

    /** A part of a request that can name its conversation. */
    public enum Place {
        META,
        HEADER
    }

    /**
     * How people are asked through their client.
     *
     * @param time how long a call waits for an answer before it is refused as pending
     * @param approvers at which clients a person sits who may approve; none means that only the approval store counts
     */
    public record Ask(Duration time, List<Approver> approvers) {

        static final Ask USUAL = new Ask(Duration.ofSeconds(20), List.of());

        public Ask {
            approvers = List.copyOf(approvers);
        }

        /**
         * Returns whether an answer that comes through this client is a person's.
         *
         * @param principal on whose behalf it calls
         * @param client the name that it gave itself; no proof of anything
         */
        public boolean isApprover(String principal, String client) {
            return approvers.stream().anyMatch(each -> each.is(principal, client));
        }
    }

    /**
     * Clients through which a person approves.
     *
     * @param principal whose; empty for anybody's
     * @param client the name that they give themselves; empty for any
     */
    public record Approver(String principal, String client) {

        boolean is(String who, String called) {
            return (principal.isEmpty() || principal.equals(who)) && (client.isEmpty() || client.equals(called));
        }
    }

    /**
     * What the gateway tells of its work, besides plain lines of a log.
     *
     * @param collector the http or https address that spans are posted to; empty where none are made
     * @param propagate whether servers are told of the span that their request belongs to
     * @param metrics whether numbers can be read at {@code /metrics}
     * @param scrapers the principals who may read them; empty for whoever is let in
     * @param json whether each line of the log is a JSON object
     */
    public record Telemetry(String collector, boolean propagate, boolean metrics, Set<String> scrapers, boolean json) {

        /** Nothing but lines for people. */
        public static final Telemetry NONE = new Telemetry("", false, false, Set.of(), false);

        public Telemetry {
            scrapers = Set.copyOf(scrapers);
        }

        /** Returns whether spans are made. */
        public boolean isTracing() {
            return !collector.isEmpty();
        }
    }

    /** Returns this, listening elsewhere. */
    public GatewaySettings on(Listen other) {
        return new GatewaySettings(other, tls, auth, hosts, origins, limits, sessions, ask, telemetry);
    }

    /** Returns this with other limits. */
    public GatewaySettings within(Limits other) {
        return new GatewaySettings(listen, tls, auth, hosts, origins, other, sessions, ask, telemetry);
    }

    /** Returns why it may not be started so, with the mend; empty where it may. */
    public Optional<String> exposure() {
        if (listen.isLoopback()) {
            return Optional.empty();
        }
        String where = listen.behindProxy() ? "what stands behind a proxy" : "`" + listen.host() + "`";
        if (!auth.isNeeded()) {
            return Optional.of(where + " is reached by others, so callers must say who they are; add `auth`"
                    + " with `tokens` or `oauth`, or listen on 127.0.0.1");
        }
        if (tls == null && !listen.behindProxy()) {
            return Optional.of(where + " is reached by others, who would send their tokens for all to read; add `tls`,"
                    + " or `behind_proxy: true` where a proxy of yours ends TLS");
        }
        return Optional.empty();
    }

    /** Returns in plain words what {@code next} lets in that this does not; empty where it lets in nothing more. */
    List<String> looserIn(GatewaySettings next) {
        List<String> found = new ArrayList<>();
        if (auth.isNeeded() && !next.auth.isNeeded()) {
            found.add("`auth` of `gateway` asks nobody who they are");
        }
        if (auth.isNeeded()) {
            next.auth.tokens().stream()
                    .filter(token -> !auth.tokens().contains(token))
                    .forEach(token ->
                            found.add("a token of `" + token.principal() + "` in `gateway` is new or not as it was"));
            if (next.auth.oauth() != null && !isAsStrict(auth.oauth(), next.auth.oauth())) {
                found.add("`oauth` of `gateway` is new or not as it was");
            }
        }
        if (!hosts.containsAll(next.hosts)) {
            found.add("`hosts` of `gateway` are more");
        }
        if (!origins.containsAll(next.origins)) {
            found.add("`origins` of `gateway` are more");
        }
        if (next.limits.toolsPerServer() > limits.toolsPerServer()) {
            found.add("`tools_per_server` of `gateway` is more");
        }
        if (!ask.approvers().containsAll(next.ask.approvers())) {
            found.add("`approvers` of `gateway` are more");
        }
        return found;
    }

    private static boolean isAsStrict(@Nullable OAuth old, OAuth next) {
        return old != null
                && next.resource().equals(old.resource())
                && next.scopes().containsAll(old.scopes())
                && next.skew().compareTo(old.skew()) <= 0
                && old.issuers().containsAll(next.issuers());
    }

    /** Returns the keys of {@code gateway} that are not the same in {@code next} and count only from a start. */
    public Set<String> needStart(GatewaySettings next) {
        Set<String> keys = new TreeSet<>();
        if (!next.listen.equals(listen)) {
            keys.add("listen");
        }
        if (!Objects.equals(next.tls, tls)) {
            keys.add("tls");
        }
        if (!next.limits.equals(limits)) {
            keys.add("limits");
        }
        if (!next.sessions.equals(sessions)) {
            keys.add("sessions");
        }
        if (!next.telemetry.equals(telemetry)) {
            keys.add("telemetry");
        }
        return keys;
    }
}
