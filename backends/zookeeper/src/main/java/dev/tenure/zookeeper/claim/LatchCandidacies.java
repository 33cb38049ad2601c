package dev.tenure.zookeeper.claim;

import dev.tenure.ElectionName;
import dev.tenure.spi.support.Stages;
import dev.tenure.zookeeper.client.ZooKeeperCalls;
import dev.tenure.zookeeper.client.ZooKeeperCalls.WatchListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;

/** The elections in which one session has claimed something, and what they share. Loop-confined. */
public final class LatchCandidacies implements WatchListener {
    /** How many are searched for one that leads, or waits: a heartbeat does not search through thousands of others. */
    private static final int SEARCHED_MAX = 100;

    private final SessionContext context;
    private final PendingWatches watches = new PendingWatches();
    private final Shared shared;
    private final Map<ElectionName, LatchCandidacy> byElection = new HashMap<>();
    private final List<LatchCandidacy> all = new ArrayList<>();
    private final Rotation led = new Rotation(LatchCandidacy::ledLatch);
    private final Rotation awaited = new Rotation(LatchCandidacy::awaitedLatch);

    /**
     * What the candidacies of one session use together; calls of the same kind that are made together are sent together.
     *
     * @param watcher of all latches that are watched
     */
    record Shared(
            SnapshotReader snapshots,
            LatchCreator creator,
            LatchRemover remover,
            TermRecordWriter terms,
            Watcher watcher,
            PendingWatches watches) {}

    /** A latch whose end is notified. */
    public record Watched(LatchCandidacy candidacy, String latch) {}

    public LatchCandidacies(SessionContext context) {
        this.context = context;
        SnapshotReader snapshots = new SnapshotReader(context);
        this.shared = new Shared(
                snapshots,
                new LatchCreator(context, snapshots),
                new LatchRemover(context),
                new TermRecordWriter(context.calls(), context.host(), () -> !snapshots.isIdle()),
                ZooKeeperCalls.watcher(context.host(), this),
                watches);
    }

    public LatchCandidacy in(ElectionName election) {
        return byElection.computeIfAbsent(election, name -> {
            LatchCandidacy candidacy = new LatchCandidacy(context, shared, name);
            all.add(candidacy);
            return candidacy;
        });
    }

    public PendingWatches watches() {
        return watches;
    }

    /** A latch that is watched has changed or is gone. */
    @Override
    public void changed(String path, EventType type) {
        context.settings()
                .paths()
                .electionAt(path)
                .map(byElection::get)
                .ifPresent(candidacy -> candidacy.onWatchEvent(path, type));
    }

    public void reconnected() {
        all.forEach(LatchCandidacy::reconnected);
    }

    /** The next of the own latches that lead, and the next of those that are waited for, in turn. */
    public List<Watched> nextWatched() {
        return Stream.of(led, awaited)
                .flatMap(rotation -> rotation.next().stream())
                .toList();
    }

    /** One after the other of those that have such a latch. */
    private final class Rotation {
        private final Function<LatchCandidacy, Optional<String>> latchOf;
        private int next;

        Rotation(Function<LatchCandidacy, Optional<String>> latchOf) {
            this.latchOf = latchOf;
        }

        Optional<Watched> next() {
            for (int searched = 0; searched < Math.min(SEARCHED_MAX, all.size()); searched++) {
                LatchCandidacy candidacy = all.get(next % all.size());
                next = (next + 1) % all.size();
                Optional<String> latch = latchOf.apply(candidacy);
                if (latch.isPresent()) {
                    return Optional.of(new Watched(candidacy, latch.get()));
                }
            }
            return Optional.empty();
        }
    }

    /**
     * The watches on own latches that are requested and not yet set. Loop-confined.
     *
     * <p>A renewal must not be believed before the end of every latch is reported that the servers knew of when they agreed to it. The
     * servers report it on the same connection, in order, once the latch is watched. So the answer to a renewal waits for the watches that
     * are being set when it comes: there are none, except right after grants and reconnections.
     */
    public static final class PendingWatches {
        private static final CompletableFuture<Boolean> NONE = CompletableFuture.completedFuture(true);

        private CompletableFuture<Boolean> newest = NONE;

        /** @param watch completes when the watch is set and what it found was reported */
        void add(CompletableFuture<Boolean> watch) {
            newest = watch;
            Stages.ignore("the watch on a latch", watch.whenComplete((done, failure) -> {
                if (newest == watch) {
                    newest = NONE;
                }
            }));
        }

        /** Completes when all that were requested are set: one connection keeps the order. */
        public CompletableFuture<Boolean> allSet() {
            return newest;
        }
    }
}
