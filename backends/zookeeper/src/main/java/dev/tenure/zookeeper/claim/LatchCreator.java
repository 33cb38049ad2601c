package dev.tenure.zookeeper.claim;

import dev.tenure.Nonce;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.support.Batcher;
import dev.tenure.spi.support.Stages;
import dev.tenure.zookeeper.client.Paths;
import dev.tenure.zookeeper.client.Settings;
import dev.tenure.zookeeper.client.ZooKeeperCalls;
import dev.tenure.zookeeper.client.ZooKeeperError;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;

/**
 * Creates latches, and reads their elections behind that. One alone takes one round trip; those that are created together take
 * three, in a handful of requests for all of them. Loop-confined.
 *
 * <p>A failure with {@link Effect#NONE} says that there is no latch and none will come; after any other there may be one.
 */
final class LatchCreator {
    private static final int BYTES_PER_LATCH = 256;
    private static final int ROUNDS_MAX = 3;

    private final ZooKeeperCalls calls;
    private final Settings settings;
    private final long sessionId;
    private final SnapshotReader snapshots;
    private final Batcher<Creation> batcher;

    LatchCreator(SessionContext context, SnapshotReader snapshots) {
        this.calls = context.calls();
        this.settings = context.settings();
        this.sessionId = context.granted().sessionId();
        this.snapshots = snapshots;
        this.batcher = context.batcher(this::send);
    }

    /** A latch, and the election at a moment after it was created. */
    record Entered(OwnLatch latch, ElectionSnapshot snapshot) {}

    private record Creation(
            String election, Nonce nonce, String text, boolean parentKnown, CompletableFuture<Entered> reply)
            implements SessionContext.BatchedCall {
        @Override
        public int bytes() {
            return BYTES_PER_LATCH + text.length();
        }

        String latch() {
            return Paths.child(election, ParticipantOrder.prefix(nonce));
        }

        void answer(CompletableFuture<Entered> entered) {
            Stages.follow(entered, reply::complete, reply::completeExceptionally);
        }
    }

    /** @param parentKnown if the znode of the election was there not long ago */
    CompletableFuture<Entered> create(String election, Nonce nonce, String text, boolean parentKnown) {
        Creation creation = new Creation(election, nonce, text, parentKnown, new CompletableFuture<>());
        batcher.add(creation);
        return creation.reply;
    }

    private CompletableFuture<?> send(List<Creation> creations) {
        return creations.size() == 1 ? alone(creations.get(0), ROUNDS_MAX) : together(creations);
    }

    /**
     * The znode above, the latch and the first read cost one round trip together. The creation is a write that a quorum has agreed to,
     * so a read behind it on the same connection shows no older state.
     */
    private CompletableFuture<?> alone(Creation creation, int rounds) {
        String election = creation.election;
        if (!creation.parentKnown && rounds == ROUNDS_MAX) {
            Stages.ignore(
                    "the znode of an election, which is mostly there",
                    calls.create(election, "", CreateMode.PERSISTENT));
        }
        CompletableFuture<ZooKeeperCalls.Created> created =
                calls.create(creation.latch(), creation.text, CreateMode.EPHEMERAL_SEQUENTIAL);
        CompletableFuture<ElectionSnapshot> read = calls.read(election, ElectionSnapshot.reads(election))
                .thenApply(results -> ElectionSnapshot.of(results, election, settings));
        return created.thenCompose(latch -> {
                    OwnLatch own = new OwnLatch(creation.nonce, latch.path(), latch.stat(), Optional.empty());
                    return unknownIfFailed(read.thenApply(snapshot -> new Entered(own, snapshot)));
                })
                .handle((entered, failure) -> {
                    if (failure == null) {
                        creation.reply.complete(entered);
                    } else if (ZooKeeperError.is(failure, Code.NONODE) && rounds > 1) {
                        // The znode of the election was removed (as containers are, when they are empty), or one above.
                        createAbove(creation, rounds);
                    } else {
                        creation.reply.completeExceptionally(failure);
                    }
                    return true;
                });
    }

    private void createAbove(Creation creation, int rounds) {
        Stages.follow(
                calls.ensure(creation.election, ""),
                made -> Stages.ignore("the creation of a latch", alone(creation, rounds - 1)),
                creation.reply::completeExceptionally);
    }

    /** Which elections have no znode yet is read first: a transaction is refused as a whole if one is there already. */
    private CompletableFuture<?> together(List<Creation> creations) {
        List<Op> reads = creations.stream().map(one -> Op.getData(one.election)).toList();
        return calls.read("the elections", reads)
                .thenCompose(found -> calls.write("the elections", writes(creations, found))
                        .thenAccept(made -> created(creations, made, found)))
                .handle((done, failure) -> {
                    if (failure != null && Stages.effectOf(failure) == Effect.NONE) {
                        creations.forEach(one -> Stages.ignore("the creation of a latch", alone(one, ROUNDS_MAX)));
                    } else if (failure != null) {
                        creations.forEach(one -> one.reply.completeExceptionally(failure));
                    }
                    return true;
                });
    }

    /** The latches last, in their order. */
    private List<Op> writes(List<Creation> creations, List<OpResult> found) {
        List<Op> writes = new ArrayList<>();
        for (int i = 0; i < creations.size(); i++) {
            if (!(found.get(i) instanceof OpResult.GetDataResult)) {
                writes.add(calls.creation(creations.get(i).election, "", CreateMode.PERSISTENT));
            }
        }
        for (Creation creation : creations) {
            writes.add(calls.creation(creation.latch(), creation.text, CreateMode.EPHEMERAL_SEQUENTIAL));
        }
        return writes;
    }

    /** The answer to a transaction does not have its number, which is the czxid: the latch itself does. */
    private void created(List<Creation> creations, List<OpResult> made, List<OpResult> found) {
        List<OpResult> latches = made.subList(made.size() - creations.size(), made.size());
        for (int i = 0; i < creations.size(); i++) {
            Creation creation = creations.get(i);
            // The client leaves the chroot in this path, so only the name is taken.
            String name = Paths.name(((OpResult.CreateResult) latches.get(i)).getPath());
            String path = Paths.child(creation.election, name);
            int before = found.get(i) instanceof OpResult.GetDataResult parent
                    ? parent.getStat().getNumChildren()
                    : 0;
            creation.answer(unknownIfFailed(snapshots
                    .readSynced(creation.election, path, before + 1)
                    .thenApply(snapshot -> new Entered(own(creation.nonce, path, snapshot), snapshot))));
        }
    }

    private OwnLatch own(Nonce nonce, String path, ElectionSnapshot snapshot) {
        return snapshot.own()
                .flatMap(node -> Optional.of(new OwnLatch(nonce, path, node.stat(), Optional.empty()))
                        .filter(latch -> latch.isProvedBy(node, sessionId)))
                .orElseThrow(() -> new BackendException(
                        Effect.UNKNOWN, Kind.UNREACHABLE, "the latch of this claim was removed as soon as it stood"));
    }

    /** Once the latch was created it may stand there, whatever fails afterwards. */
    private static CompletableFuture<Entered> unknownIfFailed(CompletableFuture<Entered> entered) {
        return entered.exceptionallyCompose(failure -> CompletableFuture.failedFuture(new BackendException(
                Effect.UNKNOWN,
                Kind.UNREACHABLE,
                "the election could not be read: " + Stages.rootOf(failure).getMessage(),
                failure)));
    }
}
