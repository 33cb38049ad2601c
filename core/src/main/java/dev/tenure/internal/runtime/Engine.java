// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Loss;
import dev.tenure.Nonce;
import dev.tenure.Stats;
import dev.tenure.TenureEvent;
import dev.tenure.TenureEvent.StoreCalled.Outcome;
import dev.tenure.internal.engine.ElectionEvent;
import dev.tenure.internal.engine.ElectionState;
import dev.tenure.internal.engine.IdSource;
import dev.tenure.internal.engine.SessionState;
import dev.tenure.internal.engine.StepContext;
import dev.tenure.internal.engine.Timing;
import dev.tenure.internal.runtime.events.EventStream;
import dev.tenure.internal.runtime.events.SerialExecutor;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.Host;
import dev.tenure.spi.Observation;
import dev.tenure.spi.Redactor;
import dev.tenure.spi.RenewReply;
import dev.tenure.spi.SessionRequest;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * One client's loop: a session, the candidacies that share it, and what wakes them. Everything here runs on the loop; the
 * public handles post to it.
 *
 * <p>A bug (an illegal pair of state and event, say) ends the session as lost, with a report: what was believed under it
 * cannot be trusted. The loop itself goes on.
 */
public final class Engine {
    private static final Logger LOG = System.getLogger("dev.tenure");
    private static final Duration RELEASE_SLACK = Duration.ofSeconds(1);
    private static final int LOOKS_FOR_SUCCESSOR_PER_TTL = 4;
    private static final long MOMENT_NANOS_MIN = 500_000_000;

    private static final int LOSSES_WAITING_MAX = 1_000;
    /** A call that waits reports all renewals since the last call; one more may come in the same moment. */
    private static final int RENEWALS_WAITING_MAX = 2;

    final Backend backend;
    final Host host;
    final Redactor redactor;
    final IdSource ids;
    final SessionRunner runner;
    public final EventStream events;
    final SerialExecutor.PerElection lossCalls;
    final SerialExecutor.PerElection renewalCalls;
    final Limiter admissions = new Limiter();
    final Limiter releases = new Limiter();
    final PeriodicChecks checks;
    /** Those that have not retired, also if they still warm up or are being released. Any thread. */
    public final Map<ElectionName, CandidacyHandle> candidacies = new ConcurrentHashMap<>();

    final TokenFloors floors = new TokenFloors();
    /** How long the end of a drained candidacy may take. */
    final Duration releaseWithin;

    private final long ttlNanos;
    /** How long others are let go first after a resignation. From any thread. */
    volatile long standBackNanos;

    private String storeId = "";

    // Counted over all candidacies, those that have retired included.
    long terms;
    long failovers;
    private long renewals;
    private long renewalsFailed;

    public Engine(Backend backend, Host host, SessionRequest request, StoreRequirement requirement, Redactor redactor) {
        this.backend = backend;
        this.host = host;
        this.redactor = redactor;
        this.ids = new HostIds(host);
        this.events = new EventStream(host);
        this.lossCalls =
                new SerialExecutor.PerElection("an onLoss listener", LOSSES_WAITING_MAX, host, host::runFinalCallback);
        this.renewalCalls =
                new SerialExecutor.PerElection("an onRenewal listener", RENEWALS_WAITING_MAX, host, host::runCallback);
        this.runner = new SessionRunner(this, request, requirement);
        this.checks = new PeriodicChecks(this, host);
        this.ttlNanos = request.ttl().toNanos();
        this.standBackNanos = standBack();
        this.releaseWithin =
                Duration.ofNanos(2 * Timing.of(request.ttl()).timeoutNanos()).plus(RELEASE_SLACK);
    }

    /**
     * Until every process that waits has asked once, and a moment for its claim. One that missed the notification asks with the
     * poll of {@link PeriodicChecks}: five quarters of a TTL later at most, or half as late where the store is polled. A queue keeps
     * the others before it anyway. Some stores know what they are only once they were contacted.
     */
    private long standBack() {
        long momentNanos = momentNanos();
        return switch (backend.traits().wakeup()) {
            case QUEUE -> momentNanos;
            case WATCH -> ttlNanos * 5 / 4 + momentNanos;
            case POLL -> ttlNanos * 5 / 8 + momentNanos;
        };
    }

    /** However short the TTL: a busy process needs as long to act on a notification. */
    long momentNanos() {
        return Math.max(ttlNanos / 4, MOMENT_NANOS_MIN);
    }

    Duration since(long nanos) {
        return Duration.ofNanos(host.nanos() - nanos);
    }

    /** Posts to the loop; what fails there is a bug and costs the session, not the loop. */
    public void post(Runnable event) {
        host.post(() -> guard(event));
    }

    void guard(Runnable event) {
        try {
            event.run();
        } catch (Throwable bug) {
            Throwable told = redactor.failure(bug);
            try {
                runner.giveUp("internal error: " + told);
            } finally {
                report(told);
            }
        }
    }

    /** A log that throws must not keep other candidacies from hearing of the loss. */
    private static void report(Throwable bug) {
        try {
            LOG.log(Level.ERROR, "a bug in the engine: the session is given up and opened anew", bug);
        } catch (RuntimeException | Error ofTheLog) {
            bug.addSuppressed(ofTheLog);
        }
    }

    /** Those that take part in their election now. */
    Stream<CandidacyRunner> standing() {
        return candidacies.values().stream().filter(CandidacyHandle::stands).map(one -> one.candidate);
    }

    Optional<CandidacyRunner> standing(ElectionName election) {
        return Optional.ofNullable(candidacies.get(election))
                .filter(CandidacyHandle::stands)
                .map(one -> one.candidate);
    }

    void stand(CandidacyRunner candidate) {
        runner.want();
        events.publish(() -> new TenureEvent.CandidacyBegan(candidate.election()));
        candidate.on(new ElectionEvent.Tick());
    }

    /** Leaves the store. A session whose duties still run is not closed: that would free their claims. */
    public void close(Runnable done) {
        Optional<BackendSession> last = runner.session();
        boolean idle = standing().noneMatch(CandidacyRunner::isRunning);
        checks.lost();
        runner.close();
        if (last.isPresent() && idle) {
            BackendCalls.of(this, last.get()::close, closed -> done.run(), failure -> done.run());
        } else {
            done.run();
        }
    }

    StepContext context() {
        long nowNanos = host.nanos();
        Optional<SessionState.Open> open = runner.open();
        boolean authorised = open.isPresent() && open.get().authority().allows(nowNanos, host.wallMillis());
        return new StepContext(nowNanos, open, authorised, standBackNanos);
    }

    boolean holdsClaim() {
        return standing().anyMatch(candidate -> candidate.heldTerm().isPresent());
    }

    /** In one snapshot with what each of the candidacies has counted. On the loop. */
    public Stats stats() {
        Map<ElectionName, Stats.ElectionStats> byElection = new LinkedHashMap<>();
        standing().forEach(candidate -> byElection.put(candidate.election(), candidate.stats()));
        long leading = byElection.values().stream()
                .filter(one -> one.token().isPresent())
                .count();
        return new Stats(
                byElection.size(),
                (int) leading,
                terms,
                failovers,
                runner.stats(renewals, renewalsFailed),
                Map.copyOf(byElection));
    }

    <T> void call(
            String operation,
            Function<BackendSession, CompletionStage<T>> call,
            Consumer<T> onReply,
            Consumer<Throwable> onFailure) {
        long sentNanos = host.nanos();
        runner.session()
                .ifPresent(session -> BackendCalls.of(
                        this,
                        () -> call.apply(session),
                        reply -> {
                            called(operation, Outcome.ACKNOWLEDGED, sentNanos);
                            onReply.accept(reply);
                        },
                        failure -> {
                            called(operation, BackendCalls.outcome(failure), sentNanos);
                            onFailure.accept(failure);
                        }));
    }

    void called(String operation, Outcome outcome, long sentNanos) {
        events.publish(() -> new TenureEvent.StoreCalled(operation, outcome, since(sentNanos)));
    }

    /** The deadline has a margin for the grain of timers; a timer that is later than that shows a pause. */
    void woke(long dueNanos) {
        boolean paused = runner.open()
                .filter(open -> host.nanos() - dueNanos > open.timing().marginNanos())
                .isPresent();
        if (paused) {
            events.publish(() -> new TenureEvent.Paused(since(dueNanos)));
        }
    }

    void moved(CandidacyRunner candidate, ElectionState before, ElectionState after) {
        checks.moved(candidate, after);
        runner.leaveLost();
        if (takesSlot(before) && !takesSlot(after)) {
            admissions.ended(candidate);
            post(admissions::next);
        }
    }

    private static boolean takesSlot(ElectionState state) {
        return state instanceof ElectionState.Claiming || state instanceof ElectionState.RaisingFences;
    }

    /** Whatever this process has seen counts, wherever it saw it. On the loop. */
    public void noteFloor(Observation seen) {
        long token = Math.max(
                seen.tokenMax(),
                seen.leader().map(leader -> leader.token().value()).orElse(0L));
        if (token > 0) {
            floors.seenInStore(seen.election(), new FencingToken(token));
            seen.leader().ifPresent(leader -> {
                overtakenBy(seen.election(), leader.token().value());
                standing(seen.election()).ifPresent(candidate -> candidate.saw(leader));
            });
            holderBelow(seen.election(), token).ifPresent(checks::verify);
        }
    }

    /** A record with a higher token stands only where that of the term stands no more: nobody has to be asked. */
    private void overtakenBy(ElectionName election, long token) {
        holderBelow(election, token).ifPresent(checks::overtaken);
    }

    private Optional<CandidacyRunner> holderBelow(ElectionName election, long token) {
        return standing(election)
                .filter(candidate -> candidate
                        .heldTerm()
                        .filter(term -> term.token().value() < token)
                        .isPresent());
    }

    /** A store that has lost terms counts on from too low. Its sequence cannot be set, but the era above it can. */
    void raiseEraAbove(long floor) {
        int era = new FencingToken(floor).era() + 1;
        if (!floors.isCredible(floor)) {
            reportOutOfReach(era - 1);
            return;
        }
        BackendCalls.of(
                this, () -> backend.raiseEra(era), raised -> {}, failure -> troubled("raising the era", failure));
    }

    /** Every claim comes across it, until an operator has helped; it is reported once. */
    private void reportOutOfReach(int era) {
        if (floors.noteOutOfReach(era)) {
            events.publish(new TenureEvent.StoreError(
                    "raising the era",
                    "a token of era " + era + " was seen, but the store never was beyond era " + floors.eraOfStore()
                            + "; if that token is genuine, raise the era by hand",
                    new IllegalStateException("floor out of reach")));
        }
    }

    void opened(BackendSession session, SessionState.Open open) {
        boolean replaced = !storeId.isEmpty() && !storeId.equals(session.era().storeId());
        storeId = session.era().storeId();
        floors.seenInStore(session.era().era());
        boolean revisions = backend.traits().tokens() == BackendTraits.TokenSource.REVISION;
        if (replaced && revisions && floors.highest() > 0) {
            raiseEraAbove(floors.highest());
        }
        events.publish(new TenureEvent.SessionOpened(
                session.id(), Duration.ofNanos(open.timing().ttlNanos())));
        standBackNanos = standBack();
        checks.opened(open);
        notifyCandidacies(new ElectionEvent.SessionOpened());
    }

    private void notifyCandidacies(ElectionEvent event) {
        for (CandidacyRunner candidate : standing().toList()) {
            guard(() -> candidate.on(event));
        }
    }

    void renewed(SessionState.Open open) {
        renewals++;
        standBackNanos = standBack();
        checks.renewed(open);
        standing().forEach(CandidacyRunner::renewed);
    }

    void doubted(String why) {
        renewalsFailed++;
        for (CandidacyRunner candidate : checks.leading().toList()) {
            candidate
                    .heldTerm()
                    .ifPresent(term -> events.publish(new TenureEvent.AtRisk(term, candidate.untilDrain())));
        }
    }

    void relieved() {
        events.publish(new TenureEvent.StoreRecovered());
        for (CandidacyRunner candidate : checks.leading().toList()) {
            candidate.heldTerm().ifPresent(term -> events.publish(new TenureEvent.RenewalRecovered(term)));
        }
    }

    void lost(BackendSession session, Loss loss, String why) {
        events.publish(new TenureEvent.SessionLost(session.id(), redactor.text(why)));
        checks.lost();
        releases.clear();
        Loss told = loss instanceof Loss.SessionLost lost ? new Loss.SessionLost(redactor.text(lost.why())) : loss;
        notifyCandidacies(new ElectionEvent.SessionLost(session.id(), told));
    }

    void claimLost(RenewReply.LostClaim claim) {
        Loss loss = new Loss.Superseded("a renewal found that the store's record does not carry this term any more");
        standing(claim.election())
                .filter(candidate -> candidate
                        .heldTerm()
                        .filter(term -> term.nonce().equals(claim.nonce()))
                        .isPresent())
                .ifPresent(candidate -> guard(() -> candidate.on(new ElectionEvent.EndWanted(loss))));
    }

    boolean runsUnder(String session) {
        return standing().anyMatch(candidate -> candidate.runsUnder(session));
    }

    void troubled(String doing, Throwable failure) {
        Throwable told = redactor.failure(failure);
        events.publish(new TenureEvent.StoreError(doing, BackendCalls.describe(told), told));
    }

    /** A process that resigned lets others go first until one of them leads. From then on it is a standby like any other. */
    void lookForSuccessor(CandidacyRunner candidate) {
        host.wakeAt(
                host.nanos() + ttlNanos / LOOKS_FOR_SUCCESSOR_PER_TTL,
                () -> guard(() -> {
                    if (candidate.letsOthersGoFirst()) {
                        lookForSuccessor(candidate);
                        BackendCalls.of(
                                this,
                                () -> backend.read(candidate.election()),
                                seen -> succeededBy(seen, candidate),
                                failure -> {}); // it stands again in any case
                    }
                }));
    }

    private void succeededBy(Observation seen, CandidacyRunner candidate) {
        noteFloor(seen);
        if (seen.leader().isPresent() && candidate.state() instanceof ElectionState.BackOff) {
            candidate.on(new ElectionEvent.Poll());
        }
    }

    void seen(ElectionName election, FencingToken token) {
        floors.seenInStore(election, token);
        overtakenBy(election, token.value());
    }

    /** Fresh numbers from the host. */
    private static final class HostIds implements IdSource {
        private final Host host;
        private long attempts;

        HostIds(Host host) {
            this.host = host;
        }

        @Override
        public long attempt() {
            return ++attempts;
        }

        @Override
        public Nonce nonce() {
            return new Nonce(host.random(), host.random());
        }

        @Override
        public long jitter(long nanosMax) {
            return nanosMax <= 0 ? 0 : Long.remainderUnsigned(host.random(), nanosMax);
        }
    }
}
