// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static dev.tenure.jdbc.SharedServers.inNamespace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import dev.tenure.sql.servers.Postgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A session must not die because its own process asks for so much else. */
@Tag("server")
class RenewalsFirstTest {
    private static final int MANY = 400;
    private static final String BLOCKED = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            + " AND query LIKE '%t_first_records%'";

    private final Postgres server = SharedServers.postgres();

    @Test
    void a_renewal_overtakes_all_that_waits_for_a_connection() throws Exception {
        try (Client client = Client.of(inNamespace(server.url(), "first"));
                Connection other = server.connect()) {
            Versioned stands = client.write(Versioned.absent("c/stands", 0), "stands");
            Versioned session = client.write(Versioned.absent("s/mine", 0), "open", Duration.ofMinutes(1));
            keepBusy(client, stands, other);
            AtomicInteger listed = new AtomicInteger();
            for (int i = 0; i < MANY; i++) {
                client.store().list("c/").thenAccept(found -> listed.incrementAndGet());
            }

            CompletionStage<Integer> before = client.store()
                    .compareAndSet(new Write(session, "renewed", Optional.of(Duration.ofMinutes(1)), 0))
                    .thenApply(reply -> {
                        assertThat(reply).isInstanceOf(WriteReply.Applied.class);
                        return listed.get();
                    });
            other.rollback();

            assertThat(Client.reply(before)).isLessThan(MANY / 2);
        }
    }

    /** Both calls that run at a time wait for a transaction of somebody else. */
    private void keepBusy(Client client, Versioned stands, Connection other) throws SQLException {
        other.setAutoCommit(false);
        try (Statement statement = other.createStatement()) {
            statement.execute("SELECT 1 FROM t_first_records WHERE id = 'c/stands' FOR UPDATE");
            statement.execute("INSERT INTO t_first_records (id, version, content) VALUES ('c/comes', 'v', 'theirs')");
        }
        client.store().compareAndSet(new Write(stands, "changed", Optional.empty(), 0));
        client.store().compareAndSet(new Write(Versioned.absent("c/comes", 0), "mine", Optional.empty(), 0));
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> server.ask(BLOCKED).equals("2"));
    }
}
