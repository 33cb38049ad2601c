package dev.tenure.zookeeper;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** Which servers are trusted, and who we are to them, from the files that a URL names. */
final class TlsFiles {
    private TlsFiles() {}

    static SSLContext context(Tls tls) {
        char[] password = tls.password().map(Secret::text).orElse("").toCharArray();
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(identity(tls.certificate(), password), trust(tls.authorities(), password), null);
            return context;
        } catch (GeneralSecurityException | IOException unusable) {
            throw new BackendException(
                    Effect.NONE,
                    Kind.MISCONFIGURED,
                    "the TLS files of the store URL cannot be used: " + unusable.getMessage(),
                    unusable);
        }
    }

    /** Without authorities those of the JVM are trusted. */
    private static TrustManager[] trust(Optional<String> authorities, char[] password)
            throws GeneralSecurityException, IOException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        if (authorities.isEmpty()) {
            factory.init((KeyStore) null);
            return factory.getTrustManagers();
        }
        Path file = Path.of(authorities.get());
        factory.init(isPem(file) ? PemFile.read(file).authorities() : store(file, password));
        return factory.getTrustManagers();
    }

    private static KeyManager[] identity(Optional<String> certificate, char[] password)
            throws GeneralSecurityException, IOException {
        if (certificate.isEmpty()) {
            return new KeyManager[0];
        }
        Path file = Path.of(certificate.get());
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(isPem(file) ? PemFile.read(file).identity(password) : store(file, password), password);
        return factory.getKeyManagers();
    }

    private static boolean isPem(Path file) {
        return file.toString().toLowerCase(Locale.ROOT).endsWith(".pem");
    }

    /** Stores without a password can be read without one, but then nothing vouches for their being whole. */
    private static KeyStore store(Path file, char[] password) throws GeneralSecurityException, IOException {
        String type = file.toString().toLowerCase(Locale.ROOT).endsWith(".jks") ? "JKS" : "PKCS12";
        KeyStore store = KeyStore.getInstance(type);
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, password);
        } catch (IOException unreadable) {
            throw new IOException(file + " cannot be read: " + unreadable.getMessage(), unreadable);
        }
        return store;
    }
}
