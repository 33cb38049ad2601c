// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import dev.tenure.jdbc.CallBatcher.CallKind;
import dev.tenure.jdbc.CallBatcher.PendingCall;
import dev.tenure.jdbc.CallBatcher.Priority;
import dev.tenure.jdbc.DatabaseAccess.Database;
import dev.tenure.jdbc.Dialect.SqlErrorKind;
import dev.tenure.jdbc.NotificationListener.Opening;
import dev.tenure.jdbc.NotificationListener.PostgresNotifications;
import dev.tenure.jdbc.RecordTable.Change;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.ChangeTracker;
import dev.tenure.spi.Host;
import dev.tenure.spi.RenewalReader;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.WatchRegistry;
import dev.tenure.spi.support.WatchRegistry.KeyWatcher;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * Records as rows of one table, {@code tenure_records} unless told. The database compares and sets in one statement, judges
 * expiry by its own clock, and gives the time by which tokens grow.
 *
 * <p>Two calls run at a time, on the host's threads for blocking clients, and each takes with it what else of its kind waits.
 * No call waits longer than {@link JdbcOptions#timeout}, twice if it has to connect first; a pool of the user's has limits
 * of its own.
 */
public final class JdbcStore implements ChangeTracker, RenewalReader {
    private static final int VALUE_CHARS_MAX = 50_000;
    private static final Duration POOL_PAUSE = Duration.ofSeconds(5);
    private static final HexFormat HEX = HexFormat.of();

    private final DatabaseAccess access;
    private final Optional<PostgresNotifications> notifications;
    private final WatchRegistry<KeyWatcher> watchers = new WatchRegistry<>();
    private final Host host;
    private final CallBatcher calls;
    private final CallKind<Renewal, Answer> renewals;
    private final CallKind<String, Versioned> reads;
    private final CallKind<String, List<Versioned>> lists;
    private final CallKind<Optional<String>, Changes> trackings;
    private final CallKind<Write, WriteReply> creations;
    private final CallKind<Write, WriteReply> changes;
    private final CallKind<Write, WriteReply> alone;
    private final CallKind<Versioned, WriteReply> deletions;

    /**
     * @param database empty if it has to tell by itself which one it is
     * @param opening how PostgreSQL is listened to; others do not notify
     * @param pause between two hints that a connection is new
     */
    JdbcStore(
            Connections connections,
            JdbcOptions options,
            Optional<Database> database,
            Optional<Opening> opening,
            Duration pause,
            Host host) {
        this.host = host;
        this.notifications = opening.map(open -> new PostgresNotifications(open, options, host, watchers));
        this.access = new DatabaseAccess(
                connections,
                options,
                database,
                () -> notifications.map(PostgresNotifications::wakeup).orElse(Wakeup.POLL),
                new Connections.ReconnectDetector(host, pause, () -> watchers.publish(KeyWatcher::anyChanged)));
        this.calls = new CallBatcher(host.io());
        this.renewals = calls.singly(Priority.URGENT, this::renew);
        this.reads = calls.together(Priority.LOOKING, () -> CallBatcher.TOGETHER_MAX, this::readAll);
        this.lists = calls.singly(
                Priority.LOOKING,
                prefix -> access.look((known, connection) -> known.records().list(connection, prefix)));
        this.trackings = calls.singly(
                Priority.LOOKING,
                mark -> access.look((known, connection) -> known.records().changedSince(connection, mark)));
        this.creations = calls.together(Priority.CHANGING, access::writesAtOnce, this::setAll);
        this.changes = calls.together(Priority.CHANGING, access::writesAtOnce, this::setAll);
        this.alone = calls.singly(Priority.CHANGING, this::set);
        this.deletions = calls.singly(
                Priority.CHANGING,
                expected -> access.change((known, connection) -> remove(known, connection, expected)));
    }

    /** Over connections of the user's own pool, two at a time. The database is contacted when something is asked of it. */
    public static JdbcStore open(DataSource source, JdbcOptions options, Host host) {
        Connections pooled = new Connections.Pooled(source, options.timeout());
        return new JdbcStore(pooled, options, Optional.empty(), Optional.empty(), POOL_PAUSE, host);
    }

    /** Grade and place are known for certain once the database was asked something. */
    @Override
    public BackendTraits traits() {
        return access.traits();
    }

    @Override
    public CompletionStage<Versioned> read(String key) {
        RecordTable.checkKey(key);
        return reads.ask(key, key);
    }

    private void readAll(List<PendingCall<String, Versioned>> asked) {
        List<String> keys = asked.stream().map(PendingCall::question).distinct().toList();
        Map<String, Versioned> found =
                access.look((known, connection) -> known.records().read(connection, keys));
        asked.forEach(one -> one.reply().complete(Objects.requireNonNull(found.get(one.question()))));
    }

    @Override
    public CompletionStage<List<Versioned>> list(String prefix) {
        return lists.ask(prefix, prefix);
    }

    @Override
    public CompletionStage<Changes> changedSince(Optional<String> mark) {
        return trackings.ask(mark.orElse(""), mark);
    }

    @Override
    public CompletionStage<WriteReply> compareAndSet(Write write) {
        check(write);
        if (write.timeToLive().isPresent()) {
            return renew(write, Wanted.NOTHING).thenApply(Answer::reply);
        }
        return (write.expected().isPresent() ? changes : creations).ask(write.key(), write);
    }

    @Override
    public CompletionStage<Answer> renew(Write write, Wanted wanted) {
        check(write);
        wanted.keys().forEach(RecordTable::checkKey);
        return renewals.ask(write.key(), new Renewal(write, wanted));
    }

    private static void check(Write write) {
        RecordTable.checkKey(write.key());
        if (write.value().length() > VALUE_CHARS_MAX) {
            throw new IllegalArgumentException(
                    "a value may have " + VALUE_CHARS_MAX + " characters at most: " + write.key());
        }
    }

    private record Renewal(Write write, Wanted wanted) {}

    private Answer renew(Renewal renewal) {
        Change change = change(renewal.write);
        return access.change((known, connection) -> {
            List<Versioned> found = new ArrayList<>();
            return new Answer(set(known, connection, change, renewal.wanted, found), found);
        });
    }

    /** The fault of one, should the database refuse them together, is not that of the others. */
    private void setAll(List<PendingCall<Write, WriteReply>> asked) {
        if (asked.size() == 1) {
            asked.get(0).reply().complete(set(asked.get(0).question()));
            return;
        }
        List<Change> wanted = asked.stream().map(one -> change(one.question())).toList();
        Set<String> applied;
        try {
            applied = access.change((known, connection) -> known.records().write(connection, wanted));
        } catch (BackendException failure) {
            if (failure.effect() != Effect.NONE) {
                throw failure;
            }
            asked.forEach(one -> Stages.follow(
                    alone.ask(one.question().key(), one.question()),
                    one.reply()::complete,
                    one.reply()::completeExceptionally));
            return;
        }
        Map<String, PendingCall<Write, WriteReply>> refused = new HashMap<>();
        for (int i = 0; i < asked.size(); i++) {
            PendingCall<Write, WriteReply> one = asked.get(i);
            if (applied.contains(one.question().key())) {
                one.reply().complete(new WriteReply.Applied(wanted.get(i).row()));
            } else {
                refused.put(one.question().key(), one);
            }
        }
        if (!refused.isEmpty()) {
            Map<String, Versioned> current =
                    access.look((known, connection) -> known.records().read(connection, List.copyOf(refused.keySet())));
            refused.forEach((key, one) ->
                    one.reply().complete(new WriteReply.Refused(Objects.requireNonNull(current.get(key)))));
        }
    }

    private WriteReply set(Write write) {
        return renew(new Renewal(write, Wanted.NOTHING)).reply();
    }

    private Change change(Write write) {
        Versioned row = new Versioned(
                write.key(), Optional.of(freshVersion()), write.value(), write.timeToLive(), access.clockMillis());
        return new Change(write.expected(), row);
    }

    private static WriteReply set(
            Database known, Connection connection, Change wanted, Wanted along, List<Versioned> found)
            throws SQLException {
        try {
            return known.records().write(connection, wanted, along, found)
                    ? new WriteReply.Applied(wanted.row())
                    : refused(known, connection, wanted.key());
        } catch (SQLException failure) {
            if (known.errors().kind(failure) != SqlErrorKind.CONFLICT) {
                throw failure;
            }
            // It gave way to another transaction: if that one has changed the record, it has refused this one.
            WriteReply.Refused refused = refused(known, connection, wanted.key());
            if (!refused.current().version().equals(wanted.expected().version())) {
                return refused;
            }
            if (along.equals(Wanted.NOTHING)) {
                throw failure;
            }
            // At SERIALIZABLE, renewals that read each other's sessions conflict by their reading. The next one may
            // read again.
            found.clear();
            return set(known, connection, wanted, Wanted.NOTHING, found);
        }
    }

    /** Random, so that it does not come back when a record was deleted, also not by hand, or restored. */
    private String freshVersion() {
        return HEX.toHexDigits(host.random()) + HEX.toHexDigits(host.random());
    }

    @Override
    public CompletionStage<WriteReply> delete(Versioned expected) {
        RecordTable.checkKey(expected.key());
        return deletions.ask(expected.key(), expected);
    }

    private static WriteReply remove(Database known, Connection connection, Versioned expected) throws SQLException {
        String key = expected.key();
        if (expected.version().isPresent()
                && known.records().delete(connection, key, expected.version().get())) {
            return new WriteReply.Applied(Versioned.absent(key, known.records().clockMillis()));
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
            throw known.errors().beforeAnyEffect(failure);
        }
    }

    @Override
    public Watch watch(String prefix, Consumer<String> changedKey) {
        Watch watch = watchers.add(new KeyWatcher(prefix, changedKey));
        notifications.ifPresent(PostgresNotifications::start);
        return watch;
    }

    @Override
    public void close() {
        calls.close();
        watchers.close();
        notifications.ifPresent(PostgresNotifications::close);
        access.close();
    }
}
