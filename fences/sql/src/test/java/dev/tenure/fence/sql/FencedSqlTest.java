// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("server")
class FencedSqlTest {
    private static final Term OLD = Terms.of(5);
    private static final Term NEW = Terms.of(6);

    @ParameterizedTest
    @EnumSource(Database.class)
    void a_refusal_ends_the_term_as_fenced_by_whichever_way_it_came(Database database) throws Exception {
        FencedSql fence = fresh(database);
        String ledger = database.freshLedger();
        FixedLeadership zombie = new FixedLeadership(OLD);
        fence.raise(NEW);

        assertThatThrownBy(() -> fence.write(zombie, GuardedTable.insert(ledger, "late")))
                .isInstanceOf(StaleTokenException.class)
                .hasMessageContaining("token 5")
                .hasMessageContaining("token 6");
        assertThatThrownBy(() -> fence.update(zombie, GuardedTable.insertInto(ledger), "late"))
                .isInstanceOf(StaleTokenException.class)
                .hasMessageContaining("token 5")
                .hasMessageContaining("token 6");
        assertThatThrownBy(() ->
                        GuardedTable.inTransaction(database.source(), connection -> fence.enter(connection, zombie)))
                .isInstanceOf(StaleTokenException.class);
        assertThatThrownBy(() ->
                        GuardedTable.inTransaction(fence.dataSource(zombie), GuardedTable.insert(ledger, "late")::run))
                .isInstanceOf(StaleTokenSqlException.class);

        assertThat(zombie.toldOf()).containsExactly(NEW.token(), NEW.token(), NEW.token(), NEW.token());
        assertThat(database.lines(ledger)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Database.class)
    void work_that_fails_is_rolled_back_and_the_connection_comes_back_as_it_was(Database database) throws Exception {
        FencedSql fence = fresh(database);
        String ledger = database.freshLedger();

        assertThatThrownBy(() -> fence.write(OLD, connection -> {
                    GuardedTable.insert(ledger, "half").run(connection);
                    throw new IllegalStateException("the other half");
                }))
                .hasMessage("the other half");

        assertThat(database.lines(ledger)).isEmpty();
        fence.write(OLD, GuardedTable.insert(ledger, "whole"));
        assertThat(database.lines(ledger)).containsExactly("whole");
    }

    @ParameterizedTest
    @EnumSource(Database.class)
    void work_cannot_end_the_transaction_that_holds_the_fence(Database database) throws Exception {
        FencedSql fence = fresh(database);
        String ledger = database.freshLedger();

        fence.write(OLD, connection -> {
            assertThatThrownBy(connection::commit).hasMessageContaining("ended by the fence");
            assertThatThrownBy(connection::rollback).hasMessageContaining("ended by the fence");
            assertThatThrownBy(() -> connection.setAutoCommit(true)).hasMessageContaining("ended by the fence");
            try (Statement statement = connection.createStatement()) {
                assertThatThrownBy(statement.getConnection()::commit).hasMessageContaining("ended by the fence");
            }
            connection.close();
            GuardedTable.insert(ledger, "after close").run(connection);
        });

        assertThat(database.lines(ledger)).containsExactly("after close");
    }

    @ParameterizedTest
    @EnumSource(Database.class)
    void a_row_is_bound_to_the_store_that_raised_it_first(Database database) throws Exception {
        FencedSql first = fresh(database);
        FencedSql bound = first.electedIn("store-a");
        bound.raise(OLD);

        Throwable refused = catchThrowable(() -> first.electedIn("store-b").raise(Terms.of(1000)));

        assertThat(refused)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("store-a")
                .hasMessageContaining("store-b");
        bound.raise(NEW);
        assertThatCode(() -> first.raise(Terms.of(7))).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @EnumSource(Database.class)
    void a_row_that_was_deleted_is_raised_again_by_the_next_write(Database database) throws Exception {
        String table = Database.freshName("fence");
        FencedSql fence = FencedSql.guarding(database.source(), "ledger").table(table);
        String ledger = database.freshLedger();
        fence.write(NEW, GuardedTable.insert(ledger, "one"));
        database.execute("DELETE FROM " + table);

        fence.write(NEW, GuardedTable.insert(ledger, "two"));

        assertThatThrownBy(() -> fence.write(OLD, GuardedTable.insert(ledger, "late")))
                .isInstanceOf(StaleTokenException.class);
        assertThat(database.lines(ledger)).containsExactly("one", "two");
    }

    @ParameterizedTest
    @EnumSource(Database.class)
    void a_missing_table_that_is_expected_is_an_error_with_the_script(Database database) {
        String table = Database.freshName("fence");
        FencedSql fence =
                FencedSql.guarding(database.source(), "ledger").table(table).expectingTable();

        assertThatThrownBy(() -> fence.raise(OLD)).hasMessageContaining("CREATE TABLE IF NOT EXISTS " + table);
    }

    @ParameterizedTest
    @EnumSource(Database.class)
    void a_transaction_with_autocommit_is_not_fenced_but_refused(Database database) throws Exception {
        FencedSql fence = fresh(database);

        try (Connection connection = database.source().getConnection()) {
            assertThatThrownBy(() -> fence.enter(connection, OLD)).hasMessageContaining("inside a transaction");
        }
    }

    @Test
    void a_commit_without_an_answer_is_unknown_and_one_that_was_refused_is_not() throws Exception {
        SQLException lost = new SQLException("the line is dead", "08006");
        SQLException serialization = new SQLException("could not serialize", "40001");
        SQLException deferred = new SQLException("violates", "23503");
        SQLException failedBefore = new SQLException("returned ROLLBACK", "25P02");
        SQLException unclear = new SQLException("who knows", "40003");

        for (SQLException failure : List.of(lost, unclear)) {
            FencedSql fence =
                    FencedSql.guarding(FailingCommits.of(Database.H2.source(), failure), Database.freshName("r"));
            assertThatThrownBy(() -> fence.write(OLD, connection -> {}))
                    .isInstanceOf(CommitUnknownException.class)
                    .hasMessageContaining("unknown")
                    .hasCause(failure);
        }
        for (SQLException failure : List.of(serialization, deferred, failedBefore)) {
            FencedSql fence =
                    FencedSql.guarding(FailingCommits.of(Database.H2.source(), failure), Database.freshName("r"));
            assertThatThrownBy(() -> fence.write(OLD, connection -> {})).isSameAs(failure);
            assertThatThrownBy(() -> GuardedTable.inTransaction(
                            fence.dataSource(new FixedLeadership(OLD)),
                            connection -> connection.createStatement().execute("SELECT 1")))
                    .isSameAs(failure);
        }
    }

    /** A leader that sleeps inside a transaction must not keep its successor out. */
    @Test
    void postgresql_ends_a_fenced_transaction_that_does_nothing_and_only_that() throws Exception {
        Database database = Database.POSTGRESQL;
        FencedSql fence = fresh(database).idleAtMost(Duration.ofMillis(300));
        fence.raise(OLD);
        String ledger = database.freshLedger();
        try (Connection sleeper = database.source().getConnection()) {
            sleeper.setAutoCommit(false);
            fence.enter(sleeper, OLD);
            GuardedTable.insert(ledger, "half").run(sleeper);

            fence.raise(NEW); // waits until the sleeper's transaction has been ended

            assertThat(catchThrowable(sleeper::commit)).isInstanceOf(SQLException.class);
        }
        assertThat(database.lines(ledger)).isEmpty();
        try (Connection connection = database.source().getConnection()) {
            connection.setAutoCommit(false);
            fence.enter(connection, NEW);
            connection.commit();
            assertThat(Sql.column(connection, "SHOW idle_in_transaction_session_timeout"))
                    .containsExactly("0");
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Database.class,
            names = {"MARIADB", "H2"})
    void a_raise_that_waits_in_vain_says_so(Database database) throws Exception {
        FencedSql fence = fresh(database).raiseWithin(Duration.ofSeconds(1));
        fence.raise(OLD);
        try (Connection sleeper = database.source().getConnection()) {
            sleeper.setAutoCommit(false);
            fence.enter(sleeper, OLD);

            assertThatThrownBy(() -> fence.raise(NEW))
                    .hasMessageContaining("a transaction of an older term holds its fence");

            sleeper.rollback();
            sleeper.setAutoCommit(true);
        }
    }

    @ParameterizedTest
    @EnumSource(Database.class)
    void each_transaction_of_a_fenced_connection_goes_through_the_fence(Database database) throws Exception {
        FencedSql fence = fresh(database);
        String ledger = database.freshLedger();
        FixedLeadership leadership = new FixedLeadership(OLD);
        try (Connection connection = fence.dataSource(leadership).getConnection()) {
            connection.setAutoCommit(false);
            GuardedTable.insert(ledger, "first").run(connection);
            connection.commit();
            fence.raise(NEW);

            assertThatThrownBy(() -> GuardedTable.insert(ledger, "second").run(connection))
                    .isInstanceOf(StaleTokenSqlException.class);
            assertThatThrownBy(() -> GuardedTable.insert(ledger, "third").run(connection))
                    .isInstanceOf(StaleTokenSqlException.class);
            connection.commit();
        }
        assertThat(database.lines(ledger)).containsExactly("first");
    }

    /** A rollback to a savepoint that is older than the lock lets go of the lock. */
    @Test
    void after_a_rollback_to_a_savepoint_a_fenced_connection_holds_the_fence_again() throws Exception {
        try (Encounter encounter = new Encounter(Database.POSTGRESQL, Isolation.READ_COMMITTED);
                Connection connection = encounter
                        .fence
                        .dataSource(new FixedLeadership(Encounter.OLD))
                        .getConnection()) {
            connection.setAutoCommit(false);
            var before = connection.setSavepoint();
            GuardedTable.insert(encounter.ledger, "undone").run(connection);
            connection.rollback(before);
            GuardedTable.insert(encounter.ledger, "in time").run(connection);

            CompletableFuture<Void> raising = encounter.raise();

            assertThat(raising).isNotDone();
            connection.commit();
            raising.get(30, TimeUnit.SECONDS);
            connection.setAutoCommit(true);
        }
    }

    @Test
    void a_fenced_connection_has_no_way_around_the_fence() throws Exception {
        FencedSql fence = fresh(Database.H2);
        var source = fence.dataSource(new FixedLeadership(OLD));

        try (Connection connection = source.getConnection()) {
            fence.raise(NEW);
            assertThatThrownBy(() -> connection.createStatement(
                            java.sql.ResultSet.TYPE_SCROLL_SENSITIVE, java.sql.ResultSet.CONCUR_UPDATABLE))
                    .hasMessageContaining("updatable");
            assertThatThrownBy(() -> connection.unwrap(org.h2.jdbc.JdbcConnection.class))
                    .hasMessageContaining("inside a transaction");
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> connection.unwrap(org.h2.jdbc.JdbcConnection.class))
                    .isInstanceOf(StaleTokenSqlException.class);
            try (Statement statement = connection.createStatement()) {
                assertThat(statement.getConnection()).isSameAs(connection);
            }
            connection.setAutoCommit(true);
        }
        assertThatThrownBy(() -> source.unwrap(com.zaxxer.hikari.HikariDataSource.class))
                .hasMessageContaining("no fence");
        assertThatThrownBy(source::createConnectionBuilder)
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("use getConnection()");
    }

    @Test
    void what_else_a_fenced_data_source_has_is_that_of_the_source_behind_it() throws Exception {
        var plain = new org.h2.jdbcx.JdbcDataSource();
        var source = FencedSql.guarding(plain, "ledger").dataSource(new FixedLeadership(OLD));

        source.setLoginTimeout(7);
        source.setLogWriter(null);

        assertThat(plain.getLoginTimeout()).isEqualTo(7);
        assertThat(source.getLoginTimeout()).isEqualTo(plain.getLoginTimeout());
        assertThat(source.getLogWriter()).isNull();
        assertThat(source.getParentLogger()).isSameAs(plain.getParentLogger());
        assertThat(source.toString()).isEqualTo(plain.toString());
        assertThat(source.hashCode()).isEqualTo(plain.hashCode());
        assertThat(source).isNotEqualTo(plain);
    }

    @Test
    void names_that_could_be_read_as_sql_are_refused() {
        assertThatThrownBy(() -> FencedSql.guarding(Database.H2.source(), "x'; DROP TABLE y"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> FencedSql.guarding(Database.H2.source(), "x").table("f; DROP TABLE y"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @EnumSource(Database.class)
    void names_and_holders_beyond_ascii_are_kept(Database database) throws Exception {
        FencedSql fence = fresh(database);
        Term term = new Term(ElectionName.of("größe/Ω 😀"), new FencingToken(5), new Nonce(1, 2), "Zoë");

        fence.raise(term);

        assertThatThrownBy(() -> fence.raise(OLD)).hasMessageContaining("größe/Ω 😀");
        assertThatCode(() -> fence.raise(term)).doesNotThrowAnyException();
    }

    private static FencedSql fresh(Database database) {
        return FencedSql.guarding(database.source(), Database.freshName("ledger"))
                .table(Database.freshName("fence"));
    }
}
