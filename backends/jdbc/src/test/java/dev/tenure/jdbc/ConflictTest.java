// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static dev.tenure.jdbc.SharedServers.inNamespace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.RenewalReader.Answer;
import dev.tenure.spi.RenewalReader.Wanted;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import dev.tenure.sql.servers.Postgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A write that gives way to another transaction: surely not applied, and refused if that one has changed the record. */
@Tag("server")
class ConflictTest {
    private static final String LOCK = "SELECT 1 FROM t_conflict_records WHERE id = '%s' FOR UPDATE";
    private static final String CHANGE =
            "UPDATE t_conflict_records SET version = 'v', content = 'theirs' WHERE id = '%s'";

    private final Postgres server = SharedServers.postgres();

    private Client client(String settings) {
        return Client.of(inNamespace(server.url(), "conflict") + "&options=-c%20" + settings);
    }

    private static Connection inTransaction(Connection connection, String statement) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement running = connection.createStatement()) {
            running.execute(statement);
        }
        return connection;
    }

    @Test
    void a_write_that_waited_in_vain_for_a_lock_fails_without_effect() throws SQLException {
        try (Client client = client("lock_timeout=200");
                Connection other = server.connect()) {
            Versioned stands = client.write(Versioned.absent("c/locked", 0), "stands");
            inTransaction(other, String.format(LOCK, "c/locked"));

            BackendException failure = client.writeFailure(stands);
            other.rollback();

            assertThat(failure).hasMessageContaining("gave way to another transaction");
            assertThat(failure.effect()).isEqualTo(Effect.NONE);
            assertThat(client.read("c/locked").version()).isEqualTo(stands.version());
        }
    }

    @Test
    void a_write_that_gave_way_to_a_change_is_refused_with_what_stands_there_now() throws SQLException {
        try (Client client = client("default_transaction_isolation=serializable");
                Connection other = server.connect()) {
            Versioned stands = client.write(Versioned.absent("c/changed", 0), "stands");
            inTransaction(other, String.format(CHANGE, "c/changed"));

            CompletionStage<WriteReply> write =
                    client.store().compareAndSet(new Write(stands, "mine", Optional.empty(), 0));
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> server.ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                    + " AND query LIKE '%t_conflict_records%'")
                            .equals("1"));
            other.commit();

            assertThat(Client.reply(write))
                    .isInstanceOfSatisfying(
                            WriteReply.Refused.class,
                            refused -> assertThat(refused.current().value()).isEqualTo("theirs"));
        }
    }

    @Test
    void renewals_that_read_each_other_are_applied_at_every_isolation_level() {
        Wanted everySession = new Wanted(Set.of("c/led"), Set.of("s/"));
        try (Client a = client("default_transaction_isolation=serializable");
                Client b = client("default_transaction_isolation=serializable")) {
            Versioned ofA = a.write(Versioned.absent("s/a", 0), "open");
            Versioned ofB = b.write(Versioned.absent("s/b", 0), "open");

            for (int beat = 1; beat <= 300; beat++) {
                CompletionStage<Answer> sentByA = renewal(a, ofA, everySession);
                CompletionStage<Answer> sentByB = renewal(b, ofB, everySession);
                ofA = renewed(sentByA);
                ofB = renewed(sentByB);
            }
        }
    }

    private static CompletionStage<Answer> renewal(Client client, Versioned session, Wanted wanted) {
        return client.store().renew(new Write(session, "open", Optional.empty(), 0), wanted);
    }

    private static Versioned renewed(CompletionStage<Answer> renewal) {
        WriteReply reply =
                renewal.thenApply(Answer::reply).toCompletableFuture().join();
        assertThat(reply).isInstanceOf(WriteReply.Applied.class);
        return ((WriteReply.Applied) reply).now();
    }
}
