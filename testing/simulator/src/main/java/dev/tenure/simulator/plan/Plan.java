// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.plan;

import dev.tenure.simulator.check.Assumptions;
import dev.tenure.simulator.store.MessageFaults;
import dev.tenure.simulator.store.session.EtcdRules;
import dev.tenure.simulator.store.session.StoreRules;
import dev.tenure.simulator.store.session.ZooKeeperRules;
import dev.tenure.simulator.trace.FaultKind;
import dev.tenure.testing.SplitMix64;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a seed has drawn: how large the world is, which store it has, and which faults occur in it. Each seed enables a
 * random part of all kinds (swarm testing): a world with everything at once would hide what a rare combination shows.
 */
public final class Plan {
    private static final long[] TTL_MILLIS = {4_000, 5_000, 6_000, 8_000, 10_000, 10_000, 10_000, 12_000, 15_000, 20_000
    };
    /**
     * Of ZooKeeper; for etcd, its election timeout. With shorter ones ZooKeeper would grant less than 0.45 of the TTL that is
     * asked for, and then the drain budgets that are drawn do not fit.
     */
    private static final Duration[] TICKS = {Duration.ofMillis(600), Duration.ofSeconds(1), Duration.ofSeconds(2)};

    private static final double[] SWARM_SHARES = {0.12, 0.25, 0.25, 0.45};
    /** Just within what is allowed for: 10 % on each side, less the grain of clocks. */
    private static final long DRIFT_PPM_MAX = 98_000;

    private static final long DRIFT_BEYOND_PPM_MAX = 400_000;
    private static final long STORE_DRIFT_PPM_MAX = 10_000;
    /** Below this TTL the wall clock's tolerance of one second is more than the slack of the lease. */
    private static final long TTL_MILLIS_FOR_SUSPEND = 7_600;

    public final UserCode userCode;
    public final int nodes;
    public final int elections;
    public final StoreKind store;
    private final StoreRules rules;
    public final long[] ttlMillis;
    public final Set<FaultKind> faults;
    public final long[] driftPpm;
    public final long storeDriftPpm;
    public final boolean beyondBound;
    public final boolean threads;
    public final boolean standoff;
    final double usualShare;
    public final double stormShare;
    final long latencyNanosMin;
    public final long latencyNanosMax;
    public final long nemesisNanos;

    /** @param wanted which store it has, whatever the seed says */
    public Plan(SplitMix64 random, Optional<StoreKind> wanted, UserCode userCode) {
        this.userCode = userCode;
        // Where callbacks need threads, fewer nodes with more elections each.
        this.nodes = 2 + (int) random.below(userCode.hangs() ? 2 : 4);
        int few = 1 + (int) random.below(3);
        this.elections = userCode.hangs() ? userCode.elections() : few;
        // All but the last, which came later: the worlds of earlier seeds stay as they were.
        StoreKind drawn = StoreKind.values()[(int) random.below(StoreKind.DRAWING.ordinal())];
        this.store = wanted.orElse(drawn);
        Duration tick = TICKS[(int) random.below(TICKS.length)];
        this.ttlMillis = new long[nodes];
        long ttl = TTL_MILLIS[(int) random.below(TTL_MILLIS.length)];
        boolean mixed = random.below(4) == 0;
        for (int i = 0; i < nodes; i++) {
            ttlMillis[i] = mixed ? TTL_MILLIS[(int) random.below(TTL_MILLIS.length)] : ttl;
        }
        this.beyondBound = random.below(32) == 0;
        this.faults = drawFaults(random);
        this.rules = rulesOf(store, tick, faults.contains(FaultKind.DEAD_LEASE_RENEWED));
        this.storeDriftPpm = random.below(4) == 0 ? random.below(2 * STORE_DRIFT_PPM_MAX) - STORE_DRIFT_PPM_MAX : 0;
        this.driftPpm = new long[nodes];
        for (int i = 0; i < nodes; i++) {
            driftPpm[i] = drawDrift(random);
        }
        this.threads = random.below(48) == 0;
        this.standoff = random.below(8) == 0;
        this.usualShare = random.below(3) == 0 ? 0 : random.below(40) / 1000.0;
        this.stormShare = 0.1 + random.below(50) / 100.0;
        this.latencyNanosMin = 100_000L << random.below(7);
        this.latencyNanosMax = latencyNanosMin * (1 + random.below(8));
        this.nemesisNanos = Duration.ofSeconds(4 + random.below(20)).toNanos();
    }

    private static StoreRules rulesOf(StoreKind store, Duration tick, boolean renewsTheDead) {
        return switch (store) {
            case ETCD -> new EtcdRules(tick, renewsTheDead);
            case ZOOKEEPER -> new ZooKeeperRules(tick);
            case CONSUL -> new StoreRules.Consul();
            case PER_CLAIM -> StoreRules.perClaim();
            default -> StoreRules.plain();
        };
    }

    public StoreRules rules() {
        return rules;
    }

    private Set<FaultKind> drawFaults(SplitMix64 random) {
        double share = SWARM_SHARES[(int) random.below(SWARM_SHARES.length)];
        EnumSet<FaultKind> drawn = EnumSet.noneOf(FaultKind.class);
        for (FaultKind fault : FaultKind.values()) {
            boolean drawable = fault.place() != FaultKind.Place.USER_CODE;
            if (drawable && random.below(1000) < share * 1000) {
                drawn.add(fault);
            }
        }
        drawn.remove(FaultKind.CLOCK_BEYOND_BOUND);
        if (beyondBound) {
            drawn.add(FaultKind.CLOCK_BEYOND_BOUND);
            return drawn;
        }
        long ttlMin = ttlMillisMin();
        if (ttlMin < TTL_MILLIS_FOR_SUSPEND) {
            drawn.remove(FaultKind.SUSPEND);
        }
        if (drawn.contains(FaultKind.SUSPEND)) {
            // Only the wall clock shows that a host has slept: if it lies as well, nothing can.
            drawn.remove(FaultKind.WALL_STEP_BACK);
            drawn.remove(FaultKind.WALL_FROZEN);
        }
        return drawn;
    }

    private long drawDrift(SplitMix64 random) {
        boolean usual = random.below(3) == 0;
        long most = beyondBound ? DRIFT_BEYOND_PPM_MAX : DRIFT_PPM_MAX - Math.abs(storeDriftPpm);
        // The edge of what is allowed is where bugs show.
        long drift = random.below(2) == 0 ? most : random.below(most);
        boolean fast = random.below(2) == 0;
        if (usual && !beyondBound) {
            return random.below(200) - 100;
        }
        if (fast) {
            return beyondBound || faults.contains(FaultKind.CLOCK_FAST) ? drift : 0;
        }
        return beyondBound || faults.contains(FaultKind.CLOCK_SLOW) ? -drift : 0;
    }

    /** Another rate for a node's clock, as this fault allows it. */
    public long driftPpmFor(FaultKind fault, SplitMix64 chance) {
        long most =
                fault == FaultKind.CLOCK_BEYOND_BOUND ? DRIFT_BEYOND_PPM_MAX : DRIFT_PPM_MAX - Math.abs(storeDriftPpm);
        long ppm = chance.below(2) == 0 ? most : chance.below(most);
        boolean fast = fault == FaultKind.CLOCK_FAST || (fault == FaultKind.CLOCK_BEYOND_BOUND && chance.below(2) == 0);
        return fast ? ppm : -ppm;
    }

    /** Does somebody perhaps wait for a notification that never comes? */
    public boolean watchesMayDie() {
        return has(FaultKind.WATCH_DIED);
    }

    public boolean tokensMayGoBack() {
        return has(FaultKind.STORE_WIPED)
                || has(FaultKind.STORE_RESTORED)
                || has(FaultKind.STORE_FAILOVER)
                || has(FaultKind.CLAIM_DELETED)
                || has(FaultKind.STORE_CLOCK_BACK);
    }

    public boolean has(FaultKind fault) {
        return faults.contains(fault);
    }

    long ttlMillisMin() {
        long min = Long.MAX_VALUE;
        for (long millis : ttlMillis) {
            min = Math.min(min, millis);
        }
        return min;
    }

    public long ttlNanosMax() {
        long max = 0;
        for (long millis : ttlMillis) {
            max = Math.max(max, millis);
        }
        return Duration.ofMillis(max).toNanos();
    }

    public Assumptions assumptions() {
        boolean wallFaults = has(FaultKind.SUSPEND)
                || has(FaultKind.WALL_STEP_FORWARD)
                || has(FaultKind.WALL_STEP_BACK)
                || has(FaultKind.WALL_FROZEN);
        return new Assumptions(
                !beyondBound, store.issuesTokens(), !wallFaults && !beyondBound, rules.touchDelayNanosMax() == 0);
    }

    public MessageFaults.Probabilities probabilities() {
        return new MessageFaults.Probabilities(
                at(FaultKind.Place.MESSAGE),
                at(FaultKind.Place.NOTICE),
                usualShare,
                latencyNanosMin,
                latencyNanosMax,
                ttlNanosMax());
    }

    private List<FaultKind> at(FaultKind.Place place) {
        List<FaultKind> some = new ArrayList<>();
        for (FaultKind fault : faults) {
            boolean perMessage = fault != FaultKind.WATCH_DIED && fault != FaultKind.NOTICE_SPURIOUS;
            if (fault.place() == place && perMessage) {
                some.add(fault);
            }
        }
        return some;
    }

    @Override
    public String toString() {
        StringBuilder ttls = new StringBuilder();
        for (long millis : ttlMillis) {
            ttls.append(ttls.length() == 0 ? "" : "/").append(millis);
        }
        StringBuilder drifts = new StringBuilder();
        for (long ppm : driftPpm) {
            drifts.append(drifts.length() == 0 ? "" : "/").append(ppm);
        }
        return nodes + " nodes, " + elections + " elections, " + (rules.hasLeader() ? rules : store)
                + ", ttl " + ttls + " ms, drift " + drifts
                + " ppm"
                + (beyondBound ? " (beyond the bound)" : "") + (standoff ? ", standoff" : "")
                + (threads ? ", duties with threads" : "")
                + (userCode.hangs() ? ", user code that hangs" : "") + ", latency " + latencyNanosMin / 1000 + ".."
                + latencyNanosMax / 1000 + " us, faults " + faults;
    }
}
