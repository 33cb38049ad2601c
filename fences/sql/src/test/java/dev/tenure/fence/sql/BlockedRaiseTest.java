// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A raise on PostgreSQL, and transactions that stand in its way. */
@Tag("server")
class BlockedRaiseTest {
    private static final Database DATABASE = Database.POSTGRESQL;
    private static final Duration SHORT = Duration.ofSeconds(1);

    /** No limit for idle transactions ends it, because it is not idle. */
    @Test
    void a_transaction_of_an_older_term_that_does_not_end_is_ended() throws Exception {
        try (Encounter encounter = new Encounter(DATABASE, Isolation.READ_COMMITTED)) {
            encounter.fence.enter(encounter.writer, Encounter.OLD);
            encounter.insert("half");
            CompletableFuture<Void> working = encounter.inBackground(() -> encounter.execute("SELECT pg_sleep(600)"));

            encounter.fence.raiseWithin(SHORT).raise(Encounter.NEW);

            assertThat(catchThrowable(() -> Encounter.done(working))).isInstanceOf(SQLException.class);
            assertThat(DATABASE.lines(encounter.ledger)).isEmpty();
            assertThat(DATABASE.column("SELECT token FROM " + encounter.fenceTable))
                    .containsExactly("6");
        }
    }

    @Test
    void a_transaction_that_may_not_be_ended_is_named() throws Exception {
        String role = Database.freshName("successor");
        try (Encounter encounter = new Encounter(DATABASE, Isolation.READ_COMMITTED);
                Connection successor = DATABASE.connect()) {
            DATABASE.execute(
                    "CREATE ROLE " + role,
                    "GRANT pg_read_all_stats TO " + role,
                    "GRANT SELECT, INSERT, UPDATE ON " + encounter.fenceTable + " TO " + role);
            Sql.execute(successor, "SET ROLE " + role);
            encounter.execute("SET application_name = 'close-day on host-7'");
            encounter.fence.enter(encounter.writer, Encounter.OLD);
            encounter.insert("in time");

            Throwable failure = catchThrowable(() -> FencedSql.guarding(Always.the(successor), encounter.resource)
                    .table(encounter.fenceTable)
                    .raiseWithin(SHORT)
                    .raise(Encounter.NEW));

            assertThat(failure)
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("pid " + DATABASE.idOf(encounter.writer))
                    .hasMessageContaining("application 'close-day on host-7'")
                    .hasMessageMatching("(?s).*its transaction is open for [0-9]+ ms.*");
            encounter.writer.commit();
            encounter.execute("RESET application_name");
            assertThat(DATABASE.lines(encounter.ledger)).containsExactly("in time");
        }
    }

    @Test
    void what_an_operator_waits_for_is_named_and_not_ended() throws Exception {
        String resource = Database.freshName("resource");
        FencedSql fence = FencedSql.guarding(DATABASE.source(), resource).idleAtMost(Duration.ofMinutes(1));
        fence.raise(Encounter.OLD);
        try (Connection writer = DATABASE.connect();
                Connection operator = DATABASE.connect()) {
            writer.setAutoCommit(false);
            fence.enter(writer, Encounter.OLD);
            Sql.execute(operator, "SET lock_timeout = '300ms'");

            assertThatThrownBy(() -> TableGuard.at(operator).raise(resource, Optional.empty(), Optional.empty()))
                    .hasMessageContaining("pid " + DATABASE.idOf(writer));

            writer.commit();
        }
    }

    /** Safety rests on the row: somebody who only updates it waits for writers, and is seen by them. */
    @Test
    void a_raise_that_knows_nothing_of_the_advisory_lock_waits_for_writers_too() throws Exception {
        try (Encounter encounter = new Encounter(DATABASE, Isolation.READ_COMMITTED);
                Connection byHand = DATABASE.connect()) {
            encounter.fence.enter(encounter.writer, Encounter.OLD);
            String id = DATABASE.idOf(byHand);
            CompletableFuture<Void> raising = encounter.inBackground(
                    () -> Sql.execute(byHand, "UPDATE " + encounter.fenceTable + " SET token = 7"));
            encounter.await(raising, id);

            assertThat(raising).isNotDone();
            encounter.writer.commit();
            Encounter.done(raising);

            assertThat(catchThrowable(() -> encounter.fence.write(Encounter.OLD, working -> {})))
                    .hasMessageContaining("token 7");
        }
    }

    /**
     * One writer has the fence and waits for a row; another has that row and waits for the fence, behind a raise. PostgreSQL lets
     * the second pass the raise, and nobody is sacrificed.
     */
    @Test
    void a_writer_that_others_wait_for_passes_a_raise() throws Exception {
        try (Encounter encounter = new Encounter(DATABASE, Isolation.READ_COMMITTED);
                Connection second = DATABASE.connect()) {
            encounter.fence.write(Encounter.OLD, GuardedTable.insert(encounter.ledger, "first"));
            second.setAutoCommit(false);
            Sql.execute(second, "UPDATE " + encounter.ledger + " SET line = line || ', second'");
            encounter.fence.enter(encounter.writer, Encounter.OLD);
            CompletableFuture<Void> raising = encounter.raise();
            String id = DATABASE.idOf(encounter.writer);
            CompletableFuture<Void> changing = encounter.inBackground(
                    () -> encounter.execute("UPDATE " + encounter.ledger + " SET line = line || ', third'"));
            encounter.await(changing, id);

            encounter.fence.enter(second, Encounter.OLD);

            assertThat(raising).isNotDone();
            second.commit();
            Encounter.done(changing);
            encounter.writer.commit();
            Encounter.done(raising);
            assertThat(DATABASE.lines(encounter.ledger)).containsExactly("first, second, third");
        }
    }
}
