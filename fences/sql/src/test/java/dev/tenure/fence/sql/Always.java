// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import javax.sql.DataSource;

/** A pool of one connection, which is not closed when it is given back. */
final class Always {
    private Always() {}

    static DataSource the(Connection connection) {
        Connection lasting = (Connection) Proxy.newProxyInstance(
                Always.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) ->
                        method.getName().equals("close") ? null : FencedConnection.call(connection, method, arguments));
        return (DataSource) Proxy.newProxyInstance(
                Always.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> lasting);
    }
}
