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

/** A table behind triggers, written to by a client that knows nothing of Tenure but how to show a token. */
final class TriggeredTable implements GuardedResource {
    private final Database database;
    private final String resource;
    private final String table;

    TriggeredTable(Database database, String resource) throws SQLException {
        this.database = database;
        this.resource = resource;
        this.table = "ledger_" + resource.replace('-', '_');
        database.createLedger(table);
        try (Connection connection = database.source().getConnection()) {
            TableGuard.at(connection).install(resource, Terms.ELECTION, List.of(table));
        }
    }

    @Override
    public Fence fence() {
        return FencedSql.guarding(database.source(), resource);
    }

    @Override
    public void write(Term term, String value) throws Exception {
        try {
            GuardedTable.inTransaction(database.source(), connection -> {
                present(database, connection, resource, term);
                GuardedTable.insert(table, value).run(connection);
            });
        } catch (SQLException failure) {
            if (TriggerRejection.seen(failure).isPresent()) {
                throw new StaleTokenException(
                        resource, term, TriggerRejection.seen(failure).get());
            }
            throw spelt(failure, term);
        }
    }

    /** Triggers know elections as stores spell them. */
    private static SQLException spelt(SQLException failure, Term term) {
        String election = term.election().value();
        return new SQLException(failure.getMessage().replace(term.election().encoded(), election), failure);
    }

    static void present(Database database, Connection connection, String resource, Term term) throws SQLException {
        String election = database == Database.MARIADB
                ? term.election().encoded()
                : term.election().value();
        try (PreparedStatement present = connection.prepareStatement("SELECT tenure_present(?, ?, ?, ?)")) {
            present.setString(1, resource);
            present.setString(2, election);
            present.setLong(3, term.token().value());
            present.setString(4, term.nonce().toString());
            present.execute();
        }
    }

    @Override
    public List<String> accepted() throws Exception {
        return database.lines(table);
    }
}
