package dev.tenure.zookeeper.client;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.support.TlsFiles;
import java.nio.file.Path;
import java.util.Locale;
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
        setProperty(ENABLE_CLIENT_SASL_KEY, Boolean.toString(login instanceof Login.Sasl));
        if (login instanceof Login.Sasl sasl) {
            setProperty(LOGIN_CONTEXT_NAME_KEY, sasl.section());
            if (getProperty(FIPS_MODE) == null) {
                setProperty(FIPS_MODE, "false"); // else the client refuses DIGEST-MD5, whatever the JAAS file says
            }
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
}
