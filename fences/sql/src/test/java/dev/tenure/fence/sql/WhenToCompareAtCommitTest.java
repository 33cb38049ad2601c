package dev.tenure.fence.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Where a fence compares at the commit that was told to, and where it compares first all the same. */
class WhenToCompareAtCommitTest {
    private static final Term OLD = Terms.of(5);
    private static final Term NEW = Terms.of(6);
    private static final Database DATABASE = Database.POSTGRESQL;

    private final String resource = Database.freshName("resource");
    private final FencedSql fence =
            FencedSql.guarding(LimitedPool.shared(), resource).comparingAtCommit();

    @Test
    void with_a_limit_the_work_of_a_zombie_runs_and_is_rolled_back() throws Exception {
        assertThat(workOfAZombieRuns(fence)).isTrue();
    }

    @Test
    void without_a_limit_for_idle_transactions_it_compares_first() throws Exception {
        FencedSql unlimited = FencedSql.guarding(DATABASE.source(), resource).comparingAtCommit();

        assertThat(workOfAZombieRuns(unlimited)).isFalse();
        try (Connection connection = DATABASE.source().getConnection()) {
            assertThat(SessionFacts.of(connection, resource, "tenure_fence").obstacle(Duration.ofSeconds(5)))
                    .contains("idle for ever")
                    .contains("idle_in_transaction_session_timeout=5000");
        }
    }

    @Test
    void a_limit_that_is_longer_than_what_was_asked_for_is_none() throws Exception {
        fence.raise(OLD);
        try (Connection connection = LimitedPool.connection()) {
            SessionFacts facts = SessionFacts.of(connection, resource, "tenure_fence");
            assertThat(facts.obstacle(Duration.ofSeconds(4))).contains("idle for 5000 ms");
            assertThat(facts.obstacle(Duration.ofSeconds(5))).isEmpty();
        }
        assertThat(workOfAZombieRuns(fence.idleAtMost(Duration.ofSeconds(4)))).isFalse();
    }

    @ParameterizedTest
    @EnumSource(
            value = Database.class,
            names = {"MARIADB", "H2"})
    void other_databases_compare_first(Database database) throws Exception {
        FencedSql other = FencedSql.guarding(database.source(), resource).comparingAtCommit();

        other.write(OLD, working -> {});
        FencedSql.guarding(database.source(), resource).raise(NEW);
        List<String> ran = new ArrayList<>();

        assertThatThrownBy(() -> other.write(OLD, working -> ran.add("late"))).isInstanceOf(StaleTokenException.class);
        assertThat(ran).isEmpty();
    }

    private boolean workOfAZombieRuns(FencedSql zombie) throws Exception {
        List<String> ran = new ArrayList<>();
        zombie.write(OLD, working -> {});
        DATABASE.raise(resource, NEW);
        assertThatThrownBy(() -> zombie.write(OLD, working -> ran.add("late"))).isInstanceOf(StaleTokenException.class);
        return !ran.isEmpty();
    }

    @Test
    void a_table_behind_triggers_is_shown_the_token_first() throws Exception {
        String ledger = DATABASE.freshLedger();
        install(ledger);

        fence.write(OLD, GuardedTable.insert(ledger, "shown"));

        assertThat(DATABASE.lines(ledger)).containsExactly("shown");
    }

    @Test
    void triggers_that_come_in_the_middle_of_a_term_refuse_one_write_and_are_known_to_the_next() throws Exception {
        String ledger = DATABASE.freshLedger();
        fence.write(OLD, GuardedTable.insert(ledger, "before"));
        install(ledger);

        assertThatThrownBy(() -> fence.write(OLD, GuardedTable.insert(ledger, "not shown")))
                .hasMessageContaining("without a token");
        fence.write(OLD, GuardedTable.insert(ledger, "shown"));

        assertThat(DATABASE.lines(ledger)).containsExactly("before", "shown");
    }

    /** As JdbcTemplate and jOOQ do it. */
    @Test
    void triggers_that_a_library_hides_in_an_exception_of_its_own_are_known_to_the_next_write_too() throws Exception {
        String ledger = DATABASE.freshLedger();
        fence.write(OLD, GuardedTable.insert(ledger, "before"));
        install(ledger);

        assertThatThrownBy(() -> fence.write(OLD, working -> {
                    try {
                        GuardedTable.insert(ledger, "not shown").run(working);
                    } catch (SQLException refused) {
                        throw new IllegalStateException(refused);
                    }
                }))
                .isInstanceOf(IllegalStateException.class);
        fence.write(OLD, GuardedTable.insert(ledger, "shown"));

        assertThat(DATABASE.lines(ledger)).containsExactly("before", "shown");
    }

    @Test
    void an_update_sends_no_settings_that_nobody_needs_and_sends_them_when_triggers_have_come() throws Exception {
        String ledger = DATABASE.freshLedger();
        String insert = GuardedTable.insertInto(ledger);
        List<String> texts = new ArrayList<>();
        try (Connection connection = LimitedPool.connection()) {
            Connection noting = (Connection) Proxy.newProxyInstance(
                    WhenToCompareAtCommitTest.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("prepareStatement")) {
                            texts.add((String) arguments[0]);
                        }
                        return WorkConnection.call(connection, method, arguments);
                    });
            FencedSql own = FencedSql.guarding(Always.the(noting), resource).comparingAtCommit();

            own.update(OLD, insert, "without triggers");
            assertThat(texts).last().asString().contains(insert).doesNotContain("set_config");
            install(ledger);
            assertThatThrownBy(() -> own.update(OLD, insert, "not shown")).hasMessageContaining("without a token");
            own.update(OLD, insert, "shown");

            assertThat(DATABASE.lines(ledger)).containsExactly("without triggers", "shown");
            DATABASE.raise(resource, NEW);
            assertThatThrownBy(() -> own.update(OLD, insert, "late")).isInstanceOf(StaleTokenException.class);
        }
    }

    private void install(String ledger) throws SQLException {
        try (Connection connection = DATABASE.source().getConnection()) {
            TableGuard.at(connection).install(resource, Terms.ELECTION, List.of(ledger));
        }
    }
}
