package dev.sluice.gateway.auth;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.crypto.opts.AllowWeakRSAKey;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** An authorization server of the tests: its keys, its tokens, and a clock that is moved by hand. */
final class Issuing {

    static final String ISSUER = "https://login.example";
    static final String RESOURCE = "https://gateway.example/mcp";
    static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");

    private Issuing() {}

    /** A clock that stands until it is moved. */
    static final class HandClock extends Clock {
        Instant now = NOW;

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    }

    /** A key set that can change and be away, and counts how often it is read. */
    static final class Place implements KeyPlace {
        List<JWK> keys;
        boolean away;
        final AtomicInteger reads = new AtomicInteger();

        Place(JWK... keys) {
            this.keys = List.of(keys);
        }

        @Override
        public String read() throws java.io.IOException {
            reads.incrementAndGet();
            if (away) {
                throw new java.io.IOException("it can't be reached");
            }
            return new JWKSet(keys).toString(true);
        }
    }

    static ECKey ec(String id) {
        try {
            return new ECKeyGenerator(Curve.P_256).keyID(id).generate();
        } catch (com.nimbusds.jose.JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    static RSAKey rsa(String id, int bits) {
        try {
            return new RSAKeyGenerator(bits, true).keyID(id).generate();
        } catch (com.nimbusds.jose.JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The claims of a good token. */
    static JWTClaimsSet.Builder good() {
        return new JWTClaimsSet.Builder()
                .issuer(ISSUER)
                .subject("ana")
                .audience(RESOURCE)
                .claim("scope", "openid mcp")
                .expirationTime(Date.from(NOW.plusSeconds(300)));
    }

    static String token(JWK key, UnaryOperator<JWTClaimsSet.Builder> claims) {
        return token(key, key.getKeyID(), claims);
    }

    static String token(JWK key, String id, UnaryOperator<JWTClaimsSet.Builder> claims) {
        JWSAlgorithm algorithm = key instanceof ECKey ? JWSAlgorithm.ES256 : JWSAlgorithm.RS256;
        return signed(
                new JWSHeader.Builder(algorithm).keyID(id).build(),
                key,
                claims.apply(good()).build());
    }

    static String signed(JWSHeader header, JWK key, JWTClaimsSet claims) {
        try {
            JWSSigner signer = key instanceof ECKey ec
                    ? new ECDSASigner(ec)
                    : new RSASSASigner(key.toRSAKey().toPrivateKey(), Set.of(AllowWeakRSAKey.getInstance()));
            SignedJWT jwt = new SignedJWT(header, claims);
            jwt.sign(signer);
            return jwt.serialize();
        } catch (com.nimbusds.jose.JOSEException e) {
            throw new IllegalStateException(e);
        }
    }
}
