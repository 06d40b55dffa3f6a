package dev.sluice.gateway.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import dev.sluice.policy.GatewaySettings.Issuer;
import dev.sluice.policy.GatewaySettings.OAuth;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which access tokens count, and for whom. */
class AccessTokensTest {

    private static final ECKey KEY = Issuing.ec("one");
    private static final RSAKey RSA = Issuing.rsa("rsa", 2048);

    private final Issuing.HandClock clock = new Issuing.HandClock();
    private final Issuing.Place place = new Issuing.Place(KEY, RSA);
    private final AccessTokens tokens = tokens("sub", Set.of("ES256", "RS256"), List.of("mcp"));

    private AccessTokens tokens(String claim, Set<String> algorithms, List<String> scopes) {
        return new AccessTokens(
                new OAuth(
                        Issuing.RESOURCE,
                        scopes,
                        Duration.ofSeconds(30),
                        List.of(
                                new Issuer(Issuing.ISSUER, "/jwks", algorithms, claim),
                                new Issuer("https://other.example", "/jwks", algorithms, claim))),
                clock,
                issuer -> new IssuerKeys(issuer.issuer(), place, clock, line -> {}));
    }

    private String fault(String token) {
        return fault(tokens, token);
    }

    private static String fault(AccessTokens tokens, String token) {
        return assertThrows(AccessTokens.Invalid.class, () -> tokens.principal(token))
                .getMessage();
    }

    @Test
    void goodToken_names_whoItIsFor() throws Exception {
        assertEquals("https://login.example#ana", tokens.principal(Issuing.token(KEY, claims -> claims)));
        assertEquals("https://login.example#ana", tokens.principal(Issuing.token(RSA, claims -> claims)));
    }

    @Test
    void scopes_mayBeAListToo() throws Exception {
        assertEquals(
                "https://login.example#ana",
                tokens.principal(Issuing.token(
                        KEY, claims -> claims.claim("scope", null).claim("scp", List.of("a", "mcp")))));
    }

    @Test
    void oneOfSeveralAudiences_isEnough() throws Exception {
        assertEquals(
                "https://login.example#ana",
                tokens.principal(
                        Issuing.token(KEY, claims -> claims.audience(List.of("https://x.example", Issuing.RESOURCE)))));
    }

    @Test
    void audience_isComparedToTheLetter() {
        for (String other : List.of(
                "https://gateway.example/mcp/",
                "https://gateway.example",
                "HTTPS://gateway.example/mcp",
                "https://gateway.example/mcp2",
                "https://gateway.example.evil.example/mcp")) {
            assertEquals(
                    "the access token is not for this gateway",
                    fault(Issuing.token(KEY, claims -> claims.audience(other))),
                    other);
        }
        assertEquals(
                "the access token is not for this gateway",
                fault(Issuing.token(KEY, claims -> claims.audience((String) null))));
    }

    @Test
    void issuer_isComparedToTheLetter() {
        for (String other : List.of("https://login.example/", "https://LOGIN.example", "https://evil.example")) {
            assertEquals(
                    "the access token is of an issuer that does not count here",
                    fault(Issuing.token(KEY, claims -> claims.issuer(other))));
        }
        assertEquals(
                "the access token is of an issuer that does not count here",
                fault(Issuing.token(KEY, claims -> claims.issuer(null))));
    }

    @Test
    void time_isCheckedWithALittleSkew() throws Exception {
        String token = Issuing.token(KEY, claims -> claims.notBeforeTime(Date.from(Issuing.NOW)));
        clock.now = Issuing.NOW.minusSeconds(30);
        assertEquals("https://login.example#ana", tokens.principal(token));
        clock.now = Issuing.NOW.minusSeconds(31);
        assertEquals("the access token does not count yet", fault(token));
        clock.now = Issuing.NOW.plusSeconds(329);
        assertEquals("https://login.example#ana", tokens.principal(token));
        clock.now = Issuing.NOW.plusSeconds(330);
        assertEquals("the access token has expired", fault(token));
    }

    @Test
    void tokenWithoutAnEnd_isRefused() {
        assertEquals(
                "the access token does not say when it ends",
                fault(Issuing.token(KEY, claims -> claims.expirationTime(null))));
    }

    @Test
    void algorithmNone_isRefused() {
        assertEquals(
                "the token is neither one that was given out here nor a signed JWT",
                fault(new PlainJWT(Issuing.good().build()).serialize()));
        String good = Issuing.token(KEY, claims -> claims);
        String unsigned = Base64.getUrlEncoder()
                        .withoutPadding()
                        .encodeToString("{\"alg\":\"none\"}".getBytes(StandardCharsets.UTF_8))
                + good.substring(good.indexOf('.'));
        assertEquals("the token is neither one that was given out here nor a signed JWT", fault(unsigned));
    }

    @Test
    void hs256WithThePublicKeyAsSecret_isRefused() throws Exception {
        SignedJWT jwt = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("rsa").build(),
                Issuing.good().build());
        jwt.sign(new MACSigner(RSA.toRSAPublicKey().getEncoded()));

        assertEquals("the access token is signed with an algorithm that does not count here", fault(jwt.serialize()));
    }

    @Test
    void symmetricKeyInTheSet_signsNothing() throws Exception {
        OctetSequenceKey secret =
                new OctetSequenceKey.Builder(new byte[32]).keyID("mac").build();
        place.keys = List.of(secret, KEY);
        SignedJWT jwt = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("mac").build(),
                Issuing.good().build());
        jwt.sign(new MACSigner(secret));

        assertEquals("the access token is signed with an algorithm that does not count here", fault(jwt.serialize()));
    }

    @Test
    void algorithmThatTheIssuerMayNotUse_isRefused() {
        assertEquals(
                "the access token is signed with an algorithm that does not count here",
                fault(tokens("sub", Set.of("ES256"), List.of()), Issuing.token(RSA, claims -> claims)));
    }

    @Test
    void keyOfSomebodyElse_underTheRightId_isRefused() {
        assertEquals(
                "the access token is not signed with a key of its issuer",
                fault(Issuing.token(Issuing.ec("one"), claims -> claims)));
    }

    @Test
    void keyInTheTokensOwnHeader_isNotUsed() throws Exception {
        ECKey own = Issuing.ec("own");
        JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.ES256)
                .jwk(own.toPublicJWK())
                .jwkURL(new java.net.URI("https://evil.example/jwks"))
                .build();

        assertEquals(
                "the access token is not signed with a key of its issuer",
                fault(Issuing.signed(header, own, Issuing.good().build())));
    }

    @Test
    void changedClaims_areRefused() {
        String[] parts = Issuing.token(KEY, claims -> claims).split("\\.");
        String other = Issuing.token(KEY, claims -> claims.subject("bo")).split("\\.")[1];

        assertEquals(
                "the access token is not signed with a key of its issuer",
                fault(parts[0] + "." + other + "." + parts[2]));
    }

    @Test
    void shortRsaKey_signsNothing() {
        RSAKey weak = Issuing.rsa("weak", 1024);
        place.keys = List.of(weak);

        assertEquals(
                "the access token is not signed with a key of its issuer",
                fault(Issuing.token(weak, claims -> claims)));
    }

    @Test
    void jwtOfAnotherKind_isNoAccessToken() {
        JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.ES256)
                .keyID("one")
                .type(new JOSEObjectType("logout+jwt"))
                .build();

        assertEquals(
                "the JWT is no access token",
                fault(Issuing.signed(header, KEY, Issuing.good().build())));
    }

    @Test
    void missingScope_isInsufficient() {
        for (String scope : List.of("", "openid", "mcp2", "MCP", "mcp,openid")) {
            assertThrows(
                    AccessTokens.Insufficient.class,
                    () -> tokens.principal(Issuing.token(KEY, claims -> claims.claim("scope", scope))),
                    scope);
        }
    }

    @Test
    void hugeToken_isNotParsed() {
        assertEquals(
                "the access token has more than 8192 characters",
                fault(Issuing.token(KEY, claims -> claims.claim("x", "y".repeat(8192)))));
        assertEquals(0, place.reads.get());
    }

    @Test
    void principal_canEqualNoOther() throws Exception {
        String plain = tokens.principal(Issuing.token(KEY, claims -> claims.subject("a#b")));
        assertEquals("https://login.example#a%23b", plain);
        assertEquals(
                "https://login.example#a%2523b",
                tokens.principal(Issuing.token(KEY, claims -> claims.subject("a%23b"))));
        assertEquals(
                "https://login.example#%0Aana%20%C3%A9%3A",
                tokens.principal(Issuing.token(KEY, claims -> claims.subject("\nana \u00e9:"))));
        assertNotEquals(
                tokens.principal(Issuing.token(KEY, claims -> claims)),
                tokens.principal(Issuing.token(KEY, claims -> claims.issuer("https://other.example"))));
    }

    @Test
    void claimOfThePrincipal_mustBeAText() throws Exception {
        AccessTokens byMail = tokens("email", Set.of("ES256"), List.of());
        assertEquals(
                "https://login.example#ana@clinic.example",
                byMail.principal(Issuing.token(KEY, claims -> claims.claim("email", "ana@clinic.example"))));
        for (Object other : new Object[] {null, 7, List.of("ana"), " ", "x".repeat(256)}) {
            assertEquals(
                    "the access token does not say who it is for in the claim `email`",
                    fault(byMail, Issuing.token(KEY, claims -> claims.claim("email", other))));
        }
    }

    @Test
    void rotatedKey_countsWithoutARestart() throws Exception {
        tokens.principal(Issuing.token(KEY, claims -> claims));
        JWK next = Issuing.ec("two");
        place.keys = List.of(next);
        clock.now = clock.now.plus(IssuerKeys.LEAST_WAIT);

        assertEquals("https://login.example#ana", tokens.principal(Issuing.token(next, claims -> claims)));
        assertEquals(
                "the access token is not signed with a key of its issuer",
                fault(Issuing.token(KEY, claims -> claims)),
                "the old one is gone");
        assertEquals(2, place.reads.get());
    }

    @Test
    void unknownKeyIds_areNoLever() throws Exception {
        tokens.principal(Issuing.token(KEY, claims -> claims));
        clock.now = clock.now.plus(IssuerKeys.LEAST_WAIT);
        for (int i = 0; i < 50; i++) {
            fault(Issuing.token(KEY, "made-up-" + i, claims -> claims));
        }
        assertEquals(2, place.reads.get());
    }

    @Test
    void keysThatCantBeHad_letNobodyIn_andAreTriedWithBackOff() throws Exception {
        place.away = true;
        String token = Issuing.token(KEY, claims -> claims.expirationTime(Date.from(Issuing.NOW.plusSeconds(99_999))));
        for (int i = 0; i < 20; i++) {
            assertThrows(IssuerKeys.Unavailable.class, () -> tokens.principal(token));
        }
        assertEquals(1, place.reads.get());
        clock.now = clock.now.plusSeconds(1);
        assertThrows(IssuerKeys.Unavailable.class, () -> tokens.principal(token));
        clock.now = clock.now.plusSeconds(1);
        assertThrows(IssuerKeys.Unavailable.class, () -> tokens.principal(token));
        assertEquals(2, place.reads.get(), "the second wait is twice as long");
        place.away = false;
        clock.now = clock.now.plusSeconds(1);
        assertEquals("https://login.example#ana", tokens.principal(token));
    }

    @Test
    void keysThatWereHad_countForAnHourMore() throws Exception {
        String token = Issuing.token(KEY, claims -> claims.expirationTime(Date.from(Issuing.NOW.plusSeconds(99_999))));
        tokens.principal(token);
        place.away = true;
        clock.now = Issuing.NOW.plus(IssuerKeys.FRESH).plus(IssuerKeys.STALE).minusSeconds(1);
        assertEquals("https://login.example#ana", tokens.principal(token));
        clock.now = clock.now.plusSeconds(2);
        assertThrows(IssuerKeys.Unavailable.class, () -> tokens.principal(token));
    }
}
