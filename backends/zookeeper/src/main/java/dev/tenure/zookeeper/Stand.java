package dev.tenure.zookeeper;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.ReleaseReply;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;

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
    private final String path;
    private final Place place;
    private final Turns turns = new Turns();

    Stand(SessionScene scene, ElectionName election) {
        this.scene = scene;
        this.election = election;
        this.path = scene.settings().layout().election(election);
        this.place = new Place(scene.calls(), scene.settings(), scene.ledger(), scene.sessionId(), path);
    }

    CompletableFuture<ClaimReply> claim(ClaimRequest request) {
        Object turn = turns.next();
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
        Optional<String> first = moment.latch().first();
        if (!moment.latch().contains(mine.name()) || first.isEmpty()) {
            return CompletableFuture.failedFuture(vanished());
        }
        return first.get().equals(mine.name())
                ? grant(mine, moment).thenApply(granted -> granted)
                : queue(mine, moment, rounds);
    }

    private CompletableFuture<ClaimReply.Granted> grant(Mine mine, Moment moment) {
        return scene.era().freshOrRead().thenApply(era -> {
            boolean isNew = mine.token().isEmpty();
            FencingToken token = mine.token().orElseGet(() -> Tokens.of(era.era(), mine.czxid()));
            Optional<LastTerm> before = moment.last().filter(last -> !last.isOf(mine.czxid()));
            before.ifPresent(last -> scene.events().seen(election, last.token().value()));
            if (!place.has(mine)) {
                throw Turns.overtaken(Effect.UNKNOWN);
            }
            if (isNew) {
                mine.grant(token);
                scene.ledger().began(path, term(token));
                watchOwn(mine);
            }
            Optional<LastTerm> unclean = before.filter(last ->
                    last.state() == LastTerm.State.HELD && !last.session().equals(scene.id()));
            return new ClaimReply.Granted(
                    token,
                    mine.nonce(),
                    unclean.isPresent(),
                    unclean.map(LastTerm::ttl).orElse(Duration.ZERO));
        });
    }

    private LastTerm term(FencingToken token) {
        Instant since = Instant.ofEpochMilli(scene.host().wallMillis());
        return new LastTerm(token, LastTerm.State.HELD, scene.id(), scene.ttl(), since);
    }

    /** Watches the one in front, and tells who leads. If either went meanwhile, looks again. */
    private CompletableFuture<ClaimReply> queue(Mine mine, Moment moment, int rounds) {
        String before = moment.latch().before(mine.name()).orElseThrow();
        String first = moment.latch().first().orElseThrow();
        CompletableFuture<Calls.Node> watched = scene.calls().get(Layout.child(path, before), new Wakes(this, mine));
        CompletableFuture<Calls.Node> leading =
                first.equals(before) ? watched : scene.calls().get(Layout.child(path, first));
        return watched.thenCombine(leading, (ignored, node) -> node)
                .thenCombine(scene.era().freshOrRead(), (node, era) -> moment.leader(election, first, node, era.era()))
                .thenApply(holder -> (ClaimReply) new ClaimReply.Waiting(Optional.of(holder), true))
                .exceptionallyCompose(failure -> {
                    boolean left = StoreFailure.is(failure, Code.NONODE);
                    return left && rounds > 1 ? lookAgain(mine, rounds - 1) : CompletableFuture.failedFuture(failure);
                });
    }

    private CompletableFuture<ClaimReply> lookAgain(Mine mine, int rounds) {
        return place.look(mine)
                .thenCompose(moment -> moment.isPresent() && place.has(mine)
                        ? answer(mine, moment.get(), rounds)
                        : CompletableFuture.failedFuture(vanished()));
    }

    private static BackendException vanished() {
        return new BackendException(
                Effect.UNKNOWN, Kind.UNREACHABLE, "the latch of this claim was removed while it was being looked at");
    }

    /** Equal for equal latches: ZooKeeper's client keeps a watch once, however often it is asked for. */
    private record Wakes(Stand stand, Mine mine) implements Watcher {
        @Override
        public void process(WatchedEvent event) {
            if (event.getType() != EventType.None) {
                stand.scene.host().post(() -> stand.cameForward(mine));
            }
        }
    }

    private void cameForward(Mine mine) {
        if (scene.isOver() || !place.has(mine)) {
            return;
        }
        Aside.run(lookAgain(mine, ROUNDS_MAX).whenComplete((reply, failure) -> {
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
        Watcher removed = event -> {
            if (event.getType() != EventType.None) {
                scene.host().post(() -> ownChanged(mine));
            }
        };
        Aside.run(scene.calls().get(mine.path(), removed).whenComplete((node, failure) -> {
            if (failure != null) {
                ownChanged(mine);
            }
        }));
    }

    private void ownChanged(Mine mine) {
        if (!scene.isOver() && place.has(mine)) {
            scene.events().changed(election);
        }
    }

    CompletableFuture<ReleaseReply> release(Nonce nonce) {
        Object turn = turns.next();
        place.stopGranting(nonce);
        return turns.take(
                turn, () -> place.leave(nonce, place.mine().flatMap(Mine::token).map(this::term)));
    }

    CompletableFuture<Boolean> holds(Term term) {
        Optional<Mine> held = place.mine()
                .filter(mine -> mine.nonce().equals(term.nonce())
                        && mine.token().filter(term.token()::equals).isPresent());
        return held.isPresent()
                ? place.look(held.get()).thenApply(Optional::isPresent)
                : CompletableFuture.completedFuture(false);
    }
}
