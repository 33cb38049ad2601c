package dev.tenure.jdbc;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.BackendProvider;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * {@code jdbc:…}, as the driver wants it, and {@code postgresql://user@host/db}, as everybody else writes it; options of
 * Tenure begin with {@code tenure.}.
 */
public final class JdbcProvider implements BackendProvider {
    private static final String POSTGRESQL = "postgresql";
    private static final String SOCKET_FACTORY = "socketFactory";

    @Override
    public Set<String> schemes() {
        return Set.of("jdbc", POSTGRESQL);
    }

    @Override
    public String optionPrefix() {
        return JdbcOptions.OURS;
    }

    @Override
    public JdbcStore connect(BackendUrl url, Host host) {
        JdbcOptions options = JdbcOptions.of(url);
        BackendUrl jdbc = url.scheme().equals(POSTGRESQL) ? asJdbc(url) : url;
        String product = jdbc.rest().replaceFirst(":.*", "");
        Dialect dialect = Dialects.of(product).orElseThrow(() -> refused(Dialects.unknown(product)));
        Target target = Target.of(jdbc);
        requireDriver(target.place(), product);
        Map<String, String> limits = dialect.limits(options.timeout());
        Connections connections =
                new OwnConnections(target.place(), () -> target.properties(limits), JdbcStore.millis(options), dialect);
        Database database = Database.of(dialect, Places.shown(target.place()), options, target.secrets());
        Notices notices = product.equals(POSTGRESQL) ? listening(target, limits, options, host) : Notices.NONE;
        return JdbcStore.open(connections, options, database, notices, host);
    }

    private static Notices listening(Target target, Map<String, String> limits, JdbcOptions options, Host host) {
        Map<String, String> eager = new HashMap<>(limits);
        eager.put(SOCKET_FACTORY, EagerSocketFactory.class.getName());
        return new PostgresNotices(
                () -> DriverManager.getConnection(target.place(), target.properties(eager)), options, host);
    }

    /** The driver wants user and password as settings, and not in front of the host. */
    static BackendUrl asJdbc(BackendUrl url) {
        String rest = url.rest();
        int path = rest.indexOf('/', Math.min(2, rest.length()));
        int at = rest.lastIndexOf('@', path < 0 ? rest.length() : path);
        if (!rest.startsWith("//")) {
            throw refused("'" + url + "' names no host: write postgresql://user@host/database");
        }
        Map<String, String> settings = new HashMap<>(url.options());
        if (at < 0) {
            return new BackendUrl("jdbc", POSTGRESQL + ":" + rest, settings);
        }
        String[] user = rest.substring(2, at).split(":", 2);
        settings.putIfAbsent("user", decoded(user[0]));
        if (user.length == 2) {
            settings.putIfAbsent("password", decoded(user[1]));
        }
        return new BackendUrl("jdbc", POSTGRESQL + "://" + rest.substring(at + 1), settings);
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
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
