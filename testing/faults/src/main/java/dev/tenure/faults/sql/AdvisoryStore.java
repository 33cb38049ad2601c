// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.sql;

import dev.tenure.faults.store.FaultScope;
import dev.tenure.faults.store.Grants;
import dev.tenure.faults.store.Primary;
import dev.tenure.faults.store.Records;
import dev.tenure.faults.store.Servers;
import dev.tenure.faults.store.Standby;
import dev.tenure.faults.store.StoreUnderTest;
import dev.tenure.faults.store.WallClock;
import dev.tenure.sql.servers.SqlServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The servers of {@link PostgresStore}, with advisory locks, for candidates with no more rights than the docs ask for. */
public final class AdvisoryStore implements StoreUnderTest {
    private static final String ROLE = "candidate";

    private final PostgresStore servers;

    private AdvisoryStore(PostgresStore servers) {
        this.servers = servers;
    }

    public static AdvisoryStore running() {
        PostgresStore servers = PostgresStore.running();
        try {
            servers.server()
                    .execute(
                            "CREATE ROLE " + ROLE + " LOGIN PASSWORD '" + SqlServer.PASSWORD + "'",
                            "GRANT CREATE ON SCHEMA public TO " + ROLE);
            return new AdvisoryStore(servers);
        } catch (RuntimeException failure) {
            servers.close();
            throw failure;
        }
    }

    @Override
    public Optional<Servers> servers() {
        return Optional.empty();
    }

    @Override
    public List<Integer> ports() {
        return servers.ports();
    }

    @Override
    public Optional<Primary> primary() {
        return servers.primary();
    }

    @Override
    public Grants grants() {
        return Grants.END_WITH_CONNECTIONS;
    }

    @Override
    public Optional<Standby> standby() {
        return servers.standby();
    }

    @Override
    public Optional<WallClock> clock() {
        return servers.clock();
    }

    @Override
    public Optional<Records> records() {
        return Optional.of(new AdvisoryRecords(servers::server));
    }

    @Override
    public String url(List<String> addresses) {
        return "postgresql+advisory://" + ROLE + ":" + SqlServer.PASSWORD + "@" + String.join(",", addresses)
                + "/postgres?targetServerType=primary";
    }

    /** By docs/backends/postgresql-advisory.md. */
    @Override
    public Duration bound(FaultScope scope, Duration ttl) {
        return switch (scope) {
            case CANDIDATE -> ttl.plus(ttl.dividedBy(10));
            case ANSWERS, SERVER, RECORDS -> ttl.plus(ttl.dividedBy(2));
            case STORE -> ttl.multipliedBy(5).dividedBy(2);
        };
    }

    @Override
    public void close() {
        servers.close();
    }
}
