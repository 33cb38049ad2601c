package dev.tenure.spring;

import dev.tenure.Leadership;
import dev.tenure.NotLeadingException;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import dev.tenure.fence.sql.FencedSql;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
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
            if (!leadership.term().equals(TransactionSynchronizationManager.getResource(fence))) {
                throw new IllegalTransactionStateException(
                        "a transaction is open that has not taken this fence: the order is authority, transaction,"
                                + " fence; begin the fenced transaction outside of it");
            }
            return work.run();
        }
        raise(leadership);
        TransactionStatus status = transactions.getTransaction(new DefaultTransactionDefinition());
        T result;
        try {
            enter(leadership);
            TransactionSynchronizationManager.bindResource(fence, leadership.term());
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

    /**
     * Once in a term, and outside of the transaction: the first one ever makes the table. A campaign that names the fence in {@code fencedBy} has
     * raised it before, and then this changes nothing.
     */
    private void raise(Leadership leadership) {
        if (!leadership.term().equals(raised)) {
            translated(leadership, () -> fence.raise(leadership.term()));
            raised = leadership.term();
        }
    }

    private void enter(Leadership leadership) {
        if (!TransactionSynchronizationManager.hasResource(source)) {
            throw new IllegalTransactionStateException(
                    "the transaction manager does not work on the data source of this"
                            + " fence: make a FencedTransactionTemplate of those that belong together");
        }
        Connection connection = DataSourceUtils.getConnection(source);
        try {
            translated(leadership, () -> fence.enter(connection, leadership));
        } finally {
            DataSourceUtils.releaseConnection(connection, source);
        }
    }

    private interface Step {
        void run() throws SQLException, StaleTokenException;
    }

    private static void translated(Leadership leadership, Step step) {
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
}
