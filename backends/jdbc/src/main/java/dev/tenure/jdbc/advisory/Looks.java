package dev.tenure.jdbc.advisory;

import dev.tenure.ElectionName;
import dev.tenure.spi.Observation;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What observers see. A holder whose connection has ended is no leader, though its row still names it. */
final class Looks {
    private final Statements statements;

    Looks(Statements statements) {
        this.statements = statements;
    }

    Optional<Epoch> find(Connection connection, ElectionName election) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(statements.read())) {
            statement.setString(1, election.encoded());
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? Optional.of(Epoch.of(rows)) : Optional.empty();
            }
        }
    }

    Observation read(Connection connection, ElectionName election) throws SQLException {
        return find(connection, election)
                .map(Epoch::observation)
                .orElseGet(() -> new Observation(election, Optional.empty(), 0));
    }

    List<Observation> list(Connection connection) throws SQLException {
        List<Observation> all = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(statements.list())) {
            while (rows.next()) {
                all.add(Epoch.of(rows).observation());
            }
        }
        return all;
    }
}
