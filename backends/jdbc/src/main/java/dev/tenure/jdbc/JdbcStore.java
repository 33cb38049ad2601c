package dev.tenure.jdbc;

import dev.tenure.jdbc.CallQueue.Asked;
import dev.tenure.jdbc.CallQueue.Line;
import dev.tenure.jdbc.CallQueue.Manner;
import dev.tenure.jdbc.Writes.Change;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
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
public final class JdbcStore implements LeaseStore {
    private static final int VALUE_CHARS_MAX = 50_000;
    private static final Duration POOL_PAUSE = Duration.ofSeconds(5);
    private static final HexFormat HEX = HexFormat.of();

    private final Contact contact;
    private final Notices notices;
    private final Reconnections reconnections;
    private final Host host;
    private final CallQueue calls;
    private final Line<Write, WriteReply> renewals;
    private final Line<String, Versioned> reads;
    private final Line<String, List<Versioned>> lists;
    private final Line<Write, WriteReply> creations;
    private final Line<Write, WriteReply> changes;
    private final Line<Write, WriteReply> alone;
    private final Line<Versioned, WriteReply> deletions;

    private JdbcStore(Contact contact, Notices notices, Reconnections reconnections, Host host) {
        this.contact = contact;
        this.notices = notices;
        this.reconnections = reconnections;
        this.host = host;
        this.calls = new CallQueue(host.io());
        this.renewals = calls.singly(Manner.URGENT, this::set);
        this.reads = calls.together(Manner.LOOKING, () -> CallQueue.TOGETHER_MAX, this::readAll);
        this.lists = calls.singly(
                Manner.LOOKING,
                prefix -> contact.look((known, connection) -> known.records().list(connection, prefix)));
        this.creations = calls.together(Manner.CHANGING, this::writesAtOnce, this::setAll);
        this.changes = calls.together(Manner.CHANGING, this::writesAtOnce, this::setAll);
        this.alone = calls.singly(Manner.CHANGING, this::set);
        this.deletions = calls.singly(
                Manner.CHANGING,
                expected -> contact.change((known, connection) -> remove(known, connection, expected)));
    }

    /** Over connections of the user's own pool, two at a time. The database is contacted when something is asked of it. */
    public static JdbcStore open(DataSource source, JdbcOptions options, Host host) {
        Connections borrowed = new BorrowedConnections(source, millis(options));
        Reconnections reconnections = new Reconnections(host, POOL_PAUSE);
        Contact contact = new Contact(borrowed, options, Optional.empty(), Notices.NONE::wakeup, reconnections);
        return new JdbcStore(contact, Notices.NONE, reconnections, host);
    }

    static JdbcStore open(Connections connections, JdbcOptions options, Database database, Notices notices, Host host) {
        Reconnections reconnections = new Reconnections(host, Duration.ZERO);
        Contact contact = new Contact(connections, options, Optional.of(database), notices::wakeup, reconnections);
        return new JdbcStore(contact, notices, reconnections, host);
    }

    static int millis(JdbcOptions options) {
        return Math.toIntExact(options.timeout().toMillis());
    }

    /** Grade and place are known for certain once the database was asked something. */
    @Override
    public BackendTraits traits() {
        return contact.traits();
    }

    @Override
    public CompletionStage<Versioned> read(String key) {
        Records.checkKey(key);
        return reads.ask(key, key);
    }

    private void readAll(List<Asked<String, Versioned>> asked) {
        List<String> keys = asked.stream().map(Asked::question).distinct().toList();
        Map<String, Versioned> found =
                contact.look((known, connection) -> known.records().read(connection, keys));
        asked.forEach(one -> one.complete(Objects.requireNonNull(found.get(one.question()))));
    }

    @Override
    public CompletionStage<List<Versioned>> list(String prefix) {
        return lists.ask(prefix, prefix);
    }

    @Override
    public CompletionStage<WriteReply> compareAndSet(Write write) {
        Records.checkKey(write.key());
        if (write.value().length() > VALUE_CHARS_MAX) {
            throw new IllegalArgumentException(
                    "a value may have " + VALUE_CHARS_MAX + " characters at most: " + write.key());
        }
        if (write.timeToLive().isPresent()) {
            return renewals.ask(write.key(), write);
        }
        return (write.expected().isPresent() ? changes : creations).ask(write.key(), write);
    }

    private int writesAtOnce() {
        return contact.writesTogether() ? CallQueue.TOGETHER_MAX : 1;
    }

    /** The fault of one, should the database refuse them together, is not that of the others. */
    private void setAll(List<Asked<Write, WriteReply>> asked) {
        if (asked.size() == 1) {
            asked.get(0).complete(set(asked.get(0).question()));
            return;
        }
        List<Change> wanted = asked.stream().map(one -> change(one.question())).toList();
        Set<String> applied;
        try {
            applied = contact.change((known, connection) -> known.writes().write(connection, wanted));
        } catch (BackendException failure) {
            if (failure.effect() != Effect.NONE) {
                throw failure;
            }
            asked.forEach(one -> alone.ask(one.question().key(), one.question()).whenComplete((reply, thrown) -> {
                if (thrown == null) {
                    one.complete(reply);
                } else {
                    one.completeExceptionally(thrown);
                }
            }));
            return;
        }
        replyTogether(asked, wanted, applied);
    }

    private void replyTogether(List<Asked<Write, WriteReply>> asked, List<Change> wanted, Set<String> applied) {
        List<Asked<Write, WriteReply>> refused = new ArrayList<>();
        for (int i = 0; i < asked.size(); i++) {
            Asked<Write, WriteReply> one = asked.get(i);
            if (applied.contains(one.question().key())) {
                one.complete(new WriteReply.Applied(wanted.get(i).row()));
            } else {
                refused.add(one);
            }
        }
        if (!refused.isEmpty()) {
            List<String> keys =
                    refused.stream().map(one -> one.question().key()).toList();
            Map<String, Versioned> current =
                    contact.look((known, connection) -> known.records().read(connection, keys));
            refused.forEach(one -> one.complete(new WriteReply.Refused(
                    Objects.requireNonNull(current.get(one.question().key())))));
        }
    }

    private WriteReply set(Write write) {
        Change wanted = change(write);
        return contact.change((known, connection) -> set(known, connection, wanted));
    }

    private Change change(Write write) {
        Versioned row = new Versioned(
                write.key(), Optional.of(freshVersion()), write.value(), write.timeToLive(), contact.clockMillis());
        return new Change(write.expected(), row);
    }

    private static WriteReply set(Database known, Connection connection, Change wanted) throws SQLException {
        try {
            return known.writes().write(connection, wanted)
                    ? new WriteReply.Applied(wanted.row())
                    : refused(known, connection, wanted.key());
        } catch (SQLException failure) {
            if (known.trouble().complaint(failure) != Complaint.CONFLICT) {
                throw failure;
            }
            // It gave way to another transaction: if that one has changed the record, it has refused this one.
            WriteReply.Refused refused = refused(known, connection, wanted.key());
            if (refused.current().version().equals(wanted.expected().version())) {
                throw failure;
            }
            return refused;
        }
    }

    /** Random, so that it does not come back when a record was deleted, also not by hand, or restored. */
    private String freshVersion() {
        return HEX.toHexDigits(host.random()) + HEX.toHexDigits(host.random());
    }

    @Override
    public CompletionStage<WriteReply> delete(Versioned expected) {
        Records.checkKey(expected.key());
        return deletions.ask(expected.key(), expected);
    }

    private static WriteReply remove(Database known, Connection connection, Versioned expected) throws SQLException {
        String key = expected.key();
        if (expected.version().isPresent()
                && known.writes().delete(connection, key, expected.version().get())) {
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
            throw known.trouble().beforeAnyEffect(failure);
        }
    }

    @Override
    public Watch watch(String prefix, Consumer<String> changedKey) {
        Watch heard = notices.watch(prefix, changedKey);
        Watch made = reconnections.watch(prefix, changedKey);
        return () -> {
            heard.close();
            made.close();
        };
    }

    @Override
    public void close() {
        calls.close();
        notices.close();
        reconnections.close();
        contact.close();
    }
}
