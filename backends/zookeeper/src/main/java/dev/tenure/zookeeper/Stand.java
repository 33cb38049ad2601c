package dev.tenure.zookeeper;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.TermRecord;
import dev.tenure.zookeeper.wire.Code;
import dev.tenure.zookeeper.wire.Event;
import dev.tenure.zookeeper.wire.OpResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One session standing in one election: claims are answered here, and whoever waits learns here that it has come to the
 * front. Loop-confined.
 *
 * <p>Those who wait watch the latch right before their own and nothing else, so the end of one latch wakes one process. It
 * then proves in one round trip that it is the first and that its own latch still stands: the order only ever loses those in
 * front, for sequences grow and a latch cannot come back.
 */
final class Stand {
    private static final int ROUNDS_MAX = 5;

    private final SessionScene scene;
    private final ElectionName election;
    private final Place place;
    private final Turns turns = new Turns();
    private final StuckHolder stuck = new StuckHolder();

    Stand(SessionScene scene, ElectionName election) {
        this.scene = scene;
        this.election = election;
        this.place = new Place(scene, election);
    }

    /** Of the znode of its election. From any thread. */
    String path() {
        return scene.settings().layout().election(election);
    }

    CompletableFuture<ClaimReply> claim(ClaimRequest request) {
        long turn = turns.next();
        place.attempt(request.nonce());
        byte[] data = Participant.data(request);
        return turns.take(turn, () -> place.enter(request.nonce(), data)).thenCompose(entered -> {
            if (!turns.isNewest(turn)) {
                throw Turns.overtaken(Effect.UNKNOWN);
            }
            return answer(entered.mine(), entered.moment(), ROUNDS_MAX);
        });
    }

    private CompletableFuture<ClaimReply> answer(Mine mine, Moment moment, int rounds) {
        String name = mine.name();
        if (!moment.latch().contains(name)) {
            return CompletableFuture.failedFuture(vanished());
        }
        return moment.latch().first().filter(name::equals).isPresent()
                ? grant(mine, moment).thenApply(granted -> granted)
                : queue(mine, moment, rounds);
    }

    private CompletableFuture<ClaimReply.Granted> grant(Mine mine, Moment moment) {
        return scene.era().freshOrRead().thenApply(era -> {
            boolean isNew = !mine.isGranted();
            ClaimReply.Granted granted = grant(mine, moment, era);
            if (isNew) {
                scene.ledger().began(new LedTerm(this, mine));
            }
            return granted;
        });
    }

    private ClaimReply.Granted grant(Mine mine, Moment moment, StoreEra era) {
        FencingToken token = mine.isGranted() ? mine.token().orElseThrow() : Tokens.of(era.era(), mine.czxid());
        Optional<TermRecord> before = moment.before(mine.czxid());
        boolean overtaken = !place.has(mine);
        if (before.isPresent() && (overtaken || !token.isNewerThan(before.get().token()))) {
            scene.events().seen(election, before.get().token().value()); // else the grant itself tells more
        }
        if (overtaken) {
            throw Turns.overtaken(Effect.UNKNOWN);
        }
        if (!mine.isGranted()) {
            mine.grant(token, scene.host().wallMillis());
            watchOwn(mine);
        }
        boolean unclean = before.isPresent() && before.get().isHeldByAnother(scene.id());
        return new ClaimReply.Granted(
                token,
                mine.nonce(),
                unclean,
                unclean ? Lifetimes.believed(before.get().ttl()) : Duration.ZERO);
    }

    /** What is to be written down of the term of this latch, for as long as it lasts. */
    Optional<TermLedger.Note> note(Mine mine) {
        return place.has(mine) && !scene.isOver()
                ? mine.term(true, scene.self()).map(term -> new TermLedger.Note(path(), mine.path(path()), term))
                : Optional.empty();
    }

    /** Watches the one in front, and tells who leads. If either went meanwhile, looks again. */
    private CompletableFuture<ClaimReply> queue(Mine mine, Moment moment, int rounds) {
        String before = moment.latch().before(mine.name()).orElseThrow();
        String first = moment.latch().first().orElseThrow();
        CompletableFuture<Leader> leading = readLeader(moment, first);
        CompletableFuture<Boolean> watched = watch(mine, Layout.child(path(), before));
        return watched.thenCombine(leading, (done, holder) -> holder)
                .thenApply(holder -> (ClaimReply) new ClaimReply.Waiting(Optional.of(holder), true))
                .exceptionallyCompose(failure -> {
                    boolean left = StoreFailure.is(failure, Code.NONODE);
                    return left && rounds > 1 ? lookAgain(mine, rounds - 1) : CompletableFuture.failedFuture(failure);
                });
    }

    private CompletableFuture<Leader> readLeader(Moment moment, String first) {
        CompletableFuture<OpResult.Data> read = scene.calls().get(Layout.child(path(), first));
        return read.thenCombine(scene.era().freshOrRead(), (node, era) -> {
            Leader leader = moment.leader(election, first, node, era.era(), scene.settings());
            stuck.tellIfNew(leader, Layout.child(path(), first), scene);
            return leader;
        });
    }

    /** The own one with it, now when there is time, and not when its turn has come: that is one request for both. */
    private CompletableFuture<Boolean> watch(Mine mine, String before) {
        scene.calls().hear(before, new Herald(scene, this, mine));
        return scene.traffic().vigils().over(mine.watch() ? List.of(before, mine.path(path())) : List.of(before));
    }

    private CompletableFuture<ClaimReply> lookAgain(Mine mine, int rounds) {
        return answerIfProved(mine, place.look(mine), rounds);
    }

    private CompletableFuture<ClaimReply> answerIfProved(Mine mine, CompletableFuture<Moment> seen, int rounds) {
        return seen.thenCompose(moment -> place.proves(moment, mine) && place.has(mine)
                ? answer(mine, moment, rounds)
                : CompletableFuture.failedFuture(vanished()));
    }

    private static BackendException vanished() {
        return new BackendException(
                Effect.UNKNOWN, Kind.UNREACHABLE, "the latch of this claim was removed while it was being looked at");
    }

    /** Something happened to the own latch. */
    void onEvent(String latch, Event.Type type) {
        standing(latch).ifPresent(mine -> {
            if (type == Event.Type.DELETED) {
                mine.vanish();
            } else {
                mine.unwatch();
                watchOwn(mine);
            }
            ownChanged(mine);
        });
    }

    private Optional<Mine> standing(String latch) {
        return place.mine().filter(mine -> place.has(mine) && mine.path(path()).equals(latch) && !scene.isOver());
    }

    /** What stood in front of this latch has gone. */
    void cameForward(Mine mine) {
        if (isWaiting(mine)) {
            Stages.ignore(
                    "a call that nobody waits for",
                    place.lookBehindNotification(mine).whenComplete((seen, failure) -> {
                        if (failure == null) {
                            cameForward(Sought.of(mine), seen);
                        } else {
                            notSeen(mine, failure);
                        }
                    }));
        }
    }

    /**
     * The same, and this is what was seen afterwards. Mostly that is the proof, and then there is nothing to wait for: a
     * handover runs this once, long before it is compiled, so every stage in between would count.
     */
    void cameForward(Sought sought, Moment seen) {
        Mine mine = sought.latch();
        if (!isWaiting(mine)) {
            return;
        }
        if (scene.era().isFresh() && place.provesFirst(seen, sought)) {
            lead(mine, seen);
        } else {
            tell(mine, answerIfProved(mine, CompletableFuture.completedFuture(seen), ROUNDS_MAX));
        }
    }

    private void lead(Mine mine, Moment seen) {
        ClaimReply.Granted granted;
        try {
            granted = grant(mine, seen, scene.era().known());
        } catch (BackendException refused) {
            scene.events().changed(election);
            return;
        }
        scene.events().granted(election, granted);
        scene.host()
                .post(() -> scene.ledger()
                        .began(new LedTerm(this, mine))); // behind the grant, which the loop has before it
    }

    /** What stood in front of this latch has gone, but the election could not be looked at. */
    void notSeen(Mine mine, Throwable why) {
        if (isWaiting(mine)) {
            tell(mine, CompletableFuture.failedFuture(why));
        }
    }

    /** Something happened to what stands in front of this latch, and nobody said that it has gone. */
    void changedInFront(Mine mine) {
        if (isWaiting(mine)) {
            tell(mine, lookAgain(mine, ROUNDS_MAX));
        }
    }

    /** One that has led since does not wait: what stood in front of it has been gone for long. */
    private boolean isWaiting(Mine mine) {
        return place.has(mine) && !scene.isOver() && !mine.isGranted();
    }

    private void tell(Mine mine, CompletableFuture<ClaimReply> looked) {
        Stages.ignore("a call that nobody waits for", looked.whenComplete((reply, failure) -> {
            if (scene.isOver() || !place.has(mine)) {
                return;
            }
            if (reply instanceof ClaimReply.Granted granted) {
                scene.events().granted(election, granted);
            } else if (failure != null) {
                scene.events().changed(election);
            }
        }));
    }

    /** An operator may remove the latch of a leader; it must not learn that from its successor. */
    private void watchOwn(Mine mine) {
        if (mine.watch()) {
            Stages.ignore(
                    "a call that nobody waits for", scene.traffic().vigils().over(List.of(mine.path(path()))));
        }
    }

    void ownChanged(Mine mine) {
        if (!scene.isOver() && place.has(mine)) {
            scene.events().changed(election);
        }
    }

    /** The own latch, if its end is to be heard of. */
    Optional<String> watched() {
        return place.mine().filter(place::has).filter(Mine::isWatched).map(mine -> mine.path(path()));
    }

    /** The latch that leads now, if it is the own one. */
    Optional<String> led() {
        return place.mine()
                .filter(place::has)
                .filter(mine -> mine.token().isPresent())
                .map(mine -> mine.path(path()));
    }

    /** A renewal has shown that the latch is not there. */
    void missed(String latch) {
        place.mine().filter(mine -> mine.path(path()).equals(latch)).ifPresent(this::ownChanged);
    }

    CompletableFuture<ReleaseReply> release(Nonce nonce) {
        long turn = turns.next();
        place.stopGranting(nonce);
        return turns.take(turn, () -> place.leave(nonce));
    }

    CompletableFuture<Boolean> holds(Term term) {
        Optional<Mine> held = place.mine()
                .filter(mine -> mine.nonce().equals(term.nonce())
                        && mine.token().filter(term.token()::equals).isPresent()
                        && !mine.isGone()); // nobody has to be asked what was told already
        return held.isPresent()
                ? place.look(held.get()).thenApply(moment -> place.proves(moment, held.get()))
                : CompletableFuture.completedFuture(false);
    }
}
