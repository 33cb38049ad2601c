// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One statement as a fenced transaction; on PostgreSQL in one round trip. */
@Tag("server")
class FencedUpdateTest {
    private static final Term OLD = Terms.of(5);
    private static final Term NEW = Terms.of(6);

    @ParameterizedTest
    @EnumSource(Database.class)
    void an_update_tells_how_many_rows_it_changed(Database database) throws Exception {
        FencedSql fence = fresh(database);
        String ledger = database.freshLedger();

        long inserted = fence.update(OLD, "INSERT INTO " + ledger + " (line) VALUES (?), (?)", "one", "two");
        long updated = fence.update(OLD, "UPDATE " + ledger + " SET line = ? WHERE line = ?", "three", "two");
        long deleted = fence.update(OLD, "DELETE FROM " + ledger + " WHERE line = 'nobody'");

        assertThat(List.of(inserted, updated, deleted)).containsExactly(2L, 1L, 0L);
        assertThat(database.lines(ledger)).containsExactly("one", "three");
    }

    @Test
    void rows_that_a_statement_returns_count_like_rows_that_it_changes() throws Exception {
        FencedSql fence = fresh(Database.POSTGRESQL);
        String ledger = Database.POSTGRESQL.freshLedger();

        long rows = fence.update(OLD, "INSERT INTO " + ledger + " (line) VALUES (?), (?) RETURNING id", "one", "two");

        assertThat(rows).isEqualTo(2);
        assertThat(Database.POSTGRESQL.lines(ledger)).containsExactly("one", "two");
    }

    @Test
    void a_statement_has_the_same_text_each_time_so_that_the_driver_prepares_it_once() throws Exception {
        Database database = Database.POSTGRESQL;
        String insert = GuardedTable.insertInto(database.freshLedger());
        List<String> texts = new ArrayList<>();
        try (Connection connection = database.source().getConnection()) {
            Connection noting = (Connection) Proxy.newProxyInstance(
                    FencedUpdateTest.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("prepareStatement")) {
                            texts.add((String) arguments[0]);
                        }
                        return FencedConnection.call(connection, method, arguments);
                    });
            FencedSql fence = FencedSql.guarding(Always.the(noting), Database.freshName("resource"));
            fence.raise(OLD);
            texts.clear();

            fence.update(OLD, insert, "one");
            fence.update(OLD, insert, "two");
        }

        assertThat(texts).hasSize(2);
        assertThat(texts.get(1)).isEqualTo(texts.get(0));
    }

    @Test
    void any_number_of_statements_of_any_length_are_executed_as_they_were_written() throws Exception {
        FencedSql fence = fresh(Database.POSTGRESQL);
        String ledger = Database.POSTGRESQL.freshLedger();
        String note = " /* " + "long ".repeat(1000) + "*/";
        List<String> lines = new ArrayList<>();

        for (int i = 0; i < 130; i++) {
            lines.add("line " + i);
            fence.update(
                    OLD, "INSERT INTO " + ledger + " (line) VALUES ('line " + i + "')" + (i % 10 == 0 ? note : ""));
        }

        assertThat(Database.POSTGRESQL.lines(ledger)).isEqualTo(lines);
    }

    @ParameterizedTest
    @ValueSource(strings = {" -- said on the way out", ";", " /* a note */ ; ", "\n"})
    void what_stands_behind_a_statement_does_not_keep_it_from_being_committed(String end) throws Exception {
        FencedSql fence = fresh(Database.POSTGRESQL);
        String ledger = Database.POSTGRESQL.freshLedger();

        fence.update(OLD, GuardedTable.insertInto(ledger) + end, "in");

        assertThat(Database.POSTGRESQL.lines(ledger)).containsExactly("in");
    }

    @ParameterizedTest
    @EnumSource(Database.class)
    void a_statement_that_fails_is_rolled_back_and_the_connection_comes_back_as_it_was(Database database)
            throws Exception {
        FencedSql fence = fresh(database);
        String ledger = database.freshLedger();

        Throwable violation = catchThrowable(() -> fence.update(OLD, GuardedTable.insertInto(ledger), (Object) null));
        Throwable missing = catchThrowable(() -> fence.update(OLD, "INSERT INTO no_such_table VALUES (1)"));
        Throwable tooFew = catchThrowable(() -> fence.update(OLD, GuardedTable.insertInto(ledger)));

        assertThat(List.of(violation, missing, tooFew))
                .allSatisfy(failure -> assertThat(failure)
                        .isInstanceOf(SQLException.class)
                        .isNotInstanceOf(CommitUnknownException.class));
        assertThat(missing).hasMessageContaining(database == Database.H2 ? "NO_SUCH_TABLE" : "no_such_table");
        fence.update(OLD, GuardedTable.insertInto(ledger), "whole");
        assertThat(database.lines(ledger)).containsExactly("whole");
        try (Connection connection = database.source().getConnection()) {
            assertThat(connection.getAutoCommit()).isTrue();
        }
    }

    /** MariaDB's driver lets what is too much pass. */
    @Test
    void a_parameter_too_many_is_refused_before_anything_is_sent() throws Exception {
        FencedSql fence = fresh(Database.POSTGRESQL);
        String ledger = Database.POSTGRESQL.freshLedger();

        assertThatThrownBy(() -> fence.update(OLD, GuardedTable.insertInto(ledger), "one", "two"))
                .isInstanceOf(SQLException.class)
                .isNotInstanceOf(CommitUnknownException.class);

        assertThat(Database.POSTGRESQL.lines(ledger)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Database.class)
    void a_row_that_was_deleted_and_a_table_that_was_dropped_come_back_with_the_next_update(Database database)
            throws Exception {
        String table = Database.freshName("fence");
        FencedSql fence = FencedSql.guarding(database.source(), "ledger").table(table);
        String ledger = database.freshLedger();
        fence.update(NEW, GuardedTable.insertInto(ledger), "one");

        database.execute("DELETE FROM " + table);
        fence.update(NEW, GuardedTable.insertInto(ledger), "two");
        boolean sentTogether = database == Database.POSTGRESQL;
        if (sentTogether) {
            database.execute("DROP TABLE " + table);
            fence.update(NEW, GuardedTable.insertInto(ledger), "three");
        }

        assertThatThrownBy(() -> fence.update(OLD, GuardedTable.insertInto(ledger), "late"))
                .isInstanceOf(StaleTokenException.class);
        assertThat(database.lines(ledger))
                .isEqualTo(sentTogether ? List.of("one", "two", "three") : List.of("one", "two"));
    }

    /** A sequence does not go back when a transaction is rolled back: it shows what was executed. */
    @Test
    void nothing_of_a_refused_statement_is_executed() throws Exception {
        Database database = Database.POSTGRESQL;
        String resource = Database.freshName("resource");
        FencedSql zombie = FencedSql.guarding(database.source(), resource);
        String sequence = Database.freshName("calls");
        database.execute("CREATE SEQUENCE " + sequence);
        zombie.update(OLD, "SELECT nextval('" + sequence + "')");
        FencedSql.guarding(database.source(), resource).raise(NEW);

        assertThatThrownBy(() -> zombie.update(OLD, "SELECT nextval('" + sequence + "')"))
                .isInstanceOfSatisfying(StaleTokenException.class, stale -> {
                    assertThat(stale.refused()).isEqualTo(OLD);
                    assertThat(stale.seen()).isEqualTo(NEW.token());
                });

        assertThat(database.column("SELECT last_value FROM " + sequence)).containsExactly("1");
    }

    @ParameterizedTest
    @EnumSource(Database.class)
    void another_holder_of_the_same_token_another_election_and_another_store_are_refused(Database database)
            throws Exception {
        String resource = Database.freshName("resource");
        String ledger = database.freshLedger();
        FencedSql fence = FencedSql.guarding(database.source(), resource).electedIn("store-a");
        FencedSql elsewhere = FencedSql.guarding(database.source(), resource).electedIn("store-b");
        FencedSql unnamed = FencedSql.guarding(database.source(), resource);
        fence.update(OLD, GuardedTable.insertInto(ledger), "mine");
        unnamed.update(OLD, GuardedTable.insertInto(ledger), "mine too");

        Term twin = Terms.of(5, 99);
        Term stranger = new Term(ElectionName.of("other"), NEW.token(), new Nonce(7, 6), "holder");

        assertThatThrownBy(() -> unnamed.update(twin, GuardedTable.insertInto(ledger), "twin"))
                .isInstanceOf(StaleTokenException.class);
        assertThatThrownBy(() -> unnamed.update(stranger, GuardedTable.insertInto(ledger), "stranger"))
                .hasMessageContaining("election other");
        assertThatThrownBy(() -> elsewhere.update(NEW, GuardedTable.insertInto(ledger), "elsewhere"))
                .hasMessageContaining("store-b");
        assertThat(database.lines(ledger)).containsExactly("mine", "mine too");
    }

    /** The fence is held while the statement waits for something else: who raises it waits for the commit. */
    @ParameterizedTest
    @EnumSource(
            value = Database.class,
            names = {"POSTGRESQL", "MARIADB"})
    void a_raise_waits_for_an_update_that_has_been_let_in(Database database) throws Exception {
        try (Encounter encounter = new Encounter(database, Isolation.READ_COMMITTED)) {
            String ledger = encounter.ledger;
            encounter.fence.update(Encounter.OLD, GuardedTable.insertInto(ledger), "old");
            encounter.execute("UPDATE " + ledger + " SET line = 'held'");
            String change = "UPDATE " + ledger + " SET line = 'changed by the old term'";
            CompletableFuture<Void> changing =
                    encounter.inBackground(() -> encounter.fence.update(Encounter.OLD, change));
            encounter.settle(changing, "changed by the old term");

            CompletableFuture<Void> raising = encounter.raise();
            assertThat(raising).isNotDone();
            encounter.writer.commit();
            Encounter.done(changing);
            Encounter.done(raising);

            assertThat(database.lines(ledger)).containsExactly("changed by the old term");
        }
    }

    @Test
    void a_connection_that_comes_without_autocommit_goes_back_without_it() throws Exception {
        Database database = Database.POSTGRESQL;
        String ledger = database.freshLedger();
        try (Connection connection = database.source().getConnection()) {
            connection.setAutoCommit(false);
            FencedSql fence = FencedSql.guarding(Always.the(connection), Database.freshName("resource"));

            fence.update(OLD, GuardedTable.insertInto(ledger), "in");
            Throwable refused = catchThrowable(() -> fence.update(OLD, GuardedTable.insertInto(ledger), (Object) null));

            assertThat(refused).isInstanceOf(SQLException.class);
            assertThat(connection.getAutoCommit()).isFalse();
            assertThat(database.lines(ledger)).containsExactly("in");
            connection.setAutoCommit(true);
        }
    }

    @Test
    void an_update_that_waits_for_a_raise_is_refused_under_every_isolation() throws Exception {
        Database database = Database.POSTGRESQL;
        for (Isolation isolation : Isolation.values()) {
            try (Encounter encounter = new Encounter(database, isolation)) {
                encounter.fence.enter(encounter.writer, Encounter.NEW); // raised, and not committed yet
                FencedSql zombie = FencedSql.guarding(isolation.of(database.source()), encounter.resource)
                        .table(encounter.fenceTable);
                CompletableFuture<Void> writing = encounter.inBackground(
                        () -> zombie.update(Encounter.OLD, GuardedTable.insertInto(encounter.ledger), "late"));
                encounter.settle(writing, encounter.fenceTable);
                assertThat(writing).isNotDone();

                encounter.writer.commit();

                Throwable refused = catchThrowable(() -> Encounter.done(writing));
                assertThat(refused).isInstanceOfAny(StaleTokenException.class, SQLException.class);
                assertThat(refused).isNotInstanceOf(CommitUnknownException.class);
                assertThat(database.lines(encounter.ledger)).isEmpty();
            }
        }
    }

    @Test
    void what_fails_only_at_the_commit_is_known_to_be_rolled_back() throws Exception {
        Database database = Database.POSTGRESQL;
        FencedSql fence = fresh(database);
        String parent = Database.freshName("parent");
        String child = Database.freshName("child");
        database.execute(
                "CREATE TABLE " + parent + " (id INT PRIMARY KEY)",
                "CREATE TABLE " + child + " (id INT REFERENCES " + parent + " DEFERRABLE INITIALLY DEFERRED)");

        assertThatThrownBy(() -> fence.update(OLD, "INSERT INTO " + child + " VALUES (?)", 1))
                .isInstanceOf(SQLException.class)
                .isNotInstanceOf(CommitUnknownException.class)
                .hasMessageContaining(child);

        assertThat(database.column("SELECT id FROM " + child)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_connection_that_ends_before_it_has_answered_leaves_the_outcome_unknown(boolean autoCommit) throws Exception {
        Database database = Database.POSTGRESQL;
        try (Encounter encounter = new Encounter(database, Isolation.READ_COMMITTED);
                Connection connection = database.source().getConnection()) {
            String ledger = encounter.ledger;
            encounter.fence.update(Encounter.OLD, GuardedTable.insertInto(ledger), "old");
            encounter.execute("UPDATE " + ledger + " SET line = 'held'");
            connection.setAutoCommit(autoCommit);
            FencedSql fence = FencedSql.guarding(Always.the(connection), encounter.resource)
                    .table(encounter.fenceTable);
            CompletableFuture<Void> changing = encounter.inBackground(
                    () -> fence.update(Encounter.OLD, "UPDATE " + ledger + " SET line = 'never told'"));
            encounter.settle(changing, "never told");

            database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE wait_event_type = 'Lock' AND query LIKE '%never told%'");

            assertThatThrownBy(() -> Encounter.done(changing)).isInstanceOf(CommitUnknownException.class);
        }
    }

    /** What a fenced transaction leaves on its connection would be there for the next who gets it. */
    @Test
    void nothing_of_an_update_stays_on_its_connection() throws Exception {
        Database database = Database.POSTGRESQL;
        String ledger = database.freshLedger();
        try (Connection connection = database.source().getConnection()) {
            FencedSql fence = FencedSql.guarding(Always.the(connection), Database.freshName("resource"));
            List<String> before = Sql.column(connection, "SHOW idle_in_transaction_session_timeout");

            fence.update(OLD, GuardedTable.insertInto(ledger), "in");

            assertThat(Sql.column(connection, "SHOW idle_in_transaction_session_timeout"))
                    .isEqualTo(before);
            assertThat(Sql.column(connection, "SELECT pg_current_xact_id_if_assigned()"))
                    .containsExactly("");
        }
    }

    @Test
    void a_table_behind_triggers_takes_an_update_of_the_current_term() throws Exception {
        Database database = Database.POSTGRESQL;
        String resource = Database.freshName("resource");
        String ledger = database.freshLedger();
        try (Connection connection = database.source().getConnection()) {
            TableGuard.at(connection).install(resource, Terms.ELECTION, List.of(ledger));
        }

        FencedSql.guarding(database.source(), resource).update(OLD, GuardedTable.insertInto(ledger), "shown");

        assertThat(database.lines(ledger)).containsExactly("shown");
        assertThatThrownBy(() -> database.execute("INSERT INTO " + ledger + " (line) VALUES ('not shown')"))
                .hasMessageContaining("without a token");
    }

    private static FencedSql fresh(Database database) {
        return FencedSql.guarding(database.source(), Database.freshName("resource"));
    }
}
