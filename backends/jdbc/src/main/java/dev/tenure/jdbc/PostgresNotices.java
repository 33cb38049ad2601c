package dev.tenure.jdbc;

import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.Host;
import dev.tenure.spi.Watch;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Consumer;
import org.postgresql.PGConnection;

/** What is announced of records. What is not heard while there is no connection, the poll makes up for. */
final class PostgresNotices implements Notices, Listening.Ear {
    private static final Logger LOG = System.getLogger("dev.tenure");

    private final String keys;
    private final Listening listening;
    private final Subscribers subscribers = new Subscribers();
    private volatile boolean pooled;

    PostgresNotices(Listening.Opening opening, JdbcOptions options, Host host) {
        this.keys = "SELECT id FROM " + options.table() + " WHERE expires IS NULL";
        this.listening = new Listening(opening, new Channel(options.table()), host, this);
    }

    @Override
    public Watch watch(String prefix, Consumer<String> changedKey) {
        Watch watch = subscribers.add(prefix, changedKey);
        listening.start();
        return watch;
    }

    @Override
    public Wakeup wakeup() {
        return pooled ? Wakeup.POLL : Wakeup.WATCH;
    }

    /**
     * If a pooler changes servers between transactions, the one that listens is soon not ours any more; what comes through
     * all the same is welcome, but not relied on.
     */
    @Override
    public void connected(Connection connection) throws SQLException {
        boolean found = PostgresPooler.isBetween(connection.unwrap(PGConnection.class), connection);
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
        subscribers.hintOfAnything();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(keys)) {
            while (rows.next()) {
                subscribers.hint(rows.getString(1));
            }
        } catch (SQLException missing) {
            LOG.log(Level.DEBUG, "no table any more, so nothing was missed", missing);
        }
    }

    @Override
    public void heard(String key) {
        subscribers.hint(key);
    }

    @Override
    public void close() {
        subscribers.close();
        listening.close();
    }
}
