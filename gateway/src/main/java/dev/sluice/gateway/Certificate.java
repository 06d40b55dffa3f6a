package dev.sluice.gateway;

import dev.sluice.policy.GatewaySettings.Tls;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** The gateway's certificate and key, from their PEM files, and again when those change. */
final class Certificate {

    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
    private static final List<String> KINDS = List.of("EC", "RSA", "EdDSA");

    private record Looks(FileTime certificate, FileTime key) {}

    private final Path certificate;
    private final Path key;
    private final Log log;
    private final SslContextFactory.Server factory = new SslContextFactory.Server();
    private Looks looks;

    /**
     * Reads both files.
     *
     * @throws IOException where they can't be used; the message says the mend
     */
    Certificate(Tls tls, Log log) throws IOException {
        this.certificate = Path.of(tls.certificate());
        this.key = Path.of(tls.key());
        this.log = log;
        this.looks = looks();
        use(factory);
    }

    /** Returns what Jetty takes its keys from. */
    SslContextFactory.Server factory() {
        return factory;
    }

    private Looks looks() throws IOException {
        try {
            return new Looks(Files.getLastModifiedTime(certificate), Files.getLastModifiedTime(key));
        } catch (IOException e) {
            throw new IOException("the files of `tls` can't be read: " + e.getMessage(), e);
        }
    }

    private void use(SslContextFactory.Server target) throws IOException {
        String password = UUID.randomUUID().toString(); // of a key store that never leaves memory
        try {
            List<X509Certificate> chain = chain();
            PrivateKey own = privateKey();
            demandPair(chain.get(0), own);
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("gateway", own, password.toCharArray(), chain.toArray(new X509Certificate[0]));
            target.setKeyStore(store);
            target.setKeyStorePassword(password);
            target.setIncludeProtocols("TLSv1.3", "TLSv1.2");
        } catch (GeneralSecurityException e) {
            throw new IOException("the certificate and key of `tls` can't be used: " + e.getMessage(), e);
        }
    }

    private List<X509Certificate> chain() throws IOException, GeneralSecurityException {
        List<X509Certificate> chain = new ArrayList<>();
        try (InputStream in = Files.newInputStream(certificate)) {
            for (var each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                chain.add((X509Certificate) each);
            }
        }
        if (chain.isEmpty()) {
            throw new IOException("`" + certificate + "` holds no certificate; name a PEM file that does");
        }
        return chain;
    }

    private PrivateKey privateKey() throws IOException {
        Matcher pem = KEY.matcher(Files.readString(key));
        if (!pem.find()) {
            throw new IOException("`" + key + "` holds no private key in PKCS #8, which begins with"
                    + " `-----BEGIN PRIVATE KEY-----`; `openssl pkcs8 -topk8 -nocrypt` makes one");
        }
        byte[] der = Base64.getMimeDecoder().decode(String.valueOf(pem.group(1)));
        for (String kind : KINDS) {
            try {
                return KeyFactory.getInstance(kind).generatePrivate(new PKCS8EncodedKeySpec(der));
            } catch (GeneralSecurityException e) {
                // another kind of key
            }
        }
        throw new IOException(
                "`" + key + "` holds a private key that is neither EC, RSA nor Ed25519; use one of those");
    }

    private void demandPair(X509Certificate own, PrivateKey secret) throws IOException, GeneralSecurityException {
        String algorithm = switch (secret.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> "EdDSA";
        };
        byte[] text = {1, 2, 3};
        boolean pair;
        try {
            Signature signing = Signature.getInstance(algorithm);
            signing.initSign(secret);
            signing.update(text);
            Signature verifying = Signature.getInstance(algorithm);
            verifying.initVerify(own.getPublicKey());
            verifying.update(text);
            pair = verifying.verify(signing.sign());
        } catch (java.security.InvalidKeyException | java.security.SignatureException e) {
            pair = false;
        }
        if (!pair) {
            throw new IOException("`" + key + "` is not the key of the first certificate in `" + certificate + "`");
        }
    }

    /** Uses what is in the files now where they changed; what can't be used changes nothing. */
    void look() {
        try {
            Looks now = looks();
            if (now.equals(looks)) {
                return;
            }
            looks = now;
            factory.reload(each -> {
                try {
                    use((SslContextFactory.Server) each);
                } catch (IOException e) {
                    throw new IllegalStateException(e.getMessage(), e);
                }
            });
            log.line(LogEvent.CERTIFICATE_RENEWED, "the certificate changed and is used now");
        } catch (Exception e) {
            log.line(
                    LogEvent.CERTIFICATE_UNUSABLE,
                    "the certificate changed and can't be used, the old one STAYS: " + e.getMessage());
        }
    }
}
