// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.database;

import dev.tenure.cli.command.CliException;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.StoreOptions;
import dev.tenure.jdbc.JdbcTarget;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Redactor;
import java.lang.reflect.Proxy;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * The database that a URL names, spelt as for elections: {@code postgresql://user@host/db}, {@code postgresql+advisory://…} or
 * {@code jdbc:…}. Options of Tenure are left out but for the timeout and the file with the password.
 */
public final class DatabaseUrl {
    private static final Set<String> SCHEMES =
            Set.of("jdbc", "postgresql", "postgres", "postgresql+advisory", "postgres+advisory");
    private static final String TIMEOUT = "tenure.timeout";
    private static final Set<String> KEPT = Set.of(TIMEOUT, "tenure.password.file");
    /** How the codes begin by which a database refuses who comes. */
    private static final String REFUSED = "28";
    /** Once connected: longer than a fence waits for the transactions of others. */
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);

    private final String shown;
    private final JdbcTarget target;
    private final Redactor redactor;

    private DatabaseUrl(String shown, JdbcTarget target) {
        this.shown = shown;
        this.target = target;
        this.redactor = target.redactor();
    }

    /** @param what the database has */
    public static Option option(String what) {
        return Option.value("--url", "URL", "the database that has " + what).or(StoreOptions.URL.variable());
    }

    /** The database that this option names. */
    public static DatabaseUrl of(Options options, Option url) {
        return parse(options.value(url)
                .orElseThrow(() -> options.wrong("which database? --url postgresql://user@host/db, or TENURE_URL")));
    }

    public static DatabaseUrl parse(String text) {
        BackendUrl url = BackendUrl.parse(text);
        if (!SCHEMES.contains(url.scheme())) {
            throw CliException.usage("fences and journals are in a database, and " + url
                    + " is none: give the database with --url postgresql://user@host/db or --url jdbc:mariadb://…");
        }
        Map<String, String> options = new HashMap<>(url.options());
        options.keySet().removeIf(name -> name.startsWith("tenure.") && !KEPT.contains(name));
        options.putIfAbsent(TIMEOUT, "10s");
        return new DatabaseUrl(url.toString(), JdbcTarget.of(new BackendUrl(url.scheme(), url.rest(), options)));
    }

    public Connection connect() {
        try {
            Connection connection = target.open(Map.of());
            connection.setNetworkTimeout(Runnable::run, Math.toIntExact(ANSWER_WITHIN.toMillis()));
            return connection;
        } catch (SQLException failure) {
            throw explained(" cannot be connected to", failure);
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
    public CliException failed(SQLException failure) {
        return explained(" refuses or fails", failure);
    }

    /** With what the database says, but for what must not be shown. */
    private CliException explained(String otherwise, SQLException failure) {
        boolean refused = String.valueOf(failure.getSQLState()).startsWith(REFUSED);
        boolean silent = Stream.iterate((Throwable) failure, Objects::nonNull, Throwable::getCause)
                .anyMatch(SocketTimeoutException.class::isInstance);
        String problem =
                silent ? " does not answer: it hangs, is overloaded, or packets are lost on the way" : otherwise;
        String said = redactor.text(String.valueOf(failure.getMessage()));
        return new CliException(
                refused ? ExitCode.USAGE : ExitCode.UNAVAILABLE,
                shown + (refused ? " refuses the user or the password" : problem) + " (it says: "
                        + said.lines().findFirst().orElse("nothing") + ")",
                redactor.failure((Throwable) failure));
    }

    @Override
    public String toString() {
        return shown;
    }
}
