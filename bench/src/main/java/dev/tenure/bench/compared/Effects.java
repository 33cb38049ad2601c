// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.compared;

import dev.tenure.fence.sql.SqlWork;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;

/**
 * What the job does: it appends a row to a table without a key. A row of its own tells when it began, so that the effect can be late.
 * On demand the process is struck right before or right after the effect.
 */
final class Effects {
    /** The database's clock counts for all; a contender that does not know its due time is given the period in which it began. */
    static final String TABLES = "CREATE TABLE begun (run BIGSERIAL, process TEXT, due BIGINT,"
            + " at TIMESTAMPTZ DEFAULT clock_timestamp());"
            + "CREATE TABLE effect (run BIGINT, process TEXT, due BIGINT, at TIMESTAMPTZ DEFAULT clock_timestamp())";

    private static final String BEGIN = "INSERT INTO begun (process, due) SELECT ?, (COALESCE(?,"
            + " CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)) / ?) * ? RETURNING run, due";
    private static final String WRITE = "INSERT INTO effect (run, process, due) VALUES (?, ?, ?)";

    private final DataSource pool;
    private final String node;
    private final AtomicReference<Strike> armed = new AtomicReference<>(Strike.NONE);

    /** @param signal as for {@code kill}; empty for none */
    record Strike(String signal, boolean beforeEffect) {
        static final Strike NONE = new Strike("", false);
    }

    /** How the contender's user writes: in a transaction with a fence, or just so. */
    @FunctionalInterface
    interface Transaction {
        void write(SqlWork work) throws Exception;
    }

    Effects(DataSource pool, String node) {
        this.pool = pool;
        this.node = node;
    }

    /** The next effect of this process meets it. */
    void arm(Strike strike) {
        armed.set(strike);
    }

    /** Without a fence. */
    void perform(Optional<Long> dueMillis) {
        try {
            perform(dueMillis, work -> {
                try (Connection connection = pool.getConnection()) {
                    work.run(connection);
                }
            });
        } catch (Exception failure) {
            throw new IllegalStateException(failure);
        }
    }

    void perform(Optional<Long> dueMillis, Transaction transaction) throws Exception {
        Strike strike = armed.getAndSet(Strike.NONE);
        long run;
        long due;
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(BEGIN)) {
            statement.setString(1, node);
            statement.setObject(2, dueMillis.orElse(null), Types.BIGINT);
            statement.setLong(3, JobRunner.PERIOD.toMillis());
            statement.setLong(4, JobRunner.PERIOD.toMillis());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                run = row.getLong(1);
                due = row.getLong(2);
            }
        }
        if (strike.beforeEffect()) {
            meet(strike);
        }
        try {
            transaction.write(connection -> insert(connection, run, due));
        } finally {
            System.out.println("ended");
        }
        if (!strike.beforeEffect()) {
            meet(strike);
        }
    }

    private void insert(Connection connection, long run, long due) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(WRITE)) {
            statement.setLong(1, run);
            statement.setString(2, node);
            statement.setLong(3, due);
            statement.executeUpdate();
        }
    }

    private static void meet(Strike strike) throws IOException, InterruptedException {
        if (strike.signal().isEmpty()) {
            return;
        }
        System.out.println("struck");
        String self = Long.toString(ProcessHandle.current().pid());
        new ProcessBuilder("kill", "-" + strike.signal(), self).start().waitFor();
    }
}
