// This file has more than 400 lines because all that the section `gateway` may say is read in one place.
package dev.sluice.policy;

import dev.sluice.policy.GatewaySettings.Approver;
import dev.sluice.policy.GatewaySettings.Ask;
import dev.sluice.policy.GatewaySettings.Auth;
import dev.sluice.policy.GatewaySettings.Issuer;
import dev.sluice.policy.GatewaySettings.Limits;
import dev.sluice.policy.GatewaySettings.Listen;
import dev.sluice.policy.GatewaySettings.OAuth;
import dev.sluice.policy.GatewaySettings.Place;
import dev.sluice.policy.GatewaySettings.SessionKey;
import dev.sluice.policy.GatewaySettings.Sessions;
import dev.sluice.policy.GatewaySettings.Tls;
import dev.sluice.policy.GatewaySettings.Token;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.nodes.Node;

/** Reads {@code gateway}: where it listens, who may call, and what it may cost. */
final class GatewayReader {

    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,63}");
    private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");
    static final Pattern PRINCIPAL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@-]{0,63}");
    private static final Pattern HOST = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?|\\[[0-9a-f:]{2,39}\\]");
    private static final Pattern SCOPE = Pattern.compile("[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,128}");
    private static final Pattern CLAIM = Pattern.compile("[A-Za-z_][A-Za-z0-9_.:/-]{0,127}");

    private static final Pattern META = Pattern.compile("[!-~]{1,128}");
    private static final Pattern HEADER = Pattern.compile("[!#$%&'*+.^_`|~0-9a-z-]{1,128}");
    private static final int MOST_KEYS = 16;
    private static final String JOINED = "joined";
    private static final String CLEAN = "clean";

    /** What is another one with each request, the same with all of them, or nothing that may be kept. */
    private static final Set<String> NO_CONVERSATION = Set.of(
            "accept",
            "authorization",
            "claudecode/toolUseId",
            "content-length",
            "content-type",
            "cookie",
            "host",
            "last-event-id",
            "origin",
            "progressToken",
            "proxy-authorization",
            "sluice-host-token",
            "traceparent",
            "tracestate",
            "user-agent");

    private static final Set<String> NO_CONVERSATIONS = Set.of("io.modelcontextprotocol/", "mcp-");

    /** What everybody is on a gateway that asks nobody who they are. */
    private static final String RESERVED = "local";

    private final YamlMap map;

    private GatewayReader(YamlMap map) {
        this.map = map;
    }

    static GatewaySettings gateway(YamlMap root) {
        return root.map("gateway").map(map -> new GatewayReader(map).read()).orElse(GatewaySettings.USUAL);
    }

    private GatewaySettings read() {
        GatewaySettings settings = new GatewaySettings(
                map.map("listen").map(GatewayReader::listen).orElse(Listen.USUAL),
                map.map("tls").map(GatewayReader::tls).orElse(null),
                map.map("auth").map(GatewayReader::auth).orElse(Auth.NONE),
                hosts(),
                origins(),
                map.map("limits").map(GatewayReader::limits).orElse(Limits.USUAL),
                map.map("sessions").map(GatewayReader::sessions).orElse(Sessions.USUAL),
                map.map("ask").map(GatewayReader::ask).orElse(Ask.USUAL),
                map.map("telemetry").map(TelemetryReader::telemetry).orElse(GatewaySettings.Telemetry.NONE));
        map.end("`gateway`");
        settings.exposure().ifPresent(why -> map.problem(map.node("listen").orElseThrow(), why));
        return settings;
    }

    private static Listen listen(YamlMap map) {
        String host = map.text("host").orElse(Listen.USUAL.host());
        if (!HOST.matcher(host).matches() && !host.matches("[0-9a-f:]{2,39}")) {
            map.problem(
                    map.node("host").orElseThrow(),
                    "`" + host + "` is nothing to listen on; write an address of this machine, such as 127.0.0.1"
                            + " or 0.0.0.0");
        }
        Listen listen = new Listen(
                host,
                map.whole("port", 0, 65_535).orElse(Listen.USUAL.port()),
                map.bool("behind_proxy").orElse(false));
        map.end("`listen`");
        return listen;
    }

    private static Tls tls(YamlMap map) {
        String certificate = file(map, "certificate");
        String key = file(map, "key");
        map.end("`tls`");
        if (map.node("certificate").isEmpty() || map.node("key").isEmpty()) {
            map.problem("`tls` needs both a `certificate` and its `key`, as paths of PEM files");
        }
        return new Tls(certificate, key);
    }

    private static String file(YamlMap map, String key) {
        String path = map.text(key).orElse("");
        if (!path.isEmpty() && !isAbsolute(path)) {
            map.problem(map.node(key).orElseThrow(), "`" + path + "` is no absolute path; write one");
        }
        return path;
    }

    private static boolean isAbsolute(String path) {
        try {
            return Path.of(path).isAbsolute();
        } catch (InvalidPathException e) {
            return false;
        }
    }

    private Set<String> hosts() {
        Set<String> hosts = new TreeSet<>();
        map.node("hosts")
                .ifPresent(list -> map.items(list)
                        .forEach(item -> map.text(item, "a host").ifPresent(host -> {
                            if (!HOST.matcher(host).matches()) {
                                map.problem(
                                        item,
                                        "`" + host + "` is no host; write a lower-case name without a port, such as"
                                                + " gateway.clinic.example");
                            }
                            hosts.add(host);
                        })));
        return hosts;
    }

    private Set<String> origins() {
        Set<String> origins = new TreeSet<>();
        map.node("origins")
                .ifPresent(list -> map.items(list)
                        .forEach(item -> map.text(item, "an origin").ifPresent(origin -> {
                            if (!isOrigin(origin)) {
                                map.problem(
                                        item,
                                        "`" + origin
                                                + "` is no origin; write scheme, host and port as a browser does, such as"
                                                + " https://app.clinic.example");
                            }
                            origins.add(origin);
                        })));
        return origins;
    }

    private static boolean isOrigin(String text) {
        return uri(text)
                .filter(uri -> Set.of("http", "https").contains(String.valueOf(uri.getScheme()))
                        && uri.getHost() != null
                        && uri.getRawUserInfo() == null
                        && uri.getRawQuery() == null
                        && String.valueOf(uri.getRawPath()).isEmpty()
                        && text.equals(text.toLowerCase(Locale.ROOT)))
                .isPresent();
    }

    static Optional<URI> uri(String text) {
        try {
            URI uri = new URI(text);
            return uri.getRawFragment() == null ? Optional.of(uri) : Optional.empty();
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    /** Returns whether it is an https address, or http on loopback, without user, password, query and fragment. */
    private static boolean isAddress(String text) {
        return uri(text)
                .filter(uri -> uri.getHost() != null && uri.getRawUserInfo() == null && uri.getRawQuery() == null)
                .filter(uri -> "https".equals(uri.getScheme())
                        || ("http".equals(uri.getScheme())
                                && Set.of("127.0.0.1", "[::1]", "localhost").contains(uri.getHost())))
                .isPresent();
    }

    private static Auth auth(YamlMap map) {
        List<Token> tokens = new ArrayList<>();
        map.node("tokens")
                .ifPresent(list -> map.items(list)
                        .forEach(item -> token(map.map(item, "a token")).ifPresent(tokens::add)));
        Auth auth = new Auth(tokens, map.map("oauth").map(GatewayReader::oauth).orElse(null));
        map.end("`auth`");
        if (!auth.isNeeded()) {
            map.problem("`auth` lets nobody in; add `tokens` or `oauth`, or take it out");
        }
        Set<String> digests = new HashSet<>();
        Set<String> variables = new HashSet<>();
        for (Token token : tokens) {
            boolean twice = (!token.sha256().isEmpty() && !digests.add(token.sha256()))
                    || (!token.variable().isEmpty() && !variables.add(token.variable()));
            if (twice) {
                map.problem(
                        map.node("tokens").orElseThrow(),
                        "the token of `" + token.principal() + "` stands here twice; give each a token of their own");
            }
        }
        return auth;
    }

    private static Optional<Token> token(YamlMap map) {
        String principal = map.text("principal").orElse("");
        String variable = map.text("token_env").orElse("");
        String digest = map.text("sha256").orElse("");
        map.end("a token");
        if (!PRINCIPAL.matcher(principal).matches() || principal.equals(RESERVED)) {
            map.problem("a token needs a `principal` of up to 64 letters, digits, `.`, `_`, `@` and `-`, other than"
                    + " `" + RESERVED + "`");
        }
        if (variable.isEmpty() == digest.isEmpty()) {
            map.problem("a token needs one of `token_env` and `sha256`; `sluice token` makes a token and its digest");
            return Optional.empty();
        }
        if (!variable.isEmpty() && !VARIABLE.matcher(variable).matches()) {
            map.problem(
                    map.node("token_env").orElseThrow(),
                    "`token_env` names an environment variable, never the token itself; write such as ALICE_TOKEN");
        }
        if (!digest.isEmpty() && !SHA256.matcher(digest).matches()) {
            map.problem(
                    map.node("sha256").orElseThrow(),
                    "`sha256` must be 64 lower-case hex digits; `sluice token` makes a token and its digest");
        }
        return Optional.of(new Token(principal, variable, digest));
    }

    private static OAuth oauth(YamlMap map) {
        String resource = map.text("resource").orElse("");
        if (!isAddress(resource)) {
            map.problem(
                    map.node("resource").orElse(map.whole()),
                    "`oauth` needs the `resource` that access tokens are for: this gateway's own https address, such as"
                            + " https://gateway.clinic.example/mcp");
        }
        List<String> scopes = map.texts("scopes").orElse(List.of());
        for (String scope : scopes) {
            if (!SCOPE.matcher(scope).matches()) {
                map.problem(map.node("scopes").orElseThrow(), "`" + scope + "` is no scope; write one word for each");
            }
        }
        Duration skew = map.time("skew", Duration.ZERO, Duration.ofMinutes(2), OAuth.USUAL_SKEW);
        List<Issuer> issuers = new ArrayList<>();
        Set<String> names = new HashSet<>();
        map.node("issuers")
                .ifPresent(list ->
                        map.items(list).forEach(item -> issuers.add(issuer(map.map(item, "an issuer"), names))));
        map.end("`oauth`");
        if (issuers.isEmpty()) {
            map.problem("`oauth` needs `issuers`, whose access tokens count");
        }
        return new OAuth(resource, scopes, skew, issuers);
    }

    private static Issuer issuer(YamlMap map, Set<String> names) {
        String issuer = map.text("issuer").orElse("");
        if (!isAddress(issuer)) {
            map.problem(
                    map.node("issuer").orElse(map.whole()),
                    "an issuer needs `issuer`, the https address that it names as `iss`");
        } else if (!names.add(issuer)) {
            map.problem(map.node("issuer").orElseThrow(), "the issuer `" + issuer + "` stands here twice; keep one");
        }
        String jwks = map.text("jwks").orElse("");
        if (!isAddress(jwks) && !isAbsolute(jwks)) {
            map.problem(
                    map.node("jwks").orElse(map.whole()),
                    "an issuer needs `jwks`, where its keys are: an https address or the absolute path of a file");
        }
        Set<String> algorithms = new TreeSet<>(map.texts("algorithms").orElse(List.copyOf(Issuer.USUAL_ALGORITHMS)));
        for (String algorithm : algorithms) {
            if (!Issuer.KNOWN_ALGORITHMS.contains(algorithm)) {
                map.problem(
                        map.node("algorithms").orElseThrow(),
                        "the algorithm `" + algorithm + "` can't be allowed; write some of "
                                + String.join(", ", new TreeSet<>(Issuer.KNOWN_ALGORITHMS)));
            }
        }
        if (algorithms.isEmpty()) {
            map.problem(map.node("algorithms").orElseThrow(), "`algorithms` allows none; write such as [RS256]");
        }
        String claim = map.text("principal").orElse(Issuer.USUAL_CLAIM);
        if (!CLAIM.matcher(claim).matches()) {
            map.problem(map.node("principal").orElseThrow(), "`" + claim + "` is no claim; write such as sub");
        }
        map.end("an issuer");
        return new Issuer(issuer, jwks, algorithms, claim);
    }

    private static Limits limits(YamlMap map) {
        Limits usual = Limits.USUAL;
        Limits limits = new Limits(
                map.whole("message_bytes", 1 << 10, 1 << 30).orElse(usual.messageBytes()),
                map.whole("depth", 8, 256).orElse(usual.depth()),
                map.whole("header_bytes", 1 << 10, 1 << 20).orElse(usual.headerBytes()),
                map.time("body_time", Duration.ofMillis(100), Duration.ofMinutes(10), usual.bodyTime()),
                map.whole("connections", 1, 1_000_000).orElse(usual.connections()),
                map.whole("sessions", 1, 1_000_000).orElse(usual.sessions()),
                map.whole("sessions_per_principal", 1, 1_000_000).orElse(usual.sessionsPerPrincipal()),
                map.whole("in_flight_per_principal", 1, 100_000).orElse(usual.inFlightPerPrincipal()),
                map.whole("queue", 1, 100_000).orElse(usual.queue()),
                map.whole("tools_per_server", 1, 100_000).orElse(usual.toolsPerServer()),
                map.whole("children", 1, 100_000).orElse(usual.children()));
        map.end("`limits`");
        return limits;
    }

    private static Sessions sessions(YamlMap map) {
        Duration idle = map.text("idle").filter("never"::equals).isPresent()
                ? Duration.ZERO
                : map.time("idle", Duration.ofMinutes(1), Duration.ofDays(366), Sessions.USUAL.idle());
        List<SessionKey> keys = new ArrayList<>();
        Set<String> names = new HashSet<>();
        map.node("keys")
                .ifPresent(list -> map.items(list)
                        .forEach(item ->
                                key(map.map(item, "a session key"), names).ifPresent(keys::add)));
        map.end("`sessions`");
        if (keys.size() > MOST_KEYS) {
            map.problem(map.node("keys").orElseThrow(), "`keys` has more than " + MOST_KEYS + " entries; keep fewer");
        }
        return new Sessions(idle, keys);
    }

    private static Optional<SessionKey> key(YamlMap map, Set<String> names) {
        Optional<String> meta = map.text("meta");
        Optional<String> header = map.text("header");
        String begins = map.text("new").orElse(JOINED);
        map.end("a session key");
        if (!begins.equals(JOINED) && !begins.equals(CLEAN)) {
            map.problem(
                    map.node("new").orElseThrow(), "`new` can't be `" + begins + "`; write " + JOINED + " or " + CLEAN);
        }
        if (meta.isPresent() == header.isPresent()) {
            map.problem("a session key needs one of `meta`, a key of `_meta`, and `header`; write such as"
                    + " {meta: openai/session}");
            return Optional.empty();
        }
        Place place = meta.isPresent() ? Place.META : Place.HEADER;
        Pattern form = place == Place.META ? META : HEADER;
        String name =
                meta.or(() -> header.map(text -> text.toLowerCase(Locale.ROOT))).orElseThrow();
        Node at = map.node(place == Place.META ? "meta" : "header").orElseThrow();
        if (!form.matcher(name).matches()) {
            map.problem(
                    at,
                    "`" + name + "` is no " + (place == Place.META ? "key of `_meta`" : "name of a header")
                            + "; write such as "
                            + (place == Place.META ? "openai/session" : "x-openai-session"));
        } else if (NO_CONVERSATION.contains(name) || NO_CONVERSATIONS.stream().anyMatch(name::startsWith)) {
            map.problem(
                    at,
                    "`" + name + "` says nothing of a conversation, or is a secret; write what the host sends alike"
                            + " with each request of one conversation");
        } else if (!names.add(place + name)) {
            map.problem(at, "`" + name + "` stands in `keys` twice; keep one");
        }
        return Optional.of(new SessionKey(place, name, begins.equals(CLEAN)));
    }

    private static Ask ask(YamlMap map) {
        Duration time = map.time("wait", Duration.ZERO, Duration.ofMinutes(10), Ask.USUAL.time());
        List<Approver> approvers = new ArrayList<>();
        map.node("approvers").ifPresent(list -> map.items(list).forEach(item -> approvers.add(approver(map, item))));
        map.end("`ask`");
        return new Ask(time, approvers);
    }

    private static Approver approver(YamlMap map, Node item) {
        YamlMap entry = map.map(item, "an approver");
        Approver approver = new Approver(
                entry.text("principal").orElse(""), entry.text("client").orElse(""));
        entry.end("an approver");
        if (approver.equals(new Approver("", ""))) {
            entry.problem("an approver needs a `principal`, a `client` or both; else anybody would be one");
        }
        return approver;
    }
}
