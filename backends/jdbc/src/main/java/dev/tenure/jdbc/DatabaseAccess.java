// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import dev.tenure.Grade;
import dev.tenure.jdbc.Dialect.SqlErrorKind;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.Redactor;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Brings statements to the database: on a connection that works, to a table that is there, and with a judgement on what
 * went wrong.
 */
final class DatabaseAccess {
    private static final String NOT_ASKED_YET =
            "C unless there is a synchronous standby; the database was not asked yet";

    private final Connections connections;
    private final JdbcOptions options;
    private final Supplier<Wakeup> wakeup;
    private final Connections.ReconnectDetector reconnects;
    /** By the standard as long as nobody knows which one it is. */
    private volatile Database database;

    private volatile boolean recognized;
    private volatile Optional<Grade> grade = Optional.empty();

    /** One database, spoken to in its dialect. */
    record Database(Dialect dialect, String place, RecordTable records, SqlErrors errors) {
        static Database of(Dialect dialect, String place, JdbcOptions options, Supplier<Redactor> redactor) {
            SqlErrors errors = SqlErrors.ofRows(dialect, place, options, redactor);
            return new Database(dialect, place, new RecordTable(dialect, options, errors), errors);
        }

        /**
         * @param asked empty if the database was not asked yet: then the best that it may be, and a grade that was required is checked
         *     again when it was
         */
        BackendTraits traits(Optional<Grade> asked, Wakeup wakeup) {
            boolean best = asked.map(Grade.B::equals)
                    .orElse(dialect.asksForSynchronousStandby().isPresent());
            String reason = best
                    ? "a step of the database's clock can end a lease early"
                    : "a failover to a standby that lacks the last writes, or a step of the database's clock, can end a lease early";
            return BackendTraits.of(place)
                    .grade(best ? Grade.B : Grade.C, best && asked.isEmpty() ? NOT_ASKED_YET : reason)
                    .scope(dialect.scope(place))
                    .ttl(Duration.ofMillis(500), Duration.ofHours(1))
                    .expiry(BackendTraits.ExpiryDetection.SERVER_TIME)
                    .tokens(BackendTraits.TokenSource.COUNTER)
                    .wakeup(wakeup)
                    .build();
        }
    }

    /**
     * @param database empty if it has to tell by itself which one it is
     * @param wakeup may change, once the database was contacted
     */
    DatabaseAccess(
            Connections connections,
            JdbcOptions options,
            Optional<Database> database,
            Supplier<Wakeup> wakeup,
            Connections.ReconnectDetector reconnects) {
        this.connections = connections;
        this.options = options;
        this.wakeup = wakeup;
        this.reconnects = reconnects;
        this.recognized = database.isPresent();
        this.database = database.orElseGet(
                () -> Database.of(new PostgresDialect(), JdbcTarget.UNKNOWN, options, Redactor::withoutKnown));
    }

    /** Some statements on one connection. */
    interface Work<T> {
        T on(Database known, Connection connection) throws SQLException;
    }

    BackendTraits traits() {
        return database.traits(grade, wakeup.get());
    }

    /** The database's clock as it was told last, or 0. */
    long clockMillis() {
        return database.records().clockMillis();
    }

    /** How many records this database can write in one statement; not before it is known. */
    int writesAtOnce() {
        return recognized && database.records().writesTogether() ? CallBatcher.TOGETHER_MAX : 1;
    }

    /** Changes nothing. */
    <T> T look(Work<T> work) {
        return run(work, SqlErrors::beforeAnyEffect);
    }

    /** May change something, also when it fails. */
    <T> T change(Work<T> work) {
        return run(work, SqlErrors::maybeAfterEffect);
    }

    private <T> T run(Work<T> work, BiFunction<SqlErrors, SQLException, BackendException> judge) {
        Connection connection = connect();
        boolean prepared = false;
        try {
            Database known = recognize(connection);
            prepare(known, connection);
            prepared = true;
            T answer = onTable(work, known, connection);
            connections.giveBack(connection);
            return answer;
        } catch (SQLException failure) {
            end(connection, failure);
            SqlErrors errors = database.errors();
            throw prepared ? judge.apply(errors, failure) : errors.beforeAnyEffect(failure);
        } catch (RuntimeException | Error failure) {
            connections.drop(connection);
            throw failure;
        }
    }

    /**
     * Where the table is missing, nothing was done: it is made again, and the work done once more. H2 may take a table away again
     * that two have made at the same time.
     */
    private <T> T onTable(Work<T> work, Database known, Connection connection) throws SQLException {
        try {
            return work.on(known, connection);
        } catch (SQLException failure) {
            if (known.errors().kind(failure) != SqlErrorKind.MISSING_TABLE) {
                throw failure;
            }
            known.records().forget();
            prepare(known, connection);
            return work.on(known, connection);
        }
    }

    private Connection connect() {
        try {
            Connection connection = connections.take();
            reconnects.taken(connection);
            return connection;
        } catch (SQLException failure) {
            throw database.errors().beforeAnyEffect(failure);
        }
    }

    private void end(Connection connection, SQLException failure) {
        SqlErrorKind kind = database.errors().kind(failure);
        if (kind.isWithoutEffect()) {
            connections.giveBack(connection);
        } else {
            connections.drop(connection);
        }
        // The next connection may lead to another server: a standby that was promoted, with another grade.
        if (!kind.isWithoutEffect() || kind == SqlErrorKind.MISSING_TABLE) {
            database.records().forget();
        }
    }

    private Database recognize(Connection connection) throws SQLException {
        if (recognized) {
            return database;
        }
        String product = connection.getMetaData().getDatabaseProductName();
        Dialect dialect = options.dialect().orElseGet(() -> Dialect.of(product));
        String place = JdbcTarget.shown(connection.getMetaData().getURL());
        database = Database.of(dialect, place, options, Redactor::withoutKnown);
        recognized = true;
        return database;
    }

    private void prepare(Database known, Connection connection) throws SQLException {
        if (!known.records().isChecked()) {
            known.records().ensure(connection);
            grade = Optional.of(known.dialect().hasSynchronousStandby(connection) ? Grade.B : Grade.C);
        }
    }

    void close() {
        connections.close();
    }
}
