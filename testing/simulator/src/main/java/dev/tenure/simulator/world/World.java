package dev.tenure.simulator.world;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.simulator.check.Book;
import dev.tenure.simulator.check.Violation;
import dev.tenure.simulator.store.LeaseLink;
import dev.tenure.simulator.store.LeaseServer;
import dev.tenure.simulator.store.Link;
import dev.tenure.simulator.store.SessionFate;
import dev.tenure.simulator.store.SessionLink;
import dev.tenure.simulator.store.SessionServer;
import dev.tenure.simulator.store.StoreClock;
import dev.tenure.simulator.store.StoreHealth;
import dev.tenure.simulator.store.StoreServer;
import dev.tenure.simulator.store.Weather;
import dev.tenure.simulator.trace.Fault;
import dev.tenure.simulator.trace.FaultCounts;
import dev.tenure.simulator.trace.Mark;
import dev.tenure.simulator.trace.Trace;
import dev.tenure.spi.BackendTraits.ExpiryJudge;
import dev.tenure.spi.Door;
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
public final class World implements AutoCloseable {
    private static final long FAULTS_END_NANOS = Duration.ofMinutes(8).toNanos();
    private static final long FAULTS_END_NANOS_WITH_THREADS =
            Duration.ofMinutes(3).toNanos();
    private static final long STUCK_NANOS = Duration.ofHours(1).toNanos();
    private static final int ERAS_WITHOUT_HELP = 8;
    private static final long COARSE_TICK_NANOS = 15_000_000;
    private static final String[] NAMES = {"billing/sweeper", "reindex", "α-mail"};

    private final long seed;
    private final VirtualTime time = new VirtualTime();
    private final Trace trace;
    private final FaultCounts counts = new FaultCounts();
    private final SplitMix64 random;
    private final Plan plan;
    private final Book book;
    private final Weather weather;
    private final StoreHealth health = new StoreHealth();
    private final StoreServer server;
    private final List<ElectionName> elections = new ArrayList<>();
    private final Map<String, Integer> electionNumbers = new HashMap<>();
    private final List<Ledger> ledgers = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private final Queue<Runnable> betweenEvents = new ArrayDeque<>();
    private boolean calm;

    /**
     * @param store which one, whatever the seed says
     * @param hangs with user code that is slow and hangs, whatever the seed says
     * @param out where a readable trace goes, if it is wanted
     */
    public World(long seed, Optional<StoreKind> store, boolean hangs, @Nullable Appendable out) {
        this.seed = seed;
        this.random = new SplitMix64(SplitMix64.mix(seed * 0x9e3779b97f4a7c15L + 1));
        this.trace = out == null ? Trace.hashing(time) : Trace.writing(time, out);
        // A stream of its own: worlds without such user code are those that they were before there was any.
        SplitMix64 apart = new SplitMix64(SplitMix64.mix(seed * 0x9e3779b97f4a7c15L + 2));
        this.plan = new Plan(random.fork(), store, UserCode.drawn(apart, hangs));
        for (int i = 0; i < plan.elections; i++) {
            elections.add(ElectionName.of(nameOf(i)));
            electionNumbers.put(nameOf(i), i);
        }
        this.book = new Book(time, trace, plan.hypotheses(), plan.elections);
        this.weather = new Weather(plan.climate(), random.fork(), counts);
        this.server = newServer();
        for (int i = 0; i < plan.elections; i++) {
            ledgers.add(new Ledger(i, book, trace));
        }
        for (int i = 0; i < plan.nodes; i++) {
            nodes.add(newNode(i));
        }
        time.witnessedBy(new VirtualTime.Witness() {
            @Override
            public void arrived(long nanos) {
                book.arrived(nanos);
            }

            @Override
            public void happened() {
                book.happened();
            }
        });
    }

    private StoreServer newServer() {
        StoreClock clock = new StoreClock(time, plan.storeDriftPpm);
        if (plan.store.hasSessions()) {
            SessionServer.Nature nature = new SessionServer.Nature(
                    plan.law(), plan.store.hasQueue(), plan.has(Fault.STORE_FAILOVER), elections);
            if (plan.law().renewsTheDead()) {
                counts.add(Fault.DEAD_LEASE_RENEWED);
            }
            return new SessionFate(new SessionServer(nature, time, clock, book, random.fork()), book, random.fork());
        }
        ExpiryJudge judge = switch (plan.store) {
            case SERVER_TIME, DRAWING -> ExpiryJudge.SERVER_TIME;
            case SERVER_TTL -> ExpiryJudge.SERVER_TTL;
            default -> ExpiryJudge.OBSERVER;
        };
        LeaseServer leases = new LeaseServer(time, judge, plan.store.issuesTokens(), clock, elections, book);
        return plan.store == StoreKind.DRAWING ? leases.keepingTokens() : leases;
    }

    private Node newNode(int index) {
        SplitMix64 own = random.fork();
        long tick = plan.has(Fault.COARSE_TICKS) && own.below(2) == 0 ? COARSE_TICK_NANOS : 1;
        SimClock clock = new SimClock(time, own.below(1L << 40), tick);
        if (tick > 1) {
            counts.add(Fault.COARSE_TICKS);
        }
        long ppm = plan.driftPpm[index];
        if (ppm != 0) {
            clock.drift(ppm);
            counts.add(plan.beyondBound ? Fault.CLOCK_BEYOND_BOUND : ppm > 0 ? Fault.CLOCK_FAST : Fault.CLOCK_SLOW);
        }
        return new Node(this, index, clock, own);
    }

    /** Lives through the whole seed, or up to the first violation. */
    public void run() {
        trace.add(Mark.BEGIN, -1, -1, 0, seed, plan);
        EngineLog.concerns(this);
        try {
            for (Node node : nodes) {
                time.at(random.below(plan.ttlNanosMax()), node::start);
            }
            time.at(STUCK_NANOS, () -> {
                throw new IllegalStateException("somebody waits for ever");
            });
            weather.usual();
            long faultsEndNanos = plan.userCode.hangs() ? FAULTS_END_NANOS_WITH_THREADS : FAULTS_END_NANOS;
            new Nemesis(this).begin(faultsEndNanos);
            drive(faultsEndNanos);
            heal();
            if (!isOver()) {
                new Calm(this).run();
            }
        } finally {
            nodes.forEach(node -> node.all().forEach(Incarnation::dispose));
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
        calm = true;
        trace.add(Mark.HEAL, -1, -1, 0, 0);
        weather.clear();
        health.heal();
        server.expireLate(0);
        server.grantShorter(100);
        for (int i = 0; i < plan.elections; i++) {
            server.repairClaim(i);
        }
        raiseEra();
        for (Node node : nodes) {
            node.clock().thawWall();
            if (plan.beyondBound) {
                node.clock().drift(0);
            }
            node.running().forEach(Incarnation::heal);
            if (node.running().isEmpty()) {
                node.start();
            }
        }
    }

    /** A store that has forgotten many eras is not believed by those who remember: then an operator has to help. */
    private void raiseEra() {
        int eraSeen = (int) (book.tokenMax() >>> FencingToken.SEQUENCE_BITS);
        if (eraSeen - server.era() > ERAS_WITHOUT_HELP) {
            server.setEra(eraSeen);
        }
    }

    @Override
    public void close() {
        nodes.forEach(node -> node.all().forEach(Incarnation::dispose));
    }

    // ---- what came of it

    public Optional<Violation> violation() {
        return book.violation();
    }

    public long hash() {
        return trace.hash();
    }

    public FaultCounts counts() {
        return counts;
    }

    public long termsBegun() {
        return book.termsBegun();
    }

    public long nanos() {
        return time.nanos();
    }

    public long events() {
        return time.happened();
    }

    // ---- for what lives in it

    boolean isOver() {
        return book.violation().isPresent();
    }

    boolean isCalm() {
        return calm;
    }

    Plan plan() {
        return plan;
    }

    VirtualTime time() {
        return time;
    }

    Trace trace() {
        return trace;
    }

    Book book() {
        return book;
    }

    Weather weather() {
        return weather;
    }

    StoreHealth health() {
        return health;
    }

    StoreServer server() {
        return server;
    }

    SplitMix64 random() {
        return random;
    }

    List<Node> nodes() {
        return nodes;
    }

    Ledger ledger(int election) {
        return ledgers.get(election);
    }

    String nameOf(int election) {
        return election < NAMES.length ? NAMES[election] : "service-" + election;
    }

    int electionOf(ElectionName name) {
        return electionNumbers.getOrDefault(name.value(), -1);
    }

    Link newLink(int process) {
        return new Link(process, time, weather, health, trace);
    }

    Door doorFor(Link link, SimHost host) {
        return server instanceof SessionFate sessions
                ? new SessionLink(sessions.server(), link, book)
                : LeaseLink.of((LeaseServer) server, link, host::post, book);
    }

    List<Incarnation> running() {
        List<Incarnation> running = new ArrayList<>();
        nodes.forEach(node -> running.addAll(node.running()));
        return running;
    }

    /** Does this fault occur here and now? It does once in so many times, where the seed has it at all. */
    boolean strikes(Fault fault, int onceIn) {
        if (calm || !plan.has(fault) || random.below(onceIn) != 0) {
            return false;
        }
        counted(fault, -1);
        return true;
    }

    void counted(Fault fault, int process) {
        counts.add(fault);
        trace.add(Mark.FAULT, process, -1, 0, fault.ordinal(), fault);
    }

    /** From ten milliseconds to this many TTLs, each order of magnitude equally likely. */
    long lastingNanos(int ttlsMax) {
        long min = 10_000_000;
        long max = ttlsMax * plan.ttlNanosMax();
        int doublings = 63 - Long.numberOfLeadingZeros(max / min);
        long base = min << random.below(doublings + 1);
        return Math.min(max, base + random.below(base));
    }

    void afterwards(long nanos, Runnable action) {
        time.at(time.nanos() + nanos, action);
    }

    /** For calls that wait in virtual time. */
    void betweenEvents(Runnable action) {
        betweenEvents.add(action);
    }

    /** A node whose process has ended gets another one after a while. */
    void ended(Node node) {
        if (!calm) {
            afterwards(lastingNanos(3), () -> {
                if (!calm && node.running().isEmpty()) {
                    counted(Fault.RESTART, -1);
                    node.start();
                }
            });
        }
    }

    void explain(Throwable failure) {
        if (trace.isReadable()) {
            java.io.StringWriter text = new java.io.StringWriter();
            failure.printStackTrace(new java.io.PrintWriter(text));
            trace.add(Mark.VIOLATION, -1, -1, 0, 0, text);
        }
    }
}
