// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Patterns that look right and are not, each shown to let a stale write in, or shown not to where a database happens to save
 * them. The reason why the fence is built as it is.
 */
@Tag("server")
class WrongPatternsTest {
    /** Only MariaDB's SERIALIZABLE makes a locking read of every read; for the others the check is from another time. */
    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, READ_COMMITTED, true",
        "POSTGRESQL, REPEATABLE_READ, true",
        "POSTGRESQL, SERIALIZABLE, true",
        "MARIADB, READ_COMMITTED, true",
        "MARIADB, REPEATABLE_READ, true",
        "MARIADB, SERIALIZABLE, false",
        "H2, READ_COMMITTED, true",
        "H2, REPEATABLE_READ, true",
        "H2, SERIALIZABLE, true"
    })
    void a_plain_select_lets_a_stale_write_in(Database database, Isolation isolation, boolean stale) throws Exception {
        assertStaleWrite(database, isolation, "", stale);
    }

    @ParameterizedTest
    @CsvSource({"READ_COMMITTED", "REPEATABLE_READ", "SERIALIZABLE"})
    void for_key_share_lets_a_stale_write_in(Isolation isolation) throws Exception {
        assertStaleWrite(Database.POSTGRESQL, isolation, "FOR KEY SHARE", true);
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, READ_COMMITTED, FOR SHARE",
        "POSTGRESQL, REPEATABLE_READ, FOR SHARE",
        "POSTGRESQL, SERIALIZABLE, FOR SHARE",
        "MARIADB, READ_COMMITTED, LOCK IN SHARE MODE",
        "MARIADB, REPEATABLE_READ, LOCK IN SHARE MODE",
        "MARIADB, SERIALIZABLE, LOCK IN SHARE MODE",
        "H2, READ_COMMITTED, FOR UPDATE",
        "H2, REPEATABLE_READ, FOR UPDATE",
        "H2, SERIALIZABLE, FOR UPDATE"
    })
    void the_locks_that_are_used_let_none_in(Database database, Isolation isolation, String lock) throws Exception {
        assertStaleWrite(database, isolation, lock, false);
    }

    /** Check, raise, write: is the write there although the raise was over before it? */
    private static void assertStaleWrite(Database database, Isolation isolation, String lock, boolean stale)
            throws Exception {
        try (Encounter encounter = new Encounter(database, isolation)) {
            long seen = token(
                    encounter, "SELECT token FROM " + encounter.fenceTable + " WHERE resource = 'ledger' " + lock);
            assertThat(seen).isEqualTo(5);

            CompletableFuture<Void> raising = encounter.raise();
            boolean raisedBeforeTheWrite = raising.isDone();
            encounter.insert("late");
            encounter.writer.commit();
            Encounter.done(raising);

            assertThat(database.lines(encounter.ledger)).containsExactly("late");
            assertThat(raisedBeforeTheWrite).isEqualTo(stale);
        }
    }

    /** Snapshot, raise, check, write: the check sees what was true when the transaction began. */
    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, REPEATABLE_READ",
        "POSTGRESQL, SERIALIZABLE",
        "MARIADB, REPEATABLE_READ",
        "H2, REPEATABLE_READ",
        "H2, SERIALIZABLE"
    })
    void a_snapshot_passes_a_stale_check(Database database, Isolation isolation) throws Exception {
        try (Encounter encounter = new Encounter(database, isolation)) {
            encounter.execute("SELECT count(*) FROM " + encounter.ledger);
            token(encounter, "SELECT token FROM " + encounter.fenceTable);
            Encounter.done(encounter.raise());

            long seen = token(encounter, "SELECT token FROM " + encounter.fenceTable);
            encounter.insert("late");
            encounter.writer.commit();

            assertThat(seen).isEqualTo(5);
            assertThat(database.lines(encounter.ledger)).containsExactly("late");
        }
    }

    /** MariaDB releases shared locks when an XA transaction is prepared: a raise passes before the commit. */
    @Test
    void an_xa_transaction_on_mariadb_lets_go_of_the_fence_before_it_commits() throws Exception {
        try (Encounter encounter = new Encounter(Database.MARIADB, Isolation.READ_COMMITTED);
                Connection writer = Database.MARIADB.connect()) {
            String id = "'" + encounter.ledger + "'";
            Sql.execute(writer, "XA START " + id);
            Sql.execute(writer, "SELECT token FROM " + encounter.fenceTable + " LOCK IN SHARE MODE");
            GuardedTable.insert(encounter.ledger, "late").run(writer);
            Sql.execute(writer, "XA END " + id);
            Sql.execute(writer, "XA PREPARE " + id);

            Encounter.done(encounter.raise());
            Sql.execute(writer, "XA COMMIT " + id);

            assertThat(Database.MARIADB.lines(encounter.ledger)).containsExactly("late");
        }
    }

    /** What a session remembers is still there for whoever borrows the connection next. */
    @Test
    void a_token_in_a_session_leaks_through_a_pool_and_one_in_a_transaction_does_not() throws Exception {
        try (Encounter encounter = new Encounter(Database.POSTGRESQL, Isolation.READ_COMMITTED)) {
            encounter.execute("SELECT set_config('tenure.by_session', '5', false)");
            encounter.execute("SELECT set_config('tenure.by_transaction', '5', true)");

            encounter.writer.commit();

            assertThat(text(encounter, "SELECT current_setting('tenure.by_session', true)"))
                    .isEqualTo("5");
            assertThat(text(encounter, "SELECT current_setting('tenure.by_transaction', true)"))
                    .isEmpty();
            encounter.execute("RESET ALL");
        }
    }

    private static long token(Encounter encounter, String query) throws SQLException {
        return Long.parseLong(text(encounter, query));
    }

    private static String text(Encounter encounter, String query) throws SQLException {
        try (Statement statement = encounter.writer.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            assertThat(rows.next()).isTrue();
            return rows.getString(1);
        }
    }
}
