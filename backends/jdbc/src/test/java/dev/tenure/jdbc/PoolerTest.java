// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Leadership;
import dev.tenure.spi.Versioned;
import dev.tenure.sql.servers.PgBouncer;
import dev.tenure.sql.servers.PgBouncer.Pooling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** PgBouncer between candidates and the database: a row lease keeps nothing in a session, and works in both modes. */
@Tag("server")
class PoolerTest {
    private static final Duration TTL = Duration.ofSeconds(1);
    /** More than the driver needs to give a statement a name of its own, by which the server then knows it. */
    private static final int CALLS = 20;

    @ParameterizedTest
    @EnumSource(Pooling.class)
    void a_leader_is_elected_and_succeeded(Pooling pooling) throws InterruptedException {
        List<Long> tokens = new ArrayList<>();
        try (PgBouncer bouncer = PgBouncer.before(SharedServers.postgres(), pooling, 5)) {
            String url = SharedServers.inNamespace(bouncer.url(), "pooled_" + pooling.ordinal());
            try (Stander first = Stander.at(url, TTL)) {
                tokens.add(first.awaitLeadership().token().value());
                try (Stander second = Stander.at(url, TTL)) {
                    first.close();
                    Leadership next = second.awaitLeadership();
                    tokens.add(next.token().value());
                }
            }
        }

        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    /** Two clients have the same names for their statements, and share one connection to the server. */
    @Test
    void nobody_executes_a_statement_of_another_client_of_the_pooler() {
        try (PgBouncer bouncer = PgBouncer.before(SharedServers.postgres(), Pooling.TRANSACTION, 1);
                Client one = Client.of(SharedServers.inNamespace(bouncer.url(), "one"));
                Client other = Client.of(SharedServers.inNamespace(bouncer.url(), "other"))) {
            Versioned ofOne = Versioned.absent("c/a", 0);
            Versioned ofOther = Versioned.absent("c/a", 0);

            for (int i = 0; i < CALLS; i++) {
                ofOne = one.write(ofOne, "one " + i);
                ofOther = other.write(ofOther, "other " + i);
            }

            assertThat(one.read("c/a").value()).isEqualTo("one " + (CALLS - 1));
            assertThat(other.read("c/a").value()).isEqualTo("other " + (CALLS - 1));
        }
    }
}
