package dev.tenure.jdbc;

import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;

/** Writes that a database acknowledges with a warning which means that it may lose them. */
final class Doubts {
    private Doubts() {}

    /** @throws SQLException the warning itself: whoever judges it must not know of any effect that is certain */
    static void ensureNone(Dialect dialect, Statement written) throws SQLException {
        for (SQLWarning warning = written.getWarnings(); warning != null; warning = warning.getNextWarning()) {
            if (dialect.isDoubt(warning)) {
                throw warning;
            }
        }
    }
}
