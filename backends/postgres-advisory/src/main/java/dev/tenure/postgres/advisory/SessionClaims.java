// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.jdbc.SqlCall;
import dev.tenure.postgres.advisory.AdvisorySession.HeldElections;
import dev.tenure.postgres.advisory.ClaimSql.Outcome;
import dev.tenure.postgres.advisory.ElectionSql.ElectionRow;
import dev.tenure.postgres.advisory.LockWaiter.Target;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Host;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.RenewReply.LostClaim;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.support.Batcher;
import dev.tenure.spi.support.Stages;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What a session has in its elections: those it holds, and those it waits for. Loop-confined.
 *
 * <p>Claims and releases are sent many at a time, but never two of one election, and those in their order: so a release knows
 * what became of every earlier claim.
 */
final class SessionClaims {
    private static final Batcher.Limits LIMITS = new Batcher.Limits(256, Integer.MAX_VALUE, 1);

    private final AdvisoryBackend.Context context;
    private final Host host;
    private final AdvisorySession.Info me;
    private final SessionEvents events;
    private final Consumer<String> lost;
    private final HeldElections held;
    private final LockWaiter.AwaitedElections awaited;
    private final LockWaiter waiter;
    private final HolderMonitor holders;
    private final Batcher<Operation<?>> operations;
    /** With which nonce an election was claimed last. */
    private final Map<ElectionName, AtomicReference<Nonce>> newest = new HashMap<>();

    private boolean left;
    private int unseenWaits;

    /** A claim or a release on its way to the server. */
    private interface Operation<R> extends Batcher.Item {
        CompletableFuture<R> answer();

        @Override
        default int bytes() {
            return 0; // only their number is limited
        }

        @Override
        default void failed(BackendException why) {
            answer().completeExceptionally(why);
        }
    }

    private record Claim(AtomicReference<Nonce> subject, ClaimRequest request, CompletableFuture<ClaimReply> answer)
            implements Operation<ClaimReply> {}

    private record Release(
            AtomicReference<Nonce> subject, ElectionName election, Nonce nonce, CompletableFuture<ReleaseReply> answer)
            implements Operation<ReleaseReply> {}

    SessionClaims(
            AdvisoryBackend.Context context,
            AdvisorySession.Info me,
            SessionEvents events,
            LockConnection working,
            Consumer<String> lost) {
        this.context = context;
        this.host = context.host();
        this.me = me;
        this.events = events;
        this.lost = lost;
        this.held = new HeldElections(context, me, working, lost);
        this.awaited = new LockWaiter.AwaitedElections(me.ttl().toNanos());
        this.holders = new HolderMonitor(context, me, events, held::working);
        this.operations = new Batcher<>(host, LIMITS, this::send);
        this.waiter = new LockWaiter(context, me, this);
        retarget();
    }

    HeldElections held() {
        return held;
    }

    /** The server process that waits for this session, or 0. */
    int waitingPid() {
        return waiter.pid();
    }

    private AtomicReference<Nonce> newest(ElectionName election) {
        return newest.computeIfAbsent(election, unknown -> new AtomicReference<>());
    }

    CompletableFuture<ClaimReply> claim(ClaimRequest request) {
        ElectionName election = request.election();
        newest(election).set(request.nonce());
        Optional<HeldElections.Held> mine = held.find(election, request.nonce());
        if (mine.isPresent()) {
            return confirm(request, mine.get());
        }
        if (!waiter.mayWin(election)) {
            return enqueue(request);
        }
        if (waiter.target().equals(new Target.Turn(request))) {
            return stillWaiting(request);
        }
        awaited.remove(election);
        return waiter.halt().thenCompose(done -> enqueue(request));
    }

    private CompletableFuture<ClaimReply> confirm(ClaimRequest request, HeldElections.Held mine) {
        Term term = new Term(request.election(), mine.grant().token(), request.nonce(), request.holder());
        return held.holds(term).thenCompose(still -> {
            if (still) {
                return CompletableFuture.completedFuture(mine.grant());
            }
            held.orphan(request.election());
            return enqueue(request); // whose lock the connection still has
        });
    }

    private CompletableFuture<ClaimReply> stillWaiting(ClaimRequest request) {
        awaited.add(request, OptionalLong.empty(), host.nanos());
        return held.working()
                .run(connection -> context.elections().find(connection, request.election()))
                .thenApply(found -> held.find(request.election(), request.nonce())
                        .<ClaimReply>map(HeldElections.Held::grant)
                        .orElseGet(() -> waiting(found, true)));
    }

    private static ClaimReply waiting(Optional<ElectionRow> holder, boolean queued) {
        return new ClaimReply.Waiting(holder.flatMap(row -> row.observation().leader()), queued);
    }

    private CompletableFuture<ClaimReply> enqueue(ClaimRequest request) {
        Claim claim = new Claim(newest(request.election()), request, new CompletableFuture<>());
        operations.add(claim);
        return claim.answer();
    }

    CompletableFuture<ReleaseReply> release(ElectionName election, Nonce nonce) {
        Release release = new Release(newest(election), election, nonce, new CompletableFuture<>());
        if (nonce.equals(release.subject().get())) {
            awaited.remove(election);
            // Also a wait that is only about to begin: nobody would hear that it has won.
            if (isInQueue(election)) {
                Stages.ignore(
                        "a release", waiter.halt().thenRun(this::retarget).thenRun(() -> operations.add(release)));
                return release.answer();
            }
        }
        operations.add(release);
        return release.answer();
    }

    private boolean isInQueue(ElectionName election) {
        return waiter.mayWin(election) || waiter.target().isTurnOf(election);
    }

    /** All claims go in one statement, and all releases in another. */
    private CompletionStage<?> send(List<Operation<?>> batch) {
        if (left) {
            batch.forEach(operation -> operation.failed(AdvisoryErrors.over()));
            return CompletableFuture.completedFuture(null);
        }
        return CompletableFuture.allOf(
                send(batch, Claim.class, this::sendClaims), send(batch, Release.class, this::sendReleases));
    }

    private static <O extends Operation<?>> CompletableFuture<Void> send(
            List<Operation<?>> batch, Class<O> kind, Function<List<O>, CompletableFuture<Void>> send) {
        List<O> some = batch.stream().filter(kind::isInstance).map(kind::cast).toList();
        if (some.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return send.apply(some).exceptionally(failure -> {
            some.forEach(operation -> operation.answer().completeExceptionally(Stages.rootOf(failure)));
            return null;
        });
    }

    private CompletableFuture<Void> sendClaims(List<Claim> claims) {
        LockConnection on = held.working();
        Map<ElectionName, CompletableFuture<ClaimReply>> asked = new HashMap<>();
        claims.forEach(claim -> asked.put(claim.request().election(), claim.answer()));
        List<ClaimRequest> requests = claims.stream().map(Claim::request).toList();
        return on.run(connection -> context.claims().tryAll(on, connection, me, requests))
                .thenAccept(outcomes -> {
                    List<String> won = new ArrayList<>();
                    outcomes.forEach(outcome -> note(outcome, won));
                    if (won.size() < claims.size()) {
                        retarget(); // who does not win is told whether it stands in the queue now
                    }
                    outcomes.forEach(outcome -> answer(
                            outcome,
                            Objects.requireNonNull(asked.get(outcome.request().election()))));
                    held.announce("c " + on.identity().key() + " ", won);
                    host.post(this::retarget); // behind the grants
                });
    }

    private void note(Outcome outcome, List<String> won) {
        ElectionName election = outcome.request().election();
        awaited.remove(election);
        if (outcome instanceof Outcome.Won grant) {
            held.won(grant);
            won.add(election.encoded());
        } else if (outcome instanceof Outcome.Taken taken && !left) {
            OptionalLong holder = taken.holder().map(ElectionRow::connectionKey).orElse(OptionalLong.empty());
            awaited.add(taken.request(), holder, host.nanos());
        }
    }

    private void answer(Outcome outcome, CompletableFuture<ClaimReply> answer) {
        if (outcome instanceof Outcome.Won won) {
            answer.complete(won.grant());
        } else if (outcome instanceof Outcome.Taken taken) {
            answer.complete(waiting(taken.holder(), waiter.target().equals(new Target.Turn(taken.request()))));
        } else if (outcome instanceof Outcome.Refused refused) {
            answer.completeExceptionally(refused.why());
        }
    }

    /** What is not held is not on its way either: earlier claims have been answered. */
    private CompletableFuture<Void> sendReleases(List<Release> releases) {
        LockConnection on = held.working();
        Map<String, Release> mine = new HashMap<>();
        for (Release release : releases) {
            boolean isMine = held.find(release.election())
                    .filter(one -> release.nonce().equals(release.subject().get())
                            || one.grant().nonce().equals(release.nonce()))
                    .isPresent();
            if (isMine) {
                mine.put(release.election().encoded(), release);
            } else {
                release.answer().complete(ReleaseReply.NOT_HELD);
            }
        }
        if (mine.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        List<String> names = List.copyOf(mine.keySet());
        return on.run(connection -> context.claims().release(on, connection, me, names))
                .thenAccept(released -> {
                    mine.values().forEach(release -> held.remove(release.election()));
                    held.announce("r ", released.unannounced());
                    retarget();
                    mine.forEach((name, release) -> release.answer()
                            .complete(released.names().contains(name) ? ReleaseReply.RELEASED : ReleaseReply.NOT_HELD));
                });
    }

    /** What a heartbeat has found. Returns what the session has lost by that. */
    List<LostClaim> felt(ElectionSql.Pulse.Alive pulse, int waitingPid) {
        boolean unseen = waitingPid != 0 && waitingPid == waiter.pid() && !pulse.waits();
        unseenWaits = unseen ? unseenWaits + 1 : 0;
        if (unseenWaits > 1) {
            unseenWaits = 0;
            waiter.restart();
        }
        List<LostClaim> lostClaims = held.missing(pulse.missing());
        retarget();
        holders.lookAt(awaited.ofEachHolder());
        return lostClaims;
    }

    void received(Notification notification) {
        if (notification instanceof Notification.Claimed claimed) {
            awaited.claimed(claimed.election(), claimed.connectionKey());
            retarget();
        } else if (notification instanceof Notification.Released released) {
            ElectionName election = released.election();
            if (newest.containsKey(election) && held.find(election).isEmpty() && !isInQueue(election)) {
                awaited.remove(election);
                events.changed(election);
            }
        } else if (notification instanceof Notification.EraRaised && waiter.target() instanceof Target.Turn turn) {
            ElectionName election = turn.request().election();
            awaited.remove(election);
            // What waits in the queue knows the era before.
            Stages.ignore("asking again", waiter.halt().thenRun(() -> events.changed(election)));
        }
    }

    /** A release may have been missed; a session that waits in the server's queue misses none. */
    void resumed() {
        if (!(waiter.target() instanceof Target.Turn)) {
            awaited.takeAll().forEach(events::changed);
        }
    }

    /** What was waited for has come. */
    void connectionEnded(long key) {
        if (key == held.working().identity().key()) {
            lost.accept(AdvisorySession.ENDED);
            return;
        }
        awaited.takeThoseOf(key).forEach(events::changed);
        retarget();
    }

    /** One connection has broken: the other may have, and nobody reads on it. */
    void waitBroken() {
        if (!left) {
            Stages.ignore(
                    "trying a connection", held.working().run(open -> new SqlCall("SELECT 1").rows(open, row -> 1)));
        }
    }

    /**
     * The connection that has waited works now, and the other one waits in its place. Not if that has something, or may get it by
     * what is on its way: a session has all its locks on one connection, so this one is given back and asked for again.
     *
     * @param connection the one that has waited; if it has won, it is not the waiter's any more
     */
    void turnCame(LockConnection connection, Outcome outcome) {
        ElectionName election = outcome.request().election();
        List<String> name = List.of(election.encoded());
        boolean wanted = awaited.remove(election)
                && outcome.request().nonce().equals(newest(election).get());
        if (left) {
            connection.end(AdvisoryErrors.SESSION_OVER);
        } else if (connection.isEnded() || !(outcome instanceof Outcome.Won won)) {
            events.changed(election); // it asks again, and is told why
        } else if (held.isEmpty() && operations.isIdle()) {
            LockConnection idle = held.changeTo(connection);
            held.won(won);
            if (wanted) {
                events.granted(election, won.grant());
            }
            host.post(() -> {
                waiter.inherit(idle); // behind the grant
                held.announce("c " + connection.identity().key() + " ", name);
                retarget();
            });
        } else {
            // Its row stays: the session that claims next has to know that the one before did not release.
            Stages.ignore(
                    "giving back",
                    connection
                            .run(open -> ClaimSql.letGo(connection, open, Map.copyOf(connection.holdings())))
                            .whenComplete((freed, failure) -> {
                                connection.end("given back");
                                held.announce("r ", name);
                                events.changed(election);
                            }));
        }
    }

    private void retarget() {
        if (!left) {
            long own = held.working().identity().key();
            waiter.waitFor(awaited.target(held.isEmpty(), own, host.nanos()));
        }
    }

    void leave() {
        left = true;
        waiter.close();
    }
}
