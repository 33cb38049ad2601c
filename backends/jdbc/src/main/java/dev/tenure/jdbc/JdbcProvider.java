package dev.tenure.jdbc;

import dev.tenure.jdbc.DatabaseAccess.Database;
import dev.tenure.spi.BackendProvider;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
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
        Dialect dialect = Dialects.of(product).orElseThrow(() -> SqlErrors.refused(Dialects.unknown(product)));
        JdbcTarget target = JdbcTarget.of(jdbc);
        requireDriver(target.place(), product);
        Map<String, String> limits = dialect.limits(options.timeout());
        Connections connections =
                new Connections.Dedicated(() -> target.open(limits), JdbcStore.millis(options), dialect);
        Database database = Database.of(dialect, target.toString(), options, target::redactor);
        Optional<NotificationListener.Opening> opening =
                product.equals(POSTGRESQL) ? Optional.of(() -> target.open(limits)) : Optional.empty();
        return new JdbcStore(connections, options, Optional.of(database), opening, Duration.ZERO, host);
    }

    static BackendUrl asJdbc(BackendUrl url) {
        if (!url.rest().startsWith("//")) {
            throw SqlErrors.refused("'" + url + "' names no host: write postgresql://user@host/database");
        }
        return new BackendUrl(JDBC, POSTGRESQL + ":" + url.rest(), url.options());
    }

    static void requireDriver(String place, String product) {
        try {
            DriverManager.getDriver(place);
        } catch (SQLException none) {
            throw SqlErrors.refused("no driver on the class path takes jdbc:" + product
                    + ": URLs of this form; add the JDBC driver of the database, or correct the URL");
        }
    }
}
