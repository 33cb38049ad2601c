package dev.tenure.jdbc;

import dev.tenure.Grade;
import dev.tenure.Scope;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.Redactor;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
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
    private final ReconnectDetector reconnects;
    private volatile Optional<Database> database;
    private volatile Function<Wakeup, BackendTraits> traits;

    /** One database, spoken to in its dialect. */
    record Database(Dialect dialect, String place, RecordTable records, TableSetup setup, SqlErrors errors) {
        static Database of(Dialect dialect, String place, JdbcOptions options, Supplier<Redactor> redactor) {
            SqlErrors errors = SqlErrors.ofRows(dialect, place, options, redactor);
            RecordTable records = new RecordTable(dialect, options, errors);
            return new Database(dialect, place, records, new TableSetup(dialect, options, errors), errors);
        }

        /** The best that it may be: only the database itself can tell, and a grade that was required is checked again then. */
        BackendTraits traitsUnasked(Wakeup wakeup) {
            return dialect.asksForSynchronousStandby().isPresent()
                    ? traitsOf(place, Grade.B, NOT_ASKED_YET, dialect.scope(place), wakeup)
                    : traits(Grade.C, wakeup);
        }

        BackendTraits traits(Grade grade, Wakeup wakeup) {
            String reason = grade == Grade.B
                    ? "a step of the database's clock can end a lease early"
                    : "a failover to a standby that lacks the last writes, or a step of the database's clock, can end a lease early";
            return traitsOf(place, grade, reason, dialect.scope(place), wakeup);
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
            ReconnectDetector reconnects) {
        this.connections = connections;
        this.options = options;
        this.wakeup = wakeup;
        this.reconnects = reconnects;
        this.database = database;
        this.traits = by -> database.map(known -> known.traitsUnasked(by))
                .orElseGet(() -> traitsOf(JdbcTarget.UNKNOWN, Grade.B, NOT_ASKED_YET, Scope.CLUSTER, by));
    }

    private static BackendTraits traitsOf(String place, Grade grade, String reason, Scope scope, Wakeup wakeup) {
        return BackendTraits.of(place)
                .grade(grade, reason)
                .scope(scope)
                .ttl(Duration.ofMillis(500), Duration.ofHours(1))
                .expiry(BackendTraits.ExpiryJudge.SERVER_TIME)
                .tokens(BackendTraits.TokenSource.COUNTER)
                .wakeup(wakeup)
                .build();
    }

    /** Some statements on one connection. */
    interface Work<T> {
        T on(Database known, Connection connection) throws SQLException;
    }

    BackendTraits traits() {
        return traits.apply(wakeup.get());
    }

    /** The database's clock as it was told last, or 0. */
    long clockMillis() {
        return database.map(known -> known.records().clockMillis()).orElse(0L);
    }

    /** How many records this database can write in one statement; not before it is known. */
    int writesAtOnce() {
        return database.filter(known -> known.records().writesTogether()).isPresent() ? CallBatcher.TOGETHER_MAX : 1;
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
            throw prepared ? judge.apply(errors(), failure) : errors().beforeAnyEffect(failure);
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
            known.setup().forget();
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
            throw errors().beforeAnyEffect(failure);
        }
    }

    private void end(Connection connection, SQLException failure) {
        SqlErrorKind kind = errors().kind(failure);
        if (kind.isWithoutEffect()) {
            connections.giveBack(connection);
        } else {
            connections.drop(connection);
        }
        // The next connection may lead to another server: a standby that was promoted, with another grade.
        if (!kind.isWithoutEffect() || kind == SqlErrorKind.MISSING_TABLE) {
            database.ifPresent(known -> known.setup().forget());
        }
    }

    /** By the standard as long as nobody knows which database it is. */
    private SqlErrors errors() {
        return database.map(Database::errors)
                .orElseGet(() ->
                        SqlErrors.ofRows(new PostgresDialect(), traits().store(), options, Redactor::withoutKnown));
    }

    private Database recognize(Connection connection) throws SQLException {
        Optional<Database> known = database;
        if (known.isPresent()) {
            return known.get();
        }
        String product = connection.getMetaData().getDatabaseProductName();
        Dialect dialect = options.dialect().orElseGet(() -> Dialects.of(product));
        String place = JdbcTarget.shown(connection.getMetaData().getURL());
        Database found = Database.of(dialect, place, options, Redactor::withoutKnown);
        database = Optional.of(found);
        return found;
    }

    private void prepare(Database known, Connection connection) throws SQLException {
        if (!known.setup().isChecked()) {
            known.setup().ensure(connection);
            Grade grade = known.dialect().hasSynchronousStandby(connection) ? Grade.B : Grade.C;
            traits = by -> known.traits(grade, by);
        }
    }

    void close() {
        connections.close();
    }
}
