// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import javax.sql.DataSource;

enum Isolation {
    READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),
    REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),
    SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE);

    final int level;

    Isolation(int level) {
        this.level = level;
    }

    /** Connections of this level; a pool sets them back. */
    DataSource of(DataSource source) {
        return (DataSource) Proxy.newProxyInstance(
                Isolation.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    Object result = FencedConnection.call(source, method, arguments);
                    if (result instanceof Connection connection) {
                        connection.setTransactionIsolation(level);
                    }
                    return result;
                });
    }
}
