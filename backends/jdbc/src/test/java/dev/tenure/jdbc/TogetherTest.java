// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static dev.tenure.jdbc.SharedServers.inNamespace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import dev.tenure.sql.servers.Postgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Hundreds of calls at once, which a database that can carries out in few statements: each has its own outcome. */
@Tag("server")
class TogetherTest {
    private static final int MANY = 600;
    /** A plan that comes to the rows in the order of the calls, and no help from the server with those who wait in a circle. */
    private static final String ROW_BY_ROW = "&options=-c%20enable_hashjoin=off%20-c%20enable_mergejoin=off"
            + "%20-c%20enable_sort=off%20-c%20deadlock_timeout=120s&tenure.timeout=20s";

    static Stream<String> databases() {
        return Stream.of(
                inNamespace(SharedServers.postgres().url(), "together"),
                inNamespace(SharedServers.mariaDb().url(), "together"),
                SharedServers.h2("together"));
    }

    private static List<String> keys(String name) {
        return IntStream.range(0, MANY).mapToObj(i -> "c/" + name + i).toList();
    }

    private static List<WriteReply> writeAll(Client client, List<Versioned> expected, UnaryOperator<String> value) {
        List<CompletionStage<WriteReply>> calls = sendAll(client, expected, value);
        return calls.stream().map(Client::reply).toList();
    }

    private static List<CompletionStage<WriteReply>> sendAll(
            Client client, List<Versioned> expected, UnaryOperator<String> value) {
        List<CompletionStage<WriteReply>> calls = new ArrayList<>();
        for (Versioned one : expected) {
            calls.add(client.store().compareAndSet(new Write(one, value.apply(one.key()), Optional.empty(), 0)));
        }
        return calls;
    }

    private static List<Versioned> readAll(Client client, List<String> keys) {
        List<CompletionStage<Versioned>> calls =
                keys.stream().map(client.store()::read).toList();
        return calls.stream().map(Client::reply).toList();
    }

    private static List<Versioned> absent(List<String> keys) {
        return keys.stream().map(key -> Versioned.absent(key, 0)).toList();
    }

    @ParameterizedTest
    @MethodSource("databases")
    void of_many_creations_those_are_refused_whose_record_is_there_and_told_what_stands_there(String url) {
        List<String> keys = keys("created");
        List<String> third = IntStream.range(0, MANY)
                .filter(i -> i % 3 == 0)
                .mapToObj(keys::get)
                .toList();
        try (Client client = Client.of(url)) {
            writeAll(client, absent(third), key -> "first");

            List<WriteReply> replies = writeAll(client, absent(keys), key -> "of " + key);

            for (int i = 0; i < MANY; i++) {
                if (i % 3 == 0) {
                    assertThat(replies.get(i)).isInstanceOf(WriteReply.Refused.class);
                    assertThat(((WriteReply.Refused) replies.get(i)).current().value())
                            .isEqualTo("first");
                } else {
                    assertThat(((WriteReply.Applied) replies.get(i)).now().value())
                            .isEqualTo("of " + keys.get(i));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void of_many_changes_those_are_refused_whose_record_has_moved_on(String url) {
        List<String> keys = keys("changed");
        try (Client client = Client.of(url)) {
            writeAll(client, absent(keys), key -> "first");
            List<Versioned> seen = readAll(client, keys);
            client.write(seen.get(400), "in between");

            List<WriteReply> replies = writeAll(client, seen, key -> "of " + key);

            assertThat(replies.get(400))
                    .isInstanceOfSatisfying(
                            WriteReply.Refused.class,
                            refused -> assertThat(refused.current().value()).isEqualTo("in between"));
            assertThat(replies.stream().filter(WriteReply.Applied.class::isInstance))
                    .hasSize(MANY - 1);
            List<Versioned> stands = readAll(client, keys);
            for (int i = 0; i < MANY; i++) {
                assertThat(stands.get(i).value()).isEqualTo(i == 400 ? "in between" : "of " + keys.get(i));
                assertThat(stands.get(i).version()).isNotEqualTo(seen.get(i).version());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void of_many_reads_each_has_its_own_record_or_none_and_the_time(String url) {
        List<String> keys = keys("read");
        try (Client client = Client.of(url)) {
            Versioned written = client.write(Versioned.absent(keys.get(300), 0), "stands");

            List<Versioned> found = readAll(client, keys);

            assertThat(found).extracting(Versioned::key).isEqualTo(keys);
            assertThat(found.stream().filter(Versioned::isPresent))
                    .extracting(Versioned::version)
                    .containsExactly(written.version());
            assertThat(found).allMatch(one -> one.clockMillis() > 0);
        }
    }

    @Test
    void thousands_of_claims_are_few_statements() {
        try (Postgres server = Postgres.running("shared_preload_libraries=pg_stat_statements");
                Client client = Client.of(server.url())) {
            server.execute("CREATE EXTENSION pg_stat_statements");
            List<String> keys = keys("few");
            client.read("c/a");
            long before = statements(server);

            writeAll(client, readAll(client, keys), key -> "mine");
            readAll(client, Collections.nCopies(MANY, "s/one"));

            assertThat(statements(server) - before).isLessThan(MANY / 10);
        }
    }

    private static long statements(Postgres server) {
        return Long.parseLong(
                server.ask("SELECT SUM(calls) FROM pg_stat_statements WHERE query LIKE '%tenure_records%'"));
    }

    @Test
    void the_fault_of_one_is_not_that_of_the_others() {
        List<String> keys = keys("faulty");
        try (Client client = Client.of(databases().findFirst().orElseThrow())) {
            client.read("c/a");

            List<CompletionStage<WriteReply>> calls =
                    sendAll(client, absent(keys), key -> key.equals(keys.get(400)) ? "zero \0 byte" : "good");

            assertThat(Client.failure(calls.remove(400)).effect()).isEqualTo(Effect.NONE);
            assertThat(calls).allMatch(call -> Client.reply(call) instanceof WriteReply.Applied);
        }
    }

    /** Both are stopped in the middle, so that each would have what the other one wants next. */
    @Test
    void two_that_write_the_same_rows_in_opposite_orders_do_not_lock_each_other_out() throws SQLException {
        List<String> keys = keys("contested");
        String url = databases().findFirst().orElseThrow() + ROW_BY_ROW;
        try (Client one = Client.of(url);
                Client other = Client.of(url);
                Connection between = SharedServers.postgres().connect()) {
            writeAll(one, absent(keys), key -> "vacant");
            readAll(other, keys);
            List<Versioned> seen = readAll(one, keys);
            List<Versioned> backwards = new ArrayList<>(seen);
            Collections.reverse(backwards);
            lock(between, keys.get(MANY / 2));

            List<CompletionStage<WriteReply>> ofOne = sendAll(one, seen, key -> "one");
            List<CompletionStage<WriteReply>> ofOther = sendAll(other, backwards, key -> "other");
            Awaitility.await()
                    .atMost(Duration.ofSeconds(15))
                    .until(() -> SharedServers.postgres()
                            .ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                    + " AND query LIKE '%t_together_records%'")
                            .equals("2"));
            between.rollback();

            for (int i = 0; i < MANY; i++) {
                boolean first = Client.reply(ofOne.get(i)) instanceof WriteReply.Applied;
                boolean second = Client.reply(ofOther.get(MANY - 1 - i)) instanceof WriteReply.Applied;
                assertThat(first).isNotEqualTo(second);
            }
        }
    }

    private static void lock(Connection connection, String key) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1 FROM t_together_records WHERE id = '" + key + "' FOR UPDATE");
        }
    }

    @Test
    void each_change_of_many_is_announced() {
        List<String> keys = keys("announced");
        Set<String> heard = ConcurrentHashMap.newKeySet();
        try (Client client = Client.of(databases().findFirst().orElseThrow());
                Watch watch = client.store().watch("c/announced", heard::add)) {
            Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
                client.write(client.read("c/announced0"), "until it listens");
                return heard.contains("c/announced0");
            });
            List<Versioned> created = writeAll(client, absent(keys.subList(1, MANY)), key -> "created").stream()
                    .map(reply -> ((WriteReply.Applied) reply).now())
                    .toList();
            Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> heard.containsAll(keys));
            heard.clear();

            writeAll(client, created, key -> "changed");

            Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> heard.containsAll(keys.subList(1, MANY)));
        }
    }

    @Test
    void many_whose_outcome_is_unknown_are_not_tried_again_one_by_one() {
        JdbcDataSource source = new JdbcDataSource();
        source.setUrl(SharedServers.h2("unknown"));
        JdbcOptions options = JdbcOptions.standard().dialect(new DialectThatBreaks());
        try (Client client = new Client(host -> JdbcStore.open(source, options, host))) {
            client.read("c/a");
            List<CompletionStage<WriteReply>> calls = sendAll(client, absent(keys("unknown")), key -> "mine");

            List<Effect> failures = new ArrayList<>();
            for (CompletionStage<WriteReply> call : calls) {
                try {
                    assertThat(Client.reply(call)).isInstanceOf(WriteReply.Applied.class); // it was alone
                } catch (BackendException failure) {
                    failures.add(failure.effect());
                }
            }

            assertThat(failures).hasSizeGreaterThan(MANY / 2).containsOnly(Effect.UNKNOWN);
        }
    }

    /** Its connection breaks whenever many are written at once. */
    private static final class DialectThatBreaks implements Dialect {
        private final Dialect h2 = new H2Dialect();

        @Override
        public boolean speaks(String product) {
            return h2.speaks(product);
        }

        @Override
        public String nowMicros() {
            return h2.nowMicros();
        }

        @Override
        public String writable() {
            return h2.writable();
        }

        @Override
        public String createTable(String table) {
            return h2.createTable(table);
        }

        @Override
        public Optional<String> insertTogether(String table) {
            return Optional.of("SELECT CAST('broken' AS INT) WHERE ? IS NOT NULL AND ? IS NOT NULL AND ? IS NOT NULL"
                    + " AND ? IS NOT NULL");
        }

        @Override
        public Optional<String> updateTogether(String table) {
            return insertTogether(table);
        }

        @Override
        public SqlErrorKind errorKind(SQLException failure) {
            return failure.getMessage().contains("broken") ? SqlErrorKind.UNREACHABLE : h2.errorKind(failure);
        }
    }
}
