package dev.tenure.patterns;

import dev.tenure.Leadership;
import dev.tenure.NotLeadingException;
import dev.tenure.StaleTokenException;
import dev.tenure.fence.sql.FencedSql;
import dev.tenure.patterns.Journal.Attempt;
import dev.tenure.patterns.Migration.Outcome;
import dev.tenure.patterns.Migration.State;
import dev.tenure.patterns.Migration.Step;
import dev.tenure.patterns.Migration.StepStatus;
import dev.tenure.spi.Host;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The steps of a migration, and what the journal says of them. Every write goes through the fence. */
record MigrationSteps(Journal journal, FencedSql fence, Host host, String name, List<Step> steps) {
    private static final String COLUMNS = """
            migration VARCHAR(80) NOT NULL, step VARCHAR(80) NOT NULL,
            checksum VARCHAR(64) NOT NULL, state VARCHAR(10) NOT NULL,
            token BIGINT NOT NULL, nonce CHAR(32) NOT NULL, node VARCHAR(400) NOT NULL,
            began BIGINT NOT NULL, ended BIGINT, note VARCHAR(400) NOT NULL,
            PRIMARY KEY (migration, step)""";

    /** The connection, the server's resources, an operator, the system: not the statement's fault. */
    private static final Set<String> NOT_OF_A_STATEMENT = Set.of("08", "53", "57", "58", "40");

    private static final String CANCELLED = "57014";

    static List<StepStatus> status(Journal journal) throws SQLException {
        return journal.query("SELECT * FROM tenure_migration ORDER BY began, step", MigrationSteps::read);
    }

    private static StepStatus read(ResultSet row) throws SQLException {
        return new StepStatus(
                row.getString("migration"),
                row.getString("step"),
                row.getString("checksum"),
                State.valueOf(row.getString("state")),
                Attempt.read(row),
                row.getString("note"));
    }

    private List<StepStatus> rows() throws SQLException {
        return status(journal).stream()
                .filter(row -> row.migration().equals(name))
                .toList();
    }

    private static Optional<StepStatus> find(List<StepStatus> rows, Step step) {
        return rows.stream().filter(row -> row.step().equals(step.id())).findFirst();
    }

    private static boolean isApplied(Optional<StepStatus> row) {
        return row.isPresent() && row.get().state() == State.APPLIED;
    }

    /** Nothing if there is something to do. */
    Optional<Outcome> appliedOrRefused() throws SQLException {
        List<StepStatus> rows = rows();
        for (Step step : steps) {
            Optional<StepStatus> row = find(rows, step);
            if (isApplied(row) && !row.get().checksum().equals(step.sql().checksum())) {
                Attempt at = row.get().at();
                return failed(
                        step,
                        "it was applied at " + at.began() + " by " + at.node()
                                + " with another text: put the old text back, and make a new step of the change");
            }
        }
        boolean all = steps.stream().allMatch(step -> isApplied(find(rows, step)));
        return all ? Optional.of(new Outcome.Already()) : Optional.empty();
    }

    private static Optional<Outcome> failed(Step step, String why) {
        return Optional.of(new Outcome.Failed(step.id(), new IllegalStateException(why)));
    }

    String whoIsAtIt() throws SQLException {
        Optional<StepStatus> open =
                rows().stream().filter(row -> row.state() != State.APPLIED).findFirst();
        return open.map(StepStatus::toString).orElse("nobody has begun the next step");
    }

    /** Applies the steps that are left. What it throws ends the term, and another one goes on. */
    Outcome apply(Leadership leadership) throws Exception {
        journal.create("tenure_migration", COLUMNS);
        Optional<Outcome> settled = appliedOrRefused();
        if (settled.isPresent()) {
            return settled.get() instanceof Outcome.Already ? new Outcome.Waited() : settled.get();
        }
        List<StepStatus> rows = rows();
        Optional<Outcome> takenOver = Optional.empty();
        int applied = 0;
        for (Step step : steps) {
            Optional<StepStatus> row = find(rows, step);
            if (isApplied(row)) {
                continue;
            }
            Optional<StepStatus> left = row.filter(one -> one.state() == State.RUNNING); // by a term that is over
            takenOver = takenOver.or(() -> left.map(this::takenOver));
            Optional<Outcome> failure = apply(leadership, step, left, row.isPresent());
            if (failure.isPresent()) {
                return failure.get();
            }
            applied++;
        }
        return takenOver.orElse(new Outcome.Applied(applied));
    }

    private Outcome takenOver(StepStatus left) {
        Duration after = Duration.between(left.at().began(), Instant.ofEpochMilli(host.wallMillis()));
        return new Outcome.TakenOver(left.at().node(), left.step(), after);
    }

    /** Returns how it has failed, if it has. What is thrown means that it is open, or that the term has ended. */
    private Optional<Outcome> apply(Leadership leadership, Step step, Optional<StepStatus> left, boolean begun)
            throws Exception {
        SqlStep sql = step.sql();
        boolean fenced = sql.isTransactional(journal.product());
        if (!fenced && sql.statements.size() > 1) {
            return failed(step, "here each statement that changes tables is a commit: make it a step of its own");
        }
        if (!fenced && left.isPresent() && !sql.mayRepeat()) {
            String node = left.get().at().node();
            return failed(
                    step,
                    "its statement may have been executed or not when " + node + " died. Look, and in"
                            + " tenure_migration set state = 'APPLIED' if it was, or 'FAILED' if not");
        }
        begin(leadership, step);
        try {
            if (fenced) {
                fence.write(leadership, connection -> {
                    for (int i = 0; i < sql.statements.size(); i++) {
                        execute(connection, sql.statements.get(i), i + 1);
                    }
                    end(connection, step, State.APPLIED, "");
                });
                return Optional.empty();
            }
            leadership.ensureValid();
            // What a script refused may have been there before, with data in it.
            applyOutside(leadership, step, left.isPresent() || (begun && sql.outside));
        } catch (StaleTokenException | NotLeadingException | InterruptedException over) {
            throw over;
        } catch (Throwable failure) { // an Error would come again with every attempt
            leadership.ensureValid();
            if (failure instanceof SQLException trouble && mayPass(trouble)) {
                throw trouble;
            }
            String note = Journal.cut(failure.toString());
            fence.write(leadership, connection -> end(connection, step, State.FAILED, note));
            return Optional.of(new Outcome.Failed(step.id(), failure));
        }
        leadership.ensureValid();
        fence.write(leadership, connection -> end(connection, step, State.APPLIED, ""));
        return Optional.empty();
    }

    /** The step is this term's now. */
    private void begin(Leadership leadership, Step step) throws SQLException, StaleTokenException {
        Object[] told = {
            host.wallMillis(),
            step.sql().checksum(),
            leadership.token().value(),
            leadership.term().nonce().toString(),
            Journal.cut(leadership.term().holder()),
            name,
            step.id()
        };
        fence.write(leadership, connection -> {
            String again = "UPDATE tenure_migration SET state = 'RUNNING', ended = NULL, note = '', began = ?,"
                    + " checksum = ?, token = ?, nonce = ?, node = ? WHERE migration = ? AND step = ?";
            if (Journal.update(connection, again, told) == 0) {
                String first = "INSERT INTO tenure_migration"
                        + " (state, note, began, checksum, token, nonce, node, migration, step)"
                        + " VALUES ('RUNNING', '', ?, ?, ?, ?, ?, ?, ?)";
                Journal.update(connection, first, told);
            }
        });
    }

    private void applyOutside(Leadership leadership, Step step, boolean broken) throws Exception {
        SqlStep sql = step.sql();
        if (sql.statements.isEmpty()) {
            step.code().perform(leadership);
            return;
        }
        try (Connection connection = journal.source().getConnection()) {
            connection.setAutoCommit(true);
            if (broken && sql.undo.isPresent()) {
                execute(connection, sql.undo.get(), 1);
            }
            execute(connection, sql.statements.get(0), 1);
        }
    }

    private static void execute(Connection connection, String sql, int number) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException failure) {
            String told = "statement " + number + ": " + failure.getMessage();
            throw new SQLException(told, failure.getSQLState(), failure.getErrorCode(), failure);
        }
    }

    private void end(Connection connection, Step step, State state, String note) throws SQLException {
        String sql = "UPDATE tenure_migration SET state = ?, ended = ?, note = ? WHERE migration = ? AND step = ?";
        Journal.update(connection, sql, state.name(), host.wallMillis(), note, name, step.id());
    }

    private static boolean mayPass(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        boolean told = state.length() == 5 && !NOT_OF_A_STATEMENT.contains(state.substring(0, 2));
        return !told && !state.equals(CANCELLED);
    }
}
