package dev.tenure.jdbc.advisory;

import dev.tenure.jdbc.Channel;
import dev.tenure.jdbc.Complaint;
import dev.tenure.jdbc.JdbcOptions;
import dev.tenure.jdbc.PostgresPlace;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.StoreEra;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The two tables: a row for each election, which is never deleted, and one row that tells layout, store id and era. */
final class Tables {
    private static final int KNOWN_LAYOUT = 1;

    private final JdbcOptions options;
    private final PostgresPlace place;

    /** What the one row tells, and where the server found the tables. */
    record Found(StoreEra era, LockKeys keys) {}

    Tables(PostgresPlace place) {
        this.place = place;
        this.options = place.options();
    }

    String epochs() {
        return qualified("epochs");
    }

    String store() {
        return qualified("epoch_store");
    }

    Channel channel() {
        return new Channel(epochs());
    }

    private String qualified(String name) {
        String prefixed = options.prefix() + name;
        return options.schema().map(schema -> schema + "." + prefixed).orElse(prefixed);
    }

    /** For administrators, and for the first who comes. */
    String script() {
        return "CREATE TABLE IF NOT EXISTS " + epochs() + " (\n"
                + "    election VARCHAR(700) COLLATE \"C\" PRIMARY KEY,\n"
                + "    lock_key BIGINT NOT NULL UNIQUE,\n"
                + "    token BIGINT NOT NULL,\n"
                + "    nonce_high BIGINT NOT NULL,\n"
                + "    nonce_low BIGINT NOT NULL,\n"
                + "    session TEXT NOT NULL,\n"
                + "    line BIGINT NOT NULL,\n"
                + "    holder TEXT NOT NULL,\n"
                + "    card TEXT NOT NULL,\n"
                + "    ttl_millis BIGINT NOT NULL,\n"
                + "    since_millis BIGINT NOT NULL,\n"
                + "    takeover BOOLEAN NOT NULL,\n"
                + "    former_ttl_millis BIGINT NOT NULL,\n"
                + "    request_verb TEXT,\n"
                + "    request_token BIGINT,\n"
                + "    request_by TEXT\n"
                + ");\n"
                + "CREATE INDEX IF NOT EXISTS " + options.prefix() + "epochs_held ON " + epochs()
                + " (session) WHERE session <> '';\n"
                + "CREATE TABLE IF NOT EXISTS " + store() + " (\n"
                + "    id INTEGER PRIMARY KEY CHECK (id = 1),\n"
                + "    layout INTEGER NOT NULL,\n"
                + "    store_id TEXT NOT NULL,\n"
                + "    era INTEGER NOT NULL\n"
                + ");\n";
    }

    /**
     * Finds both, and makes what is missing.
     *
     * @param freshStoreId random, for a store that is used for the first time
     */
    Found ensure(Connection connection, String freshStoreId) throws SQLException {
        try {
            return find(connection, freshStoreId);
        } catch (SQLException missing) {
            if (place.complaint(missing) != Complaint.MISSING_TABLE || options.tables() == JdbcOptions.Tables.EXPECT) {
                throw missing;
            }
        }
        create(connection);
        return find(connection, freshStoreId);
    }

    /** Under a lock, because of many that create one table at once all but one may fail. */
    private void create(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(" + LockKeys.digest("create " + epochs()) + ")");
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

    private Found find(Connection connection, String freshStoreId) throws SQLException {
        String query = "WITH made AS (INSERT INTO " + store() + " SELECT 1, " + KNOWN_LAYOUT + ", ?, 0"
                + " WHERE NOT EXISTS (SELECT FROM " + store() + ") ON CONFLICT (id) DO NOTHING RETURNING *)"
                + " SELECT s.*, (SELECT relnamespace::regnamespace::text FROM pg_class WHERE oid = '" + epochs()
                + "'::regclass) AS place FROM (SELECT * FROM made UNION ALL SELECT * FROM " + store() + ") s";
        // Of two that make the row at once, one sees neither its own nor that of the other: it looks once more.
        for (int look = 0; look < 2; look++) {
            try (PreparedStatement statement = connection.prepareStatement(query)) {
                statement.setString(1, freshStoreId);
                try (ResultSet rows = statement.executeQuery()) {
                    if (rows.next()) {
                        return found(rows);
                    }
                }
            }
        }
        throw new SQLException("no row in " + store());
    }

    private Found found(ResultSet rows) throws SQLException {
        int layout = rows.getInt("layout");
        if (layout != KNOWN_LAYOUT) {
            throw new BackendException(
                    Effect.NONE,
                    Kind.CORRUPT,
                    store() + " at " + place.shown() + " has layout " + layout + ", and this version of Tenure knows "
                            + KNOWN_LAYOUT + ": use a newer version, or another tenure.prefix");
        }
        return new Found(
                new StoreEra(rows.getString("store_id"), rows.getInt("era")),
                new LockKeys(rows.getString("place") + "." + options.prefix() + "epochs"));
    }
}
