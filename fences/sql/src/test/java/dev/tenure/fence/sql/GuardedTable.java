// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import dev.tenure.Fence;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import dev.tenure.contract.GuardedResource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** A table behind a fence, as the contract kit writes to it. */
final class GuardedTable implements GuardedResource {
    /** The ways in which a line goes through the fence into a table. */
    interface Way {
        void write(FencedSql fence, Term term, String table, String line) throws Exception;
    }

    static final Way WRITE = (fence, term, table, line) -> fence.write(term, insert(table, line));
    static final Way UPDATE = (fence, term, table, line) -> fence.update(term, insertInto(table), line);

    private final Database database;
    private final String table;
    private final FencedSql fence;
    private final Way way;

    GuardedTable(Database database, String resource, Way way) throws SQLException {
        this(database, resource, FencedSql.guarding(database.source(), resource), way);
    }

    GuardedTable(Database database, String resource, FencedSql fence, Way way) throws SQLException {
        this.database = database;
        this.table = "ledger_" + resource.replace('-', '_');
        this.fence = fence;
        this.way = way;
        database.createLedger(table);
    }

    /** As Spring and jOOQ do it: the transaction is somebody else's. */
    static Way entering(Database database) {
        return (fence, term, table, line) -> inTransaction(database.source(), connection -> {
            fence.enter(connection, term);
            insert(table, line).run(connection);
        });
    }

    static Way byDataSource() {
        return (fence, term, table, line) -> {
            try {
                inTransaction(fence.dataSource(new FixedLeadership(term)), insert(table, line)::run);
            } catch (StaleTokenSqlException refused) {
                throw refused.stale();
            }
        };
    }

    static Way byDataSourceWithAutocommit() {
        return (fence, term, table, line) -> {
            try (Connection connection =
                    fence.dataSource(new FixedLeadership(term)).getConnection()) {
                insert(table, line).run(connection);
            } catch (StaleTokenSqlException refused) {
                throw refused.stale();
            }
        };
    }

    interface Body {
        void run(Connection connection) throws SQLException, StaleTokenException;
    }

    static void inTransaction(DataSource source, Body body) throws SQLException, StaleTokenException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            try {
                body.run(connection);
                connection.commit();
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        }
    }

    static String insertInto(String table) {
        return "INSERT INTO " + table + " (line) VALUES (?)";
    }

    static SqlWork insert(String table, String line) {
        return connection -> {
            try (PreparedStatement insert = connection.prepareStatement(insertInto(table))) {
                insert.setString(1, line);
                insert.executeUpdate();
            }
        };
    }

    @Override
    public Fence fence() {
        return fence;
    }

    @Override
    public void write(Term term, String value) throws Exception {
        way.write(fence, term, table, value);
    }

    @Override
    public List<String> accepted() throws Exception {
        return database.lines(table);
    }
}
