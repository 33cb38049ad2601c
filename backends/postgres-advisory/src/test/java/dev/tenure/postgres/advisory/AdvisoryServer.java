// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import dev.tenure.sql.servers.Postgres;
import dev.tenure.sql.servers.SqlServer;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;

/** One server for all tests that only need tables of their own; it ends with the JVM. */
final class AdvisoryServer {
    /** Terms that begin and end are what the tests are about. Held, or it would be forgotten. */
    private static final Logger LOG = Logger.getLogger("dev.tenure");

    static {
        LOG.setLevel(Level.SEVERE);
    }

    private static Optional<Postgres> shared = Optional.empty();

    private AdvisoryServer() {}

    static synchronized Postgres shared() {
        if (shared.isEmpty()) {
            Postgres server = Postgres.running("max_connections=300", "max_locks_per_transaction=128");
            Runtime.getRuntime().addShutdownHook(new Thread(server::close));
            shared = Optional.of(server);
        }
        return shared.get();
    }

    static String url(String namespace) {
        return url(shared().port(), namespace);
    }

    /** As users write it, with tables of its own for this namespace. */
    static String url(int port, String namespace) {
        return "postgresql+advisory://" + SqlServer.USER + ":" + SqlServer.PASSWORD + "@127.0.0.1:" + port
                + "/postgres?tenure.prefix=t_" + namespace.replace('-', '_') + "_";
    }
}
