package dev.tenure.jdbc;

import dev.tenure.Grade;
import dev.tenure.Scope;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.Redactor;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Brings statements to the database: on a connection that works, to a table that is there, and with a judgement on what
 * went wrong.
 */
final class Contact {
    private final Connections connections;
    private final JdbcOptions options;
    private final Supplier<Wakeup> wakeup;
    private final Reconnections reconnections;
    private volatile Optional<Database> database;
    private volatile Function<Wakeup, BackendTraits> traits;

    /**
     * @param database empty if it has to tell by itself which one it is
     * @param wakeup may change, once the database was contacted
     */
    Contact(
            Connections connections,
            JdbcOptions options,
            Optional<Database> database,
            Supplier<Wakeup> wakeup,
            Reconnections reconnections) {
        this.connections = connections;
        this.options = options;
        this.wakeup = wakeup;
        this.reconnections = reconnections;
        this.database = database;
        this.traits = by -> database.map(known -> known.traitsUnasked(by))
                .orElseGet(() -> Database.traits(Target.UNKNOWN, Grade.B, Database.NOT_ASKED_YET, Scope.CLUSTER, by));
    }

    /** Some statements on one connection. */
    interface Access<T> {
        T run(Database known, Connection connection) throws SQLException;
    }

    private interface Judge {
        BackendException of(Trouble trouble, SQLException failure);
    }

    BackendTraits traits() {
        return traits.apply(wakeup.get());
    }

    /** The database's clock as it was told last, or 0. */
    long clockMillis() {
        return database.map(known -> known.records().clockMillis()).orElse(0L);
    }

    /** Can this database write many records in one statement? Not before it is known. */
    boolean writesTogether() {
        return database.map(known -> known.writes().writesTogether()).orElse(false);
    }

    /** Changes nothing. */
    <T> T look(Access<T> access) {
        return ask(access, Trouble::beforeAnyEffect);
    }

    /** May change something, also when it fails. */
    <T> T change(Access<T> access) {
        return ask(access, Trouble::maybeAfterEffect);
    }

    private <T> T ask(Access<T> access, Judge judge) {
        Connection connection = connect();
        boolean prepared = false;
        try {
            Database known = recognize(connection);
            prepare(known, connection);
            prepared = true;
            T answer = access.run(known, connection);
            connections.giveBack(connection);
            return answer;
        } catch (SQLException failure) {
            throw ended(connection, failure, prepared ? judge : Trouble::beforeAnyEffect);
        } catch (RuntimeException | Error failure) {
            connections.drop(connection);
            throw failure;
        }
    }

    private Connection connect() {
        try {
            Connection connection = connections.take();
            reconnections.taken(connection);
            return connection;
        } catch (SQLException failure) {
            throw trouble().beforeAnyEffect(failure);
        }
    }

    private BackendException ended(Connection connection, SQLException failure, Judge judge) {
        Trouble trouble = trouble();
        Complaint complaint = trouble.complaint(failure);
        if (complaint.isOfConnection()) {
            connections.drop(connection);
        } else {
            connections.giveBack(connection);
        }
        // The next connection may lead to another server: a standby that was promoted, with another grade.
        if (complaint.isOfConnection() || complaint == Complaint.MISSING_TABLE) {
            database.ifPresent(known -> known.layout().forget());
        }
        return judge.of(trouble, failure);
    }

    /** By the standard as long as nobody knows which database it is. */
    private Trouble trouble() {
        return database.map(Database::trouble)
                .orElseGet(() -> new Trouble(Dialects.standard(), traits().store(), options, Redactor::withoutKnown));
    }

    private Database recognize(Connection connection) throws SQLException {
        Optional<Database> known = database;
        if (known.isPresent()) {
            return known.get();
        }
        String product = connection.getMetaData().getDatabaseProductName();
        Dialect dialect = options.dialect()
                .or(() -> Dialects.of(product))
                .orElseThrow(() -> new BackendException(Effect.NONE, Kind.MISCONFIGURED, Dialects.unknown(product)));
        Database found =
                Database.of(dialect, Target.shown(connection.getMetaData().getURL()), options, Redactor::withoutKnown);
        database = Optional.of(found);
        return found;
    }

    private void prepare(Database known, Connection connection) throws SQLException {
        if (!known.layout().isChecked()) {
            known.layout().ensure(connection);
            Grade grade = known.grade(connection);
            traits = by -> known.traits(grade, by);
        }
    }

    void close() {
        connections.close();
    }
}
