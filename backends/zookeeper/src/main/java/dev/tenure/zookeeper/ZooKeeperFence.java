// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import dev.tenure.FencingToken;
import dev.tenure.Leadership;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.support.TermRecord;
import dev.tenure.zookeeper.claim.ParticipantOrder;
import dev.tenure.zookeeper.client.Paths;
import dev.tenure.zookeeper.client.Settings;
import dev.tenure.zookeeper.client.ZooKeeperCalls.Znode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/**
 * Changes znodes only while a term holds, in the very ensemble that holds the election: the first part of every transaction
 * checks that the latch of the term is still there. Nothing has to be raised beforehand, because the latch of a predecessor
 * is gone before its successor leads.
 *
 * <p>Uses the client that it is given, which may be any client of the same ensemble. Calls block as that client's do; any
 * thread may make them.
 */
public final class ZooKeeperFence {
    private static final int NEVER_CHANGED = 0;
    private static final int ANY_VERSION = -1;

    private final ZooKeeper client;
    private final Paths paths;
    private volatile Optional<Known> known = Optional.empty();

    /** Where the latch of a term was found. */
    private record Known(Term term, String path) {}

    private ZooKeeperFence(ZooKeeper client, Paths paths) {
        this.client = client;
        this.paths = paths;
    }

    /** @param url of the store that holds the election; only its path and the option {@code elections} count here */
    public static ZooKeeperFence of(ZooKeeper client, String url) {
        return new ZooKeeperFence(client, Settings.parse(BackendUrl.parse(url)).paths());
    }

    /** Applies all of these or none; a refusal also ends the term of this leadership. */
    public List<OpResult> write(Leadership leadership, List<Op> changes)
            throws StaleTokenException, KeeperException, InterruptedException {
        try {
            return write(leadership.term(), changes);
        } catch (StaleTokenException stale) {
            leadership.fenced(stale.seen());
            throw stale;
        }
    }

    /**
     * Applies all of these or none.
     *
     * @throws StaleTokenException if the term is over; nothing was changed
     * @throws KeeperException if ZooKeeper refused one of the changes, or its answer was lost: then they may have been applied
     */
    public List<OpResult> write(Term term, List<Op> changes)
            throws StaleTokenException, KeeperException, InterruptedException {
        List<Op> guarded = new ArrayList<>();
        guarded.add(Op.check(latchOf(term), NEVER_CHANGED));
        guarded.addAll(changes);
        try {
            List<OpResult> results = client.multi(guarded);
            return List.copyOf(results.subList(1, results.size()));
        } catch (KeeperException refused) {
            if (isAboutTheLatch(refused)) {
                throw stale(term);
            }
            throw refused;
        }
    }

    private static boolean isAboutTheLatch(KeeperException refused) {
        List<OpResult> results = refused.getResults();
        return results != null
                && !results.isEmpty()
                && results.get(0) instanceof OpResult.ErrorResult first
                && first.getErr() == Code.NONODE.intValue();
    }

    /** Looks for the latch once for each term. */
    private String latchOf(Term term) throws StaleTokenException, KeeperException, InterruptedException {
        Optional<Known> found = known.filter(latch -> latch.term.equals(term));
        if (found.isPresent()) {
            return found.get().path;
        }
        String election = paths.election(term.election());
        try {
            // The client's server may lag behind the one that granted the term. A transaction that changes nothing
            // comes behind
            // everything that was written before. Not a sync: its answer comes on the client's event thread, on which
            // this may be.
            client.multi(List.of(Op.check(election, ANY_VERSION)));
            for (String name : client.getChildren(election, false)) {
                String path = Paths.child(election, name);
                if (ParticipantOrder.isOf(name, term.nonce()) && isOf(path, term.token())) {
                    known = Optional.of(new Known(term, path));
                    return path;
                }
            }
        } catch (KeeperException.NoNodeException none) {
            // nobody has ever stood in this election
        }
        throw stale(term);
    }

    private boolean isOf(String path, FencingToken token) throws KeeperException, InterruptedException {
        Stat stat = client.exists(path, false);
        return stat != null && stat.getCzxid() == token.sequence();
    }

    /** Carries the newest term that was recorded: the refused one itself, if nobody has followed it yet. */
    private StaleTokenException stale(Term term) throws KeeperException, InterruptedException {
        String election = paths.election(term.election());
        FencingToken newest = lastTerm(election)
                .map(TermRecord::token)
                .filter(token -> token.isNewerThan(term.token()))
                .orElse(term.token());
        return new StaleTokenException(election, term, newest);
    }

    private Optional<TermRecord> lastTerm(String election) throws KeeperException, InterruptedException {
        try {
            return TermRecord.find(
                    Znode.of(client.getData(election, false, null), new Stat()).text());
        } catch (KeeperException.NoNodeException gone) {
            return Optional.empty();
        }
    }
}
