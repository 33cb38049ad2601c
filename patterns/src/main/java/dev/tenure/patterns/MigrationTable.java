package dev.tenure.patterns;

import dev.tenure.Leadership;
import dev.tenure.StaleTokenException;
import dev.tenure.fence.sql.FencedSql;
import dev.tenure.patterns.Migration.Outcome;
import dev.tenure.patterns.Migration.State;
import dev.tenure.patterns.Migration.Step;
import dev.tenure.patterns.Migration.StepStatus;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The statements on the table of steps. Every write goes through the fence. Times are milliseconds since 1970, UTC. */
final class MigrationTable {
    /** {@code begun} and {@code done} count statements, where each is a transaction of its own. */
    static final String STEPS = """
            CREATE TABLE IF NOT EXISTS tenure_migration (
                migration VARCHAR(80) EXACT NOT NULL, step VARCHAR(80) EXACT NOT NULL,
                checksum VARCHAR(64) NOT NULL, state VARCHAR(10) NOT NULL, begun INT NOT NULL, done INT NOT NULL,
                token BIGINT NOT NULL, nonce CHAR(32) NOT NULL, node VARCHAR(400) NOT NULL,
                began BIGINT NOT NULL, ended BIGINT, note VARCHAR(400) NOT NULL,
                PRIMARY KEY (migration, step)
            )""";

    private static final String OF_STEP = " WHERE migration = ? AND step = ?";
    private static final String BEGIN_AGAIN =
            "UPDATE tenure_migration SET checksum = ?, state = 'RUNNING', token = ?, nonce = ?, node = ?, began = ?,"
                    + " ended = NULL, note = ''" + OF_STEP;
    private static final String BEGIN =
            "INSERT INTO tenure_migration (state, begun, done, note, checksum, token, nonce, node, began, migration, step)"
                    + " VALUES ('RUNNING', 0, 0, '', ?, ?, ?, ?, ?, ?, ?)";

    private final Journal journal;
    private final FencedSql fence;
    private final String name;

    MigrationTable(Journal journal, FencedSql fence, String name) {
        this.journal = journal;
        this.fence = fence;
        this.name = name;
    }

    record StepRow(StepStatus status, String checksum, int begun, int done) {
        boolean isApplied() {
            return status.state() == State.APPLIED;
        }
    }

    Journal journal() {
        return journal;
    }

    FencedSql fence() {
        return fence;
    }

    void create() throws SQLException {
        journal.create("tenure_migration", STEPS);
    }

    static List<StepStatus> status(Journal journal) throws SQLException {
        return rows(journal, "", List.of()).stream().map(StepRow::status).toList();
    }

    Map<String, StepRow> rows() throws SQLException {
        Map<String, StepRow> all = new LinkedHashMap<>();
        rows(journal, " WHERE migration = ?", List.of(name)).forEach(row -> all.put(row.status.step(), row));
        return all;
    }

    private static List<StepRow> rows(Journal journal, String where, List<Object> parameters) throws SQLException {
        return journal.query(
                "SELECT migration, step, state, node, token, began, ended, note, checksum, begun, done"
                        + " FROM tenure_migration" + where + " ORDER BY began, step",
                MigrationTable::row,
                parameters);
    }

    private static StepRow row(ResultSet row) throws SQLException {
        CronJobs.Attempt at = CronJobs.attempt(row);
        State state = State.valueOf(row.getString("state"));
        StepStatus status =
                new StepStatus(row.getString("migration"), row.getString("step"), state, at, row.getString("note"));
        return new StepRow(status, row.getString("checksum"), row.getInt("begun"), row.getInt("done"));
    }

    /** Nothing if there is something to do. */
    Optional<Outcome> appliedOrRefused(List<Step> steps) throws SQLException {
        Map<String, StepRow> rows = rows();
        for (Step step : steps) {
            StepRow row = rows.get(step.id());
            if (row != null && row.isApplied() && !row.checksum.equals(step.checksum())) {
                return Optional.of(
                        new Outcome.Failed(
                                step.id(),
                                new IllegalStateException(
                                        "it was applied at " + row.status.at().began() + " by "
                                                + row.status.at().node()
                                                + " with another text: put the old text back, and make a new step of the change")));
            }
        }
        boolean all = steps.stream()
                .allMatch(step ->
                        rows.containsKey(step.id()) && rows.get(step.id()).isApplied());
        return all ? Optional.of(new Outcome.Already()) : Optional.empty();
    }

    String whoIsAtIt(List<Step> steps) throws SQLException {
        Map<String, StepRow> rows = rows();
        for (Step step : steps) {
            StepRow row = rows.get(step.id());
            if (row == null || !row.isApplied()) {
                return "step " + step.id()
                        + (row == null
                                ? " was not begun"
                                : " is " + row.status.state() + " on "
                                        + row.status.at().node() + " since "
                                        + row.status.at().began());
            }
        }
        return "all steps are applied now";
    }

    /** The step is this term's now, with as many statements done as there were. */
    void begin(Leadership leadership, Step step, long now, String node) throws SQLException, StaleTokenException {
        long token = leadership.token().value();
        String nonce = leadership.term().nonce().toString();
        List<Object> told = List.of(step.checksum(), token, nonce, node, now, name, step.id());
        fence.write(leadership, connection -> {
            if (Journal.update(connection, BEGIN_AGAIN, told) == 0) {
                Journal.update(connection, BEGIN, told);
            }
        });
    }

    void count(Connection connection, Step step, int begun, int done) throws SQLException {
        String count = "UPDATE tenure_migration SET begun = ?, done = ?" + OF_STEP;
        Journal.update(connection, count, List.of(begun, done, name, step.id()));
    }

    void end(Connection connection, Step step, State state, long now, String note) throws SQLException {
        String counts = state == State.FAILED ? ", begun = done" : "";
        String end = "UPDATE tenure_migration SET state = ?, ended = ?, note = ?" + counts + OF_STEP;
        Journal.update(connection, end, List.of(state.name(), now, note, name, step.id()));
    }
}
