// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.Duty;
import dev.tenure.testing.FakeElections;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** In virtual time, with the journal in H2, which commits by itself when a table is changed. */
class MigrationTest {
    private static final SqlStep TABLE = SqlStep.script("CREATE TABLE invoice (id INT)");
    private static final SqlStep ROW = SqlStep.script("INSERT INTO invoice VALUES (1)");

    private final FakeElections elections = FakeElections.create();
    private DataSource database = open();
    private final Map<String, Object> outcomes = new TreeMap<>();

    /** Others have other databases. */
    DataSource open() {
        return Databases.h2();
    }

    @AfterEach
    void close() {
        elections.close();
    }

    private Migration on(String node) {
        return Migration.of(elections.node(node).tenure(), "billing", Journal.jdbc(database));
    }

    private Migration usual(String node) {
        return on(node).step("1-table", TABLE).step("2-row", ROW);
    }

    /** At the same time as what else happens. */
    private void inBackground(String node, Migration migration) {
        elections.node(node).host().runDuty("migration", () -> {
            try {
                outcomes.put(node, migration.run(ofMinutes(10)));
            } catch (Exception failure) {
                outcomes.put(node, failure);
            }
        });
    }

    private List<String> invoices() {
        return Databases.ask(database, "SELECT id FROM invoice ORDER BY id");
    }

    private List<String> journal() {
        return Databases.ask(database, "SELECT step, state FROM tenure_migration ORDER BY step");
    }

    @Test
    void steps_are_applied_in_order_and_once() throws Exception {
        assertThat(usual("a").run(ofMinutes(1))).isEqualTo(2);
        assertThat(usual("a").run(ofMinutes(1))).isEqualTo(0);
        assertThat(usual("b").step("3-more", ROW).run(ofMinutes(1))).isEqualTo(1);

        assertThat(invoices()).containsExactly("1", "1");
        assertThat(journal()).containsExactly("1-table APPLIED", "2-row APPLIED", "3-more APPLIED");
    }

    @Test
    void one_applies_and_the_others_wait() {
        AtomicInteger times = new AtomicInteger();
        UnaryOperator<Migration> slow = migration -> migration.step("slow", leadership -> {
            leadership.rest(ofSeconds(30));
            times.incrementAndGet();
        });
        for (String node : List.of("a", "b", "c")) {
            inBackground(node, slow.apply(on(node)));
        }
        elections.advance(ofSeconds(25));
        assertThat(outcomes).isEmpty();
        elections.advance(ofSeconds(20));

        assertThat(times).hasValue(1);
        assertThat(outcomes.values()).containsExactlyInAnyOrder(1, 0, 0);
    }

    @Test
    void a_step_whose_text_has_changed_is_refused() throws Exception {
        usual("a").run(ofMinutes(1));
        Migration changed = on("a").step("1-table", SqlStep.script("CREATE TABLE invoice (id BIGINT)"));

        assertThatThrownBy(() -> changed.run(ofMinutes(1))).hasMessageContaining("with another text");
        assertThatThrownBy(() -> changed.awaitApplied(ofSeconds(1))).hasMessageContaining("1-table");
    }

    @Test
    void a_script_that_fails_says_where_and_has_done_nothing() throws Exception {
        usual("a").run(ofMinutes(1));
        SqlStep script = SqlStep.script("INSERT INTO invoice VALUES (2)", "INSERT INTO receipt VALUES (3)");

        assertThatThrownBy(() -> usual("a").step("3", script).run(ofMinutes(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("step 3 has failed: statement 2");
        assertThat(invoices()).containsExactly("1");

        Databases.execute(database, "CREATE TABLE receipt (id INT)");
        assertThat(usual("a").step("3", script).run(ofMinutes(1))).isEqualTo(1);
        assertThat(invoices()).containsExactly("1", "2");
    }

    @Test
    void a_script_that_this_database_would_commit_half_way_is_refused_before_it_begins() throws Exception {
        SqlStep script = SqlStep.script("CREATE TABLE invoice (id INT)", "INSERT INTO invoice VALUES (1)");

        assertThatThrownBy(() -> on("a").step("1", script).run(ofMinutes(1))).hasMessageContaining("a step of its own");
        assertThat(journal()).isEmpty();
        usual("a").run(ofMinutes(1));
        assertThat(invoices()).containsExactly("1");
    }

    @Test
    void code_is_run_again_by_the_next_process_if_its_runner_dies() {
        List<String> ran = new ArrayList<>();
        UnaryOperator<Migration> steps = migration -> migration
                .step("1-table", TABLE)
                .step("2-code", leadership -> {
                    ran.add(leadership.term().holder());
                    leadership.rest(ofSeconds(30));
                    leadership.ensureValid();
                })
                .step("3-row", ROW);
        inBackground("a", steps.apply(on("a")));
        inBackground("b", steps.apply(on("b")));
        elections.advance(ofSeconds(10));
        String dead = elections.leaderOf("migration/billing").orElseThrow();
        elections.crashNode(dead);
        elections.advance(ofMinutes(1));

        assertThat(ran).containsExactly(dead, dead.equals("a") ? "b" : "a");
        assertThat(outcomes.values()).containsExactly(2);
        assertThat(invoices()).containsExactly("1");
    }

    @Test
    void a_runner_that_wakes_up_late_applies_nothing_twice() {
        UnaryOperator<Migration> steps = migration -> migration
                .step("1-table", TABLE)
                .step("2-wait", leadership -> leadership.rest(ofSeconds(20)))
                .step("3-row", ROW);
        inBackground("a", steps.apply(on("a")));
        inBackground("b", steps.apply(on("b")));
        elections.advance(ofSeconds(5));
        String first = elections.leaderOf("migration/billing").orElseThrow();
        elections.pauseNode(first);
        elections.advance(ofMinutes(1));
        assertThat(invoices()).containsExactly("1");
        elections.resumeNode(first);
        elections.advance(ofMinutes(1));

        assertThat(invoices()).containsExactly("1");
        assertThat(outcomes.get(first)).isEqualTo(1); // before it was paused
    }

    @Test
    void a_restored_dump_with_the_rows_of_a_dead_runner_does_not_block() throws Exception {
        usual("a").step("3-more", ROW).run(ofMinutes(1));
        Databases.execute(
                database,
                "UPDATE tenure_migration SET state = 'RUNNING', ended = NULL,"
                        + " nonce = '00000000000000000000000000000000', node = 'gone' WHERE step = '3-more'",
                "DELETE FROM invoice");
        assertThat(usual("b").step("3-more", ROW).run(ofSeconds(30))).isEqualTo(1);
        assertThat(invoices()).containsExactly("1");
    }

    private void diedInStatement(SqlStep step) throws Exception {
        on("a").step("1", step).run(ofMinutes(1));
        Databases.execute(database, "UPDATE tenure_migration SET state = 'RUNNING', ended = NULL, node = 'gone'");
    }

    @Test
    void a_statement_that_may_have_been_executed_is_not_repeated_on_the_quiet() throws Exception {
        diedInStatement(TABLE);
        assertThatThrownBy(() -> on("a").step("1", TABLE).run(ofMinutes(1)))
                .hasMessageContaining("its statement may have been executed or not when gone died")
                .hasMessageContaining("set state = 'APPLIED'");

        Databases.execute(database, "UPDATE tenure_migration SET state = 'APPLIED'");
        assertThat(on("a").step("1", TABLE).run(ofMinutes(1))).isEqualTo(0);
    }

    @Test
    void it_is_undone_and_repeated_if_the_step_says_how() throws Exception {
        SqlStep undoable = TABLE.undoIfBroken("DROP TABLE IF EXISTS invoice");
        diedInStatement(undoable);

        assertThat(on("a").step("1", undoable).step("2", ROW).run(ofMinutes(1))).isEqualTo(2);
        assertThat(invoices()).containsExactly("1");
    }

    @Test
    void a_statement_of_a_dead_process_that_is_executed_late_is_undone_too() throws Exception {
        SqlStep undoable = TABLE.undoIfBroken("DROP TABLE IF EXISTS invoice");
        diedInStatement(undoable);
        AtomicInteger statements = new AtomicInteger();
        DataSource plain = database;
        database = Databases.watched(plain, call -> {
            if (call.equals("createStatement") && statements.incrementAndGet() == 2) { // the undo comes first
                Databases.execute(plain, "CREATE TABLE invoice (id INT)");
            }
            return false;
        });

        assertThat(on("a").step("1", undoable).step("2", ROW).run(ofMinutes(1))).isEqualTo(2);
        assertThat(invoices()).containsExactly("1");
    }

    @Test
    void a_table_that_was_there_before_is_not_undone() throws Exception {
        Databases.execute(database, "CREATE TABLE invoice (id INT)", "INSERT INTO invoice VALUES (7)");
        SqlStep undoable = TABLE.undoIfBroken("DROP TABLE IF EXISTS invoice");
        assertThatThrownBy(() -> on("a").step("1", undoable).run(ofMinutes(1))).hasMessageContaining("step 1");

        assertThatThrownBy(() -> on("a").step("1", undoable).run(ofMinutes(1))).hasMessageContaining("step 1");
        assertThat(invoices()).containsExactly("7");
    }

    @Test
    void what_a_statement_outside_has_left_as_it_failed_is_undone_before_it_is_repeated() throws Exception {
        Databases.execute(database, "CREATE TABLE invoice (id INT)");
        SqlStep undoable = SqlStep.outside("CREATE TABLE invoice (id INT)").undoIfBroken("DROP TABLE invoice");
        assertThatThrownBy(() -> on("a").step("1", undoable).run(ofMinutes(1))).hasMessageContaining("step 1");

        assertThat(on("a").step("1", undoable).run(ofMinutes(1))).isEqualTo(1);
    }

    @Test
    void an_error_of_code_is_a_failure_and_not_repeated() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        Migration migration = on("a").step("1", leadership -> {
            attempts.incrementAndGet();
            throw new NoClassDefFoundError("a library that is not there");
        });

        assertThatThrownBy(() -> migration.run(ofMinutes(1))).hasCauseInstanceOf(NoClassDefFoundError.class);
        assertThat(attempts).hasValue(1);
    }

    @Test
    void a_statement_outside_of_a_transaction_is_repeated() throws Exception {
        SqlStep repeatable = SqlStep.outside("CREATE TABLE IF NOT EXISTS invoice (id INT)");
        diedInStatement(repeatable);

        assertThat(on("a").step("1", repeatable).run(ofMinutes(1))).isEqualTo(1);
    }

    @Test
    void lost_commits_neither_lose_nor_double_a_step() throws Exception {
        AtomicInteger commits = new AtomicInteger();
        database = Databases.losingCommits(database, commit -> commits.incrementAndGet() % 3 == 0);
        Migration migration = on("a").step("0", SqlStep.outside("CREATE TABLE IF NOT EXISTS invoice (id INT)"));
        for (int i = 1; i <= 10; i++) {
            migration = migration.step(Integer.toString(i), SqlStep.script("INSERT INTO invoice VALUES (" + i + ")"));
        }
        migration.run(ofMinutes(10));

        assertThat(commits).hasValueGreaterThan(15);
        assertThat(invoices()).hasSize(10).doesNotHaveDuplicates();
    }

    @Test
    void instances_wait_until_others_have_applied_all() throws Exception {
        List<Boolean> applied = new ArrayList<>();
        elections.node("web").host().runDuty("wait", () -> {
            try {
                applied.add(Migration.of(elections.node("web").tenure(), "billing", Journal.jdbc(database))
                        .step("1-table", TABLE)
                        .step("2-row", ROW)
                        .awaitApplied(ofMinutes(1)));
            } catch (Exception failure) {
                throw new IllegalStateException(failure);
            }
        });
        elections.advance(ofSeconds(30));
        assertThat(applied).isEmpty();
        usual("a").run(ofMinutes(1));
        elections.advance(ofSeconds(2));

        assertThat(applied).containsExactly(true);
        assertThat(on("b").step("9", ROW).awaitApplied(ofSeconds(3))).isFalse();
    }

    @Test
    void an_instance_whose_client_is_closed_while_it_waits_does_not_say_that_all_is_applied() {
        Duty endless = leadership -> leadership.rest(Duration.ofDays(1));
        inBackground("a", on("a").step("slow", endless));
        elections.advance(ofSeconds(5));
        inBackground("b", on("b").step("slow", endless));
        elections.advance(ofSeconds(5));
        elections.node("b").host().runDuty("close", elections.node("b").tenure()::close);
        elections.advance(ofSeconds(5));

        assertThat(outcomes.get("b"))
                .isInstanceOf(IllegalStateException.class)
                .asString()
                .contains("its client was closed: step slow is RUNNING on a since");
    }

    @Test
    void what_takes_too_long_says_who_is_at_it() throws Exception {
        Duty endless = leadership -> leadership.rest(Duration.ofDays(1));
        inBackground("a", on("a").step("slow", endless));
        elections.advance(ofSeconds(5));

        assertThatThrownBy(() -> on("b").step("slow", endless).run(ofSeconds(20)))
                .hasMessageContaining("not done in time: step slow is RUNNING on a since");
    }

    @Test
    void trouble_with_the_database_is_tried_again_and_told_in_the_end() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        Migration migration = on("a").step("1", leadership -> {
            attempts.incrementAndGet();
            throw new SQLException("no route to host", "08001");
        });

        assertThatThrownBy(() -> migration.run(ofMinutes(1)))
                .hasMessageContainingAll("not done in time: step 1 is RUNNING", "no route to host");
        assertThat(attempts).hasValueGreaterThan(3);
    }

    @Test
    void its_status_shows_every_step() throws SQLException, InterruptedException {
        assertThat(Migration.status(Journal.jdbc(database))).isEmpty();
        usual("a").run(ofMinutes(1));

        assertThat(Migration.status(Journal.jdbc(database)))
                .extracting(
                        Migration.StepStatus::step,
                        Migration.StepStatus::state,
                        status -> status.at().node())
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("1-table", Migration.State.APPLIED, "a"),
                        org.assertj.core.groups.Tuple.tuple("2-row", Migration.State.APPLIED, "a"));
    }

    @Test
    void mistakes_are_refused_at_once() {
        assertThatThrownBy(() -> on("a").step("1", ROW).step("1", ROW)).hasMessageContaining("two steps");
        assertThatThrownBy(() -> on("a").step("", ROW)).hasMessageContaining("name ''");
        assertThatThrownBy(() -> SqlStep.script()).hasMessageContaining("statement");
        assertThatThrownBy(() -> SqlStep.script("a", "b").undoIfBroken("c")).hasMessageContaining("one statement");
    }
}
