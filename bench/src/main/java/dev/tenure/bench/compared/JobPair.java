// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.compared;

import dev.tenure.sql.servers.Postgres;
import dev.tenure.sql.servers.SqlServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;

/** Two processes of one contender, in a database of their own. */
record JobPair(JobKind kind, String database, String url, JobProcess first, JobProcess second)
        implements AutoCloseable {
    /**
     * @param threads of the process that has more, without those of a JVM with a pool
     * @param heartbeats of both, where they are known
     */
    record Cost(long threads, long heartbeats) {}

    /** Returns when both are ready. */
    static JobPair start(Postgres server, String database, JobKind kind, boolean idle, boolean ownClocks)
            throws Exception {
        synchronized (JobPair.class) { // others copy the same template
            server.execute("CREATE DATABASE " + database);
        }
        String url = server.plainUrl(database) + "?user=" + SqlServer.USER + "&password=" + SqlServer.PASSWORD;
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(Effects.TABLES);
            statement.execute(kind.tables());
        }
        JobProcess first = JobProcess.start(kind, url, "first", idle, ownClocks);
        JobProcess second = JobProcess.start(kind, url, "second", idle, ownClocks);
        return new JobPair(kind, database, url, first, second);
    }

    Cost cost() throws InterruptedException {
        String[] one = first.ask("cost").split(" ");
        String[] two = second.ask("cost").split(" ");
        return new Cost(
                Math.max(Long.parseLong(one[1]), Long.parseLong(two[1])),
                Long.parseLong(one[2]) + Long.parseLong(two[2]));
    }

    @Override
    public void close() {
        first.close();
        second.close();
    }
}
