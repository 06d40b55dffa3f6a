package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** When a gateway does not start, and that it speaks TLS where it is told to. */
class GatewayStartTest {

    private static final String TOKEN = "sluice_0123456789abcdef";

    @TempDir
    private Path folder;

    private Path policy(String gateway) throws IOException {
        return Files.writeString(
                folder.resolve("policy.yaml"),
                """
                version: 1
                servers:
                  files:
                    command: %s
                  second:
                    command: [node, server.js, %s]
                """.formatted(
                                JsonMapper.shared().writeValueAsString(Children.fixture(folder.resolve("files"), "")),
                                Files.createDirectories(folder.resolve("shared")))
                        + gateway);
    }

    private Told start(Path policy, Path state, String... options) throws Exception {
        List<String> all = new java.util.ArrayList<>(
                List.of("gateway", "--policy", policy.toString(), "--state", state.toString(), "--port", "0"));
        all.addAll(List.of(options));
        return Told.byProcess(all.toArray(String[]::new));
    }

    private void refuses(Told told, String why) {
        assertEquals(1, told.exit());
        assertEquals("", told.out());
        assertTrue(told.err().endsWith("sluice: " + why + "\n"), told.err());
    }

    @Test
    void otherThanLoopback_needsAuthAndTls_alsoWhereTheCommandLineSaysSo() throws Exception {
        refuses(
                start(policy(""), folder.resolve("state"), "--host", "0.0.0.0"),
                "`0.0.0.0` is reached by others, so callers must say who they are; add `auth` with `tokens` or `oauth`,"
                        + " or listen on 127.0.0.1");
        refuses(
                start(
                        policy("gateway: {auth: {tokens: {principal: ana, token_env: ANA_TOKEN}}}\n"),
                        folder.resolve("state"),
                        "--host",
                        "0.0.0.0"),
                "`0.0.0.0` is reached by others, who would send their tokens for all to read; add `tls`, or"
                        + " `behind_proxy: true` where a proxy of yours ends TLS");
    }

    @Test
    void tokenThatIsNotInItsVariable_isNamed() throws Exception {
        refuses(
                start(
                        policy("gateway: {auth: {tokens: {principal: ana, token_env: ANA_TOKEN}}}\n"),
                        folder.resolve("state")),
                "the token of `ana` is not in the variable `ANA_TOKEN`, or has less than 16 characters, so nobody is"
                        + " let in with it; set the variable to one that `sluice token` made");
    }

    @Test
    void whatIsOurs_inAFolderOfTheSecondServer_isRefused() throws Exception {
        Path shared = folder.resolve("shared");
        String elsewhere = ", so that server could change it; put it elsewhere, the state with `--state`";
        Path state = shared.resolve("state");
        refuses(
                start(policy(""), state),
                "`" + state + "` lies in the folder `" + shared + "` that the server is given (`second`)" + elsewhere);
        Path inside = shared.resolve("policy.yaml");
        Files.copy(policy(""), inside);
        refuses(
                start(inside, folder.resolve("state")),
                "`" + inside + "` lies in the folder `" + shared + "` that the server is given (`second`)" + elsewhere);
        Path keys = shared.resolve("jwks.json");
        refuses(
                start(
                        policy("gateway: {auth: {oauth: {resource: 'https://g.example/mcp', issuers:"
                                + " {issuer: 'https://l.example', jwks: " + keys + "}}}}\n"),
                        folder.resolve("state")),
                "`" + keys + "` lies in the folder `" + shared + "` that the server is given (`second`)" + elsewhere);
    }

    /** Makes a certificate for localhost and its key, as PEM files of this name; returns the certificate. */
    private X509Certificate certificate(String name) throws Exception {
        Path store = folder.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "a",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=dns:localhost,ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        "changeit")
                .inheritIO()
                .start();
        assertEquals(0, keytool.waitFor());
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = new FileInputStream(store.toFile())) {
            keys.load(in, "changeit".toCharArray());
        }
        Certificate certificate = keys.getCertificate("a");
        pem(name + ".crt", "CERTIFICATE", certificate.getEncoded());
        pem(
                name + ".key",
                "PRIVATE KEY",
                keys.getKey("a", "changeit".toCharArray()).getEncoded());
        return (X509Certificate) certificate;
    }

    private void pem(String file, String what, byte[] bytes) throws IOException {
        Files.writeString(
                folder.resolve(file),
                "-----BEGIN " + what + "-----\n" + Base64.getMimeEncoder().encodeToString(bytes) + "\n-----END " + what
                        + "-----\n");
    }

    private static HttpClient trusting(X509Certificate certificate) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("a", certificate);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }

    private String tls(String certificate, String key) {
        return "gateway:\n  tls: {certificate: " + folder.resolve(certificate) + ", key: " + folder.resolve(key)
                + "}\n  auth: {tokens: {principal: ana, token_env: ANA_TOKEN}}\n";
    }

    @Test
    void tls_isSpoken_andAChangedCertificateCountsWithoutARestart() throws Exception {
        X509Certificate first = certificate("first");
        X509Certificate second = certificate("second");
        Files.copy(folder.resolve("first.crt"), folder.resolve("used.crt"));
        Files.copy(folder.resolve("first.key"), folder.resolve("used.key"));
        try (HttpClientSide gateway = HttpClientSide.process(
                policy(tls("used.crt", "used.key")), folder.resolve("state"), folder, Map.of("ANA_TOKEN", TOKEN))) {
            HttpRequest health = HttpRequest.newBuilder(gateway.address.resolve("/health"))
                    .header("Authorization", "Bearer " + TOKEN)
                    .build();
            assertTrue(gateway.address.toString().startsWith("https://127.0.0.1:"), gateway.address.toString());
            try (HttpClient client = trusting(first)) {
                HttpResponse<String> answer = client.send(health, HttpResponse.BodyHandlers.ofString());
                assertEquals(200, answer.statusCode());
                assertTrue(answer.body().contains("\"second\""), answer.body());
            }
            try (HttpClient client = trusting(second)) {
                assertThrows(
                        SSLHandshakeException.class, () -> client.send(health, HttpResponse.BodyHandlers.ofString()));
            }

            Files.copy(
                    folder.resolve("second.crt"),
                    folder.resolve("used.crt"),
                    java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            Files.copy(
                    folder.resolve("second.key"),
                    folder.resolve("used.key"),
                    java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            for (int i = 0; i < 300 && !gateway.errors().contains("the certificate changed and is used now"); i++) {
                Thread.sleep(100);
            }
            try (HttpClient client = trusting(second)) {
                assertEquals(
                        200,
                        client.send(health, HttpResponse.BodyHandlers.ofString())
                                .statusCode());
            }
        }
    }

    @Test
    void hostThatTheCertificateIsNotFor_isJudgedByThePolicyAlone() throws Exception {
        X509Certificate certificate = certificate("one");
        try (HttpClientSide gateway = HttpClientSide.process(
                        policy(tls("one.crt", "one.key")
                                .replace("gateway:\n", "gateway:\n  hosts: [inside.example]\n")),
                        folder.resolve("state"),
                        folder,
                        Map.of("ANA_TOKEN", TOKEN));
                HttpClient client = trusting(certificate)) {
            int port = gateway.address.getPort();
            assertEquals("HTTP/1.1 200 OK", firstLine(client.sslContext(), port, "/health", "probe.example"));
            assertEquals("HTTP/1.1 404 Not Found", firstLine(client.sslContext(), port, "/other", "inside.example"));
            assertEquals("HTTP/1.1 403 Forbidden", firstLine(client.sslContext(), port, "/other", "evil.example"));
        }
    }

    private static String firstLine(SSLContext context, int port, String path, String host) throws IOException {
        try (Socket socket = context.getSocketFactory().createSocket("127.0.0.1", port)) {
            socket.getOutputStream()
                    .write(("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nAuthorization: Bearer " + TOKEN
                                    + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .findFirst()
                    .orElse("");
        }
    }

    @Test
    void tlsThatCantBeUsed_isToldWithItsMend() throws Exception {
        certificate("one");
        certificate("other");
        Files.writeString(folder.resolve("empty.key"), "nothing\n");
        String missing = folder.resolve("none.crt").toString();
        refuses(
                start(policy(tls("none.crt", "one.key").replace("ANA_TOKEN}", "PATH}")), folder.resolve("state")),
                "the files of `tls` can't be read: " + missing);
        refuses(
                start(policy(tls("one.crt", "other.key").replace("ANA_TOKEN}", "PATH}")), folder.resolve("state")),
                "`" + folder.resolve("other.key") + "` is not the key of the first certificate in `"
                        + folder.resolve("one.crt") + "`");
        refuses(
                start(policy(tls("one.crt", "empty.key").replace("ANA_TOKEN}", "PATH}")), folder.resolve("state")),
                "`" + folder.resolve("empty.key")
                        + "` holds no private key in PKCS #8, which begins with `-----BEGIN PRIVATE KEY-----`;"
                        + " `openssl pkcs8 -topk8 -nocrypt` makes one");
    }

    @Test
    void token_isMadeWithItsDigest() throws Exception {
        var made = Told.byProcess("token", "--json").json().get(0);
        String token = made.path("token").asString("");
        assertTrue(token.matches("sluice_[A-Za-z0-9_-]{43}"), token);
        assertEquals(
                java.util.HexFormat.of()
                        .formatHex(java.security.MessageDigest.getInstance("SHA-256")
                                .digest(token.getBytes(java.nio.charset.StandardCharsets.UTF_8))),
                made.path("sha256").asString(""));
        assertTrue(Told.byProcess("token").out().matches("token:  sluice_\\S{43}\nsha256: [0-9a-f]{64}\n"));
    }
}
