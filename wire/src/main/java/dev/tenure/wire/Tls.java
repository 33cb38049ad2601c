package dev.tenure.wire;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/**
 * Who is trusted, and who we are to them, from PEM files. Without authorities those of the JVM are trusted; without a certificate and
 * its key this side shows none.
 */
public record Tls(Optional<Path> authorities, Optional<Path> certificate, Optional<Path> key) {
    private static final char[] IN_MEMORY = new char[0];

    /** @throws BackendException if a file cannot be used; the message says which, and why */
    public SSLContext context() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(identity(), trust(), null);
            return context;
        } catch (GeneralSecurityException | IOException unusable) {
            throw new BackendException(
                    Effect.NONE,
                    Kind.MISCONFIGURED,
                    "the TLS files of the store URL cannot be used: " + unusable.getMessage(),
                    unusable);
        }
    }

    private TrustManager[] trust() throws GeneralSecurityException, IOException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        if (authorities.isEmpty()) {
            factory.init((KeyStore) null);
            return factory.getTrustManagers();
        }
        KeyStore store = emptyStore();
        int number = 0;
        for (Certificate trusted : certificates(authorities.get())) {
            store.setCertificateEntry("ca-" + number++, trusted);
        }
        factory.init(store);
        return factory.getTrustManagers();
    }

    private KeyManager[] identity() throws GeneralSecurityException, IOException {
        if (certificate.isEmpty() || key.isEmpty()) {
            return new KeyManager[0];
        }
        KeyStore store = emptyStore();
        Certificate[] chain = certificates(certificate.get()).toArray(Certificate[]::new);
        store.setKeyEntry("own", privateKey(key.get()), IN_MEMORY, chain);
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, IN_MEMORY);
        return factory.getKeyManagers();
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, IN_MEMORY);
        return store;
    }

    private static Collection<? extends Certificate> certificates(Path file)
            throws GeneralSecurityException, IOException {
        byte[] bytes = read(file).getBytes(StandardCharsets.ISO_8859_1);
        Collection<? extends Certificate> found =
                CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(bytes));
        if (found.isEmpty()) {
            throw new IOException(file + " holds no certificate");
        }
        return found;
    }

    private static PrivateKey privateKey(Path file) throws GeneralSecurityException, IOException {
        String pem = read(file);
        String begin = "-----BEGIN PRIVATE KEY-----";
        int from = pem.indexOf(begin);
        int to = pem.indexOf("-----END PRIVATE KEY-----");
        if (from < 0 || to < from) {
            throw new IOException(file + " holds no plain PKCS#8 key ('BEGIN PRIVATE KEY'); convert it with"
                    + " openssl pkcs8 -topk8 -nocrypt");
        }
        byte[] der = Base64.getMimeDecoder().decode(pem.substring(from + begin.length(), to));
        for (String algorithm : List.of("EC", "RSA", "Ed25519")) {
            Optional<PrivateKey> found = keyOf(algorithm, new PKCS8EncodedKeySpec(der));
            if (found.isPresent()) {
                return found.get();
            }
        }
        throw new IOException(file + " holds a key that is neither EC nor RSA nor Ed25519");
    }

    /** Empty if it is a key of another kind. */
    private static Optional<PrivateKey> keyOf(String algorithm, PKCS8EncodedKeySpec encoded)
            throws GeneralSecurityException {
        try {
            return Optional.of(KeyFactory.getInstance(algorithm).generatePrivate(encoded));
        } catch (InvalidKeySpecException other) {
            return Optional.empty();
        }
    }

    private static String read(Path file) throws IOException {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException unreadable) {
            throw new IOException(file + " cannot be read", unreadable);
        }
    }
}
