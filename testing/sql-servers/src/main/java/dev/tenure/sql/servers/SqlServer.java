// SPDX-License-Identifier: Apache-2.0
package dev.tenure.sql.servers;

import dev.tenure.support.ServerProcess;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.awaitility.Awaitility;

/** A real server on a free loopback port in a temporary folder, for as long as it is open. */
public abstract class SqlServer implements AutoCloseable {
    public static final String USER = "tenure";
    public static final String PASSWORD = "kept-in-tests";
    public static final String DATABASE = "tenure";

    private static final Duration READY_WITHIN = Duration.ofSeconds(60);

    private final ServerProcess process;
    private final int port;

    SqlServer(ServerProcess process, int port) {
        this.process = process;
        this.port = port;
    }

    public int port() {
        return port;
    }

    /** The JDBC URL of this database, without user and password. */
    public abstract String plainUrl(String database);

    /** The JDBC URL of the database for tests, with everything in it. */
    public String url() {
        return plainUrl(DATABASE) + "?user=" + USER + "&password=" + PASSWORD;
    }

    public void start() {
        process.start();
        awaitReady();
    }

    /** As a crash of the machine. */
    public void kill() {
        process.kill();
    }

    public abstract void stop();

    final void end(String signal) {
        process.end(signal);
    }

    /** Alive, silent, and with all its connections open. */
    public void freeze() {
        process.freeze();
    }

    public void goOn() {
        process.goOn();
    }

    public boolean isRunning() {
        return process.isRunning();
    }

    void awaitReady() {
        try {
            Awaitility.await("a server that answers")
                    .atMost(READY_WITHIN)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> {
                        if (!process.isRunning()) {
                            throw new IllegalStateException("the server has ended");
                        }
                        return answers();
                    });
        } catch (RuntimeException failure) {
            throw new IllegalStateException("the server does not start: " + process.lastWords(), failure);
        }
    }

    private boolean answers() {
        try (Connection connection = connect()) {
            return connection.isValid(5);
        } catch (SQLException notYet) {
            return false;
        }
    }

    public Connection connect() throws SQLException {
        return DriverManager.getConnection(plainUrl(DATABASE), USER, PASSWORD);
    }

    public void execute(String... statements) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** The first column of the first row. */
    public String ask(String query) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            if (!rows.next()) {
                throw new IllegalStateException("no row: " + query);
            }
            return String.valueOf(rows.getString(1));
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** Until this query, which has one boolean, says yes. */
    final void await(String what, String query) {
        Awaitility.await(what)
                .atMost(READY_WITHIN)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> ask(query).equals("t"));
    }

    @Override
    public abstract void close();
}
