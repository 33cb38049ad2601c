// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tenure.Tenure;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Versioned;
import dev.tenure.sql.servers.SqlServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Users bring their own pool, set as they need it. */
@Tag("server")
class UserPoolTest {
    private static final int CONNECTION_WITHIN_MILLIS = 2_000;

    static Stream<SqlServer> servers() {
        return Stream.of(SharedServers.postgres(), SharedServers.mariaDb());
    }

    private static HikariDataSource pool(SqlServer server, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.plainUrl(SqlServer.DATABASE));
        config.setUsername(SqlServer.USER);
        config.setPassword(SqlServer.PASSWORD);
        config.setMaximumPoolSize(size);
        config.setAutoCommit(false);
        config.setConnectionTimeout(CONNECTION_WITHIN_MILLIS);
        return new HikariDataSource(config);
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void a_leader_is_elected_over_a_pool_of_one_that_does_not_commit_by_itself(SqlServer server) throws Exception {
        JdbcOptions options = JdbcOptions.standard().prefix("pooled_");
        CompletableFuture<Long> led = new CompletableFuture<>();

        try (HikariDataSource pool = pool(server, 1);
                Tenure tenure = Tenure.using(host -> JdbcStore.open(pool, options, host))
                        .ttl(Duration.ofSeconds(3))
                        .open()) {
            tenure.elect("pooled")
                    .perform(leadership -> led.complete(leadership.token().value()));

            assertThat(led.get(30, TimeUnit.SECONDS)).isPositive();
            assertThat(tenure.traits().store()).isEqualTo(server.plainUrl(SqlServer.DATABASE));
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void a_connection_goes_back_to_the_pool_as_it_came(SqlServer server) throws SQLException {
        JdbcOptions options = JdbcOptions.standard().prefix("returned_").timeout(Duration.ofMillis(4321));

        try (HikariDataSource pool = pool(server, 1);
                Client client = new Client(host -> JdbcStore.open(pool, options, host))) {
            client.write(Versioned.absent("c/a", 0), "stands");

            try (Connection connection = pool.getConnection()) {
                assertThat(connection.getAutoCommit()).isFalse();
                assertThat(connection.getNetworkTimeout()).isNotEqualTo(4321);
            }
            assertThat(client.read("c/a").value()).isEqualTo("stands");
        }
    }

    @Test
    void a_pool_that_is_exhausted_says_so() throws SQLException {
        try (HikariDataSource pool = pool(SharedServers.postgres(), 1);
                Connection taken = pool.getConnection();
                Client client = new Client(host -> JdbcStore.open(pool, JdbcOptions.standard(), host))) {
            BackendException failure = client.readFailure();

            assertThat(taken.isClosed()).isFalse();
            assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE);
            assertThat(failure).hasMessageContaining("Connection is not available");
        }
    }
}
