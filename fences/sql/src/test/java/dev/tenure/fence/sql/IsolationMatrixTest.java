// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tenure.StaleTokenException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The right pattern on every database and under every isolation level, through the interleavings that break wrong ones. */
@Tag("server")
class IsolationMatrixTest {
    static Stream<Arguments> matrix() {
        return Arrays.stream(Database.values())
                .flatMap(database ->
                        Arrays.stream(Isolation.values()).map(isolation -> Arguments.of(database, isolation)));
    }

    @ParameterizedTest
    @MethodSource("matrix")
    void a_raise_waits_for_a_writer_that_has_been_let_in(Database database, Isolation isolation) throws Exception {
        try (Encounter encounter = new Encounter(database, isolation)) {
            encounter.fence.enter(encounter.writer, Encounter.OLD);

            CompletableFuture<Void> raising = encounter.raise();
            encounter.insert("in time");

            assertThat(raising).isNotDone();
            encounter.writer.commit();
            Encounter.done(raising);
            assertThat(database.lines(encounter.ledger)).containsExactly("in time");
        }
    }

    @ParameterizedTest
    @MethodSource("matrix")
    void a_snapshot_from_before_the_raise_lets_nobody_in(Database database, Isolation isolation) throws Exception {
        try (Encounter encounter = new Encounter(database, isolation)) {
            encounter.execute("SELECT count(*) FROM " + encounter.ledger);
            boolean everyReadLocks = database == Database.MARIADB && isolation == Isolation.SERIALIZABLE;
            if (!everyReadLocks) {
                encounter.execute("SELECT token FROM " + encounter.fenceTable);
            }
            Encounter.done(encounter.raise());

            Throwable refused = catchThrowable(() -> encounter.fence.enter(encounter.writer, Encounter.OLD));

            assertThat(refused).isInstanceOfAny(StaleTokenException.class, SQLException.class);
            if (refused instanceof SQLException conflict) {
                assertThat(Sql.SqlState.isConflict(conflict))
                        .as(conflict.toString())
                        .isTrue();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("matrix")
    void a_term_that_nobody_raised_is_refused_below_the_newest_whatever_its_snapshot_shows(
            Database database, Isolation isolation) throws Exception {
        try (Encounter encounter = new Encounter(database, isolation)) {
            encounter.execute("SELECT count(*) FROM " + encounter.ledger);
            boolean everyReadLocks = database == Database.MARIADB && isolation == Isolation.SERIALIZABLE;
            if (!everyReadLocks) {
                encounter.execute("SELECT token FROM " + encounter.fenceTable);
            }
            encounter.fence.raise(Terms.of(7));

            Throwable refused = catchThrowable(() -> encounter.fence.enter(encounter.writer, Terms.of(6)));

            if (refused instanceof SQLException conflict) {
                assertThat(Sql.SqlState.isConflict(conflict))
                        .as(conflict.toString())
                        .isTrue();
            } else {
                assertThat(refused).isInstanceOf(StaleTokenException.class);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("matrix")
    void a_writer_that_comes_after_the_raise_is_refused_and_rolled_back(Database database, Isolation isolation)
            throws Exception {
        try (Encounter encounter = new Encounter(database, isolation)) {
            Encounter.done(encounter.raise());
            encounter.insert("before it asked");

            Throwable refused = catchThrowable(() -> encounter.fence.enter(encounter.writer, Encounter.OLD));
            encounter.writer.commit();

            assertThat(refused).isInstanceOfSatisfying(StaleTokenException.class, stale -> {
                assertThat(stale.refused()).isEqualTo(Encounter.OLD);
                assertThat(stale.seen()).isEqualTo(Encounter.NEW.token());
            });
            assertThat(database.lines(encounter.ledger)).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("matrix")
    void a_writer_that_waits_for_a_raise_is_refused(Database database, Isolation isolation) throws Exception {
        try (Encounter encounter = new Encounter(database, isolation);
                Connection successor = database.source().getConnection()) {
            successor.setAutoCommit(false);
            encounter.fence.enter(successor, Encounter.NEW); // raised within a transaction that is still open

            CompletableFuture<Void> writing =
                    encounter.inBackground(() -> encounter.fence.enter(encounter.writer, Encounter.OLD));
            encounter.settle(writing, encounter.fenceTable);
            assertThat(writing).isNotDone();
            successor.commit();

            Throwable refused = catchThrowable(() -> Encounter.done(writing));
            assertThat(refused).isInstanceOfAny(StaleTokenException.class, SQLException.class);
            successor.setAutoCommit(true);
        }
    }

    @ParameterizedTest
    @MethodSource("matrix")
    void a_raise_goes_on_when_the_connection_of_a_writer_is_gone(Database database, Isolation isolation)
            throws Exception {
        if (database == Database.H2) {
            return; // it runs inside the process, and ends with it
        }
        try (Encounter encounter = new Encounter(database, isolation)) {
            encounter.fence.enter(encounter.writer, Encounter.OLD);
            encounter.insert("never");
            CompletableFuture<Void> raising = encounter.raise();

            encounter.breakOff();

            Encounter.done(raising);
            assertThat(database.lines(encounter.ledger)).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("matrix")
    void of_two_raises_at_once_the_newer_stays(Database database, Isolation isolation) throws Exception {
        try (Encounter encounter = new Encounter(database, isolation)) {
            encounter.fence.enter(encounter.writer, Encounter.OLD);
            FencedSql other =
                    FencedSql.guarding(database.source(), encounter.resource).table(encounter.fenceTable);
            CompletableFuture<Void> six = encounter.raise();
            CompletableFuture<Void> seven = encounter.inBackground(() -> other.raise(Terms.of(7)));
            encounter.writer.commit();

            Encounter.done(seven);
            Throwable overtaken = catchThrowable(() -> Encounter.done(six));

            assertThat(overtaken == null || overtaken instanceof StaleTokenException)
                    .isTrue();
            assertThat(database.column("SELECT token FROM " + encounter.fenceTable))
                    .containsExactly("7");
        }
    }

    @ParameterizedTest
    @MethodSource("matrix")
    void writers_of_one_term_run_side_by_side(Database database, Isolation isolation) throws Exception {
        if (database == Database.H2) {
            return; // see H2Test: it has no shared locks on rows
        }
        try (Encounter encounter = new Encounter(database, isolation);
                Connection second = database.source().getConnection()) {
            second.setAutoCommit(false);
            encounter.fence.enter(encounter.writer, Encounter.OLD);

            CompletableFuture<Void> entering =
                    encounter.inBackground(() -> encounter.fence.enter(second, Encounter.OLD));
            encounter.settle(entering, encounter.fenceTable);

            assertThat(entering).isCompleted();
            encounter.insert("one");
            GuardedTable.insert(encounter.ledger, "two").run(second);
            second.commit();
            encounter.writer.commit();
            assertThat(database.lines(encounter.ledger)).containsExactlyInAnyOrder("one", "two");
            second.setAutoCommit(true);
        }
    }
}
