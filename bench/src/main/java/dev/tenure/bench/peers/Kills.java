// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.bench.peers.seat.BenchProcessHandle;
import dev.tenure.bench.peers.seat.NotFinished;
import dev.tenure.bench.peers.store.BenchStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The process that leads is killed, in the same round one of each contender, and the one that waits leads. */
final class Kills implements PeerMeasurement {
    private static final Duration TTL = Duration.ofSeconds(5);
    private static final Duration SETTLE = Duration.ofSeconds(2);
    private static final Duration REPLACED_WITHIN = Duration.ofSeconds(40);
    private static final String ELECTION = Kind.ELECTIONS + "kill";

    private final Figure took = new Figure("kill -9 of the leader until the next one leads, TTL 5 s, s");
    private final Figure beyond = new Figure("... beyond the TTL, s");
    /** A kill comes at any time between two signs of life. */
    private final Random moments = new Random(1);

    @Override
    public List<Figure> measure(BenchStore store, Settings settings) throws Exception {
        List<Queue> queues = new ArrayList<>();
        try {
            for (Kind kind : settings.among(store.withoutFloor())) {
                Queue queue = new Queue(kind);
                queues.add(queue);
                queue.join(store);
                queue.processes.get(0).await("leads", BenchTimeouts.STEP);
            }
            for (int round = 0; round < settings.number("--kills"); round++) {
                for (Queue queue : queues) {
                    queue.join(store);
                }
                BenchTimeouts.awaitCandidates(store, 2L * queues.size(), REPLACED_WITHIN, SETTLE);
                BenchTimeouts.rest(Duration.ofMillis(moments.nextInt((int) TTL.toMillis())));
                queues.forEach(Queue::killFirst);
                for (Queue queue : List.copyOf(queues)) {
                    if (!replaced(queue)) {
                        queues.remove(queue);
                        queue.close();
                    }
                }
            }
        } finally {
            queues.forEach(Queue::close);
        }
        store.expiryDelayMax().ifPresent(delay -> {
            took.atMost(1, store.peers(), TTL.toMillis() / 6e3);
            beyond.neverMoreThan(delay.toMillis() / 1e3);
        });
        return List.of(took, beyond);
    }

    private boolean replaced(Queue queue) throws InterruptedException {
        try {
            long ledNanos =
                    queue.processes.get(0).await("leads", REPLACED_WITHIN).number(0);
            double seconds = (ledNanos - queue.killedNanos) / 1e9;
            took.add(queue.kind, seconds);
            beyond.add(queue.kind, seconds - TTL.toSeconds());
            return true;
        } catch (NotFinished slow) {
            took.failure(queue.kind, "did not finish: " + slow.getMessage());
            return false;
        }
    }

    /** The processes of one contender, the leader first. */
    private static final class Queue {
        private final Kind kind;
        private final List<BenchProcessHandle> processes = new ArrayList<>();
        private long killedNanos;

        Queue(Kind kind) {
            this.kind = kind;
        }

        void join(BenchStore store) throws Exception {
            BenchProcessHandle seat = BenchProcessHandle.start(kind, store.address(kind), TTL);
            processes.add(seat);
            seat.order("open", 0);
            seat.await("opened", BenchTimeouts.STEP);
            seat.order("stand", 0, ELECTION);
        }

        void killFirst() {
            killedNanos = System.nanoTime();
            processes.remove(0).close();
        }

        void close() {
            processes.forEach(BenchProcessHandle::close);
        }
    }
}
