package dev.tenure.internal.loop;

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

    Tally(long nowNanos) {
        this.sinceNanos = nowNanos;
    }

    void began(long nowNanos) {
        terms++;
        move(Watch.LEADS, nowNanos);
    }

    /** Somebody leads. */
    void led(long nowNanos) {
        move(Watch.OTHER_LEADS, nowNanos);
    }

    void ended(long nowNanos) {
        move(Watch.VACANT, nowNanos);
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
