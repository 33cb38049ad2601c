// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring;

import dev.tenure.Leadership;
import dev.tenure.NotLeadingException;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import dev.tenure.fence.sql.FencedSql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Spring's transactions behind a fence, in the order authority, transaction, fence. The programmatic twin of {@link FencedTransactional}.
 *
 * <p>The order matters. Authority is checked before a connection is taken, so that a process that does not lead costs the database nothing. The
 * fence is taken first in the transaction, and held to its commit: a raise waits for it, or it sees the raise.
 *
 * <p>A commit that fails without an answer has an unknown outcome, as with every transaction of Spring's.
 */
public final class FencedTransactionTemplate {
    private final PlatformTransactionManager transactions;
    private final DataSource source;
    private final FencedSql fence;
    /** Saves a round trip, and no more: every transaction compares. */
    private volatile @Nullable Term raised;

    /** @param source the one that the transaction manager opens its connections from, and that the fence guards */
    public FencedTransactionTemplate(PlatformTransactionManager transactions, DataSource source, FencedSql fence) {
        this.transactions = transactions;
        this.source = source;
        this.fence = fence;
    }

    /** What happens in the transaction. */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object, E extends Throwable> {
        T run() throws E;
    }

    /** By which term a transaction has taken the fence; an inner transaction of its own has another connection. */
    private record Taken(Term term, @Nullable Object connection) {}

    /**
     * Runs the work in a fenced transaction of this leadership; every exception rolls back.
     *
     * @throws NotLeadingException if authority is over, or the fence has seen a newer token
     * @throws IllegalTransactionStateException if another transaction is open, or the data source is not that of the transaction manager
     */
    public <T extends @Nullable Object, E extends Throwable> T execute(Leadership leadership, Work<T, E> work)
            throws E {
        leadership.ensureValid();
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            if (!taken(leadership).equals(TransactionSynchronizationManager.getResource(fence))) {
                throw new IllegalTransactionStateException(
                        "a transaction is open that has not taken this fence: the order is authority, transaction,"
                                + " fence; begin the fenced transaction outside of it");
            }
            return work.run();
        }
        if (!leadership.term().equals(raised)) { // outside of the transaction: the first one ever makes the table
            take(leadership, () -> fence.raise(leadership.term()));
            raised = leadership.term();
        }
        TransactionStatus status = transactions.getTransaction(new DefaultTransactionDefinition());
        T result;
        try {
            enter(leadership);
            TransactionSynchronizationManager.bindResource(fence, taken(leadership));
            try {
                result = work.run();
            } finally {
                TransactionSynchronizationManager.unbindResource(fence);
            }
        } catch (Throwable failure) {
            rollBack(status, failure);
            throw failure;
        }
        transactions.commit(status);
        return result;
    }

    private Taken taken(Leadership leadership) {
        return new Taken(leadership.term(), TransactionSynchronizationManager.getResource(source));
    }

    private void enter(Leadership leadership) {
        if (!TransactionSynchronizationManager.hasResource(source)) {
            throw new IllegalTransactionStateException(
                    "the transaction manager does not work on the data source of this"
                            + " fence: make a FencedTransactionTemplate of those that belong together");
        }
        Connection connection = DataSourceUtils.getConnection(source);
        try {
            take(leadership, () -> fence.enter(connection, leadership.term()));
        } finally {
            DataSourceUtils.releaseConnection(connection, source);
        }
    }

    private interface Step {
        void run() throws SQLException, StaleTokenException;
    }

    private static void take(Leadership leadership, Step step) {
        try {
            step.run();
        } catch (StaleTokenException stale) {
            leadership.fenced(stale.seen());
            NotLeadingException lost = new NotLeadingException(String.valueOf(stale.getMessage()));
            lost.initCause(stale);
            throw lost;
        } catch (SQLException failure) {
            DataAccessException known =
                    new SQLExceptionSubclassTranslator().translate("taking the fence", null, failure);
            throw known != null ? known : new DataAccessResourceFailureException("taking the fence", failure);
        }
    }

    private void rollBack(TransactionStatus status, Throwable failure) {
        try {
            transactions.rollback(status);
        } catch (RuntimeException also) {
            failure.addSuppressed(also);
        }
    }

    /** Runs calls in fenced transactions. Only where there is spring-jdbc, which an application may lack. */
    static final class Interceptor implements MethodInterceptor {
        private final ConfigurableBeanFactory beans;
        private final Map<String, FencedTransactionTemplate> templates = new ConcurrentHashMap<>();

        Interceptor(ConfigurableBeanFactory beans) {
            this.beans = beans;
        }

        @Override
        public @Nullable Object invoke(MethodInvocation call) throws Throwable {
            FencedTransactional annotation = TenureConfiguration.annotationOf(FencedTransactional.class, call);
            return template(TenureConfiguration.resolve(beans, annotation.value()))
                    .<@Nullable Object, Throwable>execute(
                            Leaderships.find()
                                    .orElseThrow(() -> new NotLeadingException(Shape.nameOf(call.getMethod())
                                            + " was called without a leadership: call it from a @LeaderDuty or a"
                                            + " @LeaderOnly method, or put @LeaderOnly beside @FencedTransactional")),
                            call::proceed);
        }

        /** @throws TenureConfigurationException if there is no such fence, or nothing to make transactions with */
        FencedTransactionTemplate template(String bean) {
            return templates.computeIfAbsent(bean, this::find);
        }

        private FencedTransactionTemplate find(String bean) {
            return TenureConfigurationException.refusing(
                    "@FencedTransactional(\"" + bean + "\") cannot be made to work",
                    "define a FencedSql of that name, and one DataSource with one transaction manager; with several, define a"
                            + " FencedTransactionTemplate",
                    () -> beans.getBean(bean) instanceof FencedTransactionTemplate template
                            ? template
                            : new FencedTransactionTemplate(
                                    beans.getBean(PlatformTransactionManager.class),
                                    beans.getBean(DataSource.class),
                                    beans.getBean(bean, FencedSql.class)));
        }
    }
}
