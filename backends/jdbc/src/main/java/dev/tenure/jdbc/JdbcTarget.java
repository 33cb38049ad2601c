// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Redactor;
import dev.tenure.spi.support.StoreUrl;
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
 * A database as a URL names it: what its driver is told, and how it is spoken to. Any thread.
 *
 * @param place the URL that the driver understands, without options
 * @param settings the user's own, and what is not Tenure's
 */
public record JdbcTarget(
        String place, Map<String, String> settings, Optional<Path> passwordFile, JdbcOptions options, Dialect dialect) {
    static final String UNKNOWN = "the database of the DataSource";

    private static final String JDBC = "jdbc";

    public JdbcTarget {
        settings = Map.copyOf(settings);
    }

    /**
     * User and password become settings: most drivers take what stands before the host for a part of it, and repeat it in
     * their messages and logs. MySQL's has users of its own for each host.
     *
     * @param url {@code jdbc:…} as the driver wants it, or with any other scheme a PostgreSQL: {@code …://user@host/database}
     */
    public static JdbcTarget of(BackendUrl url) {
        JdbcOptions options = JdbcOptions.of(url);
        BackendUrl jdbc = url.scheme().equals(JDBC) ? url : asJdbc(url);
        String product = jdbc.rest().replaceFirst(":.*", "");
        Dialect dialect = Dialect.of(product);
        BackendUrl plain = product.equals("mysql") ? jdbc : jdbc.withUserAsOptions();
        Map<String, String> theirs = new HashMap<>(plain.options());
        theirs.keySet().removeIf(name -> name.startsWith(JdbcOptions.OURS));
        String place = "jdbc:" + plain.rest();
        requireDriver(place, product);
        return new JdbcTarget(place, theirs, url.option("tenure.password.file").map(Path::of), options, dialect);
    }

    private static BackendUrl asJdbc(BackendUrl url) {
        if (!url.rest().startsWith("//")) {
            throw StoreUrl.refused("'" + url + "' names no host: write postgresql://user@host/database");
        }
        return new BackendUrl(JDBC, "postgresql:" + url.rest(), url.options());
    }

    private static void requireDriver(String place, String product) {
        try {
            DriverManager.getDriver(place);
        } catch (SQLException none) {
            throw StoreUrl.refused("no driver on the class path takes jdbc:" + product
                    + ": URLs of this form; add the JDBC driver of the database, or correct the URL");
        }
    }

    /**
     * Not from a pool: the caller that opens it has it alone, and has to close it. A password in a file is read anew for each connection,
     * so that it can be changed under a running candidate.
     *
     * @param defaults what the user's own settings win over
     */
    public Connection open(Map<String, String> defaults) throws SQLException {
        Properties all = new Properties();
        all.putAll(dialect.limits(options.timeout()));
        all.putAll(defaults);
        all.putAll(settings);
        passwordFile.ifPresent(file -> all.setProperty("password", read(file)));
        return DriverManager.getConnection(place, all);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException unreadable) {
            throw StoreUrl.refused("the file of tenure.password.file cannot be read: " + file);
        }
    }

    /** Knows what the driver is told, and so may repeat; of a file, the password that is in it now. */
    public Redactor redactor() {
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

    /** What people call it. A password must not be shown by accident. */
    @Override
    public String toString() {
        return shown(place);
    }
}
