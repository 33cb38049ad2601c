// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.fence.sql.Sql.SqlState;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Triggers that protect tables from every client, also from those that know nothing of Tenure: a write whose transaction does
 * not show the newest term fails. For operators; {@code tenure fence} is made of it.
 *
 * <p>It is safety and not security: who may disable a trigger, or shows a token that it has read somewhere, is let in.
 */
public abstract class TableGuard {
    static final String TRIGGER = "tenure_fence";
    /** No claim has it: a fence that an operator raised lets nobody in until a newer term comes. */
    private static final String NOBODY = "0".repeat(32);

    private static final int RAISE_SECONDS = FenceOptions.standard().raiseSeconds();

    final Connection connection;
    private final FenceDialect dialect;
    private final FenceTable fences;

    /**
     * A fence as operators see it.
     *
     * @param store which elects, or nothing if nobody named it
     */
    public record FenceState(String resource, String election, String store, Raise newest, List<GuardedTable> tables) {
        /** Is there a way past the triggers that should not be there? */
        public boolean isOpen() {
            return tables.stream().anyMatch(table -> !table.open().isEmpty());
        }
    }

    /**
     * What raised a fence last.
     *
     * @param token zero if it was never raised
     * @param at when, as the database writes it
     */
    public record Raise(long token, String holder, String at) {}

    /**
     * A table behind triggers.
     *
     * @param open ways past the triggers, which can be closed
     * @param known ways past them that every such table has, and who can go them
     */
    public record GuardedTable(String table, String resource, List<String> open, List<String> known) {}

    TableGuard(Connection connection, FenceDialect dialect) {
        this.connection = connection;
        this.dialect = dialect;
        this.fences = new FenceTable(dialect, FenceOptions.TABLE);
    }

    /** @param connection with autocommit, of a user who may create triggers and functions; stays open */
    public static TableGuard at(Connection connection) throws SQLException {
        FenceDialect dialect = FenceDialect.of(connection);
        if (connection.getMetaData().getDatabaseProductName().equalsIgnoreCase("mysql")) {
            throw new IllegalArgumentException("there are no fence triggers for MySQL: they are made for PostgreSQL and"
                    + " MariaDB, whose SQL differs from it");
        }
        return switch (dialect) {
            case POSTGRESQL -> new PostgresGuard(connection);
            case MARIADB -> new MariaDbGuard(connection);
            case H2 ->
                throw new IllegalArgumentException(
                        "there are no fence triggers for H2: they are made for PostgreSQL and"
                                + " MariaDB; FencedSql works on H2 too");
        };
    }

    /**
     * Protects these tables. What is installed already is renewed.
     *
     * @param resource which fence; a {@link FencedSql} of the same resource passes
     * @throws IllegalArgumentException if a table cannot be protected, with the reason
     */
    public abstract void install(String resource, ElectionName election, List<String> tables) throws SQLException;

    /** Removes the triggers. The fence itself stays: it must not forget what it has seen. */
    public abstract void uninstall(List<String> tables) throws SQLException;

    /** Which tables are protected by which resource, and what is left open. */
    abstract List<GuardedTable> tables() throws SQLException;

    /** Every fence of this database, with the tables that its triggers protect. */
    public List<FenceState> status() throws SQLException {
        if (!exists()) {
            return List.of();
        }
        List<GuardedTable> tables = tables();
        List<FenceState> states = new ArrayList<>();
        for (List<String> row : rows("SELECT resource, election, store, token, holder, raised FROM "
                + FenceOptions.TABLE + " ORDER BY resource")) {
            List<GuardedTable> guarded = tables.stream()
                    .filter(table -> table.resource().equals(row.get(0)))
                    .toList();
            Raise newest = new Raise(Long.parseLong(row.get(3)), row.get(4), row.get(5));
            states.add(new FenceState(row.get(0), FenceTable.shown(row.get(1)), row.get(2), newest, guarded));
        }
        return List.copyOf(states);
    }

    /**
     * Raises a fence by hand, so that everything up to this token is refused; above the newest, if it is left out.
     *
     * @param election binds the fence to another election, with this token or above
     * @return the token that it has now
     */
    public FencingToken raise(String resource, Optional<FencingToken> token, Optional<ElectionName> election)
            throws SQLException {
        FenceOptions.checkResource(resource);
        if (!exists()) {
            throw unknown(resource);
        }
        FenceTable.Row seen = fences.look(connection, resource).orElseThrow(() -> unknown(resource));
        FencingToken wanted = token.orElseGet(() -> new FencingToken(Math.addExact(seen.token(), 1)));
        String sql = "UPDATE " + FenceOptions.TABLE + " SET token = ?, nonce = ?, holder = 'operator', election = ?"
                + ", store = ?, raised = " + dialect.now() + dialect.exclusiveQueue(FenceOptions.TABLE, resource)
                + " WHERE resource = ? AND token < ?";
        try {
            boolean raised = FenceTable.change(
                    connection,
                    RAISE_SECONDS,
                    sql,
                    wanted.value(),
                    NOBODY,
                    election.map(ElectionName::encoded).orElse(seen.election()),
                    election.isPresent() ? "" : seen.store(),
                    resource,
                    wanted.value());
            if (!raised) {
                throw new IllegalArgumentException("the fence of " + resource + " has seen token " + seen.token()
                        + ", and a fence never goes back: token " + wanted + " is not above it");
            }
        } catch (SQLException failure) {
            throw SqlState.isTimeout(failure) ? held(resource, failure) : failure;
        }
        return wanted;
    }

    /** An operator decides what to end: the leader that is fenced may be a healthy one. */
    private SQLException held(String resource, SQLException failure) throws SQLException {
        return Sql.explained(
                "the fence of " + resource + " was not raised within " + RAISE_SECONDS
                        + " s: an open transaction holds it. " + fences.blockers(connection, resource),
                failure);
    }

    private IllegalArgumentException unknown(String resource) {
        return new IllegalArgumentException(
                "there is no fence of " + resource + " in this database: tenure fence status shows which there are");
    }

    /** Makes the row of a resource, or finds that it belongs to this election already. */
    final void bind(String resource, ElectionName election) throws SQLException {
        FenceOptions.checkResource(resource);
        fences.create(connection);
        FenceTable.Row first = new FenceTable.Row(resource, election.encoded(), "", 0, NOBODY);
        if (fences.look(connection, resource).isEmpty()) {
            fences.bind(connection, first, "nobody yet", RAISE_SECONDS);
        }
        String bound = fences.look(connection, resource).orElseThrow().election();
        if (!bound.equals(election.encoded())) {
            throw new IllegalArgumentException("the fence of " + resource + " belongs to election "
                    + FenceTable.shown(bound) + ", not to " + election
                    + ": name another --resource, or bind it anew with tenure fence raise --election");
        }
    }

    private boolean exists() throws SQLException {
        try {
            var unused = fences.look(connection, "-");
            return true;
        } catch (SQLException failure) {
            if (SqlState.isMissingTable(failure)) {
                return false;
            }
            throw failure;
        }
    }

    final void execute(String sql) throws SQLException {
        Sql.execute(connection, sql);
    }

    final List<List<String>> rows(String sql, Object... parameters) throws SQLException {
        return Sql.rows(connection, sql, parameters);
    }

    /** The first column. */
    final List<String> column(String sql, Object... parameters) throws SQLException {
        return Sql.column(connection, sql, parameters);
    }
}
