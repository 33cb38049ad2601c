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
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The steps of a migration, and what the journal says of them. Every write goes through the fence; times are the database's. */
record MigrationSteps(Journal journal, FencedSql fence, String name, List<Step> steps) {
    private static final String COLUMNS = """
            migration VARCHAR(80) NOT NULL, step VARCHAR(80) NOT NULL,
            checksum VARCHAR(64) NOT NULL, state VARCHAR(10) NOT NULL,
            token BIGINT NOT NULL, nonce CHAR(32) NOT NULL, node VARCHAR(400) NOT NULL,
            began BIGINT NOT NULL, ended BIGINT, note VARCHAR(400) NOT NULL,
            PRIMARY KEY (migration, step)""";

    /** The connection, the server's resources, an operator, the system: not the statement's fault. */
    private static final Set<String> NOT_OF_A_STATEMENT = Set.of("08", "53", "57", "58", "40");

    private static final String CANCELLED = "57014";

    /** What the journal says of a step, and when. */
    private record StepRow(StepStatus status, String checksum, Instant now) {
        static StepRow read(ResultSet row) throws SQLException {
            StepStatus status = new StepStatus(
                    row.getString("migration"),
                    row.getString("step"),
                    State.valueOf(row.getString("state")),
                    Attempt.read(row),
                    row.getString("note"));
            return new StepRow(status, row.getString("checksum"), Instant.ofEpochMilli(row.getLong("millis")));
        }

        boolean is(State state) {
            return status.state() == state;
        }

        /** By a term that is over. */
        boolean isLeft() {
            return is(State.RUNNING);
        }

        Outcome takenOver() {
            Duration after = Duration.between(status.at().began(), now);
            return new Outcome.TakenOver(status.at().node(), status.step(), after);
        }
    }

    static List<StepStatus> status(Journal journal) throws SQLException {
        return rows(journal).stream().map(StepRow::status).toList();
    }

    private static List<StepRow> rows(Journal journal) throws SQLException {
        return journal.query(
                "SELECT m.*, " + journal.product().now + " AS millis FROM tenure_migration m ORDER BY began, step",
                StepRow::read);
    }

    private Map<String, StepRow> rows() throws SQLException {
        Map<String, StepRow> all = new LinkedHashMap<>();
        rows(journal).stream()
                .filter(row -> row.status.migration().equals(name))
                .forEach(row -> all.put(row.status.step(), row));
        return all;
    }

    /** Nothing if there is something to do. */
    Optional<Outcome> appliedOrRefused() throws SQLException {
        Map<String, StepRow> rows = rows();
        boolean all = true;
        for (Step step : steps) {
            StepRow row = rows.get(step.id());
            if (row == null || !row.is(State.APPLIED)) {
                all = false;
            } else if (!row.checksum.equals(step.checksum())) {
                Attempt at = row.status.at();
                return failed(
                        step,
                        "it was applied at " + at.began() + " by " + at.node()
                                + " with another text: put the old text back, and make a new step of the change");
            }
        }
        return all ? Optional.of(new Outcome.Already()) : Optional.empty();
    }

    private static Optional<Outcome> failed(Step step, String why) {
        return Optional.of(new Outcome.Failed(step.id(), new IllegalStateException(why)));
    }

    String whoIsAtIt() throws SQLException {
        Optional<StepRow> open =
                rows().values().stream().filter(row -> !row.is(State.APPLIED)).findFirst();
        return open.map(row -> row.status.toString()).orElse("nobody has begun the next step");
    }

    /** Applies the steps that are left. What it throws ends the term, and another one goes on. */
    Outcome apply(Leadership leadership) throws Exception {
        journal.create("tenure_migration", COLUMNS);
        Optional<Outcome> settled = appliedOrRefused();
        if (settled.isPresent()) {
            return settled.get() instanceof Outcome.Already ? new Outcome.Waited() : settled.get();
        }
        Map<String, StepRow> rows = rows();
        Optional<Outcome> takenOver = Optional.empty();
        int applied = 0;
        for (Step step : steps) {
            Optional<StepRow> row = Optional.ofNullable(rows.get(step.id()));
            if (row.isPresent() && row.get().is(State.APPLIED)) {
                continue;
            }
            takenOver = takenOver.or(() -> row.filter(StepRow::isLeft).map(StepRow::takenOver));
            Optional<Outcome> failure = apply(leadership, step, row);
            if (failure.isPresent()) {
                return failure.get();
            }
            applied++;
        }
        return takenOver.orElse(new Outcome.Applied(applied));
    }

    /** Returns how it has failed, if it has. What is thrown means that it is open, or that the term has ended. */
    private Optional<Outcome> apply(Leadership leadership, Step step, Optional<StepRow> before) throws Exception {
        boolean fenced = step.sql().isPresent() && step.sql().get().isTransactional(journal.product());
        if (step.sql().isPresent() && !fenced) {
            if (step.sql().get().statements.size() > 1) {
                return failed(step, "here each statement that changes tables is a commit: make it a step of its own");
            }
            if (before.filter(StepRow::isLeft).isPresent() && !step.sql().get().mayRepeat()) {
                String node = before.get().status.at().node();
                return failed(
                        step,
                        "its statement may have been executed or not when " + node + " died. Look, and in"
                                + " tenure_migration set state = 'APPLIED' if it was, or 'FAILED' if not");
            }
        }
        begin(leadership, step);
        try {
            if (step.sql().isEmpty()) {
                step.code().perform(leadership);
            } else if (fenced) {
                applyAtOnce(leadership, step, step.sql().get());
                return Optional.empty();
            } else {
                leadership.ensureValid();
                SqlStep sql = step.sql().get();
                // What a script refused may have been there before, with data in it.
                boolean broken =
                        before.filter(row -> row.isLeft() || sql.outside).isPresent();
                applyOutside(sql, broken);
            }
        } catch (StaleTokenException | NotLeadingException | InterruptedException over) {
            throw over;
        } catch (Throwable failure) { // an Error would come again with every attempt
            leadership.ensureValid();
            if (failure instanceof SQLException sql && mayPass(sql)) {
                throw sql;
            }
            String note = Journal.cut(failure.toString());
            fence.write(leadership, connection -> end(connection, step, "'FAILED'", note));
            return Optional.of(new Outcome.Failed(step.id(), failure));
        }
        leadership.ensureValid();
        fence.write(leadership, connection -> end(connection, step, "'APPLIED'", ""));
        return Optional.empty();
    }

    /** The step is this term's now. */
    private void begin(Leadership leadership, Step step) throws SQLException, StaleTokenException {
        String now = journal.product().now;
        Object[] told = {
            step.checksum(),
            leadership.token().value(),
            leadership.term().nonce().toString(),
            Journal.cut(leadership.term().holder()),
            name,
            step.id()
        };
        fence.write(leadership, connection -> {
            String again =
                    "UPDATE tenure_migration SET state = 'RUNNING', began = " + now + ", ended = NULL, note = '',"
                            + " checksum = ?, token = ?, nonce = ?, node = ? WHERE migration = ? AND step = ?";
            if (Journal.update(connection, again, told) == 0) {
                String first = "INSERT INTO tenure_migration"
                        + " (state, began, note, checksum, token, nonce, node, migration, step)"
                        + " VALUES ('RUNNING', " + now + ", '', ?, ?, ?, ?, ?, ?)";
                Journal.update(connection, first, told);
            }
        });
    }

    private void applyAtOnce(Leadership leadership, Step step, SqlStep sql) throws SQLException, StaleTokenException {
        fence.write(leadership, connection -> {
            for (int i = 0; i < sql.statements.size(); i++) {
                execute(connection, sql.statements.get(i), i + 1);
            }
            end(connection, step, "'APPLIED'", "");
        });
    }

    private void applyOutside(SqlStep sql, boolean broken) throws SQLException {
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

    private void end(Connection connection, Step step, String state, String note) throws SQLException {
        String sql = "UPDATE tenure_migration SET state = " + state + ", ended = " + journal.product().now
                + ", note = ? WHERE migration = ? AND step = ?";
        Journal.update(connection, sql, note, name, step.id());
    }

    private static boolean mayPass(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        boolean told = state.length() == 5 && !NOT_OF_A_STATEMENT.contains(state.substring(0, 2));
        return !told && !state.equals(CANCELLED);
    }
}
