// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import dev.tenure.ElectionName;
import dev.tenure.jdbc.Dialect.SqlErrorKind;
import dev.tenure.jdbc.JdbcOptions;
import dev.tenure.jdbc.NotificationListener;
import dev.tenure.jdbc.SqlCall;
import dev.tenure.spi.StoreEra;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Optional;

/** The two tables: a row for each election, which is never deleted, and one row that tells layout, store id and era. */
final class ElectionTables {
    private static final int KNOWN_LAYOUT = 1;

    private final JdbcOptions options;

    /** What the one row tells, and where the server found the tables. */
    record Found(StoreEra era, LockKeys keys) {}

    /**
     * Which lock belongs to which election. A lock has no name, only a number of 64 bits that everybody in the database shares:
     * that two names meet in one is next to impossible, and is noticed, because the row of an election tells its lock.
     *
     * @param table with its schema, as the server resolved it: two tables never share a lock
     */
    record LockKeys(String table) {
        long of(ElectionName election) {
            return digest("tenure advisory 1\n" + table + "\n" + election.encoded());
        }
    }

    ElectionTables(JdbcOptions options) {
        this.options = options;
    }

    String epochs() {
        return options.table("epochs");
    }

    String store() {
        return options.table("epoch_store");
    }

    NotificationListener.Channel channel() {
        return new NotificationListener.Channel(epochs());
    }

    /** For administrators, and for the first who comes. */
    String script() {
        return String.format(Locale.ROOT, """
                CREATE TABLE IF NOT EXISTS %1$s (
                    election VARCHAR(700) COLLATE "C" PRIMARY KEY,
                    lock_key BIGINT NOT NULL UNIQUE,
                    token BIGINT NOT NULL,
                    nonce_high BIGINT NOT NULL,
                    nonce_low BIGINT NOT NULL,
                    session TEXT NOT NULL,
                    line BIGINT NOT NULL,
                    holder TEXT NOT NULL,
                    card TEXT NOT NULL,
                    ttl_millis BIGINT NOT NULL,
                    since_millis BIGINT NOT NULL,
                    takeover BOOLEAN NOT NULL,
                    former_ttl_millis BIGINT NOT NULL,
                    request_verb TEXT,
                    request_token BIGINT,
                    request_by TEXT
                );
                CREATE INDEX IF NOT EXISTS %3$sepochs_held ON %1$s (session) WHERE session <> '';
                CREATE TABLE IF NOT EXISTS %2$s (
                    id INTEGER PRIMARY KEY CHECK (id = 1),
                    layout INTEGER NOT NULL,
                    store_id TEXT NOT NULL,
                    era INTEGER NOT NULL
                );
                """, epochs(), store(), options.prefix());
    }

    /**
     * Finds both, and makes what is missing.
     *
     * @param freshStoreId random, for a store that is used for the first time
     */
    Found ensure(Connection connection, String freshStoreId, AdvisoryErrors errors) throws SQLException {
        try {
            return find(connection, freshStoreId, errors);
        } catch (SQLException missing) {
            if (errors.kind(missing) != SqlErrorKind.MISSING_TABLE || options.tables() == JdbcOptions.Tables.EXPECT) {
                throw missing;
            }
        }
        create(connection);
        return find(connection, freshStoreId, errors);
    }

    /** Under a lock, because of many that create one table at once all but one may fail. */
    private void create(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(" + digest("create " + epochs()) + ")");
            if (options.schema().isPresent()) {
                statement.execute(
                        "CREATE SCHEMA IF NOT EXISTS " + options.schema().get());
            }
            statement.execute(script());
            connection.commit();
        } catch (SQLException failure) {
            connection.rollback();
            throw failure;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private Found find(Connection connection, String freshStoreId, AdvisoryErrors errors) throws SQLException {
        String query = "WITH made AS (INSERT INTO " + store() + " SELECT 1, " + KNOWN_LAYOUT + ", ?, 0"
                + " WHERE NOT EXISTS (SELECT FROM " + store() + ") ON CONFLICT (id) DO NOTHING RETURNING *)"
                + " SELECT s.*, (SELECT relnamespace::regnamespace::text FROM pg_class WHERE oid = '" + epochs()
                + "'::regclass) AS place FROM (SELECT * FROM made UNION ALL SELECT * FROM " + store() + ") s";
        // Of two that make the row at once, one sees neither its own nor that of the other: it looks once more.
        for (int look = 0; look < 2; look++) {
            Optional<Found> found = new SqlCall(query, freshStoreId).first(connection, row -> found(row, errors));
            if (found.isPresent()) {
                return found.get();
            }
        }
        throw new SQLException("no row in " + store());
    }

    private Found found(ResultSet row, AdvisoryErrors errors) throws SQLException {
        if (row.getInt("layout") != KNOWN_LAYOUT) {
            throw errors.foreignLayout(store(), row.getString("layout"), KNOWN_LAYOUT);
        }
        return new Found(
                new StoreEra(row.getString("store_id"), row.getInt("era")),
                new LockKeys(row.getString("place") + "." + options.prefix() + "epochs"));
    }

    private static long digest(String text) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            return ByteBuffer.wrap(sha.digest(text.getBytes(StandardCharsets.UTF_8)))
                    .getLong();
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every JVM has SHA-256", impossible);
        }
    }
}
