// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import dev.tenure.Campaign;
import dev.tenure.Candidacy;
import dev.tenure.Tenure;
import dev.tenure.fence.sql.FencedSql;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Jobs that run by the clock, in one process at a time. A job and a due time are one row of the journal, written once and under the fence:
 * a run starts when its row is there, so it never starts twice unless its job says {@code retry}.
 *
 * <pre>{@code
 * Cron cron = Cron.on(tenure, Journal.jdbc(dataSource));
 * cron.at("reports/daily", Schedule.cron("0 6 * * *", ZoneId.of("Europe/Berlin")))
 *         .fire(run -> reports.build(run.scheduledFor()));
 * cron.start();
 * }</pre>
 */
public final class Cron implements AutoCloseable {
    private final Tenure tenure;
    private final Journal journal;
    private final List<CronJob> jobs = new ArrayList<>();
    private UnaryOperator<Campaign> campaign = UnaryOperator.identity();
    private Duration keep = Duration.ofDays(30);
    private volatile Optional<Candidacy> candidacy = Optional.empty();

    /** What becomes of due times at which nobody could start the job. */
    public enum Missed {
        /** They are left out, unless the last of them can still be started within 30 s, or what {@code within} says. */
        SKIP,
        /** The last of them is run, once. */
        RUN_LATEST,
        /** Each of them is run, in order. */
        RUN_ALL
    }

    /** What happens when a job is due while its last run still goes on. */
    public enum Overlap {
        /** This due time is left out. */
        SKIP,
        /** It waits; {@link Missed} says which of several that wait are run. */
        WAIT
    }

    /** What became of a run. */
    public enum State {
        /** It waits for its first or next attempt. */
        DUE,
        RUNNING,
        DONE,
        /** It threw. */
        FAILED,
        /** It was interrupted because its time was up, and threw. */
        TIMED_OUT,
        /** Its leader has lost its term, or was killed, before the run had ended. */
        ABANDONED
    }

    /** What a job does. */
    @FunctionalInterface
    public interface Body {
        void run(CronRun run) throws Exception;
    }

    private Cron(Tenure tenure, Journal journal) {
        this.tenure = tenure;
        this.journal = journal;
    }

    /** One election, {@code cron/} and the journal's name, for all jobs. */
    public static Cron on(Tenure tenure, Journal journal) {
        return new Cron(
                Objects.requireNonNull(tenure, "tenure is null: pass the client"),
                Objects.requireNonNull(journal, "journal is null: pass one, such as Journal.jdbc(dataSource)"));
    }

    /** How this process stands: its name, its metadata, how long runs may take to stop. */
    public Cron campaign(UnaryOperator<Campaign> described) {
        refuseStarted();
        campaign = Objects.requireNonNull(described, "described is null: pass what describes the campaign");
        return this;
    }

    /** How long ended runs stay in the journal; 30 days unless told. */
    public Cron keepingHistory(Duration time) {
        refuseStarted();
        keep = CronJob.positive("keepingHistory", time);
        return this;
    }

    /** Describes a job; {@link CronJob#fire} adds it. */
    public CronJob at(String job, Schedule schedule) {
        return new CronJob(this, job, schedule);
    }

    /** The same for {@link Schedule#every}. */
    public CronJob every(String job, Duration interval) {
        return at(job, Schedule.every(interval));
    }

    synchronized Cron add(CronJob job) {
        refuseStarted();
        if (jobs.stream().anyMatch(other -> other.name.equals(job.name))) {
            throw new IllegalArgumentException("there are two jobs " + job.name + ": give one another name");
        }
        jobs.add(job);
        return this;
    }

    private synchronized void refuseStarted() {
        if (candidacy.isPresent()) {
            throw new IllegalStateException("this cron has started: add and set everything before start()");
        }
    }

    /** Stands, and runs the jobs whenever it leads. Returns at once. */
    public synchronized Cron start() {
        refuseStarted();
        if (jobs.isEmpty()) {
            throw new IllegalStateException("there is no job: add one with at(…).fire(…)");
        }
        String election = "cron/" + journal.name();
        FencedSql fence = journal.fence(election);
        List<CronJob> led = List.copyOf(jobs);
        candidacy = Optional.of(campaign.apply(tenure.elect(election).fencedBy(fence))
                .perform(leadership -> new CronTerm(
                                tenure.host(), new CronTable(journal, fence, leadership, keep.toMillis()), led)
                        .perform()));
        return this;
    }

    /** Waits for the runs that go on, as a duty is waited for, and stands no more. */
    @Override
    public void close() {
        candidacy.ifPresent(Candidacy::close);
    }
}
