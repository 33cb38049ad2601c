package dev.tenure.jdbc;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Redactor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * What a driver is told.
 *
 * @param place the URL that it understands, without options
 * @param settings the user's own, and what is not Tenure's
 */
record JdbcTarget(String place, Map<String, String> settings, Optional<Path> passwordFile) {
    static final String UNKNOWN = "the database of the DataSource";

    JdbcTarget {
        settings = Map.copyOf(settings);
    }

    /**
     * User and password become settings: most drivers take what stands before the host for a part of it, and repeat it in
     * their messages and logs. MySQL's has users of its own for each host.
     *
     * @param url with the scheme {@code jdbc}
     */
    static JdbcTarget of(BackendUrl url) {
        BackendUrl plain = url.rest().startsWith("mysql:") ? url : url.withUserAsOptions();
        Map<String, String> theirs = new HashMap<>(plain.options());
        theirs.keySet().removeIf(name -> name.startsWith(JdbcOptions.OURS));
        return new JdbcTarget(
                "jdbc:" + plain.rest(),
                theirs,
                url.option("tenure.password.file").map(Path::of));
    }

    Connection open(Map<String, String> defaults) throws SQLException {
        return DriverManager.getConnection(place, properties(defaults));
    }

    /**
     * Read anew for each connection, so that a password in a file can be changed under a running candidate.
     *
     * @param defaults what the user's own settings win over
     */
    private Properties properties(Map<String, String> defaults) {
        Properties all = new Properties();
        all.putAll(defaults);
        all.putAll(settings);
        passwordFile.ifPresent(file -> all.setProperty("password", read(file)));
        return all;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException failure) {
            throw new BackendException(
                    Effect.NONE,
                    Kind.MISCONFIGURED,
                    "the file of tenure.password.file cannot be read: " + file,
                    failure);
        }
    }

    /** Knows what the driver is told, and so may repeat; of a file, the password that is in it now. */
    Redactor redactor() {
        Redactor known = Redactor.of(place).andOptions(settings);
        try {
            return passwordFile.map(file -> known.and(List.of(read(file)))).orElse(known);
        } catch (BackendException unreadable) {
            return known;
        }
    }

    /** What people call a database: its JDBC URL without user, password and settings. */
    static String shown(@Nullable String url) {
        return url != null && url.startsWith("jdbc:") ? Redactor.url(url) : UNKNOWN;
    }

    /** A password must not be shown by accident. */
    @Override
    public String toString() {
        return shown(place);
    }
}
