// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import dev.tenure.Term;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * Where databases differ. A writer must take the fence row in a mode that admits other writers and keeps out the raiser, and
 * must see the newest committed row, or fail, whatever the isolation level: that is what a locking read does, and what a plain
 * one does not.
 */
enum FenceDialect {
    /**
     * FOR SHARE, and not FOR KEY SHARE, which lets an UPDATE of other columns pass. Under REPEATABLE READ and SERIALIZABLE it
     * fails if the row has changed since the snapshot.
     *
     * <p>A row lock has no fair queue: new sharers pass an UPDATE that waits, and busy writers would keep it waiting for ever.
     * So writers share an advisory lock too, and a raise takes it alone: PostgreSQL makes later sharers wait behind it. Safety
     * rests on the row alone. The advisory lock comes first everywhere, in the same statement: rows are locked, or updated,
     * when the tables of a statement have been joined, and the function is one of them. The statement's snapshot may then be
     * older than a raise that it waited for, but a locking read returns the newest row or fails.
     */
    POSTGRESQL("FOR SHARE", "clock_timestamp()") {
        /**
         * In the same round trip: what triggers look at, and an end to transactions whose process sleeps, because they keep the
         * successor from raising the fence. Both end with the transaction.
         */
        @Override
        String presented(String resource) {
            return ", set_config('" + setting(resource) + "', ?, true)"
                    + ", set_config('idle_in_transaction_session_timeout', ?, true)";
        }

        @Override
        int present(PreparedStatement query, String resource, Term term, Duration idle) throws SQLException {
            query.setString(1, shown(term));
            query.setString(2, Long.toString(idle.toMillis()));
            return 3;
        }

        /** It costs nothing to show it to nobody. */
        @Override
        boolean hasTriggers(Connection connection) {
            return true;
        }

        @Override
        String sharedQueue(String table, String resource) {
            return "pg_advisory_xact_lock_shared(" + queue(table, resource) + ") AS queue, ";
        }

        @Override
        String exclusiveQueue(String table, String resource) {
            return " FROM pg_advisory_xact_lock(" + queue(table, resource) + ") AS queue";
        }

        /** The triggers compute the same. Resources with one key wait for each other, and no more. */
        private static String queue(String table, String resource) {
            return "CAST('" + table + "' AS regclass)::int4, " + key(resource);
        }

        @Override
        String insertIgnoring() {
            return " ON CONFLICT (resource) DO NOTHING";
        }
    },

    /**
     * LOCK IN SHARE MODE reads the newest committed row, whatever the snapshot; MySQL's FOR SHARE is the same. InnoDB's row locks
     * have a fair queue: a sharer waits behind an UPDATE that waits.
     */
    MARIADB("LOCK IN SHARE MODE", "UTC_TIMESTAMP(3)") {
        @Override
        String presented(String resource) {
            return ", tenure_present(?, ?, ?, ?)";
        }

        @Override
        int present(PreparedStatement query, String resource, Term term, Duration idle) throws SQLException {
            query.setString(1, resource);
            query.setString(2, term.election().encoded());
            query.setLong(3, term.token().value());
            query.setString(4, term.nonce().toString());
            return 5;
        }

        /** An XA PREPARE lets go of shared locks, so that a raise passes before the XA COMMIT. */
        @Override
        void refuseXa(Connection connection) throws SQLException {
            for (List<String> row : Sql.rows(connection, "SHOW SESSION STATUS LIKE 'Com_xa_start'")) {
                if (!row.get(1).equals("0")) {
                    throw new SQLException(
                            "no fence on a connection that has used XA: an XA PREPARE lets go of it before the commit",
                            "25000");
                }
            }
        }

        @Override
        boolean hasTriggers(Connection connection) throws SQLException {
            String sql = "SELECT 1 FROM information_schema.routines"
                    + " WHERE routine_schema = DATABASE() AND routine_name = 'tenure_present'";
            return !Sql.rows(connection, sql).isEmpty();
        }
    },

    /** It has no shared row locks, so that writers of one term take turns. */
    H2("FOR UPDATE", "CURRENT_TIMESTAMP");

    private final String sharedLock;
    private final String now;

    FenceDialect(String sharedLock, String now) {
        this.sharedLock = sharedLock;
        this.now = now;
    }

    static FenceDialect of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName().toLowerCase(Locale.ROOT);
        return switch (product) {
            case "postgresql" -> POSTGRESQL;
            case "mariadb", "mysql" -> MARIADB;
            case "h2" -> H2;
            default ->
                throw new SQLException("there is no fence for '" + product + "': it is known for PostgreSQL, MariaDB,"
                        + " MySQL and H2 how writers take a row together and keep out who raises it");
        };
    }

    /** What PostgreSQL's triggers read a term from. Names of settings are identifiers, and those of resources need not be. */
    static String setting(String resource) {
        return "tenure.fence_" + md5(resource);
    }

    /** What that setting says. The triggers parse it. */
    static String shown(Term term) {
        return term.token() + "/" + term.nonce() + "/" + term.election().encoded();
    }

    /** The second half of the advisory lock's key on PostgreSQL; the first is the fence's table. The triggers compute the same. */
    static int key(String resource) {
        return Integer.parseUnsignedInt(md5(resource).substring(0, 8), 16);
    }

    private static String md5(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("MD5");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException never) {
            throw new IllegalStateException("every JDK has MD5", never);
        }
    }

    /** The statement that makes the table of fences, unless it is there. */
    String createTable(String table) {
        return Sql.script(name().toLowerCase(Locale.ROOT) + "-table.sql", "", table)
                .strip();
    }

    /** More columns of the query by which a writer takes the fence: they show its term to triggers. */
    String presented(String resource) {
        return "";
    }

    /** Sets the parameters of {@link #presented}. Returns the number of the next one. */
    int present(PreparedStatement query, String resource, Term term, Duration idle) throws SQLException {
        return 1;
    }

    /** Refuses a transaction of the user's own that would not hold the fence until its commit. */
    void refuseXa(Connection connection) throws SQLException {}

    /** Is there a trigger that wants to be shown a token? */
    boolean hasTriggers(Connection connection) throws SQLException {
        return false;
    }

    /** What a writer reads beside the fence row, so that it waits behind a raise that waits; nothing where rows do that. */
    String sharedQueue(String table, String resource) {
        return "";
    }

    /** What the UPDATE of a raise reads beside the fence row, so that later writers wait behind it. */
    String exclusiveQueue(String table, String resource) {
        return "";
    }

    /** What makes an INSERT leave a row alone that is there; nothing where that is an error. */
    String insertIgnoring() {
        return "";
    }

    /** What a writer adds to its query of the fence row. */
    String sharedLock() {
        return sharedLock;
    }

    /** The database's own time, for people to look at. */
    String now() {
        return now;
    }
}
