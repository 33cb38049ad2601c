// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime;

import dev.tenure.Candidacy;
import dev.tenure.ElectionName;
import dev.tenure.Loss;
import dev.tenure.Standing;
import dev.tenure.TenureEvent;
import dev.tenure.internal.engine.ElectionEvent;
import dev.tenure.internal.runtime.term.CandidacySpec;
import dev.tenure.spi.DurationText;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** The handle of one candidacy: any thread. */
public final class CandidacyHandle implements Candidacy {
    private final Engine engine;
    private final Host.Signal over;
    /** Its monitor guards what two threads may touch here: users cannot take it. */
    final CandidacyRunner candidate;

    // Made by the first caller: most of ten thousand candidacies are never waited for.
    private List<Host.Signal> awaitingLeading = List.of();
    private Optional<CompletableFuture<Loss>> retired = Optional.empty();
    private volatile Optional<Loss> ended = Optional.empty();
    /** Warmed up, and known to the loop. */
    private boolean stood;

    public CandidacyHandle(Engine engine, CandidacySpec spec) {
        this.engine = engine;
        this.over = engine.host.signal();
        this.candidate = new CandidacyRunner(engine, spec, this);
    }

    /** On the loop: does it take part in its election now? */
    boolean stands() {
        return stood && ended.isEmpty();
    }

    /** Warms up, off the loop, and then stands. */
    public void stand() {
        engine.host.runCallback(this::warmUpAndStand);
    }

    private void warmUpAndStand() {
        if (ended.isPresent()) {
            return; // closed before its turn came
        }
        try {
            candidate.warmUp();
        } catch (Throwable failure) {
            Loss loss = new Loss.DutyFailed(failure);
            retired(loss);
            engine.events.publish(new TenureEvent.Retired(election(), loss));
            return;
        }
        engine.post(() -> {
            if (ended.isPresent()) {
                return; // closed before it stood
            }
            stood = true;
            engine.stand(candidate);
            wakeAwaiting();
        });
    }

    /** A caller that waits for leading waits in vain once the candidacy is over. */
    void wakeAwaiting() {
        synchronized (candidate) {
            if (isLeading() || ended.isPresent()) {
                awaitingLeading.forEach(Host.Signal::set);
                awaitingLeading = List.of();
            }
        }
    }

    void retired(Loss loss) {
        Optional<CompletableFuture<Loss>> told;
        synchronized (candidate) {
            if (ended.isPresent()) {
                return;
            }
            ended = Optional.of(loss);
            told = retired;
        }
        engine.candidacies.remove(election(), this);
        over.set();
        wakeAwaiting();
        // On a thread of its own: what was chained to it may block, and it must complete whatever other code hangs.
        told.ifPresent(future -> engine.host.runDuty("tenure-retired", () -> future.complete(loss)));
    }

    @Override
    public ElectionName election() {
        return candidate.election();
    }

    @Override
    public Standing standing() {
        Optional<Loss> loss = ended;
        return loss.isPresent() ? new Standing.Retired(loss.get()) : candidate.standing();
    }

    @Override
    public void resign(String why) {
        engine.post(() -> end(new Loss.Resigned(why)));
    }

    private void end(Loss loss) {
        if (stands()) {
            candidate.on(new ElectionEvent.EndWanted(loss));
        }
    }

    @Override
    public CompletionStage<Loss> retired() {
        synchronized (candidate) {
            if (ended.isPresent()) {
                return CompletableFuture.completedFuture(ended.get());
            }
            CompletableFuture<Loss> future = retired.orElseGet(CompletableFuture::new);
            retired = Optional.of(future);
            return future.copy();
        }
    }

    @Override
    public boolean awaitLeading(Duration atMost) throws InterruptedException {
        Host.Signal leading = engine.host.signal();
        synchronized (candidate) {
            awaitingLeading =
                    Stream.concat(awaitingLeading.stream(), Stream.of(leading)).toList();
        }
        wakeAwaiting(); // it may lead already, or be over
        leading.await(DurationText.nanos(atMost));
        synchronized (candidate) {
            awaitingLeading =
                    awaitingLeading.stream().filter(other -> other != leading).toList();
        }
        return isLeading();
    }

    @Override
    public void close() {
        beginClose();
        awaitRetired(closeWithin());
    }

    public void beginClose() {
        engine.post(() -> {
            if (stood) {
                end(new Loss.Closed());
            } else if (ended.isEmpty()) {
                retired(new Loss.Closed());
            }
        });
    }

    /** Returns whether it has retired. */
    public boolean awaitRetired(Duration atMost) {
        try {
            return over.await(Math.max(0, DurationText.nanos(atMost)));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return ended.isPresent();
        }
    }

    /** Set when it has retired. */
    public Host.Signal over() {
        return over;
    }

    /** On the loop, at the end of a client that waited for it in vain: whatever still runs, it does not lead again. */
    public void giveUp() {
        if (ended.isEmpty()) {
            retired(new Loss.Closed()); // without an event: a term whose duty still runs is not lost yet
        }
    }

    /** Does user code of it still run? */
    public boolean isRunning() {
        return candidate.isRunning();
    }

    /** How long {@link #close()} may take. */
    public Duration closeWithin() {
        return Duration.ofNanos(candidate.drainNanos()).plus(engine.releaseWithin);
    }
}
