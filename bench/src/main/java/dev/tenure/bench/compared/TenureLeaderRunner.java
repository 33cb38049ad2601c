// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.compared;

import dev.tenure.Leadership;
import dev.tenure.Tenure;
import dev.tenure.TenureBuilder;
import dev.tenure.fence.sql.FencedSql;
import dev.tenure.sql.servers.SqlServer;
import java.net.URI;
import java.util.Optional;
import java.util.function.LongSupplier;

/** A leader that does the job at the beginning of each period, and writes through the fence. It does not know what others have missed. */
final class TenureLeaderRunner implements JobRunner {
    @Override
    public LongSupplier start(Job job) {
        Tenure tenure = connect(job);
        FencedSql fence = FencedSql.guarding(job.pool(), "compared");
        tenure.elect("compared").fencedBy(fence).perform(leadership -> lead(job, fence, leadership));
        return () -> tenure.stats().renewals();
    }

    private static void lead(Job job, FencedSql fence, Leadership leadership) throws Exception {
        while (leadership.isActive()) {
            leadership.rest(job.untilDue());
            if (leadership.isActive()) {
                job.effects().perform(Optional.empty(), work -> fence.write(leadership, work));
            }
        }
    }

    static Tenure connect(Job job) {
        URI jdbc = URI.create(job.url().substring("jdbc:".length()));
        String url = "postgresql://" + SqlServer.USER + ":" + SqlServer.PASSWORD + "@" + jdbc.getAuthority()
                + jdbc.getPath();
        TenureBuilder builder = Tenure.connect(url).node(job.node());
        return job.idle() ? builder.open() : builder.ttl(LOCK_TIME).open();
    }
}
