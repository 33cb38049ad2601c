package dev.tenure.jdbc;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.BackendProvider;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;

/**
 * {@code jdbc:…}, as the driver wants it, and {@code postgresql://user@host/db} or {@code postgres://…}, as everybody else
 * writes it; options of Tenure begin with {@code tenure.}.
 */
public final class JdbcProvider implements BackendProvider {
    private static final String JDBC = "jdbc";
    private static final String POSTGRESQL = "postgresql";

    @Override
    public Set<String> schemes() {
        return Set.of(JDBC, POSTGRESQL, "postgres");
    }

    @Override
    public String optionPrefix() {
        return JdbcOptions.OURS;
    }

    @Override
    public JdbcStore connect(BackendUrl url, Host host) {
        JdbcOptions options = JdbcOptions.of(url);
        BackendUrl jdbc = url.scheme().equals(JDBC) ? url : asJdbc(url);
        String product = jdbc.rest().replaceFirst(":.*", "");
        Dialect dialect = Dialects.of(product).orElseThrow(() -> refused(Dialects.unknown(product)));
        Target target = Target.of(jdbc);
        requireDriver(target.place(), product);
        Map<String, String> limits = dialect.limits(options.timeout());
        Connections connections =
                new OwnConnections(target.place(), () -> target.properties(limits), JdbcStore.millis(options), dialect);
        Database database = Database.of(dialect, Target.shown(target.place()), options, target::redactor);
        Notices notices = product.equals(POSTGRESQL)
                ? new PostgresNotices(() -> target.open(limits), options, host)
                : Notices.NONE;
        return JdbcStore.open(connections, options, database, notices, host);
    }

    static BackendUrl asJdbc(BackendUrl url) {
        if (!url.rest().startsWith("//")) {
            throw refused("'" + url + "' names no host: write postgresql://user@host/database");
        }
        return new BackendUrl(JDBC, POSTGRESQL + ":" + url.rest(), url.options());
    }

    static void requireDriver(String place, String product) {
        try {
            DriverManager.getDriver(place);
        } catch (SQLException none) {
            throw refused("no driver on the class path takes jdbc:" + product
                    + ": URLs of this form; add the JDBC driver of the database, or correct the URL");
        }
    }

    private static BackendException refused(String sentence) {
        return new BackendException(Effect.NONE, Kind.MISCONFIGURED, sentence);
    }
}
