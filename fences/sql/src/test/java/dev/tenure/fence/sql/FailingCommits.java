// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Connections whose commit fails with what it is told to. */
final class FailingCommits {
    private FailingCommits() {}

    static DataSource of(DataSource source, SQLException failure) {
        return (DataSource) Proxy.newProxyInstance(
                FailingCommits.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> {
                    Object result = FencedConnection.call(source, method, arguments);
                    return result instanceof Connection connection ? failing(connection, failure) : result;
                });
    }

    private static Connection failing(Connection connection, SQLException failure) {
        return (Connection) Proxy.newProxyInstance(
                FailingCommits.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("commit")) {
                        throw failure;
                    }
                    return FencedConnection.call(connection, method, arguments);
                });
    }
}
