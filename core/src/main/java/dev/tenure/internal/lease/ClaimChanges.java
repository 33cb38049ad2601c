// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import dev.tenure.ElectionName;
import dev.tenure.spi.ChangeTracker.Changes;
import dev.tenure.spi.Host;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.Watch;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * Which claims may have changed, and when a session acts on that. Loop-confined, except that hints come on any thread.
 *
 * <p>Of all candidates that wait for the same holder one acts on a change, not all. The first does so at once, and each of the others as
 * much later as those before it would need, should all of them fail. A second change until then says that one of them has
 * acted, and a third one that it has let go. The change that comes right after a look may be one that the look has seen
 * already, so it says nothing about the next. Only the second in line looks each time. Those behind it learn of the new holder
 * some time before its lease can end. So what they know of each other decides how many statements there are, and how soon one
 * acts, but not whether one does.
 */
final class ClaimChanges {
    /** To look and to claim. */
    private static final long TURN_ROUND_TRIPS = 2;

    /** Within these a read is answered, and the changes that it has seen are reported. */
    private static final long LOOK_ROUND_TRIPS = 20;

    private static final int LATE_SHARE_OF_TTL = 4;
    /** Every so many questions all are asked for, whatever the answer: a change that was missed is not missed for ever. */
    private static final int QUESTIONS_PER_LOOK = 64;

    private final LoopStore store;
    private final Host host;
    private final PeerSessions peers;
    private final ExpiryTimers timers;
    private final SessionEvents events;
    private final String session;
    private final long lateNanos;
    private final Watch watch;
    /** Elections that may be free, but others come first. */
    private final Map<ElectionName, Turn> turns = new HashMap<>();

    /** Up to where it is known what has changed; empty if that is not known. */
    private Optional<String> mark = Optional.empty();

    private int questions;

    private int reconnects;
    private boolean closed;

    /** What was made of the last change of an election. */
    private record Turn(Host.Timer timer, Stage stage, long dueNanos) {
        private enum Stage {
            /** It may be free: the next change says that somebody has acted. */
            FREE,
            /** It may be free, or the change is an old one: the next change says nothing. */
            DOUBTFUL,
            /** Somebody has acted, and the new holder is to be learned of. */
            TAKEN
        }
    }

    ClaimChanges(LeaseSession.Context context, SessionRecord record, ExpiryTimers timers, SessionEvents events) {
        this.store = context.store();
        this.host = context.host();
        this.peers = context.peers();
        this.timers = timers;
        this.events = events;
        this.session = record.id();
        this.lateNanos = record.ttl().toNanos() / LATE_SHARE_OF_TTL;
        this.watch = store.watch(ClaimRecord.PREFIX, this::hinted);
    }

    private void hinted(String key) {
        if (key.equals(ClaimRecord.PREFIX)) {
            events.reconnected();
            host.post(this::forgetMark);
        } else {
            LeaseBackend.electionOf(key, ClaimRecord.PREFIX).ifPresent(election -> host.post(() -> changed(election)));
        }
    }

    private void changed(ElectionName election) {
        Optional<Turn> before = Optional.ofNullable(turns.remove(election));
        before.ifPresent(turn -> turn.timer.cancel());
        Optional<ExpiryTimers.Holder> holder = timers.holderOf(election);
        if (holder.isEmpty() || closed) {
            events.changed(election);
            return;
        }
        int rank = peers.rank(session, election, holder.get());
        Turn.Stage stage = before.map(turn -> next(turn, rank)).orElse(Turn.Stage.FREE);
        long delayNanos = stage == Turn.Stage.TAKEN
                ? lateNanos + Long.remainderUnsigned(host.random(), lateNanos)
                : Math.min(rank * TURN_ROUND_TRIPS * store.roundTripNanos(), lateNanos);
        long dueNanos = host.nanos() + delayNanos;
        Host.Timer timer = () -> {};
        if (delayNanos == 0) {
            events.changed(election);
        } else {
            timer = host.wakeAt(dueNanos, () -> events.changed(election));
        }
        turns.put(election, new Turn(timer, stage, dueNanos));
    }

    private Turn.Stage next(Turn before, int rank) {
        long sinceLookNanos = host.nanos() - before.dueNanos;
        if (sinceLookNanos >= 0) {
            return sinceLookNanos < LOOK_ROUND_TRIPS * store.roundTripNanos() ? Turn.Stage.DOUBTFUL : Turn.Stage.FREE;
        }
        return before.stage == Turn.Stage.FREE && rank > 1 ? Turn.Stage.TAKEN : Turn.Stage.FREE;
    }

    /** Marks of one server say nothing about another. */
    private void forgetMark() {
        reconnects++;
        mark = Optional.empty();
    }

    /**
     * A few are read with each renewal, where the store can, or else asked for one by one: that reads their records, and not the
     * whole table. Of many, tells of all elections that changed, and not only of those that wait: a claim under way has perhaps looked before the change.
     *
     * @param isHeld is that election held by this session? Then the change is its own, or is found by its own look.
     */
    CompletableFuture<Boolean> catchUp(Predicate<ElectionName> isHeld) {
        if (timers.elections().size() <= RenewalReads.CLAIMS_MAX) {
            return CompletableFuture.completedFuture(store.readsWithRenewals());
        }
        int asked = reconnects;
        return store.changedSince(mark)
                .map(reply -> reply.thenApply(changes -> asked == reconnects && caughtUp(changes, isHeld)))
                .orElseGet(() -> CompletableFuture.completedFuture(false));
    }

    private boolean caughtUp(Changes changes, Predicate<ElectionName> isHeld) {
        boolean known = mark.isPresent() && changes.keys().isPresent();
        mark = Optional.of(changes.mark());
        if (known) {
            changes.keys().get().stream()
                    .filter(key -> key.startsWith(ClaimRecord.PREFIX))
                    .flatMap(key -> LeaseBackend.electionOf(key, ClaimRecord.PREFIX).stream())
                    .filter(isHeld.negate())
                    .toList()
                    .forEach(events::changed);
        }
        questions++;
        return known && questions % QUESTIONS_PER_LOOK != 0;
    }

    /** Will this session look anyway, when those before it had their turn? */
    boolean isAwaited(ElectionName election) {
        Turn turn = turns.get(election);
        return turn != null && host.nanos() - turn.dueNanos < 0;
    }

    void close() {
        closed = true;
        watch.close();
        turns.values().forEach(turn -> turn.timer.cancel());
        turns.clear();
    }
}
