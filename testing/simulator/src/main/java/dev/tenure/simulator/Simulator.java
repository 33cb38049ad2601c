// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator;

import dev.tenure.simulator.check.PropertyViolation;
import dev.tenure.simulator.trace.FaultCounts;
import dev.tenure.simulator.world.EngineLog;
import dev.tenure.simulator.world.SimulatedWorld;
import dev.tenure.testing.SplitMix64;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Runs seeded worlds: the production engine and adapter, over simulated stores behind both doors, under faults. Every
 * seed is checked after every event, then healed and asked for progress. The same seed gives the same trace, and the same
 * hash of it, on any machine.
 */
public final class Simulator {
    private static final double NANOS_PER_SECOND = 1e9;

    private Simulator() {}

    /** Is told after each seed how many are done, and how many violations there are. One call at a time, on any worker. */
    public interface Progress {
        void at(long seedsDone, int violations);
    }

    /** The same, and nobody is told how far it is. */
    public static SimReport run(SimOptions options, Appendable out, Executor workers, LongSupplier nanoTime) {
        return run(options, out, workers, nanoTime, (done, violations) -> {});
    }

    /**
     * Runs a campaign, and returns when all of it is done. Violations are written as they are found.
     *
     * @param out where violations go
     * @param workers where the seeds run: {@link SimOptions#workers()} tasks are given to it
     * @param nanoTime the clock by which the campaign is timed
     */
    public static SimReport run(
            SimOptions options, Appendable out, Executor workers, LongSupplier nanoTime, Progress progress) {
        long beganNanos = nanoTime.getAsLong();
        Tally tally = new Tally(out, progress);
        AtomicLong next = new AtomicLong(options.from());
        CountDownLatch running = new CountDownLatch(options.workers());
        try (EngineLog log = EngineLog.listen()) {
            for (int i = 0; i < options.workers(); i++) {
                workers.execute(() -> {
                    try {
                        long seed = next.getAndIncrement();
                        while (seed < options.from() + options.seeds()) {
                            tally.add(seed, Result.of(options, seed, Optional.empty()));
                            seed = next.getAndIncrement();
                        }
                    } finally {
                        running.countDown();
                    }
                });
            }
            running.await();
        } catch (InterruptedException interrupted) {
            next.set(options.from() + options.seeds());
            Thread.currentThread().interrupt();
        }
        return tally.report(options, nanoTime.getAsLong() - beganNanos);
    }

    /** Runs one seed and writes its readable trace. */
    public static SimReport replay(long seed, Appendable out) {
        return replay(SimOptions.seeds(1).from(seed), out);
    }

    /** Runs the first seed of these and writes its readable trace. */
    public static SimReport replay(SimOptions options, Appendable out) {
        Tally tally = new Tally(new StringBuilder(), (done, violations) -> {});
        try (EngineLog log = EngineLog.listen()) {
            tally.add(options.from(), Result.of(options, options.from(), Optional.of(out)));
        }
        return tally.report(options, 0);
    }

    /** The hash of one seed's trace. */
    public static long hashOf(long seed) {
        try (EngineLog log = EngineLog.listen()) {
            return Result.of(SimOptions.seeds(1), seed, Optional.empty()).hash();
        }
    }

    /** What came of one seed. */
    private record Result(
            Optional<SeedViolation> violation, FaultCounts faults, long terms, long events, long nanos, long hash) {
        // A world that breaks is a finding too: one seed must not end the campaign.
        static Result of(SimOptions options, long seed, Optional<Appendable> out) {
            try (SimulatedWorld world =
                    new SimulatedWorld(seed, options.store(), options.hanging(), out.orElse(null))) {
                Optional<SeedViolation> violation;
                try {
                    world.run();
                    violation = world.violation().map(found -> violation(seed, found));
                } catch (RuntimeException | Error broken) {
                    violation = Optional.of(new SeedViolation(
                            seed, "BROKEN", world.nanos() / NANOS_PER_SECOND, "the world broke: " + broken));
                }
                return new Result(
                        violation, world.counts(), world.termsBegun(), world.events(), world.nanos(), world.hash());
            }
        }

        private static SeedViolation violation(long seed, PropertyViolation found) {
            return new SeedViolation(seed, found.property(), found.atNanos() / NANOS_PER_SECOND, found.message());
        }
    }

    /** Adds up results of many threads. */
    private static final class Tally {
        private final Appendable out;
        private final Progress progress;
        private final List<SeedViolation> violations = new ArrayList<>();
        private final FaultCounts faults = new FaultCounts();
        private long terms;
        private long events;
        private double simulatedHours;
        private long hash;
        private long done;

        Tally(Appendable out, Progress progress) {
            this.out = out;
            this.progress = progress;
        }

        synchronized void add(long seed, Result result) {
            faults.addAll(result.faults);
            terms += result.terms;
            events += result.events;
            simulatedHours += result.nanos / NANOS_PER_SECOND / 3600;
            hash += SplitMix64.mix(result.hash ^ SplitMix64.mix(seed));
            result.violation.ifPresent(found -> {
                violations.add(found);
                try {
                    out.append(found.toString()).append('\n');
                } catch (IOException broken) {
                    throw new UncheckedIOException(broken);
                }
            });
            done++;
            progress.at(done, violations.size());
        }

        synchronized SimReport report(SimOptions options, long wallNanos) {
            Collections.sort(violations);
            return new SimReport(
                    options.from(),
                    options.seeds(),
                    violations,
                    faults.all(),
                    new SimReport.Totals(terms, events, simulatedHours, hash),
                    wallNanos);
        }
    }
}
