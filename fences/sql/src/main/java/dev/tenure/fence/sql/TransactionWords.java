package dev.tenure.fence.sql;

import java.sql.SQLException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * SQL that ends or begins a transaction, behind the back of whoever fences it. Only the words that a text begins with are looked
 * at: a habit is caught so, and no text is refused for what it says in the middle.
 */
enum TransactionWords {
    /** In a transaction that has taken the fence first: no savepoint is older than that. */
    OF_WORK(""),
    /** A savepoint may be older than the lock on the fence, and only a call tells that the lock is gone with it. */
    OF_CONNECTIONS("|ROLLBACK");

    private final Pattern words;

    TransactionWords(String more) {
        words = Pattern.compile(
                "(?:\\s|--[^\\n]*\\n|/\\*.*?\\*/)*+"
                        + "(?:(?:COMMIT|END|ABORT|ROLLBACK(?!\\s+(?:(?:WORK|TRANSACTION)\\s+)?TO\\b)"
                        + "|(?:START|PREPARE)\\s+TRANSACTION" + more + ")\\b"
                        + "|BEGIN\\s*(?:;|$|(?:WORK|TRANSACTION|ISOLATION|READ|(?:NOT\\s+)?DEFERRABLE)\\b))",
                Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    }

    void refuse(String sql) throws SQLException {
        if (words.matcher(sql).lookingAt()) {
            throw new SQLException(
                    "a fenced transaction is begun, ended and rolled back by calls, and not by SQL, which goes past the"
                            + " fence: " + (sql.length() <= 60 ? sql : sql.substring(0, 60)),
                    "25000");
        }
    }

    /** If a call has a text for its first argument, that is SQL. */
    void refuse(Object @Nullable [] arguments) throws SQLException {
        if (arguments != null && arguments.length > 0 && arguments[0] instanceof String sql) {
            refuse(sql);
        }
    }
}
