// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import dev.tenure.Scope;
import dev.tenure.spi.support.StoreUrl;
import java.net.SocketTimeoutException;
import java.security.cert.CertificateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;

/**
 * Where databases differ. PostgreSQL, MariaDB with MySQL, and H2 are known; another one is made known by registering an
 * implementation with {@link java.util.ServiceLoader}, or by {@link JdbcOptions#dialect}.
 *
 * <p>What a database must have: single-row statements that are atomic and durable when they are acknowledged, a row count of
 * the rows that were <em>matched and changed</em>, an autocommitted read that shows every write acknowledged before it began
 * (not a replica's), and a clock. All statements are run with autocommit, one at a time, so that every isolation level is
 * enough.
 */
public interface Dialect {
    /**
     * The dialect of a database: one of the user's own goes before those that are known here.
     *
     * @param product as after {@code jdbc:} in a URL, or as the driver names it
     */
    static Dialect of(String product) {
        String name = product.toLowerCase(Locale.ROOT);
        Stream<Dialect> theirs = ServiceLoader.load(Dialect.class).stream().map(ServiceLoader.Provider::get);
        return Stream.concat(theirs, Stream.of(new PostgresDialect(), new MariaDbDialect(), new H2Dialect()))
                .filter(dialect -> dialect.speaks(name))
                .findFirst()
                .orElseThrow(() -> StoreUrl.refused("no dialect for '" + product
                        + "' is known (there are PostgreSQL, MariaDB, MySQL and H2): implement "
                        + Dialect.class.getName() + " and register it as a service"));
    }

    /**
     * Is this its database?
     *
     * @param product in lower case, as after {@code jdbc:} in a URL, or as the driver names it
     */
    boolean speaks(String product);

    /**
     * An expression of type BIGINT: the microseconds since 1970 by the database's own clock, when the statement runs and not
     * when its transaction began; in UTC, whatever the zone of the session.
     */
    String nowMicros();

    /** An expression that is 0 where a read may be stale or a write refused: on a replica, or a server set to read only. */
    String writable();

    /**
     * The statement that creates the table, if it is not there. The columns:
     *
     * <ul>
     *   <li>{@code id}, the primary key: at most 700 characters of ASCII, compared byte by byte;
     *   <li>{@code version}: at most 64 of them;
     *   <li>{@code content}: at least 50,000 characters of Unicode;
     *   <li>{@code expires}: a BIGINT that may be null.
     * </ul>
     */
    String createTable(String table);

    /** Inserts id, version, content and, counted from now in microseconds, expires. Changes no row that is there already. */
    default String insert(String table) {
        return "INSERT INTO " + table + " (id, version, content, expires) VALUES (?, ?, ?, " + nowMicros() + " + ?)";
    }

    /**
     * What many records are read from: a FROM clause whose parameter is an array of text, the ids, and in which {@code r} is the
     * table; with one row for each id, also where there is no record. Empty if the ids are to be listed one by one.
     */
    default Optional<String> among(String table) {
        return Optional.empty();
    }

    /**
     * Inserts many records that do not expire, and tells those who listen; empty if they are to be inserted one by one. Its
     * parameters are arrays of text: ids, versions and contents. It has one row for each row inserted, with its id.
     */
    default Optional<String> insertTogether(String table) {
        return Optional.empty();
    }

    /**
     * Updates many records of which each still has the version that is expected, and tells those who listen; empty if they are
     * to be updated one by one. Its parameters are arrays of text: ids, versions, contents and expected versions. It has one
     * row for each row changed, with its id. Those who update the same rows at the same time must not lock each other out.
     */
    default Optional<String> updateTogether(String table) {
        return Optional.empty();
    }

    /**
     * An update, and in the same statement some records beside it, as they stood before; empty if they are to be read by statements
     * of their own. Behind the parameters of the update stand two arrays of text: for each range of ids its first one, and
     * the one that it ends before. It has one row at least, of which the last column is how many rows were updated.
     *
     * @param columns of each record, which is called {@code r}; the first two of them also where there is none
     */
    default Optional<String> updateAndRead(String update, String columns, String table) {
        return Optional.empty();
    }

    /**
     * A query for what was written since a mark; empty if the database cannot tell. Its parameter is a mark, or 0. Each row
     * has three columns: the mark for the next query as a number, the number of records that do not expire, and an id or null. The
     * id is that of one of these records that was written by a transaction which had not ended at the mark; null if there is none.
     */
    default Optional<String> changedSince(String table) {
        return Optional.empty();
    }

    /** A physical connection of Tenure's own is new, and nothing was asked on it yet. */
    default void settle(Connection fresh) throws SQLException {}

    /** Does this warning after a write say that it may not be durable? Then its outcome is unknown. */
    default boolean isDoubt(SQLWarning warning) {
        return false;
    }

    /**
     * Some databases acknowledge a write that they may lose, and say so by a warning.
     *
     * @throws SQLException the warning itself: the code that judges it must not know of any effect that is certain
     */
    default void ensureDurable(Statement written) throws SQLException {
        for (SQLWarning warning = written.getWarnings(); warning != null; warning = warning.getNextWarning()) {
            if (isDoubt(warning)) {
                throw warning;
            }
        }
    }

    /** Settings of the driver that bound how long a connection and an answer are waited for. */
    default Map<String, String> limits(Duration timeout) {
        return Map.of();
    }

    /** A query whose answer is 1 if a commit is acknowledged only when a standby has it too. */
    default Optional<String> asksForSynchronousStandby() {
        return Optional.empty();
    }

    /** Is that so now? Who changes it while candidates run has to restart them. */
    default boolean hasSynchronousStandby(Connection connection) throws SQLException {
        Optional<SqlCall> query = asksForSynchronousStandby().map(SqlCall::new);
        return query.isPresent()
                && query.get().rows(connection, row -> row.getInt(1)).contains(1);
    }

    /** How far the exclusion of such a place reaches. */
    default Scope scope(String url) {
        return Scope.CLUSTER;
    }

    /** What the database means; by the SQLSTATE unless overridden. */
    default SqlErrorKind errorKind(SQLException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SocketTimeoutException || cause instanceof SQLTimeoutException) {
                return SqlErrorKind.SILENT;
            }
            if (cause instanceof SSLHandshakeException || cause instanceof CertificateException) {
                return SqlErrorKind.UNTRUSTED;
            }
        }
        if (failure instanceof SQLTransientConnectionException && failure.getCause() instanceof SQLException cause) {
            return errorKind(cause); // a pool that says only that it has none
        }
        String state = failure.getSQLState() == null ? "" : failure.getSQLState();
        return switch (state) {
            case "3D000" -> SqlErrorKind.MISSING_DATABASE;
            case "42501" -> SqlErrorKind.MISSING_PRIVILEGE;
            case "42P01", "42S02", "3F000" -> SqlErrorKind.MISSING_TABLE;
            case "25006" -> SqlErrorKind.READ_ONLY;
            case "40001", "40P01", "55P03" -> SqlErrorKind.CONFLICT;
            case "53300", "08004" -> SqlErrorKind.CROWDED;
            case "57P01", "57P02", "57P03" -> SqlErrorKind.UNREACHABLE;
            case "23000", "23505" -> SqlErrorKind.DUPLICATE;
            case "" ->
                failure instanceof SQLTransientConnectionException ? SqlErrorKind.UNREACHABLE : SqlErrorKind.OTHER;
            default -> ofClass(state.length() < 2 ? "" : state.substring(0, 2));
        };
    }

    private static SqlErrorKind ofClass(String stateClass) {
        return switch (stateClass) {
            case "08" -> SqlErrorKind.UNREACHABLE;
            case "28" -> SqlErrorKind.CREDENTIALS;
            case "0A", "22", "23", "42", "54" -> SqlErrorKind.REFUSED;
            // Not class 57: a server that is being shut down may have committed before it said so.
            // Not class 53: a disk that is full while a commit is written down may have it when the server is back.
            default -> SqlErrorKind.OTHER;
        };
    }

    /** What a database means by an error. It decides what people are told, and whether the statement may have had an effect. */
    enum SqlErrorKind {
        /** No connection, or it broke. */
        UNREACHABLE(false, false),
        /** It did not answer in time. */
        SILENT(false, false),
        /** More connections than it allows. */
        CROWDED(true, false),
        CREDENTIALS(true, true),
        /** No line of the server's own rules lets this user in from here, or none without TLS. */
        NOT_ADMITTED(true, true),
        /** No connection, because of TLS: one side does not have it, or does not trust the other. */
        UNTRUSTED(false, true),
        MISSING_DATABASE(true, true),
        MISSING_TABLE(true, true),
        MISSING_PRIVILEGE(true, true),
        /** A replica, a recovering server, or one that was set to read only. It may be promoted: waiting can help. */
        READ_ONLY(true, false),
        /** Rolled back in favour of another one: a deadlock, a lock that was waited for in vain, a failed serialization. */
        CONFLICT(true, false),
        /** There is such a row already. */
        DUPLICATE(true, true),
        /** Something else, but the statement was surely not carried out. */
        REFUSED(true, true),
        /** Something else. */
        OTHER(false, false);

        private final boolean withoutEffect;
        private final boolean forPeople;

        SqlErrorKind(boolean withoutEffect, boolean forPeople) {
            this.withoutEffect = withoutEffect;
            this.forPeople = forPeople;
        }

        /** Was the statement surely not applied, and will not be? Then the connection is worth keeping. */
        public boolean isWithoutEffect() {
            return withoutEffect;
        }

        /** Does it last until a person changes something? */
        public boolean isForPeople() {
            return forPeople;
        }
    }
}
