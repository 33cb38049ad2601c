package dev.tenure.fence.sql;

import dev.tenure.Term;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.regex.Pattern;

/**
 * How PostgreSQL compares the fence's row with a term, as an expression within a text of several statements.
 *
 * <p>A row that is not at this very term makes it <em>fail</em>, instead of returning nothing: so nothing has to be read from
 * its answer, and whatever the text goes on with is not executed. The row is taken by the same locking read, and in the same
 * mode, as everywhere else. It is the newest committed row that is compared, also after waiting for a raise.
 */
final class Comparison {
    /** Where the row does not match, this is what cannot be read as a number: so the server says it in its message. */
    private static final String NOT_AT_THIS_TERM = "tenure: the fence is not at this term";

    private final String expression;
    private final String resource;
    private final String storeId;
    /** Of the fence's table, in whichever quotation marks the server's language has. */
    private final Pattern mention;

    /** @param table of the fence, with or without its schema */
    Comparison(Dialect dialect, String table, String resource, String storeId) {
        this.resource = resource;
        this.storeId = storeId;
        this.mention = Pattern.compile("(?<![\\w.])" + Pattern.quote(table) + "(?![\\w.])");
        String sameStore = storeId.isEmpty() ? "" : " AND store IN ('', ?)";
        // What is no number must not be a constant by itself: it would fail when the statement is planned.
        this.expression = "CAST(coalesce((SELECT '1' FROM " + dialect.sharedQueue(table, resource) + table
                + " WHERE resource = ? AND election = ? AND token = ? AND nonce = ?" + sameStore + " "
                + dialect.sharedLock() + "), '" + NOT_AT_THIS_TERM + "') AS INTEGER)";
    }

    String expression() {
        return expression;
    }

    /** Sets the parameters of the expression, from this one on. Returns the number of the next one. */
    int present(PreparedStatement statement, int first, Term term) throws SQLException {
        statement.setString(first, resource);
        statement.setString(first + 1, term.election().encoded());
        statement.setLong(first + 2, term.token().value());
        statement.setString(first + 3, term.nonce().toString());
        if (storeId.isEmpty()) {
            return first + 4;
        }
        statement.setString(first + 4, storeId);
        return first + 5;
    }

    /** Did the comparison fail, and not what stands beside it? Then the fence has to be raised, or refuses to be. */
    boolean isReasonOf(SQLException failure) {
        String message = String.valueOf(failure.getMessage());
        return message.contains(NOT_AT_THIS_TERM)
                || (SqlState.isMissingTable(failure) && mention.matcher(message).find());
    }
}
