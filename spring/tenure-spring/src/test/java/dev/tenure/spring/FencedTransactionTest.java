// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.Leadership;
import dev.tenure.NotLeadingException;
import dev.tenure.StaleTokenException;
import dev.tenure.fence.sql.FencedSql;
import dev.tenure.testing.FakeElections;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Authority, then the transaction, then the fence. */
class FencedTransactionTest {
    private final FakeElections elections = FakeElections.create();

    @Configuration
    @EnableTransactionManagement
    static class Database {
        @Bean
        DataSource dataSource() {
            JdbcDataSource source = new JdbcDataSource();
            source.setUrl("jdbc:h2:mem:fenced;DB_CLOSE_DELAY=-1");
            return source;
        }

        @Bean
        PlatformTransactionManager transactionManager(DataSource source) {
            return new DataSourceTransactionManager(source);
        }

        @Bean
        FencedSql ledger(DataSource source) {
            return FencedSql.guarding(source, "ledger");
        }

        @Bean
        JdbcTemplate jdbc(DataSource source) {
            return new JdbcTemplate(source);
        }

        @Bean
        Book book(JdbcTemplate jdbc) {
            return new Book(jdbc);
        }

        @Bean
        Clerk clerk(Book book, PlatformTransactionManager transactions) {
            return new Clerk(book, transactions);
        }
    }

    static class Book {
        private final JdbcTemplate jdbc;

        Book(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @FencedTransactional("ledger")
        public boolean append(String line) {
            jdbc.update("INSERT INTO book (line) VALUES (?)", line);
            return TransactionSynchronizationManager.isActualTransactionActive();
        }

        @FencedTransactional("ledger")
        @Transactional
        public void appendAndFail(String line) throws Exception {
            jdbc.update("INSERT INTO book (line) VALUES (?)", line);
            throw new Exception("after " + line);
        }
    }

    static class Clerk {
        private final Book book;
        private final TransactionTemplate inner;

        Clerk(Book book, PlatformTransactionManager transactions) {
            this.book = book;
            this.inner = new TransactionTemplate(transactions);
            inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        }

        @LeaderOnly("clerk")
        public Leadership write(String line) {
            assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                    .as("the transaction begins after the gate")
                    .isFalse();
            assertThat(book.append(line)).isTrue();
            return Leaderships.current();
        }

        @LeaderOnly("clerk")
        @FencedTransactional("ledger")
        public void writeTwo(String one, String two) {
            book.append(one);
            book.append(two);
        }

        @LeaderOnly("clerk")
        @FencedTransactional("ledger")
        public void writeInInner(String line) {
            inner.execute(status -> book.append(line));
        }

        @LeaderOnly("clerk")
        public void writeAndFail(String line) throws Exception {
            book.appendAndFail(line);
        }

        @LeaderOnly("clerk")
        @Transactional
        public void writeInside(String line) {
            book.append(line);
        }
    }

    private Application a;

    @BeforeEach
    void start() {
        a = Application.started(elections, "a", Database.class);
        jdbc().execute("DROP ALL OBJECTS");
        jdbc().execute("CREATE TABLE book (line VARCHAR(100))");
        Application.settle(elections);
    }

    @AfterEach
    void close() {
        a.close();
        elections.close();
    }

    private JdbcTemplate jdbc() {
        return a.bean(JdbcTemplate.class);
    }

    private List<String> book() {
        return jdbc().queryForList("SELECT line FROM book ORDER BY line", String.class);
    }

    @Test
    void a_leader_writes_in_a_transaction_that_has_taken_the_fence() {
        Leadership leadership = a.bean(Clerk.class).write("one");

        assertThat(book()).containsExactly("one");
        assertThat(jdbc().queryForObject("SELECT token FROM tenure_fence WHERE resource = 'ledger'", Long.class))
                .isEqualTo(leadership.token().value());
    }

    @Test
    void a_transaction_that_has_the_fence_is_joined() {
        a.bean(Clerk.class).writeTwo("one", "two");

        assertThat(book()).containsExactly("one", "two");
    }

    @Test
    void any_exception_rolls_back() {
        assertThatThrownBy(() -> a.bean(Clerk.class).writeAndFail("one")).hasMessage("after one");

        assertThat(book()).isEmpty();
    }

    @Test
    void without_a_leadership_nothing_is_written() {
        assertThatThrownBy(() -> a.bean(Book.class).append("one"))
                .isInstanceOf(NotLeadingException.class)
                .hasMessageContaining("Book.append was called without a leadership");

        assertThat(book()).isEmpty();
    }

    @Test
    void inside_another_transaction_the_fence_would_come_too_late() {
        assertThatThrownBy(() -> a.bean(Clerk.class).writeInside("one"))
                .isInstanceOf(IllegalTransactionStateException.class)
                .hasMessageContaining("authority, transaction, fence");

        assertThat(book()).isEmpty();
    }

    @Test
    void an_inner_transaction_of_its_own_has_not_taken_the_fence() {
        assertThatThrownBy(() -> a.bean(Clerk.class).writeInInner("one"))
                .isInstanceOf(IllegalTransactionStateException.class)
                .hasMessageContaining("authority, transaction, fence");

        assertThat(book()).isEmpty();
    }

    @Test
    void a_leader_that_was_paused_writes_nothing_even_if_it_does_not_know() throws Exception {
        Leadership stale = a.bean(Clerk.class).write("one");
        FencedSql fence = a.bean(FencedSql.class);
        elections.node("b").elect("clerk").fencedBy(fence).perform(leadership -> leadership.rest(Duration.ofDays(1)));
        elections.cutOff("a");
        elections.advance(Duration.ofSeconds(30));
        assertThat(elections.leaderOf("clerk")).contains("b");
        FencedTransactionTemplate template = new FencedTransactionTemplate(
                a.bean(PlatformTransactionManager.class), a.bean(DataSource.class), fence);

        assertThatThrownBy(() -> template.execute(stale, () -> 1)).isInstanceOf(NotLeadingException.class);
        assertThatThrownBy(() ->
                        template.execute(new Deluded(stale), () -> jdbc().update("INSERT INTO book VALUES ('two')")))
                .isInstanceOf(NotLeadingException.class)
                .hasCauseInstanceOf(StaleTokenException.class);

        assertThat(book()).containsExactly("one");
        elections.heal("a");
    }

    @Test
    void a_fence_over_another_data_source_than_the_transaction_is_refused() {
        JdbcDataSource other = new JdbcDataSource();
        other.setUrl("jdbc:h2:mem:other;DB_CLOSE_DELAY=-1");
        FencedTransactionTemplate template = new FencedTransactionTemplate(
                a.bean(PlatformTransactionManager.class), other, FencedSql.guarding(other, "ledger"));

        assertThatThrownBy(() -> a.bean(TenureTemplate.class)
                        .leading("clerk", leadership -> template.execute(leadership, () -> 1)))
                .isInstanceOf(IllegalTransactionStateException.class)
                .hasMessageContaining("does not work on the data source");
        assertThat(new TransactionTemplate(a.bean(PlatformTransactionManager.class)).<Boolean>execute(status -> true))
                .isTrue();
    }

    /** Believes that it leads, as one that was paused right after it looked. */
    private record Deluded(Leadership of) implements Leadership {
        @Override
        public dev.tenure.Term term() {
            return of.term();
        }

        @Override
        public boolean isActive() {
            return true;
        }

        @Override
        public boolean isValid() {
            return true;
        }

        @Override
        public void ensureValid() {}

        @Override
        public Duration remaining() {
            return Duration.ofSeconds(1);
        }

        @Override
        public void rest(Duration duration) {}

        @Override
        public void onLoss(java.util.function.Consumer<dev.tenure.Loss> listener) {}

        @Override
        public void onRenewal(Runnable listener) {}

        @Override
        public void fenced(dev.tenure.FencingToken seen) {}
    }
}
