package dev.tenure.fence.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * What a session of PostgreSQL has by itself, so that a fenced transaction need not bring it.
 *
 * @param idleMillis how long a transaction may do nothing before the server ends it; 0 without a limit
 * @param triggers whether tables behind triggers of the fence want to be shown a token
 * @param fenceTable with its schema: work may change where names are looked for
 */
record SessionFacts(long idleMillis, boolean triggers, String fenceTable) {
    private static final String LOOK = "SELECT s.setting,"
            + " CASE WHEN EXISTS (SELECT 1 FROM pg_trigger t WHERE tgname = '" + TableGuard.TRIGGER + "' AND "
            + PostgresStatus.RESOURCE + " = ?) THEN '1' ELSE '0' END,"
            + " (SELECT quote_ident(nspname) || '.' || quote_ident(relname) FROM pg_class c"
            + " JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid = to_regclass(?))"
            + " FROM pg_settings s WHERE s.name = 'idle_in_transaction_session_timeout'";

    /** Of a server that speaks like PostgreSQL, and does not tell. */
    private static final SessionFacts UNKNOWN = new SessionFacts(0, false, "");

    /** @param connection with autocommit, so that it shows what is set for its session and not for a transaction */
    static SessionFacts of(Connection connection, String resource, String table) throws SQLException {
        List<List<String>> rows = Sql.rows(connection, LOOK, resource, table);
        if (rows.isEmpty() || !rows.get(0).get(0).matches("[0-9]{1,10}")) {
            return UNKNOWN;
        }
        List<String> row = rows.get(0);
        return new SessionFacts(Long.parseLong(row.get(0)), row.get(1).equals("1"), row.get(2));
    }

    /** What stands against comparing at the commit, for people to read; nothing if nothing does. */
    String obstacle(Duration idleAtMost) {
        if (idleMillis == 0 || idleMillis > idleAtMost.toMillis()) {
            return "a transaction on its connections may be idle for " + (idleMillis == 0 ? "ever" : idleMillis + " ms")
                    + ", and idleAtMost is " + idleAtMost.toMillis() + " ms: give them that limit, for instance with"
                    + " options=-c%20idle_in_transaction_session_timeout=" + idleAtMost.toMillis() + " in the URL";
        }
        if (fenceTable.isEmpty()) {
            return "its table is not found by its name";
        }
        return triggers ? "triggers of this fence have to be shown the token before the work" : "";
    }
}
