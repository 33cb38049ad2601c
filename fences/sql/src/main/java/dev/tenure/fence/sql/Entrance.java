package dev.tenure.fence.sql;

import dev.tenure.Term;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How writers take the row of one resource. The query is spelt once and not for each transaction: what stands between two
 * round trips is paid for by every write, and to hash and to concatenate costs as much there as the comparison itself.
 */
final class Entrance {
    private final Dialect dialect;
    private final String resource;
    private final Duration idle;
    private final String silent;
    private final String showing;
    private volatile @Nullable Boolean triggers;

    /** @param idle how long the transaction may do nothing before the database ends it, where it can */
    Entrance(Dialect dialect, String table, String resource, Duration idle) {
        this.dialect = dialect;
        this.resource = resource;
        this.idle = idle;
        String from = " FROM " + dialect.sharedQueue(table, resource) + table + " WHERE resource = ? ";
        this.silent = "SELECT " + FenceTable.COLUMNS + from + dialect.sharedLock();
        this.showing = "SELECT " + FenceTable.COLUMNS + dialect.presented(resource) + from + dialect.sharedLock();
    }

    /**
     * Takes the row for a writer, until the transaction ends: others of the same term may take it too, but nobody can raise
     * it.
     */
    Optional<FenceRow> take(Connection connection, Term term) throws SQLException {
        boolean shown = hasTriggers(connection);
        try (PreparedStatement query = connection.prepareStatement(shown ? showing : silent)) {
            int next = shown ? dialect.present(query, resource, term, idle) : 1;
            query.setString(next, resource);
            return FenceTable.row(query, resource);
        }
    }

    /** Asked once; and again after a trigger has missed a token. */
    private boolean hasTriggers(Connection connection) throws SQLException {
        Boolean known = triggers;
        if (known == null) {
            known = dialect.hasTriggers(connection);
            triggers = known;
        }
        return known;
    }

    /** A trigger was not shown a token: it must have come since it was asked for. */
    void askAgainForTriggers() {
        triggers = null;
    }
}
