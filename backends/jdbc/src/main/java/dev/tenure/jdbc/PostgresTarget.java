package dev.tenure.jdbc;

import dev.tenure.spi.BackendUrl;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;

/** A PostgreSQL as a URL names it, for those who need physical connections of their own to it. Any thread. */
public final class PostgresTarget {
    private static final String POSTGRESQL = "postgresql";

    private final JdbcTarget target;
    private final JdbcOptions options;
    private final Dialect dialect = new PostgresDialect();

    private PostgresTarget(JdbcTarget target, JdbcOptions options) {
        this.target = target;
        this.options = options;
    }

    /** @param url {@code …://user@host/database?…}, with whatever scheme */
    public static PostgresTarget of(BackendUrl url) {
        JdbcTarget target = JdbcTarget.of(JdbcProvider.asJdbc(url));
        JdbcProvider.requireDriver(target.place(), POSTGRESQL);
        return new PostgresTarget(target, JdbcOptions.of(url));
    }

    public JdbcOptions options() {
        return options;
    }

    /** What people call it, without user and password. */
    public String shown() {
        return target.toString();
    }

    /** Not from a pool: who opens it has it alone, and has to close it. */
    public Connection open(Map<String, String> more) throws SQLException {
        Map<String, String> settings = new HashMap<>(dialect.limits(options.timeout()));
        settings.putAll(more);
        return target.open(settings);
    }

    public SqlErrors errors(SqlErrors.Wording wording) {
        return new SqlErrors(dialect, shown(), wording, target::redactor);
    }

    /** @throws SQLException if the server has acknowledged this write only with a doubt, so that its outcome is unknown */
    public void ensureDurable(Statement written) throws SQLException {
        RecordTable.ensureDurable(dialect, written);
    }

    /** The statement whose answer is 1 where a commit waits for a standby. */
    public String asksForSynchronousStandby() {
        return dialect.asksForSynchronousStandby().orElseThrow();
    }
}
