package dev.sluice.gateway.auth;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.LogEvent;
import dev.sluice.policy.GatewaySettings;
import dev.sluice.policy.GatewaySettings.Auth;
import dev.sluice.policy.GatewaySettings.OAuth;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Says who is calling, by the policy that is in force.
 *
 * <p>Where the gateway was started with {@code auth}, taking it out of the policy lets nobody in until the next start.
 *
 * <p>Sources: RFC 6750, RFC 9728, and MCP revision 2025-11-25, Authorization.
 */
public final class Gatekeeper {

    /** Who everybody is where nobody has to say who they are. */
    public static final String ANYBODY = "local";

    private static final String WELL_KNOWN = "/.well-known/oauth-protected-resource";
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    /** What the settings mean that were in force when it was made. */
    private record Door(
            Auth auth, StaticTokens tokens, @Nullable AccessTokens access) {}

    private final Supplier<GatewaySettings> settings;
    private final Function<String, @Nullable String> environment;
    private final Clock clock;
    private final Log log;
    private final boolean always;
    private volatile Door door;

    /**
     * Takes what says who may call.
     *
     * @param settings what is in force now
     * @param environment gives the value of a variable, or null
     */
    public Gatekeeper(
            Supplier<GatewaySettings> settings, Function<String, @Nullable String> environment, Clock clock, Log log) {
        this.settings = settings;
        this.environment = environment;
        this.clock = clock;
        this.log = log;
        Auth auth = settings.get().auth();
        this.always = auth.isNeeded();
        this.door = make(auth, null);
    }

    /** Returns in words which tokens of the policy are not there. */
    public List<String> problems() {
        return door.tokens().problems();
    }

    private Door make(Auth auth, @Nullable Door old) {
        OAuth oauth = auth.oauth();
        AccessTokens access = null;
        if (oauth != null) {
            boolean same = old != null && oauth.equals(old.auth().oauth());
            access = same
                    ? Objects.requireNonNull(old).access()
                    : new AccessTokens(
                            oauth,
                            clock,
                            issuer -> new IssuerKeys(issuer.issuer(), KeyPlace.of(issuer.jwks()), clock, log));
        }
        return new Door(auth, new StaticTokens(auth.tokens(), environment), access);
    }

    private Door now() {
        Auth auth = settings.get().auth();
        Door current = door;
        if (current.auth().equals(auth)) {
            return current;
        }
        synchronized (this) {
            if (!door.auth().equals(auth)) {
                door = make(auth, door);
                door.tokens().problems().forEach(problem -> log.line(LogEvent.AUTH_WARNING, "warning: " + problem));
                if (always && !auth.isNeeded()) {
                    log.line(
                            LogEvent.AUTH_WARNING,
                            "the policy has no `auth` any more: NOBODY is let in until the next start");
                }
            }
            return door;
        }
    }

    /** Returns whether callers have to say who they are. */
    public boolean isNeeded() {
        return always || settings.get().auth().isNeeded();
    }

    /**
     * Returns who calls.
     *
     * @param authorization the headers {@code Authorization} of the request
     */
    public Admission admit(List<String> authorization) {
        Door current = now();
        if (!always && !current.auth().isNeeded()) {
            return new Admission.Known(ANYBODY);
        }
        if (authorization.size() > 1) {
            return new Admission.Refused(400, challenge(current, "invalid_request", ""), "send `Authorization` once");
        }
        String header = authorization.isEmpty() ? "" : authorization.get(0);
        if (!header.toLowerCase(Locale.ROOT).startsWith("bearer ")) {
            return new Admission.Refused(
                    401, challenge(current, "", ""), "say who you are: send `Authorization: Bearer` and your token");
        }
        return admit(current, header.substring("bearer ".length()).strip());
    }

    private Admission admit(Door current, String token) {
        Optional<String> principal = current.tokens().principal(token);
        if (principal.isPresent()) {
            return new Admission.Known(principal.get());
        }
        AccessTokens access = current.access();
        if (access == null) {
            return invalid(current, "the token is none that was given out here");
        }
        try {
            return new Admission.Known(access.principal(token));
        } catch (AccessTokens.Invalid e) {
            return invalid(current, String.valueOf(e.getMessage()));
        } catch (AccessTokens.Insufficient e) {
            return new Admission.Refused(
                    403,
                    challenge(current, "insufficient_scope", String.valueOf(e.getMessage())),
                    e.getMessage() + ": " + String.join(" ", scopes(current)));
        } catch (IssuerKeys.Unavailable e) {
            return new Admission.Refused(503, "", e.getMessage() + " now; try again later");
        }
    }

    private static Admission invalid(Door current, String why) {
        return new Admission.Refused(401, challenge(current, "invalid_token", why), why);
    }

    private static List<String> scopes(Door current) {
        OAuth oauth = current.auth().oauth();
        return oauth == null ? List.of() : oauth.scopes();
    }

    /** All texts in it are ours or were checked when the policy was read: none has a quote. */
    private static String challenge(Door current, String error, String description) {
        StringBuilder challenge = new StringBuilder("Bearer");
        String between = " ";
        OAuth oauth = current.auth().oauth();
        if (!error.isEmpty()) {
            challenge.append(between).append("error=\"").append(error).append('"');
            between = ", ";
        }
        if (!description.isEmpty()) {
            challenge
                    .append(between)
                    .append("error_description=\"")
                    .append(description.replace("`", ""))
                    .append('"');
            between = ", ";
        }
        if (oauth != null) {
            challenge
                    .append(between)
                    .append("resource_metadata=\"")
                    .append(metadataAddress(oauth))
                    .append('"');
            if (!oauth.scopes().isEmpty()) {
                challenge
                        .append(", scope=\"")
                        .append(String.join(" ", oauth.scopes()))
                        .append('"');
            }
        }
        return challenge.toString();
    }

    private static String metadataAddress(OAuth oauth) {
        URI resource = URI.create(oauth.resource());
        return resource.getScheme() + "://" + resource.getRawAuthority() + WELL_KNOWN + path(resource);
    }

    private static String path(URI resource) {
        String path = Objects.requireNonNullElse(resource.getRawPath(), "");
        return path.equals("/") ? "" : path;
    }

    /**
     * Returns what is said of this gateway as a protected resource at {@code path}; empty where nothing is.
     *
     * @param endpoint the path of the endpoint itself
     */
    public Optional<byte[]> metadata(String path, String endpoint) {
        OAuth oauth = now().auth().oauth();
        if (oauth == null
                || !(path.equals(WELL_KNOWN)
                        || path.equals(WELL_KNOWN + endpoint)
                        || path.equals(WELL_KNOWN + path(URI.create(oauth.resource()))))) {
            return Optional.empty();
        }
        ObjectNode metadata = JsonNodeFactory.instance.objectNode().put("resource", oauth.resource());
        var servers = metadata.putArray("authorization_servers");
        oauth.issuers().forEach(issuer -> servers.add(issuer.issuer()));
        if (!oauth.scopes().isEmpty()) {
            var scopes = metadata.putArray("scopes_supported");
            oauth.scopes().forEach(scopes::add);
        }
        metadata.putArray("bearer_methods_supported").add("header");
        return Optional.of(metadata.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** Returns whether {@code Host} may hold this name, without a port. */
    public boolean isOurHost(String host) {
        String lower = host.toLowerCase(Locale.ROOT);
        return LOOPBACK.contains(lower) || settings.get().hosts().contains(lower);
    }

    /** Returns whether {@code Origin} may hold this. */
    public boolean isOurOrigin(String origin) {
        String lower = origin.toLowerCase(Locale.ROOT);
        int scheme = lower.startsWith("http://") ? 7 : lower.startsWith("https://") ? 8 : 0;
        String name = scheme == 0 ? "" : lower.substring(scheme).replaceFirst(":[0-9]{1,5}$", "");
        return LOOPBACK.contains(name) || settings.get().origins().contains(lower);
    }
}
