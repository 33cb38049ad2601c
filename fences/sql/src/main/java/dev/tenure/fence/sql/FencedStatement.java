package dev.tenure.fence.sql;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** A statement that has something done before it is executed, and that leads back to the connection it was made by. */
record FencedStatement(Object statement, Connection parent, Before before, TransactionWords refused)
        implements InvocationHandler {
    /** What is done around an execution. */
    interface Before {
        @Nullable
        Object execute(Execution execution) throws Throwable;
    }

    /** One call of {@code execute…}. */
    interface Execution {
        @Nullable
        Object run() throws Throwable;
    }

    /** What a connection has returned: only a statement is wrapped. */
    static @Nullable Object around(
            @Nullable Object result, Connection parent, Before before, TransactionWords refused) {
        if (!(result instanceof Statement statement)) {
            return result;
        }
        Class<?> type = statement instanceof CallableStatement
                ? CallableStatement.class
                : statement instanceof PreparedStatement ? PreparedStatement.class : Statement.class;
        return Proxy.newProxyInstance(
                FencedStatement.class.getClassLoader(),
                new Class<?>[] {type},
                new FencedStatement(statement, parent, before, refused));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        String name = method.getName();
        if (name.equals("getConnection")) {
            return parent;
        }
        if (name.startsWith("execute") || name.equals("addBatch")) {
            refused.refuse(arguments);
        }
        if (name.startsWith("execute")) {
            return before.execute(() -> WorkConnection.call(statement, method, arguments));
        }
        return WorkConnection.call(statement, method, arguments);
    }
}
