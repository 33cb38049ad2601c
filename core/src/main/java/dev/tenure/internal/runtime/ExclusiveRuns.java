// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime;

import dev.tenure.Candidacy;
import dev.tenure.Duty;
import dev.tenure.ElectionName;
import dev.tenure.internal.runtime.term.CandidacySpec;
import dev.tenure.internal.runtime.term.ExclusiveRun;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * The calls of {@code exclusively} of one client. Those for the same election wait in a queue, first come, first served. Only
 * the first of them stands, in a candidacy and with a term of its own; it is released before the next one stands. So other
 * processes get their chance in between. A queue is as long as there are threads that wait, and each of them has a time limit.
 *
 * <p>A store that has a queue of its own puts the next call behind those of other processes. Elsewhere a process that goes on
 * and on would mostly be faster than one that has to be notified, and always faster than one that polls. So a queue
 * that has not been empty for a TTL lets others go first: a moment if they are notified, a whole poll if not.
 */
public final class ExclusiveRuns {
    private static final Duration RELEASE_POLL = Duration.ofMillis(50);

    private final Engine engine;
    private final Host host;
    private final CandidacySpec.CandidacyOptions options;
    private final long ttlNanos;
    private final Function<CandidacySpec, Candidacy> stand;
    /** Guarded by its monitor, like all that is in it. */
    private final Map<ElectionName, LocalQueue> queues = new HashMap<>();

    private boolean closed;

    /** @param stand begins to stand, or refuses */
    public ExclusiveRuns(
            Engine engine,
            CandidacySpec.CandidacyOptions options,
            Duration ttl,
            Function<CandidacySpec, Candidacy> stand) {
        this.engine = engine;
        this.host = engine.host;
        this.options = options;
        this.ttlNanos = ttl.toNanos();
        this.stand = stand;
    }

    /** There is one as long as somebody waits or runs. */
    private static final class LocalQueue {
        private final ArrayDeque<ExclusiveRun> runs = new ArrayDeque<>();
        /** Nobody of it stands before. */
        private long standsFromNanos;
        /** From then on others are let go first. */
        private long standsUntilNanos;

        LocalQueue(long nowNanos, long ttlNanos) {
            standsFromNanos = nowNanos;
            standsUntilNanos = nowNanos + ttlNanos;
        }
    }

    /**
     * Waits, runs the body on this thread, and returns when the term is released.
     *
     * @throws TimeoutException if it was not elected in time; the body did not run
     * @throws IllegalStateException if it cannot be elected at all
     */
    public void run(ElectionName election, Duration waitAtMost, Duty body) throws Exception {
        ExclusiveRun run = new ExclusiveRun(election, host, waitAtMost);
        enter(run);
        try {
            run.awaitFirst();
            letOthersGoFirst(run);
            awaitRelease(run);
            try (Candidacy candidacy = stand.apply(new CandidacySpec(election, options, run))) {
                try {
                    run.perform(body);
                } finally {
                    run.giveUp();
                }
            }
        } finally {
            leave(run);
        }
    }

    private void enter(ExclusiveRun run) {
        synchronized (queues) {
            if (closed) {
                throw new IllegalStateException("this client is closed");
            }
            LocalQueue queue = queues.computeIfAbsent(run.election(), name -> new LocalQueue(host.nanos(), ttlNanos));
            if (queue.runs.stream().anyMatch(other -> other.isOf(Thread.currentThread()))) {
                throw new IllegalStateException("this thread already runs exclusively in election " + run.election()
                        + " and would wait for itself; call the inner code directly, or name another election");
            }
            queue.runs.add(run);
            if (queue.runs.size() == 1) {
                run.first();
            }
        }
    }

    private void leave(ExclusiveRun run) {
        synchronized (queues) {
            LocalQueue queue = queueOf(run);
            queue.runs.remove(run);
            if (queue.runs.isEmpty()) {
                queues.remove(run.election());
            } else {
                queue.runs.getFirst().first();
            }
        }
    }

    private LocalQueue queueOf(ExclusiveRun run) {
        return Optional.ofNullable(queues.get(run.election())).orElseThrow();
    }

    private void letOthersGoFirst(ExclusiveRun run) throws InterruptedException, TimeoutException {
        BackendTraits.Wakeup wakeup = engine.backend.traits().wakeup();
        if (wakeup == BackendTraits.Wakeup.QUEUE) {
            return;
        }
        long pauseNanos = wakeup == BackendTraits.Wakeup.POLL ? ttlNanos * 3 / 4 : engine.momentNanos();
        long untilNanos;
        synchronized (queues) {
            LocalQueue queue = queueOf(run);
            long nowNanos = host.nanos();
            if (nowNanos - queue.standsUntilNanos >= 0) {
                queue.standsFromNanos = nowNanos + pauseNanos;
                queue.standsUntilNanos = queue.standsFromNanos + ttlNanos;
            }
            untilNanos = queue.standsFromNanos;
        }
        run.standBackUntil(untilNanos);
    }

    /** The call before may have returned although the store has not confirmed its release. That is rare, so it is polled. */
    private void awaitRelease(ExclusiveRun run) throws InterruptedException, TimeoutException {
        Optional<CandidacyHandle> before = Optional.ofNullable(engine.candidacies.get(run.election()));
        while (before.isPresent()) {
            if (!before.get().candidate.isOfCaller()) {
                throw new IllegalStateException("this client already stands in election " + run.election()
                        + " with perform(…) or run(…): close that candidacy first, or name another election");
            }
            run.requireWaiting("the store has not confirmed that the call before has released it");
            before.get().awaitRetired(RELEASE_POLL);
            before = Optional.ofNullable(engine.candidacies.get(run.election()));
        }
    }

    /** Calls that wait are notified. Bodies that run are notified by the end of their term. */
    public void close() {
        List<ExclusiveRun> all;
        synchronized (queues) {
            closed = true;
            all = queues.values().stream().flatMap(queue -> queue.runs.stream()).toList();
        }
        all.forEach(ExclusiveRun::close);
    }
}
