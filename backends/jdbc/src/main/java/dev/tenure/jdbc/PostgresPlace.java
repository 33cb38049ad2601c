package dev.tenure.jdbc;

import dev.tenure.spi.BackendUrl;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

/** A PostgreSQL as a URL names it, for those who need physical connections of their own to it. Any thread. */
public final class PostgresPlace {
    private static final String POSTGRESQL = "postgresql";

    private final Target target;
    private final JdbcOptions options;
    private final Dialect dialect = Dialects.of(POSTGRESQL).orElseThrow();

    private PostgresPlace(Target target, JdbcOptions options) {
        this.target = target;
        this.options = options;
    }

    /** @param url {@code …://user@host/database?…}, with whatever scheme */
    public static PostgresPlace of(BackendUrl url) {
        Target target = Target.of(JdbcProvider.asJdbc(url));
        JdbcProvider.requireDriver(target.place(), POSTGRESQL);
        return new PostgresPlace(target, JdbcOptions.of(url));
    }

    public JdbcOptions options() {
        return options;
    }

    /** What people call it, without user and password. */
    public String shown() {
        return Target.shown(target.place());
    }

    /** Not from a pool: who opens it has it alone, and has to close it. */
    public Connection open(Map<String, String> settings) throws SQLException {
        return target.open(settings);
    }

    public Complaint complaint(SQLException failure) {
        return dialect.complaint(failure);
    }

    /** Was the statement surely not applied, and is the connection still good? */
    public boolean isRefusal(SQLException failure) {
        return complaint(failure).isWithoutEffect();
    }

    /** @throws SQLException if the server has acknowledged this write only with a doubt, so that its outcome is unknown */
    public void ensureNoDoubt(Statement written) throws SQLException {
        Writes.ensureNoDoubt(dialect, written);
    }

    /** The statement whose answer is 1 where a commit waits for a standby. */
    public String asksForSynchronousStandby() {
        return dialect.asksForSynchronousStandby().orElseThrow();
    }

    /** The same text, without passwords. */
    public String withoutSecrets(String text) {
        return target.redactor().text(text);
    }
}
