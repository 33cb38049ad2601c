// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.sql;

import dev.tenure.faults.store.FaultScope;
import dev.tenure.faults.store.Primary;
import dev.tenure.faults.store.Records;
import dev.tenure.faults.store.Servers;
import dev.tenure.faults.store.Standby;
import dev.tenure.faults.store.StoreUnderTest;
import dev.tenure.faults.store.WallClock;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.sql.servers.SqlServer;
import dev.tenure.support.TcpLink;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A PostgreSQL and a standby that follows it asynchronously. Candidates know both addresses and use the one that is the
 * primary, as {@code targetServerType=primary} lets them.
 */
public final class PostgresStore implements StoreUnderTest, Primary, Standby, WallClock {
    private static final String CLIENTS = "pid <> pg_backend_pid() AND backend_type = 'client backend'";

    private final List<Integer> ports;
    private Postgres primary;
    private TcpLink replication;
    private Postgres standby;

    private PostgresStore(Postgres primary) {
        this.primary = primary;
        this.replication = new TcpLink(primary.port());
        this.standby = primary.standbyThrough(replication);
        this.ports = List.of(primary.port(), standby.port());
    }

    public static PostgresStore running() {
        Postgres first = Postgres.onItsOwnClock();
        try {
            return new PostgresStore(first);
        } catch (RuntimeException failure) {
            first.close();
            throw failure;
        }
    }

    /** The one that serves now. */
    SqlServer server() {
        return primary;
    }

    @Override
    public Optional<Servers> servers() {
        return Optional.empty();
    }

    @Override
    public List<Integer> ports() {
        return ports;
    }

    @Override
    public Optional<Records> records() {
        return Optional.of(new SqlRecords(this::server));
    }

    @Override
    public Optional<Primary> primary() {
        return Optional.of(this);
    }

    @Override
    public Optional<Standby> standby() {
        return Optional.of(this);
    }

    @Override
    public Optional<WallClock> clock() {
        return Optional.of(this);
    }

    @Override
    public String url(List<String> addresses) {
        return "postgresql://" + SqlServer.USER + ":" + SqlServer.PASSWORD + "@" + String.join(",", addresses)
                + "/postgres?targetServerType=primary";
    }

    @Override
    public void kill() {
        primary.kill();
    }

    @Override
    public void start() {
        primary.start();
    }

    @Override
    public void stop() {
        primary.freeze();
    }

    @Override
    public void goOn() {
        primary.goOn();
    }

    @Override
    public void endConnections() {
        primary.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE " + CLIENTS);
    }

    @Override
    public void cutOff() {
        primary.awaitReplicated();
        replication.cut();
    }

    @Override
    public void promote(Duration clockAhead) {
        primary.kill();
        standby.clock().move(clockAhead);
        standby.promote();
    }

    @Override
    public void repair() {
        int place = primary.port();
        primary.close();
        replication.close();
        primary = standby;
        primary.clock().move(Duration.ZERO);
        replication = new TcpLink(primary.port());
        standby = primary.standbyThrough(replication, place);
        primary.awaitReplicated();
    }

    @Override
    public void move(Duration ahead) {
        primary.clock().move(ahead);
    }

    /** By docs/backends/jdbc.md. */
    @Override
    public Duration bound(FaultScope scope, Duration ttl) {
        return SqlBounds.of(scope, ttl);
    }

    @Override
    public void close() {
        standby.close();
        replication.close();
        primary.close();
    }
}
