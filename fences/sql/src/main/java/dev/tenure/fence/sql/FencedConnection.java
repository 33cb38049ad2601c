package dev.tenure.fence.sql;

import dev.tenure.Leadership;
import dev.tenure.StaleTokenException;
import dev.tenure.fence.sql.FencedStatement.Execution;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A connection that goes through the fence before the first statement of each transaction. With autocommit, each statement is
 * given a transaction of its own around it.
 */
final class FencedConnection implements InvocationHandler {
    private final Connection connection;
    private final FencedSql fence;
    private final Leadership leadership;
    /** Does the open transaction hold the fence? */
    private boolean entered;

    private FencedConnection(Connection connection, FencedSql fence, Leadership leadership) {
        this.connection = connection;
        this.fence = fence;
        this.leadership = leadership;
    }

    static Connection around(Connection connection, FencedSql fence, Leadership leadership) {
        return (Connection) Proxy.newProxyInstance(
                FencedConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new FencedConnection(connection, fence, leadership));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        switch (method.getName()) {
            case "commit" -> {
                commit();
                return null;
            }
            case "rollback" -> {
                rollBack(arguments);
                return null;
            }
            case "setAutoCommit", "close" -> entered = false;
            // What the driver offers beside JDBC, such as COPY, is used in the open transaction or not at all.
            case "unwrap" -> enter();
            case "createStatement", "prepareStatement", "prepareCall" -> {
                TransactionWords.OF_CONNECTIONS.refuse(arguments);
                refuseUpdatable(arguments);
            }
            default -> {}
        }
        Object result = WorkConnection.call(connection, method, arguments);
        return FencedStatement.around(result, (Connection) proxy, this::execute, TransactionWords.OF_CONNECTIONS);
    }

    private void enter() throws SQLException {
        if (entered) {
            return;
        }
        try {
            fence.enter(connection, leadership);
            entered = true;
        } catch (StaleTokenException stale) {
            throw new StaleTokenSqlException(stale);
        }
    }

    private void commit() throws SQLException {
        entered = false;
        FencedTransactions.commit(connection, fence.resource());
    }

    /** A savepoint may be older than the lock on the fence, which is then gone. */
    private void rollBack(Object @Nullable [] arguments) throws SQLException {
        entered = false;
        if (arguments != null && arguments[0] instanceof Savepoint savepoint) {
            connection.rollback(savepoint);
        } else {
            connection.rollback();
        }
    }

    private @Nullable Object execute(Execution execution) throws Throwable {
        if (!connection.getAutoCommit()) {
            enter();
            return execution.run();
        }
        connection.setAutoCommit(false);
        Object result;
        try {
            enter();
            result = execution.run();
            commit();
        } catch (SQLException | RuntimeException failure) {
            end(failure);
            throw failure;
        }
        connection.setAutoCommit(true);
        return result;
    }

    /** The failure is what counts: whatever fails after it is only noted with it. */
    private void end(Exception failure) {
        entered = false;
        try {
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException gone) {
            failure.addSuppressed(gone);
        }
    }

    /** Rows that are changed through a result set are not executed, and could be changed in a later transaction. */
    private static void refuseUpdatable(Object @Nullable [] arguments) throws SQLException {
        if (arguments != null && Arrays.asList(arguments).contains(ResultSet.CONCUR_UPDATABLE)) {
            throw new SQLException("a fenced connection has no updatable result sets: write an UPDATE", "0A000");
        }
    }
}
