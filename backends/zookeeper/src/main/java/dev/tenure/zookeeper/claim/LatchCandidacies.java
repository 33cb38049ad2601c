// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.claim;

import dev.tenure.ElectionName;
import dev.tenure.zookeeper.client.ZooKeeperCalls;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;

/** The elections in which one session has claimed something, and what they share. Loop-confined. */
public final class LatchCandidacies {
    private static final int TTLS_PER_LOOK = 2;

    private final SessionContext context;
    private final Watcher watcher;
    private final BatchedCalls calls;
    private final Map<ElectionName, LatchCandidacy> byElection = new HashMap<>();
    private final List<LatchCandidacy> all = new ArrayList<>();
    private CompletableFuture<Boolean> newestWatch = CompletableFuture.completedFuture(true);
    private int next;
    private long lookedNanos;

    public LatchCandidacies(SessionContext context) {
        this.context = context;
        this.watcher = ZooKeeperCalls.watcher(context.host(), event -> latchChanged(event.getPath(), event.getType()));
        this.calls = new BatchedCalls(context.calls(), context.settings(), context.host(), context::isOver);
        this.lookedNanos = context.host().nanos();
    }

    public LatchCandidacy in(ElectionName election) {
        return byElection.computeIfAbsent(election, name -> {
            LatchCandidacy candidacy = new LatchCandidacy(this, name);
            all.add(candidacy);
            return candidacy;
        });
    }

    SessionContext context() {
        return context;
    }

    BatchedCalls calls() {
        return calls;
    }

    /** Of all latches that are watched. */
    Watcher watcher() {
        return watcher;
    }

    /** A latch that is watched has changed or is gone. */
    public void latchChanged(String path, EventType type) {
        context.settings()
                .paths()
                .electionAt(path)
                .map(byElection::get)
                .ifPresent(candidacy -> candidacy.onWatchEvent(path, type));
    }

    public void reconnected() {
        all.forEach(LatchCandidacy::reconnected);
    }

    /** The next of the own latches that lead and of those that are waited for, in turn. */
    public Optional<String> nextWatched() {
        for (int searched = 0; searched < all.size(); searched++) {
            next = (next + 1) % all.size();
            Optional<String> latch = all.get(next).watchedLatch();
            if (latch.isPresent()) {
                return latch;
            }
        }
        return Optional.empty();
    }

    /** May somebody read now without cause? One claim of the session, every other TTL. */
    boolean mayLook() {
        long now = context.host().nanos();
        boolean due =
                now - lookedNanos > TTLS_PER_LOOK * context.granted().ttl().toNanos();
        if (due) {
            lookedNanos = now;
        }
        return due;
    }

    /** @param watch completes when the watch on an own latch is set and what it found was reported */
    void watchRequested(CompletableFuture<Boolean> watch) {
        newestWatch = watch;
    }

    /**
     * Completes when all watches on own latches are set that were requested: one connection keeps the order.
     *
     * <p>A renewal must not be believed before the end of every latch is reported that the servers knew of when they agreed to it. The
     * servers report it on the same connection, in order, once the latch is watched. So the answer to a renewal waits for the watches that
     * are being set when it comes: there are none, except right after grants and reconnections.
     */
    public CompletableFuture<Boolean> watchesSet() {
        return newestWatch.isDone() ? CompletableFuture.completedFuture(true) : newestWatch;
    }
}
