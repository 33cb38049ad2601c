// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import dev.tenure.Candidacy;
import dev.tenure.Duty;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.NotLeadingException;
import dev.tenure.StaleTokenException;
import dev.tenure.Tenure;
import dev.tenure.fence.sql.FencedSql;
import dev.tenure.patterns.Journal.Attempt;
import dev.tenure.spi.Host;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Steps that are applied once, in order, by one process at a time, while others wait. What was applied is in the journal, behind a fence;
 * a process that dies leaves no lock behind, and the next one goes on where it was. Immutable: each method returns a changed copy.
 *
 * <pre>{@code
 * Migration.of(tenure, "billing-schema", Journal.jdbc(dataSource))
 *         .step("001-currency", SqlStep.script("ALTER TABLE invoice ADD currency CHAR(3)"))
 *         .step("002-index", SqlStep.outside("CREATE INDEX CONCURRENTLY by_day ON invoice (day)")
 *                 .undoIfBroken("DROP INDEX IF EXISTS by_day"))
 *         .step("003-flyway", leadership -> flyway.migrate())
 *         .run(Duration.ofMinutes(10));
 * }</pre>
 */
public final class Migration {
    private static final long LOOK_NANOS = 1_000_000_000;
    private static final String COLUMNS = """
            migration VARCHAR(80) NOT NULL, step VARCHAR(80) NOT NULL,
            checksum VARCHAR(64) NOT NULL, state VARCHAR(10) NOT NULL,
            token BIGINT NOT NULL, nonce CHAR(32) NOT NULL, node VARCHAR(400) NOT NULL,
            began BIGINT NOT NULL, ended BIGINT, note VARCHAR(400) NOT NULL,
            PRIMARY KEY (migration, step)""";

    /** The connection, the server's resources, an operator, the system: not the statement's fault. */
    private static final Set<String> NOT_OF_A_STATEMENT = Set.of("08", "53", "57", "58", "40");

    private static final String CANCELLED = "57014";

    private final Tenure tenure;
    private final String name;
    private final Journal journal;
    private final FencedSql fence;
    private final List<Step> steps;

    /** Either SQL or code, which has {@link SqlStep#NONE}. */
    private record Step(String id, SqlStep sql, Duty code) {}

    public enum State {
        RUNNING,
        APPLIED,
        FAILED
    }

    /** A step as the journal knows it. */
    public record StepStatus(String migration, String step, String checksum, State state, Attempt at, String note) {
        private static StepStatus read(ResultSet row) throws SQLException {
            return new StepStatus(
                    row.getString("migration"),
                    row.getString("step"),
                    row.getString("checksum"),
                    State.valueOf(row.getString("state")),
                    Attempt.read(row),
                    row.getString("note"));
        }

        @Override
        public String toString() {
            return "step " + step + " is " + state + " on " + at.node() + " since " + at.began();
        }
    }

    private static final class StepFailedException extends IllegalStateException {
        private static final long serialVersionUID = 1L;

        StepFailedException(String step, Throwable cause) {
            super("step " + step + " has failed: " + cause.getMessage(), cause);
        }
    }

    private Migration(Tenure tenure, String name, Journal journal, List<Step> steps) {
        this.tenure = tenure;
        this.name = name;
        this.journal = journal;
        this.fence = journal.fence("migration/" + name);
        this.steps = steps;
    }

    /** @param name of the migration, and after {@code migration/} of the election */
    public static Migration of(Tenure tenure, String name, Journal journal) {
        Objects.requireNonNull(tenure, "tenure is null: pass the client");
        Objects.requireNonNull(journal, "journal is null: pass one, such as Journal.jdbc(dataSource)");
        return new Migration(tenure, Journal.checked("migration", name, 80), journal, List.of());
    }

    /** A step of SQL. Its text must not change once it is applied. */
    public Migration step(String id, SqlStep sql) {
        return with(new Step(id, sql, leadership -> {}));
    }

    /**
     * A step of code, such as another tool. If its runner dies it is run again, from the start: it must bear that, and what it writes
     * is fenced only if it does so itself.
     */
    public Migration step(String id, Duty code) {
        return with(new Step(id, SqlStep.NONE, code));
    }

    private Migration with(Step step) {
        Journal.checked("step", step.id, 80);
        if (steps.stream().anyMatch(other -> other.id.equals(step.id))) {
            throw new IllegalArgumentException("there are two steps " + step.id + ": give one another id");
        }
        List<Step> more = Stream.concat(steps.stream(), Stream.of(step)).toList();
        return new Migration(tenure, name, journal, more);
    }

    /**
     * Applies what is not applied yet, or waits for the process that does: afterwards all steps are applied.
     *
     * @return how many of them were applied here
     * @throws IllegalStateException if a step has failed, with its cause; if an applied one has another text than here; if all of that
     *     has taken too long, and then who was at which step; or if the client was closed meanwhile
     * @throws SQLException if the journal cannot be read
     * @throws InterruptedException if the thread was interrupted; this process has stopped then
     */
    public int run(Duration atMost) throws SQLException, InterruptedException {
        Host host = tenure.host();
        long byNanos = host.nanos() + atMost.toNanos();
        if (left().isEmpty()) {
            return 0;
        }
        AtomicInteger applied = new AtomicInteger();
        AtomicReference<@Nullable Throwable> last = new AtomicReference<>();
        Host.Signal over = host.signal();
        Duty duty = leadership -> {
            try {
                last.set(null);
                apply(leadership, applied);
            } catch (Throwable failure) {
                last.set(failure);
                if (!(failure instanceof StepFailedException)) { // that would fail again: the duty is done
                    throw failure;
                }
            }
        };
        AtomicReference<@Nullable Loss> retired = new AtomicReference<>();
        boolean inTime;
        try (Candidacy candidacy =
                tenure.elect("migration/" + name).fencedBy(fence).perform(duty)) {
            var unused = candidacy.retired().thenAccept(loss -> {
                retired.set(loss);
                over.set();
            });
            inTime = over.await(byNanos - host.nanos());
        }
        Throwable failure = last.get();
        if (failure instanceof StepFailedException failed) {
            throw failed;
        }
        if (failure != null || !(retired.get() instanceof Loss.Completed)) {
            String why = inTime ? "done, and its client was closed: " : "done in time: ";
            String trouble = failure == null ? "" : "; the last attempt here ended by " + failure;
            throw new IllegalStateException("the migration is not " + why + whoIsAtIt() + trouble, failure);
        }
        return applied.get();
    }

    /**
     * Waits until others have applied all steps, and applies none: for processes that must not start on an old schema.
     *
     * @return whether they have, in time
     * @throws IllegalStateException if an applied step has another text than here
     */
    public boolean awaitApplied(Duration atMost) throws SQLException, InterruptedException {
        Host host = tenure.host();
        long byNanos = host.nanos() + atMost.toNanos();
        while (true) {
            boolean applied = left().isEmpty();
            long left = byNanos - host.nanos();
            if (applied || left <= 0) {
                return applied;
            }
            host.signal().await(Math.min(left, LOOK_NANOS));
        }
    }

    // ---- the journal ----

    /** All steps of all migrations in this database, in the order in which they began. */
    public static List<StepStatus> status(Journal journal) throws SQLException {
        return journal.query("SELECT * FROM tenure_migration ORDER BY began, step", StepStatus::read);
    }

    private List<StepStatus> rows() throws SQLException {
        String ours = "SELECT * FROM tenure_migration WHERE migration = ? ORDER BY began, step";
        return journal.query(ours, StepStatus::read, name);
    }

    /** The steps that are not applied, in order, with what the journal says of them. */
    private Map<Step, Optional<StepStatus>> left() throws SQLException {
        List<StepStatus> rows = rows();
        Map<Step, Optional<StepStatus>> left = new LinkedHashMap<>();
        for (Step step : steps) {
            Optional<StepStatus> row =
                    rows.stream().filter(one -> one.step.equals(step.id)).findFirst();
            if (row.isEmpty() || row.get().state != State.APPLIED) {
                left.put(step, row);
            } else if (!row.get().checksum.equals(step.sql.checksum())) {
                Attempt at = row.get().at;
                String when = "it was applied at " + at.began() + " by " + at.node();
                throw failed(
                        step, when + " with another text: put the old text back, and make a new step of the change");
            }
        }
        return left;
    }

    private static StepFailedException failed(Step step, String why) {
        return new StepFailedException(step.id, new IllegalStateException(why));
    }

    private String whoIsAtIt() throws SQLException {
        return rows().stream()
                .filter(row -> row.state != State.APPLIED)
                .findFirst()
                .map(StepStatus::toString)
                .orElse("nobody has begun the next step");
    }

    /** The step is this term's now. */
    private void begin(Leadership leadership, Step step) throws SQLException, StaleTokenException {
        String again = "UPDATE tenure_migration SET state = 'RUNNING', ended = NULL, note = '', began = ?,"
                + " checksum = ?, token = ?, nonce = ?, node = ? WHERE migration = ? AND step = ?";
        String first =
                "INSERT INTO tenure_migration (state, note, began, checksum, token, nonce, node, migration, step)"
                        + " VALUES ('RUNNING', '', ?, ?, ?, ?, ?, ?, ?)";
        long now = tenure.host().wallMillis();
        long token = leadership.token().value();
        String nonce = leadership.term().nonce().toString();
        String node = Journal.cut(leadership.term().holder());
        String checksum = step.sql.checksum();
        fence.write(
                leadership,
                connection -> Journal.put(connection, again, first, now, checksum, token, nonce, node, name, step.id));
    }

    private void end(Connection connection, Step step, State state, String note) throws SQLException {
        String sql = "UPDATE tenure_migration SET state = ?, ended = ?, note = ? WHERE migration = ? AND step = ?";
        Journal.update(connection, sql, state.name(), tenure.host().wallMillis(), note, name, step.id);
    }

    // ---- the leader ----

    /** Applies the steps that are left. What it throws ends the term, and another one goes on. */
    private void apply(Leadership leadership, AtomicInteger applied) throws Exception {
        journal.create("tenure_migration", COLUMNS);
        for (Map.Entry<Step, Optional<StepStatus>> next : left().entrySet()) {
            apply(leadership, next.getKey(), next.getValue());
            applied.incrementAndGet();
        }
    }

    /** @param before what the journal says of it: if it runs, then by a term that is over */
    private void apply(Leadership leadership, Step step, Optional<StepStatus> before) throws Exception {
        SqlStep sql = step.sql;
        boolean fenced = sql.isTransactional(journal.product());
        if (!fenced && sql.statements.size() > 1) {
            throw failed(step, "here each statement that changes tables is a commit: make it a step of its own");
        }
        boolean isBroken = before.isPresent() && before.get().state == State.RUNNING;
        if (!fenced && isBroken && !sql.mayRepeat()) {
            String died = "its statement may have been executed or not when "
                    + before.get().at.node() + " died.";
            throw failed(
                    step, died + " Look, and in tenure_migration set state = 'APPLIED' if it was, or 'FAILED' if not");
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
                return;
            }
            leadership.ensureValid();
            // What a script refused may have been there before, with data in it.
            applyOutside(leadership, step, isBroken || (before.isPresent() && sql.outside));
        } catch (StaleTokenException | NotLeadingException | InterruptedException over) {
            throw over;
        } catch (Throwable failure) { // an Error would come again with every attempt
            leadership.ensureValid();
            if (failure instanceof SQLException trouble && mayPass(trouble)) {
                throw trouble;
            }
            String note = Journal.cut(failure.toString());
            fence.write(leadership, connection -> end(connection, step, State.FAILED, note));
            throw new StepFailedException(step.id, failure);
        }
        leadership.ensureValid();
        fence.write(leadership, connection -> end(connection, step, State.APPLIED, ""));
    }

    private void applyOutside(Leadership leadership, Step step, boolean isBroken) throws Exception {
        if (step.sql.statements.isEmpty()) {
            step.code.perform(leadership);
            return;
        }
        try (Connection connection = journal.source().getConnection()) {
            connection.setAutoCommit(true);
            String statement = step.sql.statements.get(0);
            if (isBroken && step.sql.undo.isPresent()) {
                String undo = step.sql.undo.get();
                execute(connection, undo, 1);
                try {
                    execute(connection, statement, 1);
                    return;
                } catch (SQLException failure) { // perhaps what the dead process has sent was executed only now
                    leadership.ensureValid();
                    execute(connection, undo, 1);
                }
            }
            execute(connection, statement, 1);
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

    private static boolean mayPass(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        boolean told = state.length() == 5 && !NOT_OF_A_STATEMENT.contains(state.substring(0, 2));
        return !told && !state.equals(CANCELLED);
    }
}
