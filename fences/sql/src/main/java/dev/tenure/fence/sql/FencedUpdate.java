package dev.tenure.fence.sql;

import dev.tenure.Term;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A whole fenced transaction in one round trip: its {@link Opening}, one statement of the user's, and the commit, as one text
 * which PostgreSQL's driver sends at once. The server executes them one after the other, and nothing behind one that fails.
 *
 * <p>Why this is as safe as three round trips: the row is taken first, by the same locking read, and held until the commit. A
 * row that is not at this very term makes that read fail, so that neither the statement nor the commit is executed. The
 * transaction is an explicit one, because a driver may part the text where it expects a long answer: then the rest comes into
 * the same transaction, and into a failed one in vain.
 */
final class FencedUpdate {
    private static final int TEXTS_MAX = 100;
    private static final int TEXT_LENGTH_MAX = 4000;

    private final Opening opening;
    private final Comparison comparison;
    private final String resource;
    /**
     * By the user's statement. The driver looks for a text among those it has prepared: it finds one that it has seen before by
     * its identity, and reads one that was put together anew from end to end. Statements that are long, or come when there are
     * many, are put together each time.
     */
    private final Map<String, String> texts = new ConcurrentHashMap<>();

    FencedUpdate(Opening opening, Comparison comparison, String resource) {
        this.opening = opening;
        this.comparison = comparison;
        this.resource = resource;
    }

    /**
     * @return how many rows the statement changed or returned; nothing if the fence is not at this term, and nothing was done
     * @throws CommitUnknownException if the database may have committed, but did not say so
     */
    OptionalLong execute(Connection connection, Term term, String sql, @Nullable Object[] parameters)
            throws SQLException {
        boolean before = connection.getAutoCommit();
        if (!before) {
            connection.setAutoCommit(true); // so that the driver begins no transaction of its own
        }
        try {
            return together(connection, term, sql, parameters);
        } finally {
            if (!before) {
                FencedTransactions.restore(connection, false); // a failure here must not hide whether it was committed
            }
        }
    }

    private OptionalLong together(Connection connection, Term term, String sql, @Nullable Object[] parameters)
            throws SQLException {
        try (PreparedStatement all = connection.prepareStatement(text(sql))) {
            bind(all, opening.present(all, term), parameters);
            return OptionalLong.of(rows(all));
        } catch (SQLException failure) {
            Opening.rollBack(connection, failure);
            if (comparison.isReasonOf(failure)) {
                return OptionalLong.empty();
            }
            throw SqlState.mayHaveCommitted(failure) ? new CommitUnknownException(resource, failure) : failure;
        } catch (RuntimeException | Error failure) {
            Opening.rollBack(connection, failure);
            throw failure;
        }
    }

    private String text(String sql) {
        String known = texts.get(sql);
        if (known != null) {
            return known;
        }
        String text = opening.text() + "; " + sql + "\n; COMMIT"; // on a line of its own: it may end in a comment
        if (text.length() <= TEXT_LENGTH_MAX && texts.size() < TEXTS_MAX) {
            texts.put(sql, text);
        }
        return text;
    }

    /** Texts by themselves: a driver asks of an object whether it is one of twenty things before it takes it for a text. */
    private static void bind(PreparedStatement statement, int first, @Nullable Object[] parameters)
            throws SQLException {
        int next = first;
        for (@Nullable Object parameter : parameters) {
            if (parameter instanceof String text) {
                statement.setString(next++, text);
            } else {
                statement.setObject(next++, parameter);
            }
        }
    }

    private static long rows(PreparedStatement all) throws SQLException {
        all.execute();
        all.getMoreResults(); // the comparison, behind the beginning
        return rows(all, all.getMoreResults());
    }

    /** The statement by itself, in a transaction that holds the fence. */
    static long alone(Connection connection, String sql, @Nullable Object[] parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, 1, parameters);
            return rows(statement, statement.execute());
        }
    }

    /** Rows that a statement returns count like rows that it changes. */
    private static long rows(PreparedStatement statement, boolean returnsRows) throws SQLException {
        if (!returnsRows) {
            return statement.getLargeUpdateCount();
        }
        long rows = 0;
        try (ResultSet returned = statement.getResultSet()) {
            while (returned.next()) {
                rows++;
            }
        }
        return rows;
    }
}
