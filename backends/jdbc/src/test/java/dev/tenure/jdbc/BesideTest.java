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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A claim that is written on PostgreSQL, and the session of the claim as it stands at that very moment. */
class BesideTest {
    private static final Duration TTL = Duration.ofMinutes(1);
    private static final String SESSION = "s/mine";

    private final Postgres server = SharedServers.postgres();

    private Client client(String namespace) {
        return Client.of(inNamespace(server.url(), namespace));
    }

    private static Connection inTransaction(Connection connection, String statement) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement running = connection.createStatement()) {
            running.execute(statement);
        }
        return connection;
    }

    private void awaitBlocked(String namespace) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> server.ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                + " AND query LIKE '%t_" + namespace + "_records%'")
                        .equals("1"));
    }

    private static CompletionStage<WriteReply> claim(Client client, Versioned vacant) {
        return client.store().compareAndSet(new Write(vacant, "held", Optional.empty(), 1, "", List.of(SESSION, "e")));
    }

    private static WriteReply.Applied applied(CompletionStage<WriteReply> claim) {
        WriteReply reply = Client.reply(claim);
        assertThat(reply).isInstanceOf(WriteReply.Applied.class);
        return (WriteReply.Applied) reply;
    }

    @Test
    void a_claim_that_is_applied_shows_the_others_and_one_that_is_refused_shows_what_stands_instead() {
        try (Client client = client("beside")) {
            Versioned vacant = client.write(Versioned.absent("c/a", 0), "vacant");
            Versioned session = client.write(Versioned.absent(SESSION, 0), "open", TTL);
            Versioned era = client.write(Versioned.absent("e", 0), "era");

            WriteReply.Applied applied = applied(claim(client, vacant));
            WriteReply refused = Client.reply(claim(client, vacant));

            assertThat(applied.beside()).extracting(Versioned::key).containsExactly(SESSION, "e");
            assertThat(applied.beside().get(0).version()).isEqualTo(session.version());
            assertThat(applied.beside().get(0).value()).isEqualTo("open");
            assertThat(applied.beside().get(0).life())
                    .hasValueSatisfying(left -> assertThat(left).isPositive());
            assertThat(applied.beside().get(1).version()).isEqualTo(era.version());
            assertThat(applied.now().version()).isEqualTo(client.read("c/a").version());
            assertThat(((WriteReply.Refused) refused).current().value()).isEqualTo("held");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE t_evicted_records SET version = 'v', content = 'evicted' WHERE id = 's/mine'",
                "DELETE FROM t_evicted_records WHERE id = 's/mine'"
            })
    void an_eviction_that_is_under_way_is_waited_for_and_shown(String eviction) throws SQLException {
        try (Client client = client("evicted");
                Connection other = server.connect()) {
            Versioned vacant = client.write(client.read("c/a"), "vacant");
            client.write(client.read(SESSION), "open", TTL);
            client.write(client.read("e"), "era");
            inTransaction(other, eviction);
            CompletionStage<WriteReply> claim = claim(client, vacant);
            awaitBlocked("evicted");

            other.commit();

            assertThat(applied(claim).beside()).extracting(Versioned::value).doesNotContain("open");
        }
    }

    @Test
    void what_was_created_while_a_claim_waited_for_its_turn_is_not_shown_as_missing() throws SQLException {
        try (Client client = client("created");
                Connection other = server.connect()) {
            Versioned vacant = client.write(Versioned.absent("c/a", 0), "vacant");
            client.write(Versioned.absent("e", 0), "era");
            inTransaction(other, "SELECT 1 FROM t_created_records WHERE id = 'c/a' FOR UPDATE");
            CompletionStage<WriteReply> claim = claim(client, vacant);
            awaitBlocked("created");

            client.write(Versioned.absent(SESSION, 0), "open", TTL);
            other.rollback();

            assertThat(applied(claim).beside()).allMatch(Versioned::isPresent);
        }
    }

    @Test
    void a_claim_that_waits_for_somebody_elses_lock_does_not_keep_its_session_from_being_renewed() throws SQLException {
        try (Client client = client("renewed");
                Connection other = server.connect()) {
            Versioned vacant = client.write(Versioned.absent("c/a", 0), "vacant");
            Versioned session = client.write(Versioned.absent(SESSION, 0), "open", TTL);
            client.write(Versioned.absent("e", 0), "era");
            inTransaction(other, "SELECT 1 FROM t_renewed_records WHERE id = 'c/a' FOR UPDATE");
            CompletionStage<WriteReply> claim = claim(client, vacant);
            awaitBlocked("renewed");

            client.write(session, "renewed", TTL);
            other.rollback();

            assertThat(applied(claim).beside().get(0).value()).isEqualTo("renewed");
        }
    }

    @Test
    void a_claim_is_one_statement() throws SQLException {
        try (Client client = client("counted");
                Connection other = server.connect()) {
            Versioned vacant = client.write(Versioned.absent("c/a", 0), "vacant");
            client.write(Versioned.absent(SESSION, 0), "open", TTL);
            client.write(Versioned.absent("e", 0), "era");
            inTransaction(other, "SELECT 1 FROM t_counted_records WHERE id = 'c/a' FOR UPDATE");
            CompletionStage<WriteReply> claim = claim(client, vacant);
            awaitBlocked("counted");
            String running = server.ask("SELECT query FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                    + " AND query LIKE '%t_counted_records%'");

            other.rollback();

            assertThat(applied(claim).beside()).hasSize(2);
            assertThat(running).contains("UPDATE", "FOR SHARE", "pg_notify");
        }
    }
}
