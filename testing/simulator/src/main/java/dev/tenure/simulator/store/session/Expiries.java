// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store.session;

import dev.tenure.simulator.store.StoreClock;
import dev.tenure.simulator.store.session.SessionStoreState.Lease;
import dev.tenure.testing.VirtualTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** When sessions end by themselves, on the store's clock. */
final class Expiries {
    private final VirtualTime time;
    private final StoreClock clock;
    private final Consumer<Lease> expired;
    private final Map<String, Expiry> all = new HashMap<>();
    private final StoreRules rules;
    private long lateNanos;
    private boolean nobodyJudges;

    Expiries(VirtualTime time, StoreClock clock, StoreRules law, Consumer<Lease> expired) {
        this.time = time;
        this.clock = clock;
        this.rules = law;
        this.expired = expired;
    }

    private final class Expiry extends VirtualTime.Event {
        final Lease lease;
        long atNanos;

        Expiry(Lease lease) {
            this.lease = lease;
        }

        @Override
        protected void happen() {
            if (nobodyJudges) {
                return; // the server that judges next begins with a full lifetime for every lease
            }
            if (clock.nanos() >= rules.endsAtNanos(atNanos)) {
                expired.accept(lease);
            } else {
                arm();
            }
        }

        void arm() {
            cancel();
            time.schedule(clock.worldNanosAt(rules.endsAtNanos(atNanos)) + lateNanos + 1, this);
        }
    }

    void renew(Lease lease) {
        renew(lease, 0);
    }

    private void renew(Lease lease, long extensionNanos) {
        Expiry expiry = all.get(lease.id);
        if (expiry == null) {
            expiry = new Expiry(lease);
            all.put(lease.id, expiry);
        }
        expiry.atNanos = clock.nanos() + lease.timeoutNanos + extensionNanos;
        expiry.arm();
    }

    /** The server that judged is gone. */
    void leaderLost() {
        nobodyJudges = true;
    }

    /** The server that judges now does not know of renewals: every lease begins anew. */
    void leaderElected(Iterable<Lease> all) {
        nobodyJudges = false;
        all.forEach(lease -> renew(lease, rules.extensionNanos()));
    }

    /** When the session's time is up, as the one who judges now knows it, on the store's clock. */
    long dueNanos(Lease lease) {
        Expiry expiry = all.get(lease.id);
        return expiry == null ? clock.nanos() : expiry.atNanos;
    }

    void forget(Lease lease) {
        Expiry expiry = all.remove(lease.id);
        if (expiry != null) {
            expiry.cancel();
        }
    }

    long goodUntilNanos(Lease lease) {
        Expiry expiry = all.get(lease.id);
        return expiry == null ? time.nanos() : clock.worldNanosAt(expiry.atNanos);
    }

    void late(long byNanos) {
        lateNanos = byNanos;
    }

    /** The clock was set: everything is due at another instant. */
    void rearm(Iterable<Lease> inOrder) {
        List<Lease> leases = new ArrayList<>();
        inOrder.forEach(leases::add);
        for (Lease lease : leases) {
            Expiry expiry = all.get(lease.id);
            if (expiry != null) {
                expiry.arm();
            }
        }
    }
}
