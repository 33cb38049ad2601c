// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store.session;

import dev.tenure.simulator.store.session.SessionStoreState.Lease;
import dev.tenure.testing.SplitMix64;
import dev.tenure.testing.VirtualTime;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Signs of life that lie at the server which took them, until it hands them on to the one that judges. A process that
 * loses its server with one of them reaches another only by connecting anew, and that is asked of the one that judges, which
 * counts it at once (a follower revalidates the session with its leader): no two in a row are lost unseen.
 */
final class DelayedTouches {
    private final VirtualTime time;
    private final SplitMix64 random;
    private final long lateNanosMax;
    private final Consumer<Lease> handOn;
    private final TreeMap<String, Touch> waiting = new TreeMap<>();
    private final Map<Integer, Runnable> doomed = new HashMap<>();
    private final Map<Integer, Lease> cutOff = new HashMap<>();

    DelayedTouches(VirtualTime time, SplitMix64 random, long lateNanosMax, Consumer<Lease> handOn) {
        this.time = time;
        this.random = random;
        this.lateNanosMax = lateNanosMax;
        this.handOn = handOn;
    }

    private final class Touch extends VirtualTime.Event {
        private final Lease lease;

        Touch(Lease lease) {
            this.lease = lease;
        }

        @Override
        protected void happen() {
            waiting.remove(lease.id);
            handOn.accept(lease);
        }
    }

    /** A session has shown that it lives. */
    void touch(Lease lease) {
        reconnected(lease.process);
        Runnable lost = doomed.remove(lease.process);
        if (lost != null) {
            forget(lease);
            cutOff.put(lease.process, lease);
            lost.run();
        } else if (lateNanosMax == 0) {
            handOn.accept(lease);
        } else if (!waiting.containsKey(lease.id)) {
            Touch touch = new Touch(lease);
            waiting.put(lease.id, touch);
            time.schedule(time.nanos() + 1 + random.below(lateNanosMax), touch);
        }
    }

    /** The next one of this process is lost, and what it may add to. */
    void loseNext(int process, Runnable then) {
        doomed.put(process, then);
    }

    /** A process that was cut off together with its server has found another. */
    void reconnected(int process) {
        Lease lease = cutOff.remove(process);
        if (lease != null) {
            handOn.accept(lease);
        }
    }

    /** What was not handed on yet never will be. */
    void loseAll() {
        waiting.values().forEach(VirtualTime.Event::cancel);
        waiting.clear();
    }

    private void forget(Lease lease) {
        Touch touch = waiting.remove(lease.id);
        if (touch != null) {
            touch.cancel();
        }
    }
}
