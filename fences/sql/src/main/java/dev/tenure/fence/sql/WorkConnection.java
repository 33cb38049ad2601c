package dev.tenure.fence.sql;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A connection whose transaction somebody else ends. Were it committed in the middle, the rest would run in a second
 * transaction, which does not hold the fence.
 */
record WorkConnection(Connection connection) implements InvocationHandler {
    static Connection around(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                WorkConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new WorkConnection(connection));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        switch (method.getName()) {
            case "rollback" -> {
                if (arguments == null) {
                    throw refused();
                } // one to a savepoint leaves the fence taken
            }
            case "commit", "setAutoCommit", "abort" -> throw refused();
            case "prepareStatement", "prepareCall" -> TransactionWords.OF_WORK.refuse(arguments);
            case "close" -> {
                return null; // a habit of libraries; the transaction goes on
            }
            default -> {}
        }
        Object result = call(connection, method, arguments);
        return FencedStatement.around(
                result, (Connection) proxy, FencedStatement.Execution::run, TransactionWords.OF_WORK);
    }

    private static SQLException refused() {
        return new SQLException(
                "a fenced transaction is ended by the fence: return, or throw to roll it back", "25000");
    }

    /** With the exception as it was thrown. */
    static @Nullable Object call(Object target, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause() == null ? thrown : thrown.getCause();
        }
    }
}
