package dev.tenure.patterns;

import dev.tenure.Leadership;
import dev.tenure.StaleTokenException;
import dev.tenure.fence.sql.FencedSql;
import dev.tenure.fence.sql.SqlWork;
import java.sql.SQLException;
import java.time.Instant;

/** One run of a job, as its body sees it. */
public final class CronRun {
    private final String job;
    private final long due;
    private final int attempt;
    private final Leadership leadership;
    private final FencedSql fence;

    CronRun(String job, long due, int attempt, Leadership leadership, FencedSql fence) {
        this.job = job;
        this.due = due;
        this.attempt = attempt;
        this.leadership = leadership;
        this.fence = fence;
    }

    public String job() {
        return job;
    }

    /** The due time; of a run that an operator asked for, when that was. */
    public Instant scheduledFor() {
        return Instant.ofEpochMilli(due);
    }

    /** 1, or more if the job says {@code retry}. */
    public int attempt() {
        return attempt;
    }

    /** Ends with the term: a body that takes long looks at {@code isActive()}, and shows its token to what it writes to. */
    public Leadership leadership() {
        return leadership;
    }

    /** One transaction in the journal's database that is committed only if no newer term has begun. */
    public void write(SqlWork work) throws SQLException, StaleTokenException {
        fence.write(leadership, work);
    }

    /** The same for every attempt of this run, whoever leads: for receivers that can recognise a repetition. */
    public String idempotencyKey() {
        return leadership.idempotencyKeyAcrossTerms(job + "@" + scheduledFor());
    }
}
