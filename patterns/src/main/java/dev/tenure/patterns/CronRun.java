// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import dev.tenure.Leadership;
import dev.tenure.StaleTokenException;
import dev.tenure.fence.sql.FencedSql;
import dev.tenure.fence.sql.SqlWork;
import java.sql.SQLException;
import java.time.Instant;

/**
 * One run of a job, as its body sees it.
 *
 * @param scheduledFor the due time; of a run that an operator asked for, when that was
 * @param attempt 1, or more if the job says {@code retry}
 * @param leadership ends with the term: a body that takes long looks at {@code isActive()}, and shows its token to what it writes to
 * @param fence of the journal's database
 */
public record CronRun(String job, Instant scheduledFor, int attempt, Leadership leadership, FencedSql fence) {
    /** One transaction in the journal's database that is committed only if no newer term has begun. */
    public void write(SqlWork work) throws SQLException, StaleTokenException {
        fence.write(leadership, work);
    }

    /** The same for every attempt of this run, no matter which candidate leads: for receivers that can recognise a repetition. */
    public String idempotencyKey() {
        return leadership.idempotencyKeyAcrossTerms(job + "@" + scheduledFor);
    }
}
