package dev.sluice.gateway.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.sluice.policy.GatewaySettings.Issuer;
import dev.sluice.policy.GatewaySettings.OAuth;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Clock;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Access tokens of OAuth 2.1 that are JWTs.
 *
 * <p>A token is verified once a minute, not at each request ({@link VerifiedTokens}).
 *
 * <p>Sources: RFC 9068, RFC 8725, and MCP revision 2025-11-25, Authorization.
 */
final class AccessTokens {

    /** Longer ones are not looked at. */
    static final int MOST_CHARS = 8 << 10;

    private static final int MOST_SUBJECT = 255;
    private static final int LEAST_RSA_BITS = 2048;
    private static final Set<String> TYPES = Set.of("jwt", "at+jwt", "application/at+jwt");

    /** What is wrong with a token. */
    static final class Invalid extends Exception {
        Invalid(String why) {
            super(why);
        }
    }

    /** The token is good, and does not reach so far. */
    static final class Insufficient extends Exception {
        Insufficient() {
            super("the access token does not hold every scope that is asked for");
        }
    }

    private record Source(Issuer settings, IssuerKeys keys) {}

    private final OAuth settings;
    private final Clock clock;
    private final Map<String, Source> issuers = new HashMap<>();
    private final VerifiedTokens verified;

    AccessTokens(OAuth settings, Clock clock, Function<Issuer, IssuerKeys> keys) {
        this(settings, clock, keys, new VerifiedTokens(clock));
    }

    AccessTokens(OAuth settings, Clock clock, Function<Issuer, IssuerKeys> keys, VerifiedTokens verified) {
        this.settings = settings;
        this.clock = clock;
        this.verified = verified;
        settings.issuers().forEach(each -> issuers.put(each.issuer(), new Source(each, keys.apply(each))));
    }

    /** Returns on whose behalf the bearer of {@code token} calls. */
    String principal(String token) throws Invalid, Insufficient, IssuerKeys.Unavailable {
        if (token.length() > MOST_CHARS) {
            throw new Invalid("the access token has more than " + MOST_CHARS + " characters");
        }
        Optional<String> known = verified.principal(token);
        return known.isPresent() ? known.get() : verify(token);
    }

    private String verify(String token) throws Invalid, Insufficient, IssuerKeys.Unavailable {
        SignedJWT jwt;
        JWTClaimsSet claims;
        try {
            jwt = SignedJWT.parse(token);
            claims = jwt.getJWTClaimsSet();
        } catch (ParseException | RuntimeException e) {
            throw new Invalid("the token is neither one that was given out here nor a signed JWT");
        }
        Source source = claims == null ? null : issuers.get(String.valueOf(claims.getIssuer()));
        if (claims == null || source == null) {
            throw new Invalid("the access token is of an issuer that does not count here");
        }
        JWSHeader header = jwt.getHeader();
        if (!source.settings().algorithms().contains(header.getAlgorithm().getName())) {
            throw new Invalid("the access token is signed with an algorithm that does not count here");
        }
        JOSEObjectType type = header.getType();
        if (type != null && !TYPES.contains(type.getType().toLowerCase(Locale.ROOT))) {
            throw new Invalid("the JWT is no access token");
        }
        IssuerKeys.Fitting fitting = source.keys().fitting(header);
        if (!isSigned(jwt, fitting.keys())) {
            throw new Invalid("the access token is not signed with a key of its issuer");
        }
        Instant now = clock.instant();
        Instant end = demandTime(claims, now);
        if (!claims.getAudience().contains(settings.resource())) {
            throw new Invalid("the access token is not for this gateway");
        }
        String who = subject(claims, source.settings().claim());
        if (!scopes(claims).containsAll(settings.scopes())) {
            throw new Insufficient();
        }
        String principal = source.settings().issuer() + "#" + escaped(who);
        verified.add(token, principal, source.keys(), fitting.reading(), now, end);
        return principal;
    }

    private static boolean isSigned(SignedJWT jwt, List<JWK> keys) {
        for (JWK key : keys) {
            try {
                JWSVerifier verifier = verifier(key);
                if (verifier != null && jwt.verify(verifier)) {
                    return true;
                }
            } catch (JOSEException | RuntimeException e) {
                // this key can't be it
            }
        }
        return false;
    }

    private static @Nullable JWSVerifier verifier(JWK key) throws JOSEException {
        return switch (key) {
            case com.nimbusds.jose.jwk.RSAKey rsa when rsa.size() >= LEAST_RSA_BITS -> new RSASSAVerifier(rsa);
            case com.nimbusds.jose.jwk.ECKey ec -> new ECDSAVerifier(ec);
            default -> null;
        };
    }

    /** Returns from when on the token is refused. */
    private Instant demandTime(JWTClaimsSet claims, Instant now) throws Invalid {
        if (claims.getExpirationTime() == null) {
            throw new Invalid("the access token does not say when it ends");
        }
        Instant end = claims.getExpirationTime().toInstant().plus(settings.skew());
        if (!now.isBefore(end)) {
            throw new Invalid("the access token has expired");
        }
        if (claims.getNotBeforeTime() != null
                && now.isBefore(claims.getNotBeforeTime().toInstant().minus(settings.skew()))) {
            throw new Invalid("the access token does not count yet");
        }
        return end;
    }

    private static String subject(JWTClaimsSet claims, String claim) throws Invalid {
        if (claims.getClaim(claim) instanceof String who && !who.isBlank() && who.length() <= MOST_SUBJECT) {
            return who;
        }
        throw new Invalid("the access token does not say who it is for in the claim `" + claim + "`");
    }

    private static Set<String> scopes(JWTClaimsSet claims) {
        Set<String> scopes = new HashSet<>();
        for (String claim : List.of("scope", "scp")) {
            Object value = claims.getClaim(claim);
            if (value instanceof String words) {
                scopes.addAll(Arrays.asList(words.split(" ")));
            } else if (value instanceof List<?> list) {
                list.forEach(each -> scopes.add(String.valueOf(each)));
            }
        }
        return scopes;
    }

    /** Percent-encodes all but a few characters, so that what follows the issuer's {@code #} can be read in one way only. */
    private static String escaped(String text) {
        StringBuilder out = new StringBuilder();
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (each & 0xff);
            if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || "._@-".indexOf(c) >= 0) {
                out.append(c);
            } else {
                out.append('%').append(java.util.HexFormat.of().withUpperCase().toHexDigits(each));
            }
        }
        return out.toString();
    }
}
