package dev.tenure.zookeeper;

/** As whom the servers are spoken to. */
sealed interface Login {
    /** For messages: the user, if there is one. */
    String shown();

    record Nobody() implements Login {
        @Override
        public String shown() {
            return "a client without a login";
        }
    }

    /** Name and password, checked against ACLs and by nothing else: a wrong password is noticed where a right is missing. */
    record Digest(String user, Secret password) implements Login {
        @Override
        public String shown() {
            return "user '" + user + "'";
        }
    }

    /** @param context the section of the JAAS configuration */
    record Sasl(String context) implements Login {
        @Override
        public String shown() {
            return "the JAAS section '" + context + "'";
        }
    }
}
