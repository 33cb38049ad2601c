package dev.tenure.jdbc;

import dev.tenure.Grade;
import dev.tenure.Scope;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * Records as rows of one table, {@code tenure_records} unless told. The database compares and sets in one statement, judges
 * expiry by its own clock, and gives the time by which tokens grow.
 *
 * <p>Two calls run at a time, on the host's threads for blocking clients. No call waits longer than {@link
 * JdbcOptions#timeout}, twice if it has to connect first; a pool of the user's has limits of its own.
 */
public final class JdbcStore implements LeaseStore {
    private static final int VALUE_CHARS_MAX = 50_000;

    private final Connections connections;
    private final JdbcOptions options;
    private final Notices notices;
    private final Host host;
    private final CallQueue calls;
    private volatile Optional<Database> database;
    private volatile BackendTraits traits;

    private JdbcStore(
            Connections connections, JdbcOptions options, Optional<Database> database, Notices notices, Host host) {
        this.connections = connections;
        this.notices = notices;
        this.options = options;
        this.host = host;
        this.calls = new CallQueue(host.io());
        this.database = database;
        this.traits = database.map(known -> known.traitsUnasked(notices.wakeup()))
                .orElseGet(() -> Database.traits(
                        Places.UNKNOWN, Grade.B, Database.NOT_ASKED_YET, Scope.CLUSTER, notices.wakeup()));
    }

    /** Over connections of the user's own pool, two at a time. The database is contacted when something is asked of it. */
    public static JdbcStore open(DataSource source, JdbcOptions options, Host host) {
        Connections borrowed = new BorrowedConnections(source, millis(options));
        return new JdbcStore(borrowed, options, Optional.empty(), Notices.NONE, host);
    }

    static JdbcStore open(Connections connections, JdbcOptions options, Database database, Notices notices, Host host) {
        return new JdbcStore(connections, options, Optional.of(database), notices, host);
    }

    static int millis(JdbcOptions options) {
        return Math.toIntExact(options.timeout().toMillis());
    }

    /** Grade and place are known for certain once the database was asked something. */
    @Override
    public BackendTraits traits() {
        return traits;
    }

    @Override
    public CompletionStage<Versioned> read(String key) {
        Records.checkKey(key);
        return calls.add(
                () -> ask((known, connection) -> known.records().read(connection, key), Trouble::beforeAnyEffect));
    }

    @Override
    public CompletionStage<List<Versioned>> list(String prefix) {
        return calls.add(
                () -> ask((known, connection) -> known.records().list(connection, prefix), Trouble::beforeAnyEffect));
    }

    @Override
    public CompletionStage<WriteReply> compareAndSet(Write write) {
        Records.checkKey(write.key());
        if (write.value().length() > VALUE_CHARS_MAX) {
            throw new IllegalArgumentException(
                    "a value may have " + VALUE_CHARS_MAX + " characters at most: " + write.key());
        }
        return write.timeToLive().isPresent()
                ? calls.addRenewal(() -> ask((known, connection) -> set(known, connection, write), JdbcStore::ofWrite))
                : calls.add(() -> ask((known, connection) -> set(known, connection, write), JdbcStore::ofWrite));
    }

    private WriteReply set(Database known, Connection connection, Write write) throws SQLException {
        Records records = known.records();
        Optional<String> expected = write.expected().version();
        Versioned row = new Versioned(
                write.key(), Optional.of(freshVersion()), write.value(), write.timeToLive(), records.clockMillis());
        boolean applied = expected.isPresent()
                ? records.update(connection, row, expected.get(), write.timeToLive())
                : records.insert(connection, row, write.timeToLive());
        return applied ? new WriteReply.Applied(row) : refused(known, connection, write.key());
    }

    /** Random, so that it does not come back when a record was deleted, also not by hand, or restored. */
    private String freshVersion() {
        return String.format(Locale.ROOT, "%016x%016x", host.random(), host.random());
    }

    @Override
    public CompletionStage<WriteReply> delete(Versioned expected) {
        Records.checkKey(expected.key());
        return calls.add(() -> ask((known, connection) -> remove(known, connection, expected), JdbcStore::ofWrite));
    }

    private static WriteReply remove(Database known, Connection connection, Versioned expected) throws SQLException {
        Records records = known.records();
        String key = expected.key();
        if (expected.version().isPresent()
                && records.delete(connection, key, expected.version().get())) {
            return new WriteReply.Applied(Versioned.absent(key, records.clockMillis()));
        }
        WriteReply.Refused refused = refused(known, connection, key);
        boolean absentAsExpected =
                expected.version().isEmpty() && !refused.current().isPresent();
        return absentAsExpected ? new WriteReply.Applied(refused.current()) : refused;
    }

    /** The database has said that it changed nothing: should it not say why, the outcome is certain all the same. */
    private static WriteReply.Refused refused(Database known, Connection connection, String key) {
        try {
            return new WriteReply.Refused(known.records().read(connection, key));
        } catch (SQLException failure) {
            throw known.trouble().beforeAnyEffect(failure);
        }
    }

    @Override
    public Watch watch(String prefix, Consumer<String> changedKey) {
        return notices.watch(prefix, changedKey);
    }

    @Override
    public void close() {
        calls.close();
        notices.close();
        connections.close();
    }

    private interface Access<T> {
        T run(Database known, Connection connection) throws SQLException;
    }

    private interface Judge {
        BackendException of(Trouble trouble, SQLException failure);
    }

    private static BackendException ofWrite(Trouble trouble, SQLException failure) {
        return trouble.maybeAfterEffect(failure);
    }

    private <T> T ask(Access<T> access, Judge judge) {
        Connection connection = connect();
        Database known;
        try {
            known = recognize(connection);
            prepare(known, connection);
        } catch (SQLException failure) {
            throw ended(connection, failure, Trouble::beforeAnyEffect);
        } catch (RuntimeException | Error failure) {
            connections.drop(connection);
            throw failure;
        }
        try {
            T answer = access.run(known, connection);
            connections.giveBack(connection);
            return answer;
        } catch (SQLException failure) {
            throw ended(connection, failure, judge);
        } catch (RuntimeException | Error failure) {
            connections.drop(connection);
            throw failure;
        }
    }

    private Connection connect() {
        try {
            return connections.take();
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
        if (complaint == Complaint.MISSING_TABLE) {
            database.ifPresent(known -> known.layout().forget());
        }
        return judge.of(trouble, failure);
    }

    /** By the standard as long as nobody knows which database it is. */
    private Trouble trouble() {
        return database.map(Database::trouble)
                .orElseGet(() -> new Trouble(Dialects.standard(), traits.store(), options, List.of()));
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
                Database.of(dialect, Places.shown(connection.getMetaData().getURL()), options, List.of());
        database = Optional.of(found);
        return found;
    }

    private void prepare(Database known, Connection connection) throws SQLException {
        if (!known.layout().isChecked()) {
            known.layout().ensure(connection);
            traits = known.traits(known.grade(connection), notices.wakeup());
        }
    }
}
