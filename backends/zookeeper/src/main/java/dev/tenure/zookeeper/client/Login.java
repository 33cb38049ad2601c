package dev.tenure.zookeeper.client;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.support.StoreUrl;
import javax.security.auth.login.Configuration;

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
