package dev.tenure.jdbc.advisory;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.SessionEvents;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** What a session has in its elections: those it holds, each on its line, and those it waits for. Loop-confined. */
final class Seats implements Orders.Bearer, Vigil.Watcher {
    private final AdvisoryBackend.Store store;
    private final Member me;
    private final SessionEvents events;
    private final Consumer<String> lost;
    private final Roster roster;
    private final Orders orders;
    private final Vigil vigil;
    private final Standby standby;
    private final Herald herald;
    private final Forfeits forfeits;
    private final Map<ElectionName, Nonce> asked = new HashMap<>();
    private boolean left;
    private int unseenWaits;

    Seats(AdvisoryBackend.Store store, Member me, SessionEvents events, Line working, Consumer<String> lost) {
        this.store = store;
        this.me = me;
        this.events = events;
        this.lost = lost;
        this.roster = new Roster(store, me, working, lost);
        this.orders = new Orders(store.host(), this);
        this.standby = new Standby(me.ttl().toNanos());
        this.herald = new Herald(store);
        this.forfeits = new Forfeits(store, me, events, roster, herald);
        this.vigil = new Vigil(store.host(), () -> store.switchboard().open(me.ttl()), store.claims(), me, this);
        aim();
    }

    Roster roster() {
        return roster;
    }

    Vigil vigil() {
        return vigil;
    }

    @Override
    public Line lineOf(ElectionName election) {
        return roster.lineOf(election);
    }

    CompletableFuture<ClaimReply> claim(ClaimRequest request) {
        ElectionName election = request.election();
        asked.put(election, request.nonce());
        Optional<Roster.Seat> mine = roster.seat(election, request.nonce());
        if (mine.isPresent()) {
            return confirm(request, mine.get());
        }
        if (vigil.mayWin(election)) {
            return vigil.aim().equals(new Aim.Turn(request)) ? stillWaiting(request) : whenHalted(request);
        }
        return order(request);
    }

    private CompletableFuture<ClaimReply> confirm(ClaimRequest request, Roster.Seat seat) {
        Term term = new Term(request.election(), seat.grant().token(), seat.nonce(), request.holder());
        return roster.holds(term).thenCompose(still -> {
            if (still) {
                return CompletableFuture.completedFuture(seat.grant());
            }
            roster.forfeit(request.election(), store.host().nanos());
            return order(request); // on the line that still has the lock
        });
    }

    private CompletableFuture<ClaimReply> stillWaiting(ClaimRequest request) {
        standby.add(request, OptionalLong.empty(), store.host().nanos());
        return store.onLoop(roster.working().run(connection -> store.looks().find(connection, request.election())))
                .thenApply(found -> roster.seat(request.election(), request.nonce())
                        .<ClaimReply>map(Roster.Seat::grant)
                        .orElseGet(() -> new ClaimReply.Waiting(found.flatMap(Epoch::leader), true)));
    }

    private CompletableFuture<ClaimReply> whenHalted(ClaimRequest request) {
        standby.remove(request.election());
        return vigil.halt().thenCompose(done -> order(request));
    }

    private CompletableFuture<ClaimReply> order(ClaimRequest request) {
        if (left) {
            return CompletableFuture.failedFuture(Trouble.over());
        }
        CompletableFuture<ClaimReply> answer = new CompletableFuture<>();
        orders.add(new Order.Claim(request, answer));
        return answer;
    }

    CompletableFuture<ReleaseReply> release(ElectionName election, Nonce nonce) {
        Order.Release order = new Order.Release(election, nonce, new CompletableFuture<>());
        if (nonce.equals(asked.get(election))) {
            standby.remove(election);
            // Also a wait that is only about to begin: nobody would hear that it has won.
            if (vigil.mayWin(election) || vigil.aim().isTurnOf(election)) {
                Aside.run("a release", vigil.halt().thenRun(this::aim).thenRun(() -> orders.add(order)));
                return order.answer();
            }
        }
        orders.add(order);
        return order.answer();
    }

    @Override
    public CompletableFuture<?> carry(Line line, List<Order> batch) {
        return batch.get(0) instanceof Order.Claim ? carryClaims(line, batch) : carryReleases(line, batch);
    }

    private CompletableFuture<?> carryClaims(Line line, List<Order> batch) {
        Map<ElectionName, Order.Claim> claims = Order.claims(batch);
        List<ClaimRequest> requests = Order.requests(claims);
        return store.onLoop(line.run(connection -> store.claims().tryAll(line, connection, me, requests)))
                .thenAccept(verdicts -> {
                    verdicts.forEach(verdict -> note(line, verdict));
                    if (!roster.hasAll(claims.keySet())) {
                        aim(); // who does not win is told whether it stands in the queue now
                    }
                    verdicts.forEach(verdict -> answer(verdict, claims));
                    store.host().post(this::aim); // behind the grants
                });
    }

    private void note(Line line, Verdict verdict) {
        ElectionName election = verdict.request().election();
        standby.remove(election);
        if (verdict instanceof Verdict.Won won) {
            roster.won(line, won);
            herald.won(line, election);
        } else if (verdict instanceof Verdict.Taken taken && !left) {
            OptionalLong holders = taken.holder().map(Epoch::line).orElse(OptionalLong.empty());
            standby.add(taken.request(), holders, store.host().nanos());
        }
    }

    private void answer(Verdict verdict, Map<ElectionName, Order.Claim> claims) {
        CompletableFuture<ClaimReply> answer = Optional.ofNullable(
                        claims.get(verdict.request().election()))
                .orElseThrow()
                .answer();
        if (verdict instanceof Verdict.Won won) {
            answer.complete(won.grant());
        } else if (verdict instanceof Verdict.Taken taken) {
            boolean queued = vigil.aim().equals(new Aim.Turn(taken.request()));
            answer.complete(new ClaimReply.Waiting(taken.holder().flatMap(Epoch::leader), queued));
        } else if (verdict instanceof Verdict.Collides collides) {
            answer.completeExceptionally(
                    store.trouble().collision(collides.request().election(), collides.other()));
        } else {
            answer.completeExceptionally(((Verdict.Refused) verdict).why());
        }
    }

    /** What is not held is not on its way either: earlier claims have been answered. */
    private CompletableFuture<?> carryReleases(Line line, List<Order> batch) {
        Map<String, Order.Release> releases = new HashMap<>();
        for (Order order : batch) {
            Order.Release release = (Order.Release) order;
            boolean newest = release.nonce().equals(asked.get(release.election()));
            boolean mine = roster.seat(release.election())
                    .filter(seat -> newest || seat.nonce().equals(release.nonce()))
                    .isPresent();
            if (mine) {
                releases.put(release.election().encoded(), release);
            } else {
                release.answer().complete(ReleaseReply.NOT_HELD);
            }
        }
        if (releases.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        List<String> names = List.copyOf(releases.keySet());
        return store.onLoop(line.run(connection -> store.claims().release(line, connection, me, names)))
                .thenAccept(released -> {
                    releases.values().forEach(release -> roster.remove(release.election()));
                    herald.released(line, released.unannounced());
                    settle();
                    releases.forEach((name, release) -> release.answer()
                            .complete(released.names().contains(name) ? ReleaseReply.RELEASED : ReleaseReply.NOT_HELD));
                });
    }

    /** What a heartbeat has found. Returns what is waited for, of each holder at least one. */
    List<ElectionName> felt(Line line, Heartbeat.Pulse.Alive pulse, int waitingPid) {
        forfeits.found(line, pulse.lost());
        boolean unseen = waitingPid != 0 && waitingPid == vigil.pid() && !pulse.waits();
        unseenWaits = unseen ? unseenWaits + 1 : 0;
        if (unseenWaits > 1) {
            unseenWaits = 0;
            vigil.restart();
        }
        aim();
        return standby.ofEachHolder();
    }

    void heard(Notice notice) {
        if (notice instanceof Notice.Claimed claimed) {
            standby.claimed(claimed.election(), claimed.line());
            aim();
        } else if (notice instanceof Notice.Released released) {
            ElectionName election = released.election();
            boolean queued = vigil.mayWin(election) || vigil.aim().isTurnOf(election);
            if (asked.containsKey(election) && !roster.has(election) && !queued) {
                standby.remove(election);
                events.changed(election);
            }
        } else if (notice instanceof Notice.EraRaised && vigil.aim() instanceof Aim.Turn turn) {
            ElectionName election = turn.request().election();
            standby.remove(election);
            // What waits in the queue knows the era before.
            Aside.run("asking again", vigil.halt().thenRun(() -> events.changed(election)));
        }
    }

    /** A release may have been missed; who waits in the server's queue misses none. */
    void resumed() {
        if (!(vigil.aim() instanceof Aim.Turn)) {
            standby.takeAll().forEach(events::changed);
        }
    }

    @Override
    public void ended(long lineKey) {
        if (lineKey == roster.working().identity().key()) {
            lost.accept(AdvisorySession.ENDED);
            return;
        }
        standby.takeThoseOf(lineKey).forEach(events::changed);
        aim();
    }

    /** One connection has broken: the others may have, and nobody reads on them. */
    @Override
    public void broken() {
        if (!left) {
            roster.lines().forEach(line -> Aside.run("trying a connection", line.probe()));
        }
    }

    @Override
    public void judged(Line line, Verdict verdict) {
        ElectionName election = verdict.request().election();
        if (verdict instanceof Verdict.Won won) {
            boolean wanted = standby.contains(election) && won.request().nonce().equals(asked.get(election));
            standby.remove(election);
            roster.won(line, won);
            if (wanted && !left) {
                events.granted(election, won.grant());
            }
            store.host().post(() -> adopt(line, election)); // behind the grant
        } else {
            standby.remove(election);
            events.changed(election); // it asks again, and is told why
        }
    }

    /** The line that has waited works now, and the other one waits in its place. */
    private void adopt(Line line, ElectionName election) {
        roster.mourn(line);
        herald.won(line, election);
        settle();
    }

    private void settle() {
        roster.changeOver().ifPresent(vigil::inherit);
        aim();
    }

    private void aim() {
        if (!left) {
            long own = roster.working().identity().key();
            vigil.aimAt(standby.aim(roster.isEmpty(), own, store.host().nanos()));
        }
    }

    void leave() {
        left = true;
        orders.close(Trouble.over());
        vigil.close();
    }
}
