package dev.tenure.etcd.session;

import dev.tenure.etcd.client.EtcdClient.ClusterRevision;
import java.util.TreeSet;

/**
 * Was anything written to the store, by others, since the records of this session were looked at? Every renewal tells the
 * cluster and its revision. As long as that is the one at which the session knew its records, none of them can have gone
 * since then and no rival can have come, so nobody has to look again: a heartbeat is one request. Each renewal gives its word
 * for one look only. Loop-confined.
 *
 * <p>That revisions only grow is certain only as long as one server process is spoken to: a cluster that was restored from a
 * backup counts on from below.
 */
public final class RevisionTracker {
    private static final int EARLY_MAX = 16;
    private static final long NEVER = -1;

    private final long cluster;
    /** Of the store, at which everything that this session has in it was known. */
    private long known;
    /** Own writes whose forerunners have not been answered yet, or were those of others. */
    private final TreeSet<Long> early = new TreeSet<>();

    private long lastWrote;
    private long renewedAt = NEVER;
    private long doubts;
    private boolean word;

    /** Begins with a session that has nothing in the store yet. */
    public RevisionTracker(ClusterRevision began) {
        this.cluster = began.cluster();
        this.known = began.revision();
    }

    /** This session has written at this revision. What it knew right before that, it knows now. */
    public void wrote(long revision) {
        lastWrote = revision;
        if (revision > known) {
            early.add(revision);
        }
        follow();
        if (early.size() > EARLY_MAX) {
            early.pollFirst();
        }
    }

    private void follow() {
        early.headSet(known, true).clear();
        while (early.remove(known + 1)) {
            known++;
        }
    }

    /** From now on it may be another server that answers. */
    public void doubt() {
        doubts++;
        known = NEVER;
        early.clear();
        word = false;
    }

    public void renewed(ClusterRevision moment) {
        renewedAt = moment.cluster() == cluster ? moment.revision() : NEVER;
        word = known != NEVER && renewedAt == known && lastWrote <= known;
    }

    /** Can a look be spared? */
    public boolean takeWord() {
        boolean given = word;
        word = false;
        return given;
    }

    /** A look begins; run the result when it was answered. What it shows is not older than the renewal before it. */
    public Runnable asking() {
        long at = renewedAt;
        long doubtsBefore = doubts;
        return () -> {
            if (at > known && doubts == doubtsBefore) {
                known = at;
                follow();
            }
        };
    }
}
