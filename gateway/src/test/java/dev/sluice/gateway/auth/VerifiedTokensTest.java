package dev.sluice.gateway.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.jwk.ECKey;
import dev.sluice.policy.GatewaySettings.Issuer;
import dev.sluice.policy.GatewaySettings.OAuth;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How long a token that was verified need not be verified again, and what ends that. */
class VerifiedTokensTest {

    private static final ECKey KEY = Issuing.ec("one");
    private static final Duration SKEW = Duration.ofSeconds(30);

    private final Issuing.HandClock clock = new Issuing.HandClock();
    private final Issuing.Place place = new Issuing.Place(KEY);
    private final IssuerKeys keys = new IssuerKeys(Issuing.ISSUER, place, clock, line -> {});
    private final VerifiedTokens verified = new VerifiedTokens(clock);
    private final AccessTokens tokens = new AccessTokens(
            new OAuth(
                    Issuing.RESOURCE,
                    List.of("mcp"),
                    SKEW,
                    List.of(new Issuer(Issuing.ISSUER, "/jwks", Set.of("ES256"), "sub"))),
            clock,
            issuer -> keys,
            verified);

    private int reading() throws Exception {
        return keys.fitting(header("one")).reading();
    }

    private static JWSHeader header(String key) {
        return new JWSHeader.Builder(JWSAlgorithm.ES256).keyID(key).build();
    }

    private void add(String token, Instant end) throws Exception {
        verified.add(token, "who", keys, reading(), clock.now, end);
    }

    @Test
    void verifiedToken_countsForAMinute() throws Exception {
        add("a", Issuing.NOW.plusSeconds(300));
        clock.now = Issuing.NOW.plusSeconds(59);
        assertEquals(Optional.of("who"), verified.principal("a"));
        assertEquals(Optional.empty(), verified.principal("b"));
        clock.now = Issuing.NOW.plusSeconds(60);
        assertEquals(Optional.empty(), verified.principal("a"));
        clock.now = Issuing.NOW.plusSeconds(59);
        assertEquals(Optional.empty(), verified.principal("a"), "it is forgotten, not only left aside");
    }

    @Test
    void verifiedToken_doesNotOutliveItsEnd() throws Exception {
        add("a", Issuing.NOW.plusSeconds(5));
        clock.now = Issuing.NOW.plusSeconds(5).minusMillis(1);
        assertEquals(Optional.of("who"), verified.principal("a"));
        clock.now = Issuing.NOW.plusSeconds(5);
        assertEquals(Optional.empty(), verified.principal("a"));
    }

    @Test
    void clockThatIsSetBack_makesItBeVerifiedAgain() throws Exception {
        add("a", Issuing.NOW.plusSeconds(300));
        clock.now = Issuing.NOW.minusMillis(1);
        assertEquals(Optional.empty(), verified.principal("a"));
    }

    @Test
    void keysThatWereReadAgain_andKeysThatAreDue_makeItBeVerifiedAgain() throws Exception {
        add("a", Issuing.NOW.plusSeconds(300));
        clock.now = Issuing.NOW.plus(IssuerKeys.LEAST_WAIT);
        var _ = keys.fitting(header("unknown"));
        assertEquals(2, place.reads.get());
        assertEquals(Optional.empty(), verified.principal("a"));

        clock.now = clock.now.plus(IssuerKeys.FRESH).minusSeconds(1);
        add("b", clock.now.plusSeconds(300));
        assertEquals(Optional.of("who"), verified.principal("b"));
        clock.now = clock.now.plusSeconds(1);
        assertEquals(Optional.empty(), verified.principal("b"), "the keys may be others by now");
    }

    @Test
    void beyondTheBound_theOldestIsForgotten() throws Exception {
        for (int i = 0; i < VerifiedTokens.MOST; i++) {
            add("t" + i, Issuing.NOW.plusSeconds(300));
        }
        add("t0", Issuing.NOW.plusSeconds(300)); // verified again, so it is the newest
        add("more", Issuing.NOW.plusSeconds(300));
        assertEquals(Optional.of("who"), verified.principal("t0"));
        assertEquals(Optional.empty(), verified.principal("t1"));
        assertEquals(Optional.of("who"), verified.principal("t2"));
        assertEquals(Optional.of("who"), verified.principal("more"));
    }

    @Test
    void verifiedToken_isNotLookedAtAgain() throws Exception {
        add("no JWT at all", Issuing.NOW.plusSeconds(300));
        assertEquals("who", tokens.principal("no JWT at all"));
    }

    @Test
    void goodToken_isKept_untilItIsRefusedForItsAge() throws Exception {
        String token = Issuing.token(KEY, claims -> claims.expirationTime(Date.from(Issuing.NOW.plusSeconds(10))));
        assertEquals("https://login.example#ana", tokens.principal(token));
        assertEquals(Optional.of("https://login.example#ana"), verified.principal(token));
        clock.now = Issuing.NOW.plusSeconds(10).plus(SKEW).minusMillis(1);
        assertEquals(Optional.of("https://login.example#ana"), verified.principal(token));
        clock.now = Issuing.NOW.plusSeconds(10).plus(SKEW);
        assertEquals(
                "the access token has expired",
                assertThrows(AccessTokens.Invalid.class, () -> tokens.principal(token))
                        .getMessage());
    }

    @Test
    void tokenOfAKeyThatWasTakenBack_isRefusedOnceTheKeysAreReadAgain() throws Exception {
        String token = Issuing.token(KEY, claims -> claims);
        assertEquals("https://login.example#ana", tokens.principal(token));
        ECKey next = Issuing.ec("two");
        place.keys = List.of(next);
        clock.now = Issuing.NOW.plus(IssuerKeys.LEAST_WAIT);
        assertEquals("https://login.example#ana", tokens.principal(Issuing.token(next, claims -> claims)));
        assertEquals(
                "the access token is not signed with a key of its issuer",
                assertThrows(AccessTokens.Invalid.class, () -> tokens.principal(token))
                        .getMessage());
    }

    @Test
    void whatWasRefused_isNotKept() throws Exception {
        String early = Issuing.token(KEY, claims -> claims.notBeforeTime(Date.from(Issuing.NOW.plusSeconds(40))));
        assertEquals(
                "the access token does not count yet",
                assertThrows(AccessTokens.Invalid.class, () -> tokens.principal(early))
                        .getMessage());
        assertEquals(Optional.empty(), verified.principal(early));
        clock.now = Issuing.NOW.plusSeconds(10);
        assertEquals("https://login.example#ana", tokens.principal(early));
    }
}
