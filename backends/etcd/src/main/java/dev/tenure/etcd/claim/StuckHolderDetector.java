package dev.tenure.etcd.claim;

import dev.tenure.ElectionName;
import dev.tenure.etcd.client.EtcdClient;
import dev.tenure.etcd.client.Keys;
import dev.tenure.spi.Host;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.support.Stages;

/**
 * Looks now and then whether the entry that is waited for can go at all: a server under load may fail to revoke a lease
 * that has ended (etcd#9935), and a key without a lease stays until somebody removes it. Nobody here may remove the entry
 * of another, so it is told to people, with what they can do. One question in two TTLs for the whole session. Loop-confined.
 */
final class StuckHolderDetector {
    private final EtcdClient client;
    private final Host host;
    private final GrantedLease own;
    private final SessionEvents events;
    private long nextLookNanos;
    /** The key whose lease had ended when it was looked at last. */
    private String suspected = "";

    StuckHolderDetector(EtcdClient client, Host host, GrantedLease own, SessionEvents events) {
        this.client = client;
        this.host = host;
        this.own = own;
        this.events = events;
        this.nextLookNanos = host.nanos();
    }

    /** This one was found standing before our entry. */
    void waitsFor(QueueEntry entry, QueueEntry.Awaited before) {
        if (host.nanos() - nextLookNanos < 0) {
            return;
        }
        nextLookNanos = host.nanos() + 2 * own.ttl().toNanos();
        if (before.lease() == 0) {
            ended(entry.election(), before, "it has no lease");
            return;
        }
        Stages.follow(
                client.timeToLive(before.lease(), own.callTimeout()),
                secondsLeft -> {
                    if (secondsLeft > 0) {
                        suspected = suspected.equals(before.key()) ? "" : suspected;
                    } else {
                        ended(entry.election(), before, "etcd has not revoked its lease, which has ended");
                    }
                },
                failure -> {}); // another time
    }

    /** Only the second look tells: between the end of a lease and its revocation there is a moment for every one. */
    private void ended(ElectionName election, QueueEntry.Awaited before, String why) {
        if (!suspected.equals(before.key())) {
            suspected = before.key();
            return;
        }
        events.stuck(
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
