// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import dev.tenure.spi.BackendUrl;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * How a store uses its database. In a URL these options begin with {@code tenure.}: all others are the driver's.
 *
 * @param schema where the table is; where the session looks first, if empty
 * @param prefix what the name of the table begins with
 * @param timeout how long a connection and an answer are waited for
 * @param dialect found by the name of the database, if empty
 */
public record JdbcOptions(
        Optional<String> schema, String prefix, Tables tables, Duration timeout, Optional<Dialect> dialect) {
    /** What the options of Tenure begin with on a URL that a driver reads too. */
    static final String OURS = "tenure.";

    private static final Set<String> NAMES =
            Set.of("tenure.schema", "tenure.prefix", "tenure.tables", "tenure.timeout", "tenure.password.file");
    private static final List<String> COMMON = List.of("ttl", "node", "standoff");
    /** Names that mean the same everywhere without being quoted; folded by some databases to upper case. */
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,39}");

    private static final Duration TIMEOUT_MIN = Duration.ofMillis(100);
    private static final Duration TIMEOUT_MAX = Duration.ofMinutes(1);

    /** The party that creates the table. */
    public enum Tables {
        /** The first candidate that finds it missing. */
        CREATE,
        /** An administrator; a missing table is an error. */
        EXPECT
    }

    public JdbcOptions {
        schema.ifPresent(name -> check("schema", name));
        check("prefix", prefix);
        if (timeout.compareTo(TIMEOUT_MIN) < 0 || timeout.compareTo(TIMEOUT_MAX) > 0) {
            throw new IllegalArgumentException("a timeout of " + timeout.toMillis() + " ms is outside "
                    + TIMEOUT_MIN.toMillis() + " to " + TIMEOUT_MAX.toMillis() + " ms");
        }
    }

    private static void check(String what, String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("the " + what + " '" + name
                    + "' is not lower-case letters, digits and underscores, 40 at most, with a letter in front");
        }
    }

    public static JdbcOptions standard() {
        return new JdbcOptions(Optional.empty(), "tenure_", Tables.CREATE, Duration.ofSeconds(2), Optional.empty());
    }

    public JdbcOptions schema(String name) {
        return new JdbcOptions(Optional.of(name), prefix, tables, timeout, dialect);
    }

    public JdbcOptions prefix(String name) {
        return new JdbcOptions(schema, name, tables, timeout, dialect);
    }

    public JdbcOptions tables(Tables who) {
        return new JdbcOptions(schema, prefix, who, timeout, dialect);
    }

    public JdbcOptions timeout(Duration limit) {
        return new JdbcOptions(schema, prefix, tables, limit, dialect);
    }

    public JdbcOptions dialect(Dialect known) {
        return new JdbcOptions(schema, prefix, tables, timeout, Optional.of(known));
    }

    static JdbcOptions of(BackendUrl url) {
        COMMON.stream().filter(url.options()::containsKey).findFirst().ifPresent(name -> {
            throw new IllegalArgumentException("write " + OURS + name + " instead of " + name
                    + ": on a JDBC URL the other options are the driver's");
        });
        Set<String> theirs = new HashSet<>(url.options().keySet());
        theirs.removeIf(name -> name.startsWith(OURS));
        url.without(theirs).refuseOptionsBut(NAMES);
        JdbcOptions options = standard();
        return new JdbcOptions(
                url.option("tenure.schema"),
                url.option("tenure.prefix").orElse(options.prefix),
                url.option("tenure.tables").map(JdbcOptions::tablesOf).orElse(options.tables),
                url.duration("tenure.timeout").orElse(options.timeout),
                options.dialect);
    }

    private static Tables tablesOf(String text) {
        return switch (text) {
            case "create" -> Tables.CREATE;
            case "expect" -> Tables.EXPECT;
            default -> throw new IllegalArgumentException("tenure.tables '" + text + "' must be create or expect");
        };
    }

    /** The name of the table, as statements have it. */
    String table() {
        return table("records");
    }

    /** The name of a table, with its schema and its prefix, as statements have it. */
    public String table(String suffix) {
        String name = prefix + suffix;
        return schema.map(place -> place + "." + name).orElse(name);
    }
}
