package dev.tenure.jdbc;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** PostgreSQL 9.5 or newer, by its own driver. */
final class PostgresDialect implements Dialect {
    @Override
    public boolean speaks(String product) {
        return product.equals("postgresql");
    }

    /** Not {@code now()}: that is when the transaction began. */
    @Override
    public String nowMicros() {
        return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)";
    }

    @Override
    public String writable() {
        return "CASE WHEN pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' THEN 0 ELSE 1 END";
    }

    @Override
    public String createTable(String table) {
        return "CREATE TABLE IF NOT EXISTS " + table + " (\n"
                + "    id VARCHAR(700) COLLATE \"C\" PRIMARY KEY,\n"
                + "    version VARCHAR(64) NOT NULL,\n"
                + "    content TEXT NOT NULL,\n"
                + "    expires BIGINT\n"
                + ")";
    }

    /** A violated key would be an error in the server's log, each time that two candidates meet. */
    @Override
    public String insert(String table) {
        return Dialect.super.insert(table) + " ON CONFLICT (id) DO NOTHING";
    }

    /** Told when it is committed, and in one round trip with it. */
    @Override
    public String announced(String write, String channel) {
        return "WITH written AS (" + write + " RETURNING id) SELECT pg_notify('" + channel + "', id) FROM written";
    }

    /** In seconds, and rounded up: 0 would mean without end. */
    @Override
    public Map<String, String> limits(Duration timeout) {
        String seconds = Long.toString(timeout.plusMillis(999).toSeconds());
        return Map.of("connectTimeout", seconds, "socketTimeout", seconds, "tcpKeepAlive", "true");
    }

    @Override
    public Optional<String> asksForSynchronousStandby() {
        return Optional.of("SELECT CASE WHEN current_setting('synchronous_standby_names') <> ''"
                + " AND current_setting('synchronous_commit') IN ('on', 'remote_apply') THEN 1 ELSE 0 END");
    }
}
