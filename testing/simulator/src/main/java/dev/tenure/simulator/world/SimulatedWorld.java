// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.world;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.simulator.check.GroundTruth;
import dev.tenure.simulator.check.PropertyViolation;
import dev.tenure.simulator.host.SimClock;
import dev.tenure.simulator.host.SimHost;
import dev.tenure.simulator.plan.Plan;
import dev.tenure.simulator.plan.StoreKind;
import dev.tenure.simulator.plan.UserCode;
import dev.tenure.simulator.store.MessageFaults;
import dev.tenure.simulator.store.SimulatedLink;
import dev.tenure.simulator.store.StoreClock;
import dev.tenure.simulator.store.StoreHealth;
import dev.tenure.simulator.store.StoreServer;
import dev.tenure.simulator.store.lease.LeaseLink;
import dev.tenure.simulator.store.lease.LeaseServer;
import dev.tenure.simulator.store.session.SessionLink;
import dev.tenure.simulator.store.session.SessionServer;
import dev.tenure.simulator.store.session.SessionStoreFaults;
import dev.tenure.simulator.trace.FaultCounts;
import dev.tenure.simulator.trace.FaultKind;
import dev.tenure.simulator.trace.TraceKind;
import dev.tenure.simulator.trace.WorldTrace;
import dev.tenure.simulator.world.fault.Nemesis;
import dev.tenure.spi.BackendTraits.ExpiryDetection;
import dev.tenure.spi.StoreBinding;
import dev.tenure.testing.SplitMix64;
import dev.tenure.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * One seed: nodes with real clients on virtual machines, one store, what befalls them, and what must be true meanwhile.
 * First ten minutes of faults, then everything is healed and asked for progress. The same seed gives the same trace on
 * every machine.
 */
public final class SimulatedWorld implements AutoCloseable {
    private static final long FAULTS_END_NANOS = Duration.ofMinutes(8).toNanos();
    private static final long FAULTS_END_NANOS_WITH_THREADS =
            Duration.ofMinutes(3).toNanos();
    private static final long STUCK_NANOS = Duration.ofHours(1).toNanos();
    private static final int ERAS_WITHOUT_HELP = 8;
    private static final long COARSE_TICK_NANOS = 15_000_000;
    private static final String[] NAMES = {"billing/sweeper", "reindex", "α-mail"};

    private final long seed;
    private final VirtualTime time = new VirtualTime();
    private final WorldTrace trace;
    private final FaultCounts counts = new FaultCounts();
    private final SplitMix64 random;
    private final Plan plan;
    private final GroundTruth truth;
    private final MessageFaults faults;
    private final StoreHealth health = new StoreHealth();
    private final StoreServer server;
    private final List<ElectionName> elections = new ArrayList<>();
    private final Map<String, Integer> electionNumbers = new HashMap<>();
    private final List<SimulatedLedger> ledgers = new ArrayList<>();
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final Queue<Runnable> betweenEvents = new ArrayDeque<>();
    private boolean recovering;

    /**
     * @param store which one, whatever the seed says
     * @param hangs with user code that is slow and hangs, whatever the seed says
     * @param out where a readable trace goes, if it is wanted
     */
    public SimulatedWorld(long seed, Optional<StoreKind> store, boolean hangs, @Nullable Appendable out) {
        this.seed = seed;
        this.random = new SplitMix64(SplitMix64.mix(seed * 0x9e3779b97f4a7c15L + 1));
        this.trace = out == null ? WorldTrace.hashing(time) : WorldTrace.writing(time, out);
        // A stream of its own: worlds without such user code are those that they were before there was any.
        SplitMix64 apart = new SplitMix64(SplitMix64.mix(seed * 0x9e3779b97f4a7c15L + 2));
        this.plan = new Plan(random.fork(), store, UserCode.drawn(apart, hangs));
        for (int i = 0; i < plan.elections; i++) {
            elections.add(ElectionName.of(nameOf(i)));
            electionNumbers.put(nameOf(i), i);
        }
        this.truth = new GroundTruth(time, trace, plan.assumptions(), plan.elections);
        this.faults = new MessageFaults(plan.probabilities(), random.fork(), counts);
        this.server = newServer();
        for (int i = 0; i < plan.elections; i++) {
            ledgers.add(new SimulatedLedger(i, truth, trace));
        }
        for (int i = 0; i < plan.nodes; i++) {
            nodes.add(newNode(i));
        }
        time.witnessedBy(new VirtualTime.Witness() {
            @Override
            public void arrived(long nanos) {
                truth.arrived(nanos);
            }

            @Override
            public void happened() {
                truth.happened();
            }
        });
    }

    private StoreServer newServer() {
        StoreClock clock = new StoreClock(time, plan.storeDriftPpm);
        if (plan.store.hasSessions()) {
            SessionServer.Nature nature = new SessionServer.Nature(
                    plan.rules(), plan.store.hasQueue(), plan.has(FaultKind.STORE_FAILOVER), elections);
            if (plan.rules().renewsTheDead()) {
                counts.add(FaultKind.DEAD_LEASE_RENEWED);
            }
            return new SessionStoreFaults(
                    new SessionServer(nature, time, clock, truth, random.fork()), truth, random.fork());
        }
        ExpiryDetection judge = switch (plan.store) {
            case SERVER_TIME, DRAWING, READING -> ExpiryDetection.SERVER_TIME;
            case SERVER_TTL -> ExpiryDetection.SERVER_TTL;
            default -> ExpiryDetection.OBSERVER;
        };
        LeaseServer leases = new LeaseServer(time, judge, plan.store.issuesTokens(), clock, elections, truth);
        if (plan.store == StoreKind.READING) {
            return leases.readingWithRenewals();
        }
        return plan.store == StoreKind.DRAWING ? leases.keepingTokens() : leases;
    }

    private SimulatedNode newNode(int index) {
        SplitMix64 own = random.fork();
        long tick = plan.has(FaultKind.COARSE_TICKS) && own.below(2) == 0 ? COARSE_TICK_NANOS : 1;
        SimClock clock = new SimClock(time, own.below(1L << 40), tick);
        if (tick > 1) {
            counts.add(FaultKind.COARSE_TICKS);
        }
        long ppm = plan.driftPpm[index];
        if (ppm != 0) {
            clock.drift(ppm);
            counts.add(
                    plan.beyondBound
                            ? FaultKind.CLOCK_BEYOND_BOUND
                            : ppm > 0 ? FaultKind.CLOCK_FAST : FaultKind.CLOCK_SLOW);
        }
        return new SimulatedNode(this, index, clock, own);
    }

    /** Lives through the whole seed, or up to the first violation. */
    public void run() {
        trace.add(TraceKind.BEGIN, -1, -1, 0, seed, plan);
        EngineLog.concerns(this);
        try {
            for (SimulatedNode node : nodes) {
                time.at(random.below(plan.ttlNanosMax()), node::start);
            }
            time.at(STUCK_NANOS, () -> {
                throw new IllegalStateException("somebody waits for ever");
            });
            faults.usual();
            long faultsEndNanos = plan.userCode.hangs() ? FAULTS_END_NANOS_WITH_THREADS : FAULTS_END_NANOS;
            new Nemesis(this).begin(faultsEndNanos);
            drive(faultsEndNanos);
            heal();
            if (!isOver()) {
                new RecoveryPhase(this).run();
            }
        } finally {
            nodes.forEach(node -> node.all().forEach(SimulatedProcess::dispose));
            EngineLog.concernsNobody();
        }
    }

    /** Lets everything happen up to this instant. Clients are closed between events, because closing waits. */
    void drive(long untilNanos) {
        while (!isOver() && time.runNextUntil(untilNanos)) {
            while (!betweenEvents.isEmpty() && !isOver()) {
                betweenEvents.remove().run();
            }
        }
        if (!isOver()) {
            time.runUntil(untilNanos);
        }
    }

    private void heal() {
        recovering = true;
        trace.add(TraceKind.HEAL, -1, -1, 0, 0);
        faults.clear();
        health.heal();
        server.expireLate(0);
        server.grantShorter(100);
        for (int i = 0; i < plan.elections; i++) {
            server.repairClaim(i);
        }
        raiseEra();
        for (SimulatedNode node : nodes) {
            node.clock().thawWall();
            if (plan.beyondBound) {
                node.clock().drift(0);
            }
            node.running().forEach(SimulatedProcess::heal);
            if (node.running().isEmpty()) {
                node.start();
            }
        }
    }

    /** A store that has forgotten many eras is not believed by those who remember: then an operator has to help. */
    private void raiseEra() {
        int eraSeen = (int) (truth.tokenMax() >>> FencingToken.SEQUENCE_BITS);
        if (eraSeen - server.era() > ERAS_WITHOUT_HELP) {
            server.setEra(eraSeen);
        }
    }

    @Override
    public void close() {
        nodes.forEach(node -> node.all().forEach(SimulatedProcess::dispose));
    }

    // ---- what came of it

    public Optional<PropertyViolation> violation() {
        return truth.violation();
    }

    public long hash() {
        return trace.hash();
    }

    public FaultCounts counts() {
        return counts;
    }

    public long termsBegun() {
        return truth.termsBegun();
    }

    public long nanos() {
        return time.nanos();
    }

    public long events() {
        return time.happened();
    }

    // ---- for what lives in it

    boolean isOver() {
        return truth.violation().isPresent();
    }

    public boolean isRecovering() {
        return recovering;
    }

    public Plan plan() {
        return plan;
    }

    public VirtualTime time() {
        return time;
    }

    WorldTrace trace() {
        return trace;
    }

    public GroundTruth truth() {
        return truth;
    }

    public MessageFaults faults() {
        return faults;
    }

    public StoreHealth health() {
        return health;
    }

    public StoreServer server() {
        return server;
    }

    public SplitMix64 random() {
        return random;
    }

    public List<SimulatedNode> nodes() {
        return nodes;
    }

    SimulatedLedger ledger(int election) {
        return ledgers.get(election);
    }

    public String nameOf(int election) {
        return election < NAMES.length ? NAMES[election] : "service-" + election;
    }

    int electionOf(ElectionName name) {
        return electionNumbers.getOrDefault(name.value(), -1);
    }

    SimulatedLink newLink(int process) {
        return new SimulatedLink(process, time, faults, health, trace);
    }

    StoreBinding bindingFor(SimulatedLink link, SimHost host) {
        return server instanceof SessionStoreFaults sessions
                ? new SessionLink(sessions.server(), link, truth)
                : LeaseLink.of((LeaseServer) server, link, host::post, truth);
    }

    public List<SimulatedProcess> running() {
        List<SimulatedProcess> running = new ArrayList<>();
        nodes.forEach(node -> running.addAll(node.running()));
        return running;
    }

    /** Does this fault occur here and now? It does once in so many times, where the seed has it at all. */
    boolean occurs(FaultKind fault, int onceIn) {
        if (recovering || !plan.has(fault) || random.below(onceIn) != 0) {
            return false;
        }
        counted(fault, -1);
        return true;
    }

    public void counted(FaultKind fault, int process) {
        counts.add(fault);
        trace.add(TraceKind.FAULT, process, -1, 0, fault.ordinal(), fault);
    }

    /** From ten milliseconds to this many TTLs, each order of magnitude equally likely. */
    public long lastingNanos(int ttlsMax) {
        long min = 10_000_000;
        long max = ttlsMax * plan.ttlNanosMax();
        int doublings = 63 - Long.numberOfLeadingZeros(max / min);
        long base = min << random.below(doublings + 1);
        return Math.min(max, base + random.below(base));
    }

    public void afterwards(long nanos, Runnable action) {
        time.at(time.nanos() + nanos, action);
    }

    /** For calls that wait in virtual time. */
    public void betweenEvents(Runnable action) {
        betweenEvents.add(action);
    }

    /** A node whose process has ended gets another one after a while. */
    void ended(SimulatedNode node) {
        if (!recovering) {
            afterwards(lastingNanos(3), () -> {
                if (!recovering && node.running().isEmpty()) {
                    counted(FaultKind.RESTART, -1);
                    node.start();
                }
            });
        }
    }

    void explain(Throwable failure) {
        if (trace.isReadable()) {
            java.io.StringWriter text = new java.io.StringWriter();
            failure.printStackTrace(new java.io.PrintWriter(text));
            trace.add(TraceKind.VIOLATION, -1, -1, 0, 0, text);
        }
    }
}
