package dev.tenure.zookeeper;

import dev.tenure.Nonce;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.support.Batcher;
import dev.tenure.spi.support.Stages;
import dev.tenure.zookeeper.wire.Ask;
import dev.tenure.zookeeper.wire.Code;
import dev.tenure.zookeeper.wire.CreateMode;
import dev.tenure.zookeeper.wire.Op;
import dev.tenure.zookeeper.wire.OpResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Latches are created, and the elections looked at behind them. One alone takes one round trip; those that come together take
 * three, in a handful of requests for all of them. Loop-confined.
 *
 * <p>A failure with {@link Effect#NONE} says that there is no latch and none will come; after any other there may be one.
 */
final class Entrances {
    private static final byte[] NOTHING = {};
    private static final int BYTES_PER_ENTRANCE = 256;
    private static final int ROUNDS_MAX = 3;

    private final Calls calls;
    private final Settings settings;
    private final long sessionId;
    private final Looks looks;
    private final Batcher<Entrance> batcher;

    Entrances(Calls calls, Settings settings, long sessionId, Looks looks, Batches batches) {
        this.calls = calls;
        this.settings = settings;
        this.sessionId = sessionId;
        this.looks = looks;
        this.batcher = batches.of(this::send);
    }

    /** A latch, and the election at a moment after it was created. */
    record Entered(Mine mine, Moment moment) {}

    private static final class Entrance implements Batches.Call {
        private final String election;
        private final Nonce nonce;
        private final byte[] data;
        private final boolean parentKnown;
        private final CompletableFuture<Entered> reply = new CompletableFuture<>();

        Entrance(String election, Nonce nonce, byte[] data, boolean parentKnown) {
            this.election = election;
            this.nonce = nonce;
            this.data = data;
            this.parentKnown = parentKnown;
        }

        @Override
        public CompletableFuture<Entered> reply() {
            return reply;
        }

        @Override
        public int bytes() {
            return BYTES_PER_ENTRANCE + data.length;
        }

        String latch() {
            return Layout.child(election, Latch.prefix(nonce));
        }
    }

    /** @param parentKnown if the znode of the election was there not long ago */
    CompletableFuture<Entered> enter(String election, Nonce nonce, byte[] data, boolean parentKnown) {
        Entrance entrance = new Entrance(election, nonce, data, parentKnown);
        batcher.add(entrance);
        return entrance.reply;
    }

    private CompletableFuture<?> send(List<Entrance> entrances) {
        return entrances.size() == 1 ? alone(entrances.get(0), ROUNDS_MAX) : together(entrances);
    }

    /**
     * The znode above, the latch and the first look travel together. The creation is a write that a quorum has agreed to, so
     * what is read behind it on the same connection is no older.
     */
    private CompletableFuture<?> alone(Entrance entrance, int rounds) {
        String election = entrance.election;
        if (!entrance.parentKnown && rounds == ROUNDS_MAX) {
            Stages.ignore(
                    "a call that nobody waits for",
                    calls.create(election, NOTHING, CreateMode.PERSISTENT)); // mostly it is there
        }
        CompletableFuture<Ask.Created> created =
                calls.create(entrance.latch(), entrance.data, CreateMode.EPHEMERAL_SEQUENTIAL);
        CompletableFuture<Moment> read = calls.readTogether(election, Moment.reads(election))
                .thenApply(results -> Moment.of(results, election, settings));
        return created.thenCompose(latch -> {
                    Mine mine = new Mine(entrance.nonce, latch.path(), latch.stat(), Optional.empty());
                    CompletableFuture<Entered> entered = read.thenApply(moment -> new Entered(mine, moment));
                    return afterwards(entered);
                })
                .handle((entered, failure) -> {
                    if (failure == null) {
                        entrance.reply.complete(entered);
                    } else if (StoreFailure.is(failure, Code.NONODE) && rounds > 1) {
                        // The znode of the election was removed (as containers are, when they are empty), or one above.
                        above(entrance, rounds);
                    } else {
                        entrance.reply.completeExceptionally(failure);
                    }
                    return true;
                });
    }

    private void above(Entrance entrance, int rounds) {
        Stages.ignore(
                "a call that nobody waits for",
                new Nodes(calls)
                        .ensure(entrance.election, NOTHING, CreateMode.PERSISTENT)
                        .whenComplete((made, failure) -> {
                            if (failure == null) {
                                Stages.ignore("a call that nobody waits for", alone(entrance, rounds - 1));
                            } else {
                                entrance.reply.completeExceptionally(failure);
                            }
                        }));
    }

    /** Which elections have no znode yet is asked first: a transaction is refused as a whole for what is there already. */
    private CompletableFuture<?> together(List<Entrance> entrances) {
        List<Op> reads = entrances.stream()
                .map(entrance -> Op.getData(entrance.election))
                .toList();
        return calls.readTogether("the elections", reads)
                .thenCompose(found -> calls.writeTogether("the elections", creations(entrances, found))
                        .thenAccept(made -> created(entrances, made, found)))
                .handle((done, failure) -> {
                    if (failure != null && Stages.effectOf(failure) == Effect.NONE) {
                        entrances.forEach(
                                entrance -> Stages.ignore("a call that nobody waits for", alone(entrance, ROUNDS_MAX)));
                    } else if (failure != null) {
                        entrances.forEach(entrance -> entrance.reply.completeExceptionally(failure));
                    }
                    return true;
                });
    }

    /** The latches last, in their order. */
    private List<Op> creations(List<Entrance> entrances, List<OpResult> found) {
        List<Op> creations = new ArrayList<>();
        for (int i = 0; i < entrances.size(); i++) {
            if (!(found.get(i) instanceof OpResult.Data)) {
                creations.add(calls.creation(entrances.get(i).election, NOTHING, CreateMode.PERSISTENT));
            }
        }
        for (Entrance entrance : entrances) {
            creations.add(calls.creation(entrance.latch(), entrance.data, CreateMode.EPHEMERAL_SEQUENTIAL));
        }
        return creations;
    }

    /** A transaction does not tell its number, which is the czxid: the latch itself does. */
    private void created(List<Entrance> entrances, List<OpResult> made, List<OpResult> found) {
        List<OpResult> latches = made.subList(made.size() - entrances.size(), made.size());
        for (int i = 0; i < entrances.size(); i++) {
            Entrance entrance = entrances.get(i);
            String path = ((OpResult.Created) latches.get(i)).path();
            int crowd =
                    found.get(i) instanceof OpResult.Data before ? before.stat().children() : 0;
            CompletableFuture<Entered> entered = looks.now(entrance.election, path, crowd + 1)
                    .thenApply(moment -> new Entered(mine(entrance.nonce, path, moment), moment));
            Stages.ignore("a call that nobody waits for", afterwards(entered).whenComplete((done, failure) -> {
                if (failure == null) {
                    entrance.reply.complete(done);
                } else {
                    entrance.reply.completeExceptionally(failure);
                }
            }));
        }
    }

    private Mine mine(Nonce nonce, String path, Moment moment) {
        return moment.own()
                .flatMap(node -> Mine.found(nonce, path, node, sessionId))
                .orElseThrow(() -> new BackendException(
                        Effect.UNKNOWN, Kind.UNREACHABLE, "the latch of this claim was removed as soon as it stood"));
    }

    /** Whatever goes wrong once the latch was created: it may stand there. */
    private static CompletableFuture<Entered> afterwards(CompletableFuture<Entered> entered) {
        return entered.exceptionallyCompose(failure -> CompletableFuture.failedFuture(new BackendException(
                Effect.UNKNOWN,
                Kind.UNREACHABLE,
                "the election could not be looked at: " + Stages.rootOf(failure).getMessage(),
                failure)));
    }
}
