package dev.tenure.cli.fence;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Failure;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Redactor;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import javax.sql.DataSource;

/**
 * The database that a URL names, spelt as for elections: {@code postgresql://user@host/db}, {@code postgresql+advisory://…} or
 * {@code jdbc:…}. Options of Tenure are left out but for the timeout and the file with the password.
 */
public final class DatabaseUrl {
    private static final String JDBC = "jdbc";
    private static final Set<String> POSTGRESQL =
            Set.of("postgresql", "postgres", "postgresql+advisory", "postgres+advisory");
    private static final String OURS = "tenure.";
    private static final String PASSWORD_FILE = "tenure.password.file";
    private static final String TIMEOUT = "tenure.timeout";
    /** How the codes begin by which a database refuses who comes. */
    private static final String REFUSED = "28";

    private static final Duration CONNECT_WITHIN = Duration.ofSeconds(10);
    /** Once connected: longer than a fence waits for the transactions of others. */
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);

    private final String shown;
    private final String place;
    private final Map<String, String> settings;
    private final Redactor redactor;

    private DatabaseUrl(String shown, String place, Map<String, String> settings) {
        this.shown = shown;
        this.place = place;
        this.settings = Map.copyOf(settings);
        this.redactor = Redactor.of(place).andOptions(settings);
    }

    public static DatabaseUrl parse(String text) {
        BackendUrl named = BackendUrl.parse(text);
        BackendUrl url = named.scheme().equals(JDBC) ? named : ofPostgres(named);
        // Most drivers want user and password as settings; MySQL's has users of its own for each host.
        BackendUrl plain = url.rest().startsWith("mysql:") ? url : url.withUserAsOptions();
        Map<String, String> settings = new HashMap<>();
        String within = limit(url, url.duration(TIMEOUT).orElse(CONNECT_WITHIN));
        settings.put("connectTimeout", within);
        settings.put("socketTimeout", within);
        plain.options().forEach((name, value) -> {
            if (!name.startsWith(OURS)) {
                settings.put(name, value);
            }
        });
        url.option(PASSWORD_FILE).ifPresent(file -> settings.put("password", read(file)));
        return new DatabaseUrl(named.toString(), JDBC + ":" + plain.rest(), settings);
    }

    private static BackendUrl ofPostgres(BackendUrl url) {
        if (!POSTGRESQL.contains(url.scheme())) {
            throw Failure.usage("fences and journals are in a database, and " + url
                    + " is none: give the database with --url postgresql://user@host/db or --url jdbc:mariadb://…");
        }
        if (!url.rest().startsWith("//")) {
            throw Failure.usage("'" + url + "' names no host: write postgresql://user@host/database");
        }
        return new BackendUrl(JDBC, "postgresql:" + url.rest(), url.options());
    }

    /** As the driver counts: PostgreSQL's in seconds. Without a limit a server that hangs would be waited for for ever. */
    private static String limit(BackendUrl url, Duration within) {
        boolean millis = url.rest().startsWith("mariadb");
        return Long.toString(millis ? within.toMillis() : Math.max(1, within.toSeconds()));
    }

    private static String read(String file) {
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException failure) {
            throw Failure.usage("the file of " + PASSWORD_FILE + " cannot be read: " + file);
        }
    }

    public Connection connect() {
        Properties all = new Properties();
        all.putAll(settings);
        try {
            Connection connection = DriverManager.getConnection(place, all);
            connection.setNetworkTimeout(Runnable::run, Math.toIntExact(ANSWER_WITHIN.toMillis()));
            return connection;
        } catch (SQLException failure) {
            throw refusal(failure);
        }
    }

    /** Each connection is a new one. */
    public DataSource source() {
        return (DataSource) Proxy.newProxyInstance(
                DatabaseUrl.class.getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, arguments) -> {
                    if (!method.getName().equals("getConnection")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    return connect();
                });
    }

    /** What went wrong on a connection, as a sentence. */
    public Failure failed(SQLException failure) {
        String sentence = shown + " refuses or fails (it says: " + said(failure) + ")";
        return new Failure(ExitCode.UNAVAILABLE, sentence, told(failure));
    }

    private Failure refusal(SQLException failure) {
        String said = " (it says: " + said(failure) + ")";
        Throwable cause = told(failure);
        if (String.valueOf(failure.getSQLState()).startsWith(REFUSED)) {
            return new Failure(ExitCode.USAGE, shown + " refuses the user or the password" + said, cause);
        }
        String problem = isSilence(failure)
                ? " does not answer: it hangs, is overloaded, or packets are lost on the way"
                : " cannot be connected to";
        return new Failure(ExitCode.UNAVAILABLE, shown + problem + said, cause);
    }

    private static boolean isSilence(Throwable failure) {
        Throwable cause = failure;
        while (cause != null && !(cause instanceof SocketTimeoutException)) {
            cause = cause.getCause();
        }
        return cause != null;
    }

    /** What the database says, without what must not be shown. */
    public String said(SQLException failure) {
        String text = redactor.text(String.valueOf(failure.getMessage()));
        return text.lines().findFirst().orElse("nothing");
    }

    /** For those who look for bugs. */
    public Throwable told(SQLException failure) {
        return redactor.failure((Throwable) failure);
    }

    @Override
    public String toString() {
        return shown;
    }
}
