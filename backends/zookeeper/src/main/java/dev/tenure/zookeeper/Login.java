package dev.tenure.zookeeper;

import dev.tenure.spi.support.StoreUrl;
import dev.tenure.zookeeper.wire.Credentials;

/** As whom the servers are spoken to. */
sealed interface Login {
    /** For messages: the user, if there is one. */
    String shown();

    /** What is said to the servers. May read files. */
    Credentials credentials();

    record Nobody() implements Login {
        @Override
        public String shown() {
            return "a client without a login";
        }

        @Override
        public Credentials credentials() {
            return Credentials.nobody();
        }
    }

    /** Name and password, checked against ACLs and by nothing else: a wrong password is noticed where a right is missing. */
    record Digest(StoreUrl.Login who) implements Login {
        @Override
        public String shown() {
            return "user '" + who.user() + "'";
        }

        @Override
        public Credentials credentials() {
            return Credentials.digest(who.user(), who.password());
        }
    }

    /** @param context the section of the JAAS configuration */
    record Sasl(String context) implements Login {
        @Override
        public String shown() {
            return "the JAAS section '" + context + "'";
        }

        @Override
        public Credentials credentials() {
            return JaasSection.credentials(context);
        }
    }
}
