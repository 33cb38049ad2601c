// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import dev.tenure.ElectionName;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * On PostgreSQL. A statement trigger sees INSERT, UPDATE, DELETE, TRUNCATE, COPY and MERGE on the table that is named in the
 * statement. Rows that are written to a partition directly are seen by a row trigger of the partitioned table, which PostgreSQL
 * gives to every partition, also to later ones; TRUNCATE of a partition only by a statement trigger of its own. All fire ALWAYS,
 * also where {@code session_replication_role} is replica.
 */
final class PostgresGuard extends TableGuard {
    private static final String ROW_TRIGGER = TRIGGER + "_row";

    /** The trigger's only argument: bytes that end with a zero. */
    private static final String RESOURCE = "(regexp_split_to_array(encode(t.tgargs, 'escape'), E'\\\\\\\\000'))[1]";

    /** Tables that carry the trigger, without the partitions of one that does. */
    private static final String GUARDED = "SELECT c.oid, c.oid::regclass::text, " + RESOURCE
            + " FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE t.tgname = '" + TRIGGER
            + "' AND NOT c.relispartition ORDER BY 2";

    /** The table and all its partitions; PostgreSQL counts a table without any as no tree at all. */
    private static final String WITHIN = "(tgrelid = CAST(? AS oid)"
            + " OR tgrelid IN (SELECT relid FROM pg_partition_tree(CAST(? AS oid)::regclass)))";

    PostgresGuard(Connection connection) {
        super(connection, FenceDialect.POSTGRESQL);
    }

    /** @param name quoted and with its schema where it has to be */
    private record Target(long oid, String name, String kind) {
        boolean isPartitioned() {
            return kind.equals("p");
        }
    }

    @Override
    public void install(String resource, ElectionName election, List<String> tables) throws SQLException {
        FenceOptions.checkResource(resource);
        inTransaction(() -> {
            bind(resource, election);
            String fences = fenceTable();
            String schema = fences.substring(0, fences.lastIndexOf('.'));
            execute(Sql.script("postgresql-check.sql", schema, fences));
            execute(Sql.script("postgresql-present.sql", schema, fences));
            for (String table : tables) {
                protect(target(table), resource, schema);
            }
        });
    }

    private void protect(Target target, String resource, String schema) throws SQLException {
        refuseWhatCannotBe(target);
        refuseAnotherFence(target, resource);
        for (String each : partitions(target)) {
            trigger(TRIGGER, each, "INSERT OR UPDATE OR DELETE OR TRUNCATE", "STATEMENT", schema, resource);
        }
        if (target.isPartitioned()) {
            trigger(ROW_TRIGGER, target.name(), "INSERT OR UPDATE OR DELETE", "ROW", schema, resource);
        }
    }

    private void trigger(String name, String table, String events, String level, String schema, String resource)
            throws SQLException {
        execute("DROP TRIGGER IF EXISTS " + name + " ON " + table);
        execute("CREATE TRIGGER " + name + " BEFORE " + events + " ON " + table + " FOR EACH " + level
                + " EXECUTE FUNCTION " + schema + ".tenure_fence_check('" + resource + "')");
        execute("ALTER TABLE " + table + " ENABLE ALWAYS TRIGGER " + name);
    }

    /** The table itself, and all that is below it. */
    private List<String> partitions(Target target) throws SQLException {
        return target.isPartitioned()
                ? column("SELECT relid::regclass::text FROM pg_partition_tree(CAST(? AS oid)::regclass)", target.oid())
                : List.of(target.name());
    }

    private Target target(String table) throws SQLException {
        List<List<String>> found = rows(
                "SELECT c.oid, c.oid::regclass::text, c.relkind FROM pg_class c WHERE c.oid = to_regclass(?)", table);
        if (found.isEmpty()) {
            throw new IllegalArgumentException("there is no table " + table
                    + " in this database (or not in the search path: name its schema, as in app." + table + ")");
        }
        List<String> row = found.get(0);
        return new Target(Long.parseLong(row.get(0)), row.get(1), row.get(2));
    }

    private void refuseWhatCannotBe(Target target) throws SQLException {
        List<String> facts = rows(
                        "SELECT relpersistence, relispartition, EXISTS (SELECT 1 FROM pg_inherits"
                                + " WHERE inhparent = c.oid), oid::regclass = to_regclass('" + FenceOptions.TABLE
                                + "') FROM pg_class c WHERE oid = CAST(? AS oid)",
                        target.oid())
                .get(0);
        String reason = "";
        if (!target.kind().equals("r") && !target.isPartitioned()) {
            reason = "it is not a table (a view, a foreign table or the like): protect the tables behind it";
        } else if (facts.get(0).equals("t")) {
            reason = "it is temporary";
        } else if (facts.get(1).equals("t")) {
            reason = "it is a partition: protect the table that it is a part of";
        } else if (facts.get(2).equals("t") && !target.isPartitioned()) {
            reason = "other tables inherit from it, and writes to those do not pass its triggers";
        } else if (facts.get(3).equals("t")) {
            reason = "it is the fence";
        }
        if (!reason.isEmpty()) {
            throw new IllegalArgumentException(target.name() + " cannot be fenced: " + reason);
        }
    }

    private void refuseAnotherFence(Target target, String resource) throws SQLException {
        for (String other : column(
                "SELECT " + RESOURCE + " FROM pg_trigger t WHERE tgname = '" + TRIGGER
                        + "' AND tgrelid = CAST(? AS oid)",
                target.oid())) {
            if (!other.equals(resource)) {
                throw new IllegalArgumentException(target.name() + " is fenced by " + other
                        + " already: uninstall that first, or name --resource " + other);
            }
        }
    }

    @Override
    public void uninstall(List<String> tables) throws SQLException {
        inTransaction(() -> {
            for (String table : tables) {
                Target target = target(table);
                execute("DROP TRIGGER IF EXISTS " + ROW_TRIGGER + " ON " + target.name());
                for (String each : partitions(target)) {
                    execute("DROP TRIGGER IF EXISTS " + TRIGGER + " ON " + each);
                }
            }
        });
    }

    @Override
    List<GuardedTable> tables() throws SQLException {
        List<GuardedTable> states = new ArrayList<>();
        for (List<String> row : rows(GUARDED)) {
            long oid = Long.parseLong(row.get(0));
            states.add(new GuardedTable(row.get(1), row.get(2), open(oid, row.get(1)), known(oid)));
        }
        return states;
    }

    /** Ways past the triggers of one table, which can be closed. */
    private List<String> open(long oid, String name) throws SQLException {
        List<String> open = new ArrayList<>();
        for (List<String> row : rows(
                "SELECT tgrelid::regclass::text, tgname, tgenabled FROM pg_trigger WHERE tgname LIKE '" + TRIGGER
                        + "%' AND tgenabled <> 'A' AND " + WITHIN + " ORDER BY 1, 2",
                oid,
                oid)) {
            open.add(
                    row.get(2).equals("D")
                            ? "trigger " + row.get(1) + " on " + row.get(0) + " is disabled: every write passes"
                            : "trigger " + row.get(1) + " on " + row.get(0)
                                    + " does not fire always: a session_replication_role set to replica passes it");
        }
        for (String partition : column(
                "SELECT relid::regclass::text FROM pg_partition_tree(CAST(? AS oid)::regclass) WHERE NOT EXISTS"
                        + " (SELECT 1 FROM pg_trigger WHERE tgrelid = relid AND tgname = '" + TRIGGER
                        + "') ORDER BY 1",
                oid)) {
            open.add("TRUNCATE of the partition " + partition
                    + ", which came later, passes (rows do not): run tenure fence install again");
        }
        for (String child : column(
                "SELECT inhrelid::regclass::text FROM pg_inherits JOIN pg_class p ON p.oid = inhparent"
                        + " WHERE inhparent = CAST(? AS oid) AND p.relkind = 'r' ORDER BY 1",
                oid)) {
            open.add(child + " inherits from " + name + ", and writes to it pass");
        }
        if (!column("SELECT 1 FROM pg_subscription_rel WHERE srrelid = CAST(? AS oid)", oid)
                .isEmpty()) {
            open.add("a subscription of logical replication writes rows without passing statement triggers");
        }
        return open;
    }

    /** Ways past them that every table has. */
    private List<String> known(long oid) throws SQLException {
        List<String> known = new ArrayList<>();
        String owner = column("SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = CAST(? AS oid)", oid)
                .get(0);
        known.add("its owner " + owner + " can disable or drop the triggers, and drop or alter the table");
        String superusers = String.join(", ", column("SELECT rolname FROM pg_roles WHERE rolsuper ORDER BY rolname"));
        known.add("superusers (" + superusers + ") can disable the triggers");
        return known;
    }

    /** With its schema: the functions are given no search path to find it by. */
    private String fenceTable() throws SQLException {
        return column(
                        "SELECT quote_ident(nspname) || '.' || quote_ident(relname) FROM pg_class c"
                                + " JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid = to_regclass(?)",
                        FenceOptions.TABLE)
                .get(0);
    }

    private interface Steps {
        void run() throws SQLException;
    }

    /** All or nothing; and it does not queue for ever behind a long transaction, with everybody else behind it. */
    private void inTransaction(Steps steps) throws SQLException {
        connection.setAutoCommit(false);
        boolean done = false;
        try {
            execute("SET LOCAL lock_timeout = '5s'");
            // Two who replace one function at once would both fail.
            execute("SELECT pg_advisory_xact_lock(hashtextextended('tenure_fence', 0))");
            steps.run();
            connection.commit();
            done = true;
        } finally {
            if (!done) {
                connection.rollback();
            }
            connection.setAutoCommit(true);
        }
    }
}
