package dev.sluice.cli;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.Base64;

/** An authorization server with one key: serves its key set and signs tokens, with the JDK alone. */
final class AccessTokenMint implements AutoCloseable {

    private final HttpServer server;
    private final KeyPair pair;
    private volatile int status = 200;

    AccessTokenMint() throws IOException, GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        pair = generator.generateKeyPair();
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/jwks", exchange -> {
            byte[] keys = keys().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, keys.length);
            exchange.getResponseBody().write(keys);
            exchange.close();
        });
        server.start();
    }

    String issuer() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    void fail() {
        status = 500;
    }

    private String keys() {
        ECPublicKey key = (ECPublicKey) pair.getPublic();
        return "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"use\":\"sig\",\"kid\":\"k\",\"x\":\""
                + coordinate(key.getW().getAffineX().toByteArray()) + "\",\"y\":\""
                + coordinate(key.getW().getAffineY().toByteArray()) + "\"}]}";
    }

    private static String coordinate(byte[] number) {
        byte[] fixed = new byte[32];
        int length = Math.min(32, number.length);
        System.arraycopy(number, number.length - length, fixed, 32 - length, length);
        return encoded(fixed);
    }

    /** Returns a token for {@code who}, with further claims as they stand in JSON. */
    String token(String who, String audience, String scope, long seconds) throws GeneralSecurityException {
        String text = encoded("{\"alg\":\"ES256\",\"typ\":\"at+jwt\",\"kid\":\"k\"}")
                + "."
                + encoded("{\"iss\":\"" + issuer() + "\",\"sub\":\"" + who + "\",\"aud\":\"" + audience
                        + "\",\"scope\":\"" + scope + "\",\"exp\":"
                        + Instant.now().plusSeconds(seconds).getEpochSecond() + "}");
        Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
        signature.initSign(pair.getPrivate());
        signature.update(text.getBytes(StandardCharsets.US_ASCII));
        return text + "." + encoded(signature.sign());
    }

    private static String encoded(String text) {
        return encoded(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String encoded(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
