package dev.tenure.internal.loop;

import dev.tenure.ElectionName;
import dev.tenure.TenureEvent;
import java.time.Duration;
import java.util.Optional;

/** What one candidacy has seen, counted. */
final class Tally {
    private enum Watch {
        /** Nobody is known to lead, since {@code sinceNanos}. */
        VACANT,
        OTHER_LEADS,
        /** This one leads, since {@code sinceNanos}. */
        LEADS
    }

    private long terms;
    private long withoutLeaderNanos;
    private Watch watch = Watch.VACANT;
    private long sinceNanos;
    private Optional<String> leader = Optional.empty();
    /** When it noticed that the election may be free. */
    private long noticedNanos;

    private boolean failover;
    private boolean draining;
    private boolean overdue;
    private long drainingSinceNanos;

    Tally(long nowNanos) {
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
        leader = Optional.of(node);
        move(Watch.LEADS, nowNanos);
    }

    /** Another node leads. */
    void led(long nowNanos, String node) {
        leader = Optional.of(node);
        move(Watch.OTHER_LEADS, nowNanos);
    }

    void drains(long nowNanos) {
        draining = true;
        drainingSinceNanos = nowNanos;
    }

    void isOverdue() {
        overdue = true;
    }

    void ended(long nowNanos) {
        leader = Optional.empty();
        noticedNanos = nowNanos;
        draining = false;
        overdue = false;
        move(Watch.VACANT, nowNanos);
    }

    Optional<String> leader() {
        return leader;
    }

    TenureEvent.Handover handover(ElectionName election, long nowNanos) {
        return new TenureEvent.Handover(election, failover, Duration.ofNanos(nowNanos - noticedNanos));
    }

    /** Of the term that ends now, if it was told to. */
    Optional<TenureEvent.Drained> drained(ElectionName election, long nowNanos) {
        Duration took = Duration.ofNanos(nowNanos - drainingSinceNanos);
        return draining ? Optional.of(new TenureEvent.Drained(election, overdue, took)) : Optional.empty();
    }

    private void move(Watch next, long nowNanos) {
        withoutLeaderNanos = withoutLeaderNanos(nowNanos);
        watch = next;
        sinceNanos = nowNanos;
    }

    long terms() {
        return terms;
    }

    long leadsForNanos(long nowNanos) {
        return watch == Watch.LEADS ? nowNanos - sinceNanos : 0;
    }

    long withoutLeaderNanos(long nowNanos) {
        return withoutLeaderNanos + (watch == Watch.VACANT ? nowNanos - sinceNanos : 0);
    }
}
