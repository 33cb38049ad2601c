// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.client;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.TlsFiles;
import dev.tenure.zookeeper.client.Settings.Login;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Locale;
import java.util.Optional;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ConfigException;

/**
 * The settings of one client. They come from the store URL and from the file that its option {@code client} names.
 *
 * <p>ZooKeeper's client also reads system properties ({@code zookeeper.*}), which belong to the whole JVM: another library that sets
 * {@code zookeeper.client.secure} for its own client must not change this one, nor the other way round. So they are not read.
 */
final class ClientConfig extends ZKClientConfig {
    private static final String FIPS_MODE = "zookeeper.fips-mode";
    private static final String NETTY = "org.apache.zookeeper.ClientCnxnSocketNetty";
    /** The client accepts 1 MB by default; a list of all elections may be longer. */
    private static final int ANSWER_BYTES_MAX = 64 * 1024 * 1024;

    private ClientConfig() {
        setProperty(ZOOKEEPER_REQUEST_TIMEOUT, "0"); // the engine has timeouts of its own
        setProperty(ZOOKEEPER_SERVER_PRINCIPAL, null);
        setProperty(JUTE_MAXBUFFER, Integer.toString(ANSWER_BYTES_MAX));
    }

    /** Called by the constructors above to read system properties. */
    @Override
    protected void handleBackwardCompatibility() {
        // Nothing is read: see above.
    }

    /** @param identity the key store with the certificate of this client, if it has one */
    static ClientConfig of(Settings settings, IdentityFile identity) {
        ClientConfig config = new ClientConfig();
        settings.clientFile().ifPresent(config::read);
        config.login(settings.login());
        settings.tls().ifPresent(tls -> config.tls(tls, identity));
        config.setProperty(DISABLE_AUTO_WATCH_RESET, "false");
        if (Boolean.parseBoolean(config.getProperty(SECURE_CLIENT))) {
            config.setProperty(ZOOKEEPER_CLIENT_CNXN_SOCKET, NETTY); // the only one that knows TLS
        }
        return config;
    }

    private void read(Path file) {
        try {
            addConfiguration(file);
        } catch (ConfigException unusable) {
            throw new BackendException(
                    Effect.NONE,
                    Kind.MISCONFIGURED,
                    "the file of option client cannot be used: " + unusable.getMessage(),
                    unusable);
        }
    }

    private void login(Login login) {
        setProperty(ENABLE_CLIENT_SASL_KEY, Boolean.toString(login.section().isPresent()));
        login.section().ifPresent(section -> setProperty(LOGIN_CONTEXT_NAME_KEY, section));
        if (login.section().isPresent() && getProperty(FIPS_MODE) == null) {
            setProperty(FIPS_MODE, "false"); // else the client refuses DIGEST-MD5, whatever the JAAS file says
        }
    }

    private void tls(TlsFiles tls, IdentityFile identity) {
        setProperty(SECURE_CLIENT, "true");
        tls.authorities().ifPresent(file -> {
            setProperty("zookeeper.ssl.trustStore.location", file.toString());
            setProperty("zookeeper.ssl.trustStore.type", type(file));
            setProperty("zookeeper.ssl.trustStore.password", tls.password());
        });
        identity.location().ifPresent(file -> {
            setProperty("zookeeper.ssl.keyStore.location", file.toString());
            setProperty("zookeeper.ssl.keyStore.type", type(file));
            setProperty("zookeeper.ssl.keyStore.password", identity.password());
        });
    }

    private static String type(Path file) {
        String name = file.toString().toLowerCase(Locale.ROOT);
        if (name.endsWith(".jks")) {
            return "JKS";
        }
        return name.endsWith(".p12") || name.endsWith(".pfx") ? "PKCS12" : "PEM";
    }

    /**
     * The certificate of this client with its key, in the one file that ZooKeeper's client reads both from. A key store that the URL
     * names is used as it is. Where the URL names PEM files (certificate and key are mostly two), a key store is made of them. It can be
     * read by its owner only, and is encrypted with a random password that this process keeps to itself. It is deleted as soon as the
     * client has read it, which it does at its first connection.
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
}
