// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.claim;

import dev.tenure.ElectionName;
import dev.tenure.etcd.client.GrantedLease;
import dev.tenure.etcd.client.Keys;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.support.Stages;

/**
 * Checks now and then whether the entry that is waited for can go at all: a server under load may fail to revoke a lease
 * that has ended (etcd#9935), and a key without a lease stays until somebody removes it. No candidate may remove the entry
 * of another, so operators get a message with what they can do. One read in two TTLs for the whole session. Loop-confined.
 */
final class StuckHolderDetector {
    private final EtcdContext store;
    private final GrantedLease own;
    private final SessionEvents events;
    private long nextLookNanos;

    StuckHolderDetector(EtcdContext store, GrantedLease own, SessionEvents events) {
        this.store = store;
        this.own = own;
        this.events = events;
        this.nextLookNanos = store.host().nanos();
    }

    /** This one was found standing before our entry. */
    void waitsFor(QueueEntry entry, QueueEntry.Awaited before) {
        if (store.host().nanos() - nextLookNanos < 0) {
            return;
        }
        nextLookNanos = store.host().nanos() + 2 * own.ttl().toNanos();
        if (before.lease() == 0) {
            ended(entry.election(), before, "it has no lease");
            return;
        }
        Stages.follow(
                store.client().timeToLive(before.lease(), own.callTimeout()),
                secondsLeft -> {
                    // Between the end of a lease and its revocation there is a moment for every one.
                    if (secondsLeft <= -2 * own.ttl().toSeconds()) {
                        ended(entry.election(), before, "etcd has not revoked its lease, which has ended");
                    }
                },
                failure -> {}); // another time
    }

    private void ended(ElectionName election, QueueEntry.Awaited before, String why) {
        events.blocked(
                election,
                "STUCK_HOLDER: key " + before.key() + " does not go by itself: " + why
                        + ". Make sure that its holder has stopped, then: " + remedy(before.key(), before.lease()));
    }

    /** The command that removes this entry. */
    static String remedy(String key, long lease) {
        return lease == 0
                ? "etcdctl del '" + key.replace("'", "'\\''") + "'"
                : "etcdctl lease revoke " + Keys.hex(lease);
    }
}
