package dev.tenure.fence.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** What is left open of one table behind triggers, on PostgreSQL. */
final class PostgresStatus {
    /** The trigger's only argument: bytes that end with a zero. */
    static final String RESOURCE = "(regexp_split_to_array(encode(t.tgargs, 'escape'), E'\\\\\\\\000'))[1]";

    /** Tables that carry the trigger, without the partitions of one that does. */
    static final String GUARDED = "SELECT c.oid, c.oid::regclass::text, " + RESOURCE
            + " FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE t.tgname = '" + TableGuard.TRIGGER
            + "' AND NOT c.relispartition ORDER BY 2";

    /** The table and all its partitions; PostgreSQL counts a table without any as no tree at all. */
    private static final String WITHIN = "(tgrelid = CAST(? AS oid)"
            + " OR tgrelid IN (SELECT relid FROM pg_partition_tree(CAST(? AS oid)::regclass)))";

    private final Connection connection;
    private final long oid;
    private final String name;

    PostgresStatus(Connection connection, long oid, String name) {
        this.connection = connection;
        this.oid = oid;
        this.name = name;
    }

    List<String> open() throws SQLException {
        List<String> open = new ArrayList<>();
        for (List<String> row : Sql.rows(
                connection,
                "SELECT tgrelid::regclass::text, tgname, tgenabled FROM pg_trigger WHERE tgname LIKE '"
                        + TableGuard.TRIGGER + "%' AND tgenabled <> 'A' AND " + WITHIN + " ORDER BY 1, 2",
                oid,
                oid)) {
            open.add(
                    row.get(2).equals("D")
                            ? "trigger " + row.get(1) + " on " + row.get(0) + " is disabled: every write passes"
                            : "trigger " + row.get(1) + " on " + row.get(0)
                                    + " does not fire always: a session_replication_role set to replica passes it");
        }
        for (String partition : Sql.column(
                connection,
                "SELECT relid::regclass::text FROM pg_partition_tree(CAST(? AS oid)::regclass) WHERE NOT EXISTS"
                        + " (SELECT 1 FROM pg_trigger WHERE tgrelid = relid AND tgname = '" + TableGuard.TRIGGER
                        + "') ORDER BY 1",
                oid)) {
            open.add("TRUNCATE of the partition " + partition
                    + ", which came later, passes (rows do not): run tenure fence install again");
        }
        for (String child : Sql.column(
                connection,
                "SELECT inhrelid::regclass::text FROM pg_inherits JOIN pg_class p ON p.oid = inhparent"
                        + " WHERE inhparent = CAST(? AS oid) AND p.relkind = 'r' ORDER BY 1",
                oid)) {
            open.add(child + " inherits from " + name + ", and writes to it pass");
        }
        if (!Sql.column(connection, "SELECT 1 FROM pg_subscription_rel WHERE srrelid = CAST(? AS oid)", oid)
                .isEmpty()) {
            open.add("a subscription of logical replication writes rows without passing statement triggers");
        }
        return open;
    }

    List<String> known() throws SQLException {
        List<String> known = new ArrayList<>();
        String owner = Sql.column(
                        connection, "SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = CAST(? AS oid)", oid)
                .get(0);
        known.add("its owner " + owner + " can disable or drop the triggers, and drop or alter the table");
        String superusers = String.join(
                ", ", Sql.column(connection, "SELECT rolname FROM pg_roles WHERE rolsuper ORDER BY rolname"));
        known.add("superusers (" + superusers + ") can disable the triggers");
        return known;
    }
}
