package dev.tenure.etcd;

import dev.tenure.ElectionName;
import dev.tenure.etcd.grpc.MessageWriter;
import dev.tenure.spi.Host;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.support.Stages;

/**
 * Looks now and then whether the entry that is waited for can go at all: a server under load may fail to revoke a lease that
 * has ended (etcd#9935), and a key without a lease stays until somebody removes it. Nobody here may remove the entry of
 * another, so it is told to people, with what they can do. One question in two TTLs for the whole session. Loop-confined.
 */
final class StuckHolders {
    private final Gateway gateway;
    private final Host host;
    private final Lease own;
    private final SessionEvents events;
    private long nextLookNanos;
    /** The key whose lease had ended when it was looked at last. */
    private String suspected = "";

    StuckHolders(Gateway gateway, Host host, Lease own, SessionEvents events) {
        this.gateway = gateway;
        this.host = host;
        this.own = own;
        this.events = events;
        this.nextLookNanos = host.nanos();
    }

    /** This entry was found standing before ours. */
    void waitsFor(ElectionName election, KeyValue entry) {
        if (host.nanos() - nextLookNanos < 0) {
            return;
        }
        nextLookNanos = host.nanos() + 2 * own.ttl().toNanos();
        if (entry.lease() == 0) {
            ended(election, entry, "it has no lease");
            return;
        }
        Stages.follow(
                gateway.call(
                        Method.LEASE_TIME_TO_LIVE,
                        new MessageWriter().number(1, entry.lease()).done(),
                        own.patience()),
                reply -> {
                    if (reply.number(3) > 0) {
                        suspected = suspected.equals(entry.key()) ? "" : suspected;
                    } else {
                        ended(election, entry, "etcd has not revoked its lease, which has ended");
                    }
                },
                failure -> {}); // another time
    }

    /** Only the second look tells: between the end of a lease and its revocation there is a moment for every one. */
    private void ended(ElectionName election, KeyValue entry, String why) {
        if (!suspected.equals(entry.key())) {
            suspected = entry.key();
            return;
        }
        events.stuck(
                election,
                "STUCK_HOLDER: key " + entry.key() + " does not go by itself: " + why
                        + ". Make sure that its holder has stopped, then: " + remedy(entry));
    }

    /** The command that removes this entry. */
    static String remedy(KeyValue entry) {
        return entry.lease() == 0
                ? "etcdctl del '" + entry.key().replace("'", "'\\''") + "'"
                : "etcdctl lease revoke " + Keys.hex(entry.lease());
    }
}
