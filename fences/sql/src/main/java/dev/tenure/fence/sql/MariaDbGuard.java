// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import dev.tenure.ElectionName;
import dev.tenure.fence.sql.Sql.SqlState;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * On MariaDB, which has row triggers only: INSERT, UPDATE, DELETE, REPLACE and LOAD DATA pass them; TRUNCATE, DROP and the
 * changes that a foreign key makes by cascade do not, and the status says so. A token is a variable of the session, bound to
 * one transaction by counting the session's statements that may end one.
 */
final class MariaDbGuard extends TableGuard {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_$]{1,50}");
    /** A message of the server has 128 characters, and must hold the token too. */
    private static final int RESOURCE_MAX = 60;

    private static final int WAIT_SECONDS = 5;

    private static final List<String> EVENTS = List.of("INSERT", "UPDATE", "DELETE");

    MariaDbGuard(Connection connection) {
        super(connection, FenceDialect.MARIADB);
    }

    @Override
    public void install(String resource, ElectionName election, List<String> tables) throws SQLException {
        FenceOptions.checkResource(resource);
        if (resource.length() > RESOURCE_MAX) {
            throw new IllegalArgumentException(
                    "on MariaDB the name of a resource has at most " + RESOURCE_MAX + " characters: " + resource);
        }
        for (String table : tables) {
            refuseWhatCannotBe(table, resource);
        }
        bind(resource, election);
        List<String> statements = new ArrayList<>(routine("tenure_fence_check", "mariadb-check.sql"));
        statements.addAll(routine("tenure_present", "mariadb-present.sql"));
        for (String table : tables) {
            for (String event : EVENTS) {
                statements.add("CREATE OR REPLACE TRIGGER " + trigger(table, event) + " BEFORE " + event + " ON `"
                        + table + "` FOR EACH ROW CALL tenure_fence_check('" + resource + "')");
            }
        }
        define(statements);
    }

    /** What it takes to have this routine as it is here: nothing, if it is so already, because transactions may be in it. */
    private List<String> routine(String name, String script) throws SQLException {
        String text = Sql.script(script, "", FenceOptions.TABLE)
                // How many statements of the session may have ended its transaction. Those that surely do not are left
                // out, and
                // everything else counts: COMMIT, DDL (which commits), XA, SET, and what later versions of the server
                // bring.
                .replace("${count}", Sql.script("mariadb-count.sql", "", "").strip());
        String mark = "tenure " + Integer.toHexString(text.hashCode());
        List<String> found = column(
                "SELECT ROUTINE_COMMENT FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE()"
                        + " AND ROUTINE_NAME = ?",
                name);
        return found.contains(mark) ? List.of() : List.of(text.replace("${mark}", mark));
    }

    /**
     * A definition waits for open transactions, and everybody else waits behind it, by default for a day. So it gives up
     * soon.
     */
    private void define(List<String> statements) throws SQLException {
        execute("SET SESSION lock_wait_timeout = " + WAIT_SECONDS);
        try {
            for (String statement : statements) {
                execute(statement);
            }
        } catch (SQLException failure) {
            if (!SqlState.isTimeout(failure)) {
                throw failure;
            }
            throw Sql.explained(
                    "a transaction that is open for more than " + WAIT_SECONDS
                            + " s keeps the triggers from being changed;"
                            + " what was changed before it stays: run it again when that transaction has ended"
                            + " (SHOW PROCESSLIST shows it)",
                    failure);
        } finally {
            execute("SET SESSION lock_wait_timeout = DEFAULT");
        }
    }

    private static String trigger(String table, String event) {
        return "`" + TRIGGER + "_" + event.substring(0, 1).toLowerCase(Locale.ROOT) + "_" + table + "`";
    }

    private void refuseWhatCannotBe(String table, String resource) throws SQLException {
        if (!NAME.matcher(table).matches()) {
            throw new IllegalArgumentException("'" + table
                    + "' is not the plain name of a table: on MariaDB the database is that of the URL, without a dot");
        }
        List<List<String>> found = rows(
                "SELECT TABLE_TYPE, ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?",
                table);
        String reason = "";
        if (found.isEmpty()) {
            throw new IllegalArgumentException("there is no table " + table + " in this database");
        } else if (!found.get(0).get(0).equals("BASE TABLE")) {
            reason = "it is not a table: protect the tables behind it";
        } else if (!found.get(0).get(1).equalsIgnoreCase("InnoDB")) {
            reason = "its engine " + found.get(0).get(1) + " has no transactions";
        } else if (table.equals(FenceOptions.TABLE)) {
            reason = "it is the fence";
        }
        for (GuardedTable guarded : tables()) {
            if (guarded.table().equals(table) && !guarded.resource().equals(resource)) {
                reason = "it is fenced by " + guarded.resource() + " already: uninstall that first";
            }
        }
        if (!reason.isEmpty()) {
            throw new IllegalArgumentException(table + " cannot be fenced: " + reason);
        }
    }

    @Override
    public void uninstall(List<String> tables) throws SQLException {
        for (String table : tables) {
            if (!NAME.matcher(table).matches()) {
                throw new IllegalArgumentException("'" + table + "' is not the plain name of a table");
            }
            define(EVENTS.stream()
                    .map(event -> "DROP TRIGGER IF EXISTS " + trigger(table, event))
                    .toList());
        }
    }

    /**
     * Rows are grouped here and not by the server: a GROUP BY over this view, beside other sessions that changed triggers, once
     * ended a MariaDB 10.11 with a segmentation fault.
     */
    @Override
    List<GuardedTable> tables() throws SQLException {
        SortedMap<String, List<String>> statements = new TreeMap<>();
        for (List<String> row : rows("SELECT EVENT_OBJECT_TABLE, ACTION_STATEMENT FROM information_schema.TRIGGERS"
                + " WHERE TRIGGER_SCHEMA = DATABASE() AND ACTION_STATEMENT LIKE 'CALL tenure_fence_check(%'")) {
            statements.computeIfAbsent(row.get(0), table -> new ArrayList<>()).add(row.get(1));
        }
        List<GuardedTable> states = new ArrayList<>();
        for (Map.Entry<String, List<String>> entry : statements.entrySet()) {
            String table = entry.getKey();
            String statement = entry.getValue().get(0);
            String resource = statement.substring(statement.indexOf('\'') + 1, statement.lastIndexOf('\''));
            states.add(new GuardedTable(
                    table, resource, open(table, entry.getValue().size()), known(table)));
        }
        return states;
    }

    private List<String> open(String table, int triggers) throws SQLException {
        List<String> open = new ArrayList<>();
        if (triggers != EVENTS.size()) {
            open.add("it has " + triggers + " triggers instead of " + EVENTS.size()
                    + ": run tenure fence install again");
        }
        for (List<String> row : rows(
                "SELECT CONSTRAINT_NAME, REFERENCED_TABLE_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS"
                        + " WHERE CONSTRAINT_SCHEMA = DATABASE() AND TABLE_NAME = ?"
                        + " AND ('CASCADE' IN (DELETE_RULE, UPDATE_RULE) OR 'SET NULL' IN (DELETE_RULE, UPDATE_RULE))",
                table)) {
            open.add("a change of " + row.get(1) + " changes rows here by the cascade " + row.get(0)
                    + ", without passing the triggers: fence " + row.get(1) + " too, or take away the cascade");
        }
        List<String> droppers = column(
                "SELECT GRANTEE FROM information_schema.TABLE_PRIVILEGES WHERE TABLE_SCHEMA = DATABASE()"
                        + " AND TABLE_NAME = ? AND PRIVILEGE_TYPE = 'DROP'"
                        + " UNION ALL SELECT GRANTEE FROM information_schema.SCHEMA_PRIVILEGES"
                        + " WHERE DATABASE() LIKE TABLE_SCHEMA AND PRIVILEGE_TYPE = 'DROP'"
                        + " UNION ALL SELECT GRANTEE FROM information_schema.USER_PRIVILEGES"
                        + " WHERE PRIVILEGE_TYPE = 'DROP'",
                table);
        if (!droppers.isEmpty()) {
            open.add("TRUNCATE and DROP pass no trigger, and are granted (privilege DROP) to "
                    + droppers.stream().distinct().sorted().collect(Collectors.joining(", ")));
        }
        return open;
    }

    private static List<String> known(String table) {
        return List.of(
                "who has the privilege TRIGGER on " + table + " can drop the triggers",
                "changes that a replica takes over row by row pass no trigger there: write to the primary only");
    }
}
