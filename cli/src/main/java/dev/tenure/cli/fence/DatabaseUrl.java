package dev.tenure.cli.fence;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Failure;
import dev.tenure.spi.BackendUrl;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

/**
 * The database that a URL names, spelt as for elections: {@code postgresql://user@host/db}, {@code postgresql+advisory://…} or
 * {@code jdbc:…}. Options of Tenure are left out but for the timeout and the file with the password.
 */
final class DatabaseUrl {
    private static final String POSTGRESQL = "postgresql";
    private static final String OURS = "tenure.";
    private static final String PASSWORD_FILE = "tenure.password.file";
    private static final String TIMEOUT = "tenure.timeout";
    private static final String ADVISORY = "postgresql+advisory";
    /** How the codes begin by which a database refuses who comes. */
    private static final String REFUSED = "28";

    private static final Duration CONNECT_WITHIN = Duration.ofSeconds(10);
    /** Once connected: longer than a fence waits for the transactions of others. */
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);

    private final String place;
    private final Properties settings;
    private final String shown;

    private DatabaseUrl(String place, Properties settings, String shown) {
        this.place = place;
        this.settings = settings;
        this.shown = shown;
    }

    static DatabaseUrl parse(String text) {
        BackendUrl url = BackendUrl.parse(text);
        Properties settings = new Properties();
        String within = limit(url, url.duration(TIMEOUT).orElse(CONNECT_WITHIN));
        settings.setProperty("connectTimeout", within);
        settings.setProperty("socketTimeout", within);
        url.options().forEach((name, value) -> {
            if (!name.startsWith(OURS)) {
                settings.setProperty(name, value);
            }
        });
        url.option(PASSWORD_FILE).ifPresent(file -> settings.setProperty("password", read(file)));
        return switch (url.scheme()) {
            case "jdbc" -> new DatabaseUrl("jdbc:" + url.rest(), settings, url.toString());
            case POSTGRESQL, ADVISORY -> ofPostgres(url, settings);
            default ->
                throw Failure.usage("a fence is in a database, and " + url
                        + " is none: give the database with --url postgresql://user@host/db or --url jdbc:mariadb://…");
        };
    }

    /** As the driver counts: PostgreSQL's in seconds. Without a limit a server that hangs would be waited for for ever. */
    private static String limit(BackendUrl url, Duration within) {
        boolean millis = url.rest().startsWith("mariadb");
        return Long.toString(millis ? within.toMillis() : Math.max(1, within.toSeconds()));
    }

    /** The driver wants user and password as settings, and not in front of the host. */
    private static DatabaseUrl ofPostgres(BackendUrl url, Properties settings) {
        String rest = url.rest();
        int path = rest.indexOf('/', Math.min(2, rest.length()));
        int at = rest.lastIndexOf('@', path < 0 ? rest.length() : path);
        if (!rest.startsWith("//")) {
            throw Failure.usage("'" + url + "' names no host: write postgresql://user@host/database");
        }
        if (at > 0) {
            String[] user = rest.substring(2, at).split(":", 2);
            settings.putIfAbsent("user", decoded(user[0]));
            if (user.length == 2) {
                settings.putIfAbsent("password", decoded(user[1]));
            }
        }
        String host = at < 0 ? rest.substring(2) : rest.substring(at + 1);
        return new DatabaseUrl("jdbc:" + POSTGRESQL + "://" + host, settings, url.toString());
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static String read(String file) {
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException failure) {
            throw Failure.usage("the file of " + PASSWORD_FILE + " cannot be read: " + file);
        }
    }

    Connection connect() {
        try {
            Connection connection = DriverManager.getConnection(place, settings);
            connection.setNetworkTimeout(Runnable::run, Math.toIntExact(ANSWER_WITHIN.toMillis()));
            return connection;
        } catch (SQLException failure) {
            throw refusal(failure);
        }
    }

    private Failure refusal(SQLException failure) {
        String said = " (it says: " + said(failure) + ")";
        if (String.valueOf(failure.getSQLState()).startsWith(REFUSED)) {
            return new Failure(ExitCode.USAGE, shown + " refuses the user or the password" + said, failure);
        }
        String problem = isSilence(failure)
                ? " does not answer: it hangs, is overloaded, or packets are lost on the way"
                : " cannot be connected to";
        return new Failure(ExitCode.UNAVAILABLE, shown + problem + said, failure);
    }

    private static boolean isSilence(Throwable failure) {
        Throwable cause = failure;
        while (cause != null && !(cause instanceof SocketTimeoutException)) {
            cause = cause.getCause();
        }
        return cause != null;
    }

    /** What the database says, without what must not be shown. */
    String said(SQLException failure) {
        String text = String.valueOf(failure.getMessage());
        for (String secret : secrets()) {
            text = text.replace(secret, "***");
        }
        return text.lines().findFirst().orElse("nothing");
    }

    private List<String> secrets() {
        List<String> secrets = new ArrayList<>();
        settings.forEach((name, value) -> {
            boolean secret = name.toString().toLowerCase(Locale.ROOT).contains("password");
            if (secret && !value.toString().isBlank()) {
                secrets.add(value.toString());
            }
        });
        return secrets;
    }

    @Override
    public String toString() {
        return shown;
    }
}
