// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** A pool's connection, on which setting autocommit is a statement: MariaDB's is one. */
class PooledConnectionsTest {
    private static final int LIMIT_MILLIS = 1234;

    private final List<String> calls = new ArrayList<>();
    private final Connections.Pooled borrowed =
            new Connections.Pooled(new OneConnection(), Duration.ofMillis(LIMIT_MILLIS));

    @Test
    void every_statement_has_a_limit_of_time_also_those_that_prepare_and_restore_the_connection() throws SQLException {
        Connection connection = borrowed.take();
        borrowed.giveBack(connection);

        assertThat(calls).containsExactly("limit 1234", "autocommit true", "autocommit false", "limit 0", "close");
    }

    @Test
    void a_connection_that_a_call_failed_on_also_goes_back_as_it_came() throws SQLException {
        Connection connection = borrowed.take();
        calls.clear();

        borrowed.drop(connection);

        assertThat(calls).containsExactly("autocommit false", "limit 0", "close");
    }

    /** Without autocommit and without a limit, as a pool may have them. */
    private Connection connection() {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    switch (method.getName()) {
                        case "getAutoCommit":
                            return false;
                        case "getNetworkTimeout":
                            return 0;
                        case "setAutoCommit":
                            return note("autocommit " + arguments[0]);
                        case "setNetworkTimeout":
                            return note("limit " + arguments[1]);
                        case "close":
                            return note("close");
                        default:
                            throw new UnsupportedOperationException(method.getName());
                    }
                });
    }

    private Object note(String call) {
        calls.add(call);
        return null;
    }

    private final class OneConnection implements DataSource {
        @Override
        public Connection getConnection() {
            return connection();
        }

        @Override
        public Connection getConnection(String user, String password) {
            return connection();
        }

        @Override
        public PrintWriter getLogWriter() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void setLogWriter(PrintWriter out) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void setLoginTimeout(int seconds) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int getLoginTimeout() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Logger getParentLogger() {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> T unwrap(Class<T> type) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isWrapperFor(Class<?> type) {
            return false;
        }
    }
}
