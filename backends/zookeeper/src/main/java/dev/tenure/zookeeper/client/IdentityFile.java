package dev.tenure.zookeeper.client;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.TlsFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Optional;

/**
 * The certificate of this client with its key, in the one file that ZooKeeper's client reads both from. A key store that the URL
 * names is used as it is. Where the URL names PEM files (certificate and key are mostly two), a key store is made of them: it can be
 * read by its owner only, is encrypted with a random password that this process keeps to itself, and is deleted as soon as the client
 * has read it, which it does at its first connection.
 *
 * @param made true if the file was made here
 */
record IdentityFile(Optional<Path> location, String password, boolean made) {
    private static final Logger LOG = System.getLogger("dev.tenure");

    static IdentityFile of(Settings settings, Host host) {
        Optional<TlsFiles> tls =
                settings.tls().filter(files -> files.certificate().isPresent());
        if (tls.isEmpty()) {
            return new IdentityFile(Optional.empty(), "", false);
        }
        Path named = tls.get().certificate().orElseThrow();
        return TlsFiles.isKeyStore(named)
                ? new IdentityFile(Optional.of(named), tls.get().password(), false)
                : make(tls.get(), Long.toHexString(host.random()) + Long.toHexString(host.random()));
    }

    private static IdentityFile make(TlsFiles tls, String password) {
        KeyStore store = tls.identityStore(password);
        try {
            Path file = Files.createTempFile("tenure-zookeeper-", ".p12"); // readable by its owner only
            try (OutputStream out = Files.newOutputStream(file)) {
                store.store(out, password.toCharArray());
            }
            return new IdentityFile(Optional.of(file), password, true);
        } catch (IOException | GeneralSecurityException failure) {
            throw new BackendException(
                    Effect.NONE,
                    Kind.MISCONFIGURED,
                    "the certificate cannot be handed to ZooKeeper's client by a temporary file: " + failure,
                    failure);
        }
    }

    /** Blocks; for the I/O threads. */
    void delete() {
        if (made) {
            try {
                Files.deleteIfExists(location.orElseThrow());
            } catch (IOException failure) {
                LOG.log(Level.WARNING, "the temporary key store " + location.orElseThrow() + " is left", failure);
            }
        }
    }
}
