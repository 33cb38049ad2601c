package dev.tenure.patterns;

import dev.tenure.Leadership;
import dev.tenure.NotLeadingException;
import dev.tenure.StaleTokenException;
import dev.tenure.patterns.Migration.Outcome;
import dev.tenure.patterns.Migration.State;
import dev.tenure.patterns.Migration.Step;
import dev.tenure.patterns.MigrationTable.StepRow;
import dev.tenure.spi.Host;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** One term: applies the steps that are left. What it throws ends the term, and another one goes on. */
final class MigrationTerm {
    /** The connection, the server's resources, an operator, the system: not the statement's fault. */
    private static final Set<String> NOT_OF_A_STATEMENT = Set.of("08", "53", "57", "58", "40");

    private static final String CANCELLED = "57014";

    private final MigrationTable table;
    private final List<Step> steps;
    private final Leadership leadership;
    private final Host host;
    private final String node;

    MigrationTerm(MigrationTable table, List<Step> steps, Leadership leadership, Host host, String node) {
        this.table = table;
        this.steps = steps;
        this.leadership = leadership;
        this.host = host;
        this.node = Journal.cut(node, 400);
    }

    Outcome apply() throws Exception {
        table.create();
        Optional<Outcome> known = table.appliedOrRefused(steps);
        if (known.isPresent()) {
            return known.get() instanceof Outcome.Already ? new Outcome.Waited() : known.get();
        }
        Map<String, StepRow> rows = table.rows();
        Optional<Outcome> takenOver = Optional.empty();
        int applied = 0;
        for (Step step : steps) {
            Optional<StepRow> row = Optional.ofNullable(rows.get(step.id()));
            if (row.isPresent() && row.get().isApplied()) {
                continue;
            }
            if (row.isPresent() && row.get().status().state() == State.RUNNING && takenOver.isEmpty()) {
                CronJobs.Attempt left = row.get().status().at();
                Duration after = Duration.between(left.began(), Instant.ofEpochMilli(host.wallMillis()));
                takenOver = Optional.of(new Outcome.TakenOver(left.node(), step.id(), after));
            }
            Optional<Throwable> failure = applyOne(step, row);
            if (failure.isPresent()) {
                return new Outcome.Failed(step.id(), failure.get());
            }
            applied++;
        }
        return takenOver.orElse(new Outcome.Applied(applied));
    }

    /** Returns why it has failed, if it has. What is thrown means that it is open, or that the term has ended. */
    private Optional<Throwable> applyOne(Step step, Optional<StepRow> row) throws Exception {
        boolean unknown = row.isPresent()
                && row.get().status().state() == State.RUNNING
                && row.get().begun() > row.get().done();
        if (unknown && step.sql().isPresent() && !step.sql().get().mayRepeat()) {
            String what = "statement " + row.get().begun() + " may have been executed or not when "
                    + row.get().status().at().node()
                    + " died. Look, and set done = begun in tenure_migration if it was,"
                    + " or begun = done if not";
            return Optional.of(new IllegalStateException(what));
        }
        table.begin(leadership, step, host.wallMillis(), node);
        try {
            if (step.sql().isEmpty()) {
                step.code().perform(leadership);
            } else if (step.sql().get().isOneTransaction(table.journal().product())) {
                applyAtOnce(step, step.sql().get());
                return Optional.empty();
            } else {
                applyOneByOne(step, step.sql().get(), row.map(StepRow::done).orElse(0), unknown);
            }
        } catch (StaleTokenException | NotLeadingException | InterruptedException over) {
            throw over;
        } catch (Exception failure) {
            leadership.ensureValid();
            if (failure instanceof SQLException sql && mayPass(sql)) {
                throw failure;
            }
            end(step, State.FAILED, Journal.cut(failure.toString(), 400));
            return Optional.of(failure);
        }
        leadership.ensureValid();
        end(step, State.APPLIED, "");
        return Optional.empty();
    }

    private void end(Step step, State state, String note) throws SQLException, StaleTokenException {
        table.fence().write(leadership, connection -> table.end(connection, step, state, host.wallMillis(), note));
    }

    private void applyAtOnce(Step step, SqlStep sql) throws SQLException, StaleTokenException {
        table.fence().write(leadership, connection -> {
            for (int i = 0; i < sql.statements().size(); i++) {
                execute(connection, sql.statements().get(i), i + 1);
            }
            table.end(connection, step, State.APPLIED, host.wallMillis(), "");
        });
    }

    private void applyOneByOne(Step step, SqlStep sql, int done, boolean broken) throws Exception {
        if (broken && sql.undo().isPresent()) {
            table.journal().execute(sql.undo().get());
        }
        for (int i = done; i < sql.statements().size(); i++) {
            String statement = sql.statements().get(i);
            int number = i + 1;
            leadership.ensureValid();
            if (sql.isTransactional(statement)) {
                table.fence().write(leadership, connection -> {
                    execute(connection, statement, number);
                    table.count(connection, step, number, number);
                });
            } else {
                int before = i;
                table.fence().write(leadership, connection -> table.count(connection, step, number, before));
                try (Connection connection = table.journal().source().getConnection()) {
                    connection.setAutoCommit(true);
                    execute(connection, statement, number);
                }
                table.fence().write(leadership, connection -> table.count(connection, step, number, number));
            }
        }
    }

    private static void execute(Connection connection, String sql, int number) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException failure) {
            throw new SQLException(
                    "statement " + number + ": " + failure.getMessage(),
                    failure.getSQLState(),
                    failure.getErrorCode(),
                    failure);
        }
    }

    private static boolean mayPass(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        boolean told = state.length() == 5 && !NOT_OF_A_STATEMENT.contains(state.substring(0, 2));
        return !told && !state.equals(CANCELLED);
    }
}
