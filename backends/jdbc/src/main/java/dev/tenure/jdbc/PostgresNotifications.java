package dev.tenure.jdbc;

import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.WatchRegistry;
import dev.tenure.spi.support.WatchRegistry.KeyWatcher;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;

/** What is announced of records. What is not heard while there is no connection, the poll makes up for. */
final class PostgresNotifications implements NotificationListener.Receiver, AutoCloseable {
    private static final Logger LOG = System.getLogger("dev.tenure");

    private final WatchRegistry<KeyWatcher> watchers;
    private final String keys;
    private final NotificationListener listener;
    private volatile boolean pooled;

    PostgresNotifications(
            NotificationListener.Opening opening, JdbcOptions options, Host host, WatchRegistry<KeyWatcher> watchers) {
        this.watchers = watchers;
        this.keys = "SELECT id FROM " + options.table() + " WHERE expires IS NULL";
        this.listener = new NotificationListener(opening, new NotifyChannel(options.table()), host, this);
    }

    void start() {
        listener.start();
    }

    /** How one hears, as far as is known by now. */
    Wakeup wakeup() {
        return pooled ? Wakeup.POLL : Wakeup.WATCH;
    }

    /**
     * If a pooler changes servers between transactions, the one that listens is soon not ours any more; what comes through
     * all the same is welcome, but not relied on.
     */
    @Override
    public void connected(Connection connection) throws SQLException {
        boolean found = PostgresDialect.isBehindPooler(connection);
        if (found && !pooled) {
            LOG.log(
                    Level.WARNING,
                    "a pooler stands before PostgreSQL, so that notifications may be lost: polling (name the server itself"
                            + " in the URL to be notified)");
        }
        pooled = found;
    }

    /** What changed before anybody listened was announced to nobody; so it is looked at once more. */
    @Override
    public void resumed(Connection connection) {
        watchers.tell(KeyWatcher::anyChanged);
        try {
            new SqlCall(keys).rows(connection, row -> row.getString(1)).forEach(this::received);
        } catch (SQLException missing) {
            LOG.log(Level.DEBUG, "no table any more, so nothing was missed", missing);
        }
    }

    @Override
    public void received(String key) {
        watchers.tell(watcher -> watcher.changed(key));
    }

    @Override
    public void close() {
        listener.close();
    }
}
