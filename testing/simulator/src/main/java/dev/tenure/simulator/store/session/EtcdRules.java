// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store.session;

import java.time.Duration;

/**
 * etcd, as our backend uses it. Leases last whole seconds, and no less than one and a half election timeouts. Only the leader
 * of the store judges them, and looks twice a second; renewals are known to it alone, not to the others. So a new leader
 * gives every lease its full lifetime again, and an election timeout on top. Tokens are create revisions, which do not care
 * who leads.
 *
 * @param electionTimeout after how long of silence the servers vote
 * @param renewsTheDead a version that may acknowledge the renewal of a lease which it has just revoked
 */
public record EtcdRules(Duration electionTimeout, boolean renewsTheDead) implements StoreRules {
    private static final long SECOND_NANOS = 1_000_000_000;
    private static final long ROUND_NANOS = 500_000_000;

    @Override
    public Lifetime grant(long wantedNanos) {
        long leastNanos = wholeSeconds(electionTimeout.toNanos() * 3 / 2);
        long ttlNanos = Math.max(wholeSeconds(wantedNanos), leastNanos);
        return new Lifetime(ttlNanos, ttlNanos);
    }

    private static long wholeSeconds(long nanos) {
        return (nanos + SECOND_NANOS - 1) / SECOND_NANOS * SECOND_NANOS;
    }

    @Override
    public long endsAtNanos(long dueNanos) {
        return (dueNanos + ROUND_NANOS - 1) / ROUND_NANOS * ROUND_NANOS;
    }

    @Override
    public boolean hasLeader() {
        return true;
    }

    @Override
    public long extensionNanos() {
        return electionTimeout.toNanos();
    }

    @Override
    public boolean distinguishesClosing() {
        return false;
    }
}
