// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import dev.tenure.Leadership;
import dev.tenure.StaleTokenException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Objects;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A connection whose transactions hold a fence. It refuses SQL that would begin or end a transaction, also from its statements,
 * which lead back to it.
 */
abstract class FencedConnection implements InvocationHandler {
    final Connection connection;
    private final TransactionControlSql refused;
    private boolean failed;

    private FencedConnection(Connection connection, TransactionControlSql refused) {
        this.connection = connection;
        this.refused = refused;
    }

    /** One call of {@code execute…} on a statement. */
    interface Execution {
        @Nullable
        Object run() throws Throwable;
    }

    /** For work in a transaction that the fence ends. */
    static FencedConnection forWork(Connection connection) {
        return new NoCommitConnection(connection);
    }

    /** As users see it. */
    final Connection shown() {
        return proxy(Connection.class, this);
    }

    /** Has a statement failed? */
    final boolean hasFailed() {
        return failed;
    }

    /** Connections of this source, each of whose transactions goes through the fence. */
    static DataSource source(DataSource source, FencedSql fence, Leadership leadership) {
        return proxy(DataSource.class, (self, method, arguments) -> {
            switch (method.getName()) {
                case "getConnection" -> {
                    try {
                        // In a transaction of its own, so that several that begin at once do not wait for each other's
                        // ends.
                        fence.ready(leadership.term());
                    } catch (StaleTokenException stale) {
                        leadership.fenced(stale.seen());
                        throw new StaleTokenSqlException(stale);
                    }
                    Connection own = (Connection) Objects.requireNonNull(call(source, method, arguments));
                    return new EnterFirstConnection(own, fence, leadership).shown();
                }
                case "unwrap" -> {
                    if (((Class<?>) arguments[0]).isInstance(self)) {
                        return self;
                    }
                    throw new SQLException("a fenced data source is not unwrapped: what is behind it has no fence");
                }
                case "isWrapperFor" -> {
                    return ((Class<?>) arguments[0]).isInstance(self);
                }
                case "equals" -> {
                    return self == arguments[0];
                }
                case "getLogWriter",
                        "setLogWriter",
                        "getLoginTimeout",
                        "setLoginTimeout",
                        "getParentLogger",
                        "hashCode",
                        "toString" -> {
                    return call(source, method, arguments);
                }
                // Such as createConnectionBuilder: its connections would have no fence.
                default ->
                    throw new SQLFeatureNotSupportedException(
                            "a fenced data source has no " + method.getName() + "(): use getConnection()", "0A000");
            }
        });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(FencedConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** With the exception as it was thrown. */
    static @Nullable Object call(Object target, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause() == null ? thrown : thrown.getCause();
        }
    }

    @Override
    public final @Nullable Object invoke(Object self, Method method, Object @Nullable [] arguments) throws Throwable {
        String name = method.getName();
        if (name.startsWith("prepare")) {
            refused.refuse(arguments);
        }
        if (replaces(name, arguments)) {
            return null;
        }
        Object result = call(connection, method, arguments);
        return result instanceof Statement statement ? around(statement, (Connection) self) : result;
    }

    private Object around(Statement statement, Connection parent) {
        Class<? extends Statement> type = statement instanceof CallableStatement
                ? CallableStatement.class
                : statement instanceof PreparedStatement ? PreparedStatement.class : Statement.class;
        return proxy(type, (self, method, arguments) -> {
            String name = method.getName();
            boolean executes = name.startsWith("execute");
            if (executes || name.equals("addBatch")) {
                refused.refuse(arguments);
            }
            if (name.equals("getConnection")) {
                return parent;
            }
            return executes
                    ? execute(() -> noting(() -> call(statement, method, arguments)))
                    : call(statement, method, arguments);
        });
    }

    private @Nullable Object noting(Execution execution) throws Throwable {
        try {
            return execution.run();
        } catch (SQLException failure) {
            failed = true;
            throw failure;
        }
    }

    /** Does what this call means here, or refuses it. Returns false if the connection itself is to be called. */
    abstract boolean replaces(String name, Object @Nullable [] arguments) throws SQLException;

    @Nullable
    Object execute(Execution execution) throws Throwable {
        return execution.run();
    }

    /**
     * Its transaction is ended by somebody else. Were it committed in the middle, the rest would run in a second transaction,
     * which does not hold the fence.
     */
    private static final class NoCommitConnection extends FencedConnection {
        NoCommitConnection(Connection connection) {
            super(connection, TransactionControlSql.OF_WORK);
        }

        @Override
        boolean replaces(String name, Object @Nullable [] arguments) throws SQLException {
            boolean toSavepoint = name.equals("rollback") && arguments != null; // leaves the fence taken
            return switch (name) {
                case "commit", "setAutoCommit", "abort", "rollback" -> {
                    if (!toSavepoint) {
                        throw new SQLException(
                                "a fenced transaction is ended by the fence: return, or throw to roll it back",
                                "25000");
                    }
                    yield false;
                }
                case "close" -> true; // a habit of libraries; the transaction goes on
                default -> false;
            };
        }
    }

    /** Takes the fence before the first statement of each transaction. With autocommit, each statement has one of its own. */
    private static final class EnterFirstConnection extends FencedConnection {
        private final FencedSql fence;
        private final Leadership leadership;
        /** Does the open transaction hold the fence? */
        private boolean entered;

        EnterFirstConnection(Connection connection, FencedSql fence, Leadership leadership) {
            super(connection, TransactionControlSql.OF_CONNECTIONS);
            this.fence = fence;
            this.leadership = leadership;
        }

        @Override
        boolean replaces(String name, Object @Nullable [] arguments) throws SQLException {
            switch (name) {
                case "commit" -> commit();
                case "rollback" -> rollBack(arguments);
                case "setAutoCommit", "close" -> entered = false;
                // What the driver offers beside JDBC, such as COPY, is used in the open transaction or not at all.
                case "unwrap" -> enter();
                case "createStatement", "prepareStatement", "prepareCall" -> refuseUpdatable(arguments);
                default -> {}
            }
            return name.equals("commit") || name.equals("rollback");
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
            FencedTransactions.commit(connection, fence.resource(), hasFailed());
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

        @Override
        @Nullable
        Object execute(Execution execution) throws Throwable {
            if (!connection.getAutoCommit()) {
                enter();
                return execution.run();
            }
            boolean open = true;
            try {
                connection.setAutoCommit(false);
                enter();
                Object result = execution.run();
                commit();
                open = false;
                return result;
            } finally {
                entered = false;
                FencedTransactions.leave(connection, open, true);
            }
        }

        /** Rows that are changed through a result set are not executed, and could be changed in a later transaction. */
        private static void refuseUpdatable(Object @Nullable [] arguments) throws SQLException {
            if (arguments != null && Arrays.asList(arguments).contains(ResultSet.CONCUR_UPDATABLE)) {
                throw new SQLException("a fenced connection has no updatable result sets: write an UPDATE", "0A000");
            }
        }
    }

    /**
     * SQL that ends or begins a transaction, behind the back of the code that fences it. Only the words that a text begins with are
     * checked: a habit is caught so, and no text is refused for what it says in the middle.
     */
    enum TransactionControlSql {
        /** In a transaction that has taken the fence first: no savepoint is older than that. */
        OF_WORK(""),
        /** A savepoint may be older than the lock on the fence, and only a call tells that the lock is gone with it. */
        OF_CONNECTIONS("|ROLLBACK");

        private final Pattern words;

        TransactionControlSql(String more) {
            words = Pattern.compile(
                    "(?:\\s|--[^\\n]*\\n|/\\*.*?\\*/)*+"
                            + "(?:(?:COMMIT|END|ABORT|ROLLBACK(?!\\s+(?:(?:WORK|TRANSACTION)\\s+)?TO\\b)"
                            + "|(?:START|PREPARE)\\s+TRANSACTION" + more + ")\\b"
                            + "|BEGIN\\s*(?:;|$|(?:WORK|TRANSACTION|ISOLATION|READ|(?:NOT\\s+)?DEFERRABLE)\\b))",
                    Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
        }

        void refuse(String sql) throws SQLException {
            if (words.matcher(sql).lookingAt()) {
                throw new SQLException(
                        "a fenced transaction is begun, ended and rolled back by calls, and not by SQL, which goes past the"
                                + " fence: " + (sql.length() <= 60 ? sql : sql.substring(0, 60)),
                        "25000");
            }
        }

        /** If a call has a text for its first argument, that is SQL. */
        void refuse(Object @Nullable [] arguments) throws SQLException {
            if (arguments != null && arguments.length > 0 && arguments[0] instanceof String sql) {
                refuse(sql);
            }
        }
    }
}
