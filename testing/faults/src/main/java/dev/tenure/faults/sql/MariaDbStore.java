// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.sql;

import dev.tenure.faults.store.FaultScope;
import dev.tenure.faults.store.Primary;
import dev.tenure.faults.store.Records;
import dev.tenure.faults.store.Servers;
import dev.tenure.faults.store.StoreUnderTest;
import dev.tenure.sql.servers.MariaDb;
import dev.tenure.sql.servers.SqlServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** One MariaDB. */
public final class MariaDbStore implements StoreUnderTest, Primary {
    private final MariaDb server;

    private MariaDbStore(MariaDb server) {
        this.server = server;
    }

    /** What was committed outlives the process, as it must; that it outlives the machine too is not asked for here. */
    public static MariaDbStore running() {
        return new MariaDbStore(MariaDb.running("--innodb-flush-log-at-trx-commit=2"));
    }

    @Override
    public Optional<Servers> servers() {
        return Optional.empty();
    }

    @Override
    public List<Integer> ports() {
        return List.of(server.port());
    }

    @Override
    public Optional<Records> records() {
        return Optional.of(new SqlRecords(() -> server));
    }

    @Override
    public Optional<Primary> primary() {
        return Optional.of(this);
    }

    @Override
    public String url(List<String> addresses) {
        return "jdbc:mariadb://" + String.join(",", addresses) + "/" + SqlServer.DATABASE + "?user=" + SqlServer.USER
                + "&password=" + SqlServer.PASSWORD;
    }

    @Override
    public void kill() {
        server.kill();
    }

    @Override
    public void start() {
        server.start();
    }

    @Override
    public void stop() {
        server.freeze();
    }

    @Override
    public void goOn() {
        server.goOn();
    }

    @Override
    public void endConnections() {
        server.execute(
                "BEGIN NOT ATOMIC FOR client IN (SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID()"
                        + " AND user = '" + SqlServer.USER + "') DO KILL client.id; END FOR; END");
    }

    @Override
    public Duration bound(FaultScope scope, Duration ttl) {
        return SqlBounds.of(scope, ttl);
    }

    @Override
    public void close() {
        server.close();
    }
}
