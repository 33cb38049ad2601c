package dev.tenure.patterns;

import dev.tenure.Candidacy;
import dev.tenure.Duty;
import dev.tenure.Tenure;
import dev.tenure.fence.sql.FencedSql;
import dev.tenure.spi.Host;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

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
 *         .run(Duration.ofMinutes(10))
 *         .orThrow();
 * }</pre>
 */
public final class Migration {
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final Tenure tenure;
    private final String name;
    private final Journal journal;
    private final List<Step> steps;

    /** Either SQL or code, which has {@link SqlStep#NONE}. */
    record Step(String id, SqlStep sql, Duty code) {}

    /** How a {@link Migration#run} ended. */
    public sealed interface Outcome {
        /** By this process. */
        record Applied(int steps) implements Outcome {}

        /** All steps had been applied before. */
        record Already() implements Outcome {}

        /** Another process applied them while this one waited. */
        record Waited() implements Outcome {}

        /** By this process, which went on where another one had died or given up. */
        record TakenOver(String from, String step, Duration after) implements Outcome {}

        /** @param who what the journal says about the step that is not done */
        record TimedOut(String who) implements Outcome {}

        /** The steps before it are applied. */
        record Failed(String step, Throwable cause) implements Outcome {}

        /** @throws IllegalStateException if not all steps are applied */
        default Outcome orThrow() {
            if (this instanceof Failed failed) {
                throw new IllegalStateException(
                        "step " + failed.step + " has failed: " + failed.cause.getMessage(), failed.cause);
            }
            if (this instanceof TimedOut late) {
                throw new IllegalStateException("the migration is not done in time: " + late.who);
            }
            return this;
        }
    }

    public enum State {
        RUNNING,
        APPLIED,
        FAILED
    }

    /** A step as the journal knows it. */
    public record StepStatus(
            String migration, String step, String checksum, State state, Journal.Attempt at, String note) {
        @Override
        public String toString() {
            return "step " + step + " is " + state + " on " + at.node() + " since " + at.began();
        }
    }

    private Migration(Tenure tenure, String name, Journal journal, List<Step> steps) {
        this.tenure = tenure;
        this.name = name;
        this.journal = journal;
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
        List<Step> all = new ArrayList<>(steps);
        all.add(step);
        return new Migration(tenure, name, journal, List.copyOf(all));
    }

    /**
     * Applies what is not applied yet, or waits for the process that does.
     *
     * @throws SQLException if the journal cannot be read
     * @throws InterruptedException if the thread was interrupted; this process has stopped then
     */
    public Outcome run(Duration atMost) throws SQLException, InterruptedException {
        Host host = tenure.host();
        long byNanos = host.nanos() + atMost.toNanos();
        MigrationSteps all = steps();
        Optional<Outcome> known = all.appliedOrRefused();
        if (known.isPresent()) {
            return known.get();
        }
        AtomicReference<Outcome> outcome = new AtomicReference<>(new Outcome.TimedOut(""));
        Host.Signal over = host.signal();
        try (Candidacy candidacy = tenure.elect("migration/" + name)
                .fencedBy(all.fence())
                .perform(leadership -> {
                    try {
                        outcome.set(all.apply(leadership));
                    } catch (Exception | Error failure) {
                        outcome.set(new Outcome.TimedOut("; the last attempt here ended by " + failure));
                        throw failure;
                    }
                })) {
            var unused = candidacy.retired().thenRun(over::set);
            over.await(byNanos - host.nanos());
        }
        return outcome.get() instanceof Outcome.TimedOut late
                ? new Outcome.TimedOut(all.whoIsAtIt() + late.who)
                : outcome.get();
    }

    private MigrationSteps steps() {
        FencedSql fence = journal.fence("migration/" + name);
        return new MigrationSteps(journal, fence, tenure.host(), name, steps);
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
            Optional<Outcome> known = steps().appliedOrRefused().map(Outcome::orThrow);
            long left = byNanos - host.nanos();
            if (known.isPresent() || left <= 0) {
                return known.isPresent();
            }
            host.signal().await(Math.min(left, LOOK.toNanos()));
        }
    }

    /** All steps of all migrations in this database, in the order in which they began. */
    public static List<StepStatus> status(Journal journal) throws SQLException {
        return MigrationSteps.status(journal);
    }
}
