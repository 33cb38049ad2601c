package dev.tenure.simulator.store;

import dev.tenure.simulator.store.SessionState.Lease;
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
    private long lateNanos;

    Expiries(VirtualTime time, StoreClock clock, Consumer<Lease> expired) {
        this.time = time;
        this.clock = clock;
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
            if (clock.nanos() >= atNanos) {
                expired.accept(lease);
            } else {
                arm();
            }
        }

        void arm() {
            cancel();
            time.schedule(clock.worldNanosAt(atNanos) + lateNanos + 1, this);
        }
    }

    void renew(Lease lease) {
        Expiry expiry = all.get(lease.id);
        if (expiry == null) {
            expiry = new Expiry(lease);
            all.put(lease.id, expiry);
        }
        expiry.atNanos = clock.nanos() + lease.ttlNanos;
        expiry.arm();
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
