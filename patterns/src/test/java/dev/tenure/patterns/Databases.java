// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.sql.servers.SqlServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

/** Databases of tests, and what can go wrong with them. */
final class Databases {
    private Databases() {}

    /** One of its own, in memory, for as long as the JVM. */
    static DataSource h2() {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=5000");
        return source;
    }

    private static final AtomicInteger NAMES = new AtomicInteger();

    /** A fresh place on a server, with a pool as users have it. */
    static HikariDataSource on(SqlServer server) {
        String name = "place_" + NAMES.incrementAndGet();
        HikariConfig config = new HikariConfig();
        if (server instanceof Postgres) {
            server.execute("CREATE SCHEMA " + name);
            config.setJdbcUrl(server.url() + "&currentSchema=" + name);
        } else {
            server.execute("CREATE DATABASE " + name);
            config.setJdbcUrl(server.url().replace("/" + SqlServer.DATABASE + "?", "/" + name + "?"));
        }
        config.setMaximumPoolSize(8);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }

    static void execute(DataSource source, String... statements) {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** All rows, their columns with blanks between them. */
    static List<String> ask(DataSource source, String query) {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            List<String> all = new ArrayList<>();
            while (rows.next()) {
                List<String> columns = new ArrayList<>();
                for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
                    columns.add(String.valueOf(rows.getString(column)));
                }
                all.add(String.join(" ", columns));
            }
            return all;
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** Counts what is prepared or executed on it. */
    static DataSource counting(DataSource source, AtomicInteger statements) {
        return watched(source, call -> {
            if (call.equals("prepareStatement") || call.startsWith("execute")) {
                statements.incrementAndGet();
            }
            return false;
        });
    }

    /** Commits, and then says that the connection was lost, wherever the test wants it. */
    static DataSource losingCommits(DataSource source, Predicate<Object> lost) {
        return watched(source, call -> call.equals("commit") && lost.test(call));
    }

    /** Fails after the calls to a connection that the test wants, and tells it of all of them. */
    static DataSource watched(DataSource source, Predicate<String> failsAfter) {
        return (DataSource) Proxy.newProxyInstance(
                Databases.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    Object result = call(source, method, arguments);
                    return result instanceof Connection connection ? watched(connection, failsAfter) : result;
                });
    }

    private static Connection watched(Connection connection, Predicate<String> failsAfter) {
        return (Connection) Proxy.newProxyInstance(
                Databases.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    Object result = call(connection, method, arguments);
                    if (failsAfter.test(method.getName())) {
                        throw new SQLException("the connection was lost", "08006");
                    }
                    return result;
                });
    }

    private static Object call(Object target, java.lang.reflect.Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }
}
