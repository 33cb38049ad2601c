package dev.tenure.zookeeper;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.zookeeper.wire.Credentials;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.Configuration;

/**
 * Name and password in a section of the JAAS configuration. The module that is named there is not run: the one of ZooKeeper's
 * own client only copies these two, and need not be on the class path.
 */
final class JaasSection {
    private JaasSection() {}

    static Credentials credentials(String context) {
        return Arrays.stream(entries(context))
                .map(AppConfigurationEntry::getOptions)
                .flatMap(options -> credentials(options).stream())
                .findFirst()
                .orElseThrow(() -> refused(context, "names no username and password; only DIGEST-MD5 is spoken here"));
    }

    private static Optional<Credentials> credentials(Map<String, ?> options) {
        return options.get("username") instanceof String user && options.get("password") instanceof String password
                ? Optional.of(Credentials.sasl(user, password))
                : Optional.empty();
    }

    private static AppConfigurationEntry[] entries(String context) {
        AppConfigurationEntry[] entries;
        try {
            entries = Configuration.getConfiguration().getAppConfigurationEntry(context);
        } catch (SecurityException unreadable) {
            throw refused(context, "cannot be read: " + unreadable.getMessage());
        }
        if (entries == null) {
            throw refused(context, "is not in the file that java.security.auth.login.config names");
        }
        return entries;
    }

    private static BackendException refused(String context, String why) {
        return new BackendException(Effect.NONE, Kind.MISCONFIGURED, "the JAAS section '" + context + "' " + why);
    }
}
