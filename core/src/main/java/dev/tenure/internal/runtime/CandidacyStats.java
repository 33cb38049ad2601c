// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Standing;
import dev.tenure.Stats;
import dev.tenure.TenureEvent;
import java.time.Duration;
import java.util.Optional;

/** What one candidacy has seen, counted. On the loop. */
final class CandidacyStats {
    private long terms;
    /** The candidate that is known to lead, and since when that is so; while none is, the election has no leader. */
    private Optional<String> leader = Optional.empty();

    private boolean leads;
    private long sinceNanos;
    private long withoutLeaderNanos;
    /** When it noticed that the election may be free. */
    private long noticedNanos;

    private boolean failover;
    private boolean draining;
    private boolean overdue;
    private long drainingSinceNanos;

    CandidacyStats(long nowNanos) {
        this.sinceNanos = nowNanos;
        this.noticedNanos = nowNanos;
    }

    void noticed(long nowNanos) {
        noticedNanos = nowNanos;
    }

    void granted(boolean takeover) {
        failover = takeover;
    }

    void began(long nowNanos, String node) {
        terms++;
        move(Optional.of(node), true, nowNanos);
    }

    /** Another node leads. */
    void led(long nowNanos, String node) {
        move(Optional.of(node), false, nowNanos);
    }

    void drains(long nowNanos) {
        draining = true;
        drainingSinceNanos = nowNanos;
    }

    void isOverdue() {
        overdue = true;
    }

    void ended(long nowNanos) {
        noticedNanos = nowNanos;
        draining = false;
        overdue = false;
        move(Optional.empty(), false, nowNanos);
    }

    private void move(Optional<String> next, boolean self, long nowNanos) {
        withoutLeaderNanos = withoutLeaderNanos(nowNanos);
        leader = next;
        leads = self;
        sinceNanos = nowNanos;
    }

    private long withoutLeaderNanos(long nowNanos) {
        return withoutLeaderNanos + (leader.isEmpty() ? nowNanos - sinceNanos : 0);
    }

    TenureEvent.Handover handover(ElectionName election, long nowNanos) {
        return new TenureEvent.Handover(election, failover, Duration.ofNanos(nowNanos - noticedNanos));
    }

    /** Of the term that ends now, if it was told to. */
    Optional<TenureEvent.Drained> drained(ElectionName election, long nowNanos) {
        Duration took = Duration.ofNanos(nowNanos - drainingSinceNanos);
        return draining ? Optional.of(new TenureEvent.Drained(election, overdue, took)) : Optional.empty();
    }

    Stats.ElectionStats stats(Standing standing, Optional<FencingToken> token, long nowNanos) {
        return new Stats.ElectionStats(
                standing,
                terms,
                token,
                Duration.ofNanos(leads ? nowNanos - sinceNanos : 0),
                Duration.ofNanos(withoutLeaderNanos(nowNanos)),
                leader);
    }
}
