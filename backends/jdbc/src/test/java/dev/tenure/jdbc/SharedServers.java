// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import dev.tenure.sql.servers.MariaDb;
import dev.tenure.sql.servers.MySql;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.sql.servers.SqlServer;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;

/** One server of each kind for all tests that only need a table of their own; they end with the JVM. */
final class SharedServers {
    /** Terms that begin and end are what the tests are about. Held, or it would be forgotten. */
    private static final Logger LOG = Logger.getLogger("dev.tenure");

    static {
        LOG.setLevel(Level.SEVERE);
    }

    private static Optional<Postgres> postgres = Optional.empty();
    private static Optional<MariaDb> mariaDb = Optional.empty();
    private static Optional<MySql> mySql = Optional.empty();

    private SharedServers() {}

    static synchronized Postgres postgres() {
        if (postgres.isEmpty()) {
            postgres = Optional.of(untilTheEnd(Postgres.running("max_connections=300")));
        }
        return postgres.get();
    }

    static synchronized MariaDb mariaDb() {
        if (mariaDb.isEmpty()) {
            mariaDb = Optional.of(untilTheEnd(MariaDb.running("--max-connections=300")));
        }
        return mariaDb.get();
    }

    static synchronized MySql mySql() {
        if (mySql.isEmpty()) {
            mySql = Optional.of(untilTheEnd(MySql.running("--max-connections=300")));
        }
        return mySql.get();
    }

    /** Asked by an annotation. */
    static boolean hasMySql() {
        return MySql.canBeHad();
    }

    private static <T extends SqlServer> T untilTheEnd(T server) {
        Runtime.getRuntime().addShutdownHook(new Thread(server::close));
        return server;
    }

    /** A database inside this process; it lives as long as the process. */
    static String h2(String name) {
        return "jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1";
    }

    /** The same URL, with a table of its own for this namespace. */
    static String inNamespace(String url, String namespace) {
        String prefix = "t_" + namespace.replace('-', '_') + "_";
        return url + (url.contains("?") ? "&" : "?") + "tenure.prefix=" + prefix;
    }
}
