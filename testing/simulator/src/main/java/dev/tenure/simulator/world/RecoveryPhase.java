// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.world;

import dev.tenure.Candidacy;
import dev.tenure.simulator.check.ProcessFact;
import dev.tenure.simulator.check.TermFact;
import dev.tenure.simulator.trace.TraceKind;
import dev.tenure.testing.SplitMix64;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * After the faults: everything works again, and now there must be progress. Every election has exactly one leader within a
 * bound (L1, L7), keeps it (T3), passes on in milliseconds after a clean end (L2) and within the bound after a crash (L3),
 * until every candidate has led (L9). Then everybody leaves, and nothing stays behind (L5).
 */
final class RecoveryPhase {
    private static final long LOOK_NANOS = Duration.ofMillis(100).toNanos();
    private static final long OPEN_TIMEOUT_NANOS = Duration.ofSeconds(11).toNanos();
    private static final int MESSAGE_DELAY_TTLS_MAX = 3;

    private final SimulatedWorld world;
    private final SplitMix64 random;
    private final long ttlNanos;
    private final long settleNanos;
    private final RequestRateCheck requestRateCheck;
    /** Whether some leave by crashing: who waits behind them then waits for their sessions to end. */
    private final boolean withCrashes;

    RecoveryPhase(SimulatedWorld world) {
        this.world = world;
        this.random = world.random().fork();
        this.ttlNanos = world.plan().ttlNanosMax();
        this.settleNanos = OPEN_TIMEOUT_NANOS + 8 * ttlNanos;
        this.requestRateCheck = new RequestRateCheck(world);
        this.withCrashes = random.below(3) == 0;
    }

    void run() {
        long healedNanos = world.time().nanos();
        awaitLeaders("L1", settleNanos);
        // Messages that were delayed before the end of the faults arrive until here, and may disturb once more.
        // And a claim that the store has lost is noticed when it is its turn to be checked, one of them in a TTL.
        int ttls = world.plan().userCode.hangs() ? world.plan().elections + 2 : MESSAGE_DELAY_TTLS_MAX;
        world.drive(healedNanos + ttls * ttlNanos + LOOK_NANOS);
        awaitLeaders("L1", settleNanos);
        keepLeaders();
        for (int election : elections()) {
            checkReported(election);
        }
        for (int election : elections()) {
            rotate(election);
        }
        leave();
    }

    /** Those whose user code does not hang: where it does, nobody can be expected to lead, or to stop leading. */
    private List<Integer> elections() {
        return IntStream.range(0, world.plan().elections)
                .filter(election -> !world.plan().userCode.hangsIn(election))
                .boxed()
                .toList();
    }

    private void awaitLeaders(String property, long withinNanos) {
        for (int election : elections()) {
            awaitLeader(election, property, withinNanos);
        }
    }

    private Optional<SimulatedCandidacy> awaitLeader(int election, String property, long withinNanos) {
        long byNanos = world.time().nanos() + withinNanos;
        while (!world.isOver()) {
            List<SimulatedCandidacy> candidates = candidates(election);
            List<SimulatedCandidacy> leading = leading(candidates);
            if (candidates.isEmpty()) {
                return Optional.empty();
            }
            if (leading.size() == 1) {
                return Optional.of(leading.get(0));
            }
            if (world.time().nanos() >= byNanos) {
                world.truth()
                        .violated(
                                property,
                                "e" + election + " has " + leading.size() + " leaders of " + candidates.size()
                                        + " candidates " + withinNanos / 1_000_000 + " ms after all was well");
            }
            world.drive(Math.min(byNanos, world.time().nanos() + step(withinNanos)));
        }
        return Optional.empty();
    }

    private static long step(long withinNanos) {
        return Math.min(LOOK_NANOS, Math.max(1_000_000, withinNanos / 10));
    }

    private List<SimulatedCandidacy> candidates(int election) {
        List<SimulatedCandidacy> all = new ArrayList<>();
        for (SimulatedProcess process : world.running()) {
            for (SimulatedCandidacy each : process.candidacys()) {
                if (each.election() == election) {
                    all.add(each);
                }
            }
        }
        return all;
    }

    private static List<SimulatedCandidacy> leading(List<SimulatedCandidacy> candidates) {
        return candidates.stream()
                .filter(each -> each.candidacy().map(Candidacy::isLeading).orElse(false) && each.hasAuthority())
                .toList();
    }

    /** T3: without faults nobody loses an election. */
    private void keepLeaders() {
        requestRateCheck.begin();
        long termsBefore = termsBegun();
        world.drive(world.time().nanos() + 3 * ttlNanos / 2);
        long terms = termsBegun() - termsBefore;
        if (terms > 0 && !world.isOver()) {
            world.truth().violated("T3", terms + " terms began although nothing went wrong any more");
        }
        requestRateCheck.check();
    }

    private long termsBegun() {
        return elections().stream().mapToLong(world.truth()::termsBegun).sum();
    }

    /** T6: a listener that does not block is told of what has long happened, whatever other listeners do. */
    private void checkReported(int election) {
        for (SimulatedCandidacy leader : leading(candidates(election))) {
            ProcessFact process = leader.process().fact();
            TermFact term = process.current(election);
            if (term != null && process.electedToken(election) != term.grant().token()) {
                world.truth().violated("T6", process + " leads " + term + ", but its listener was not told");
            }
        }
    }

    /** L2, L3, L9: each leader goes, in order or not, until no candidate is left; so every candidate must lead once. */
    private void rotate(int election) {
        Optional<SimulatedCandidacy> leader = awaitLeader(election, "L9", settleNanos);
        while (leader.isPresent() && !world.isOver()) {
            SimulatedCandidacy going = leader.get();
            boolean cleanly = !withCrashes || random.below(2) == 0;
            world.trace().add(TraceKind.CHECK, going.process().fact().number, election, 0, cleanly ? 1 : 0, "leaves");
            if (cleanly) {
                going.candidacy().orElseThrow().close();
            } else {
                going.process().crash();
            }
            leader = awaitLeader(election, cleanly ? "L2" : "L3", cleanly ? handoverNanos() : settleNanos);
        }
    }

    private long handoverNanos() {
        // A candidate that is granted a token that has been passed already has to claim again.
        if (withCrashes || world.plan().watchesMayDie() || world.plan().tokensMayGoBack()) {
            return settleNanos;
        }
        // Without a queue, those far behind in a crowd may take a release for a claim, if one follows the other at
        // once.
        // They look half a TTL later at most.
        long crowdNanos = world.plan().store.hasSessions() ? 0 : ttlNanos / 2;
        return Duration.ofMillis(500).toNanos() + 20 * world.plan().latencyNanosMax + crowdNanos;
    }

    /** L5, L6: everybody leaves in bounded time, and no session of those who left in order is left behind. */
    private void leave() {
        for (SimulatedProcess process : List.copyOf(world.running())) {
            process.close();
        }
        world.drive(world.time().nanos() + 2 * ttlNanos);
        LeftoverCheck.check(world);
    }
}
