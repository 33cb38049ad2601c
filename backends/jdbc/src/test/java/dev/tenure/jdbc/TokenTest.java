// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static dev.tenure.jdbc.SharedServers.inNamespace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Tenure;
import dev.tenure.sql.servers.SqlServer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("server")
class TokenTest {
    static Stream<SqlServer> servers() {
        return Stream.of(SharedServers.postgres(), SharedServers.mariaDb());
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void tokens_grow_over_rows_that_were_deleted_by_hand(SqlServer server) throws Exception {
        String url = inNamespace(server.url(), "tokens");
        long before = tokenOfNextTerm(url);

        server.execute("DELETE FROM t_tokens_records");
        long after = tokenOfNextTerm(url);

        assertThat(after).isGreaterThan(before);
    }

    /** By a process that has seen no token before. */
    private static long tokenOfNextTerm(String url) throws Exception {
        CompletableFuture<Long> token = new CompletableFuture<>();
        try (Tenure tenure = Tenure.connect(url + "&tenure.ttl=3s").open()) {
            tenure.elect("billing")
                    .perform(leadership -> token.complete(leadership.token().value()));
            return token.get(30, TimeUnit.SECONDS);
        }
    }
}
