package dev.tenure.zookeeper.client;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.support.StoreUrl;
import dev.tenure.spi.support.TlsFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.security.auth.login.Configuration;

/**
 * Everything that a URL says. Mentions no class of ZooKeeper's client, so that looking for a backend loads none.
 *
 * @param paths where the znodes are, and who may touch those that this process creates
 * @param clientFile settings of ZooKeeper's own client, as its documentation names them
 * @param tick the servers' tickTime, which a client cannot ask for
 */
public record Settings(
        Servers servers, Paths paths, Login login, Optional<TlsFiles> tls, Optional<Path> clientFile, Duration tick) {

    /**
     * @param addresses each as {@code host:port}
     * @param chroot the path below which everything is, for ZooKeeper's client; may be empty
     */
    public record Servers(List<String> addresses, String chroot) {
        public Servers {
            addresses = List.copyOf(addresses);
        }

        @Override
        public String toString() {
            return String.join(",", addresses);
        }
    }

    /** For people: the servers and the place. */
    public String shown() {
        return "zookeeper://" + servers + servers.chroot + paths.base();
    }

    /** As whom this client speaks to the servers. */
    public sealed interface Login {
        /** For messages: the user, if there is one. */
        String shown();

        record Nobody() implements Login {
            @Override
            public String shown() {
                return "a client without a login";
            }
        }

        /** Name and password, checked against ACLs and by nothing else: a wrong password is noticed where a right is missing. */
        record Digest(StoreUrl.Login user) implements Login {
            @Override
            public String shown() {
                return "user '" + user.user() + "'";
            }
        }

        /**
         * DIGEST-MD5 or Kerberos, as the module in that section says. ZooKeeper's client runs the module.
         *
         * @param section of the JAAS configuration
         */
        record Sasl(String section) implements Login {
            @Override
            public String shown() {
                return "the JAAS section '" + section + "'";
            }

            /** The client itself only says that the login failed. */
            void check() {
                try {
                    if (Configuration.getConfiguration().getAppConfigurationEntry(section) != null) {
                        return;
                    }
                } catch (SecurityException unreadable) {
                    throw refused("cannot be read: " + unreadable.getMessage());
                }
                throw refused("is not in the file that java.security.auth.login.config names");
            }

            private BackendException refused(String why) {
                return new BackendException(Effect.NONE, Kind.MISCONFIGURED, shown() + " " + why);
            }
        }
    }
}
