package dev.tenure.fence.sql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** PostgreSQL as users have it who let a fence compare at the commit: no transaction is idle for long. */
final class LimitedPool {
    private static final DataSource POOL = of(Duration.ofSeconds(5), 20);

    private LimitedPool() {}

    /** One for all tests; it ends with the JVM. */
    static DataSource shared() {
        return POOL;
    }

    static HikariDataSource of(Duration limit, int connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(Database.POSTGRESQL.server().url());
        config.setMaximumPoolSize(connections);
        config.setMinimumIdle(0);
        config.setConnectionInitSql("SET idle_in_transaction_session_timeout = " + limit.toMillis());
        return new HikariDataSource(config);
    }

    /** A connection beside the pool, for those who look at what is left on it. */
    static Connection connection(String... parameters) throws SQLException {
        String url = Database.POSTGRESQL.server().url();
        return DriverManager.getConnection(url + (url.contains("?") ? "&" : "?")
                + "options=-c%20idle_in_transaction_session_timeout=5000" + String.join("", parameters));
    }
}
