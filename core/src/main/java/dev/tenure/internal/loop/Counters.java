package dev.tenure.internal.loop;

/** What a client counts over all its candidacies, those that have retired included. */
final class Counters {
    private long terms;
    private long failovers;
    private long renewals;
    private long renewalsFailed;

    void termBegan() {
        terms++;
    }

    void tookOver() {
        failovers++;
    }

    void renewed() {
        renewals++;
    }

    void renewalFailed() {
        renewalsFailed++;
    }

    long terms() {
        return terms;
    }

    long failovers() {
        return failovers;
    }

    long renewals() {
        return renewals;
    }

    long renewalsFailed() {
        return renewalsFailed;
    }
}
