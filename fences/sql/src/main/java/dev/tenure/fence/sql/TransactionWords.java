package dev.tenure.fence.sql;

import java.sql.SQLException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * SQL that ends or begins a transaction, behind the back of whoever fences it. Only the words that a text begins with are looked
 * at: a habit is caught so, and no text is refused for what it says in the middle.
 */
final class TransactionWords {
    private static final Pattern WORDS = Pattern.compile(
            "(?:\\s|--[^\\n]*\\n|/\\*.*?\\*/)*+"
                    + "(?:COMMIT|END|ABORT|ROLLBACK(?!\\s+(?:(?:WORK|TRANSACTION)\\s+)?TO\\b)"
                    + "|BEGIN(?!\\s+NOT\\b)|(?:START|PREPARE)\\s+TRANSACTION)\\b",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private TransactionWords() {}

    static void refuse(String sql) throws SQLException {
        if (WORDS.matcher(sql).lookingAt()) {
            throw new SQLException(
                    "a fenced transaction is begun and ended by calls, and not by SQL, which goes past the fence: "
                            + (sql.length() <= 60 ? sql : sql.substring(0, 60)),
                    "25000");
        }
    }

    /** If a call has a text for its first argument, that is SQL. */
    static void refuse(Object @Nullable [] arguments) throws SQLException {
        if (arguments != null && arguments.length > 0 && arguments[0] instanceof String sql) {
            refuse(sql);
        }
    }
}
