package dev.tenure.internal.loop;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Loss;
import dev.tenure.Nonce;
import dev.tenure.Stats;
import dev.tenure.TenureEvent;
import dev.tenure.TenureEvent.StoreCalled.Outcome;
import dev.tenure.TenureListener;
import dev.tenure.Term;
import dev.tenure.internal.engine.ElectionEvent;
import dev.tenure.internal.engine.ElectionState;
import dev.tenure.internal.engine.Fresh;
import dev.tenure.internal.engine.Scene;
import dev.tenure.internal.engine.SessionState;
import dev.tenure.internal.engine.Timing;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.Host;
import dev.tenure.spi.Observation;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.Redactor;
import dev.tenure.spi.RenewReply;
import dev.tenure.spi.SessionRequest;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One client's loop: a session, the candidacies that share it, and what wakes them. Everything here runs on the loop; the
 * public handles post to it.
 *
 * <p>A bug (an illegal pair of state and event, say) ends the session as lost, with a report: what was believed under it
 * cannot be trusted. The loop itself goes on.
 */
public final class Engine implements SessionKeeper.Watcher {
    private static final Logger LOG = System.getLogger("dev.tenure");
    private static final Duration OPEN_TIMEOUT_MIN = Duration.ofSeconds(2);
    private static final Duration RELEASE_SLACK = Duration.ofSeconds(1);
    private static final int LOSSES_WAITING_MAX = 1_000;
    /** A call that waits tells of all renewals since the last call; one more may come in the same moment. */
    private static final int RENEWALS_WAITING_MAX = 2;

    private final Backend backend;
    private final Host host;
    private final Redactor redactor;
    private final Fresh fresh;
    private final SessionKeeper keeper;
    private final EventStream events;
    private final ElectionCalls lossCalls;
    private final ElectionCalls renewalCalls;
    private final Admissions admissions = new Admissions();
    private final Releases releases = new Releases();
    private final Rounds rounds;
    private final long ttlNanos;
    private volatile long standBackNanos;
    private final Candidacies candidacies = new Candidacies();
    private final Floors floors = new Floors();
    private final Counters counters = new Counters();
    private final Farewell farewell;
    private final Duration releaseWithin;
    private String storeId = "";

    public Engine(Backend backend, Host host, SessionRequest request, Requirement requirement, Redactor redactor) {
        this.backend = backend;
        this.host = host;
        this.redactor = redactor;
        this.fresh = new HostFresh(host);
        this.events = new EventStream(host);
        this.lossCalls = new ElectionCalls("an onLoss listener", LOSSES_WAITING_MAX, host, host::end);
        this.renewalCalls = new ElectionCalls("an onRenewal listener", RENEWALS_WAITING_MAX, host, host::call);
        long openTimeoutNanos =
                Math.max(OPEN_TIMEOUT_MIN.toNanos(), request.ttl().toNanos() / 2);
        this.keeper = new SessionKeeper(backend, host, request, requirement, openTimeoutNanos, fresh, this);
        this.rounds = new Rounds(this, host);
        this.ttlNanos = request.ttl().toNanos();
        this.standBackNanos = standBack();
        this.farewell = new Farewell(this, host);
        this.releaseWithin =
                Duration.ofNanos(2 * Timing.of(request.ttl()).timeoutNanos()).plus(RELEASE_SLACK);
    }

    public Host host() {
        return host;
    }

    Fresh fresh() {
        return fresh;
    }

    /** How long it lets others go first after it resigned. From any thread. */
    long standBackNanos() {
        return standBackNanos;
    }

    /** Who is notified needs a moment, who polls needs a whole round of it. Some stores know only once they were contacted. */
    private long standBack() {
        boolean polls = backend.traits().wakeup() == BackendTraits.Wakeup.POLL;
        return polls ? ttlNanos * 3 / 4 : ttlNanos / 4;
    }

    /** How long the end of a drained candidacy may take. */
    Duration releaseWithin() {
        return releaseWithin;
    }

    Backend backend() {
        return backend;
    }

    public void listen(TenureListener listener, boolean details) {
        events.listen(listener, details);
    }

    void tell(TenureEvent event) {
        events.tell(event);
    }

    void tell(Supplier<TenureEvent.Detail> detail) {
        events.tell(detail);
    }

    Duration since(long nanos) {
        return Duration.ofNanos(host.nanos() - nanos);
    }

    ElectionCalls lossCalls() {
        return lossCalls;
    }

    ElectionCalls renewalCalls() {
        return renewalCalls;
    }

    /** Delivers the events of before, as far as that is done by then; none is delivered afterwards. Off the loop. */
    public void closeEvents(long untilNanos) {
        events.close(untilNanos);
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
            LOG.log(Level.ERROR, "a bug in the engine: the session is given up and opened anew", told);
            keeper.giveUp("internal error: " + told);
        }
    }

    public Candidacies candidacies() {
        return candidacies;
    }

    void stand(Candidate candidate) {
        keeper.want();
        tell(() -> new TenureEvent.CandidacyBegan(candidate.election()));
        candidate.on(new ElectionEvent.Tick());
    }

    /** Leaves the store. A session whose duties still run is not closed: that would free their claims. */
    public void close(Runnable done) {
        Optional<BackendSession> last = keeper.session();
        boolean idle = candidacies.standing().noneMatch(Candidate::isRunning);
        rounds.close();
        farewell.close();
        keeper.close();
        if (last.isPresent() && idle) {
            Replies.of(host, last.get()::close, closed -> done.run(), failure -> done.run());
        } else {
            done.run();
        }
    }

    Scene scene() {
        long nowNanos = host.nanos();
        Optional<SessionState.Open> open = keeper.open();
        boolean authorised = open.isPresent() && open.get().authority().allows(nowNanos, host.wallMillis());
        return new Scene(nowNanos, open, authorised);
    }

    /**
     * Asks for a renewal now: the clocks have withdrawn authority (the host was suspended, say) and only a renewal gives it
     * back, or a claim was taken away and the session itself may be gone.
     */
    void renewSoon() {
        post(keeper::renewSoon);
    }

    void claimGranted() {
        post(keeper::claimGranted);
    }

    @Override
    public boolean holdsClaim() {
        return candidacies.standing().anyMatch(candidate -> candidate.heldTerm().isPresent());
    }

    Optional<BackendSession> session() {
        return keeper.session();
    }

    SessionLease lease() {
        return keeper.lease();
    }

    Releases releases() {
        return releases;
    }

    Admissions admissions() {
        return admissions;
    }

    Counters counters() {
        return counters;
    }

    /** On the loop. */
    public Stats stats() {
        return counters.with(candidacies.standing(), keeper, host.nanos());
    }

    <T> void call(
            String operation,
            Function<BackendSession, CompletionStage<T>> call,
            Consumer<T> onReply,
            Consumer<Throwable> onFailure) {
        long sentNanos = host.nanos();
        keeper.session()
                .ifPresent(session -> Replies.of(
                        host,
                        () -> call.apply(session),
                        reply -> guard(() -> {
                            called(operation, Outcome.ACKNOWLEDGED, sentNanos);
                            onReply.accept(reply);
                        }),
                        failure -> guard(() -> {
                            called(operation, Replies.outcome(failure), sentNanos);
                            onFailure.accept(failure);
                        })));
    }

    @Override
    public void called(String operation, Outcome outcome, long sentNanos) {
        tell(() -> new TenureEvent.StoreCalled(operation, outcome, since(sentNanos)));
    }

    /** The deadline has a margin for the grain of timers; a timer that is later than that shows a pause. */
    @Override
    public void woke(long dueNanos) {
        boolean paused = keeper.open()
                .filter(open -> host.nanos() - dueNanos > open.timing().marginNanos())
                .isPresent();
        if (paused) {
            tell(() -> new TenureEvent.Paused(since(dueNanos)));
        }
    }

    void moved(Candidate candidate, ElectionState before, ElectionState after) {
        if (takesSlot(after) && !takesSlot(before)) {
            admissions.began();
        }
        rounds.moved(candidate, after);
        farewell.sayWhenDrained();
        if (takesSlot(before) && !takesSlot(after)) {
            post(admissions::ended);
        }
    }

    private static boolean takesSlot(ElectionState state) {
        return state instanceof ElectionState.Claiming || state instanceof ElectionState.Raising;
    }

    void retired(Candidate candidate) {
        rounds.forget(candidate);
    }

    Floors floors() {
        return floors;
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
                candidacies.standing(seen.election()).ifPresent(candidate -> candidate.saw(leader));
            });
            holderBelow(seen.election(), token).ifPresent(rounds::verify);
        }
    }

    /** A record with a higher token stands only where that of the term stands no more: nobody has to be asked. */
    private void overtakenBy(ElectionName election, long token) {
        holderBelow(election, token).ifPresent(rounds::overtaken);
    }

    private Optional<Candidate> holderBelow(ElectionName election, long token) {
        return candidacies
                .standing(election)
                .filter(candidate -> candidate
                        .heldTerm()
                        .filter(term -> term.token().value() < token)
                        .isPresent());
    }

    /** A store that has lost terms counts on from too low. Its sequence cannot be set, but the era above it can. */
    void raiseEraAbove(long floor) {
        int era = new FencingToken(floor).era() + 1;
        if (!floors.isCredible(floor)) {
            tellOutOfReach(era - 1);
            return;
        }
        Replies.of(host, () -> backend.raiseEra(era), raised -> {}, failure -> troubled("raising the era", failure));
    }

    /** Every claim comes across it, until an operator has helped; it is told once. */
    private void tellOutOfReach(int era) {
        if (floors.noteOutOfReach(era)) {
            tell(new TenureEvent.StoreTrouble(
                    "raising the era",
                    "a token of era " + era + " was seen, but the store never was beyond era " + floors.eraOfStore()
                            + "; if that token is genuine, raise the era by hand",
                    new IllegalStateException("floor out of reach")));
        }
    }

    @Override
    public void opened(BackendSession session, SessionState.Open open) {
        boolean replaced = !storeId.isEmpty() && !storeId.equals(session.era().storeId());
        storeId = session.era().storeId();
        floors.seenInStore(session.era().era());
        boolean revisions = backend.traits().tokens() == BackendTraits.TokenSource.REVISION;
        if (replaced && revisions && floors.highest() > 0) {
            raiseEraAbove(floors.highest());
        }
        tell(new TenureEvent.SessionOpened(
                session.id(), Duration.ofNanos(open.timing().ttlNanos())));
        standBackNanos = standBack();
        rounds.opened(open);
        tellAll(new ElectionEvent.SessionOpened());
    }

    private void tellAll(ElectionEvent event) {
        for (Candidate candidate : candidacies.standing().toList()) {
            guard(() -> candidate.on(event));
        }
    }

    @Override
    public void renewed(SessionState.Open open) {
        counters.renewed();
        standBackNanos = standBack();
        rounds.renewed(open);
        candidacies.standing().forEach(Candidate::renewed);
    }

    @Override
    public void doubted(String why) {
        counters.renewalFailed();
        for (Candidate candidate : rounds.leading().toList()) {
            candidate.heldTerm().ifPresent(term -> tell(new TenureEvent.AtRisk(term, candidate.untilDrain())));
        }
    }

    @Override
    public void relieved() {
        tell(new TenureEvent.StoreAnswers());
        for (Candidate candidate : rounds.leading().toList()) {
            candidate.heldTerm().ifPresent(term -> tell(new TenureEvent.Reassured(term)));
        }
    }

    @Override
    public void lost(BackendSession session, Loss loss, String why) {
        tell(new TenureEvent.SessionLost(session.id(), withoutSecrets(why)));
        rounds.lost();
        releases.clear();
        Loss told = loss instanceof Loss.SessionLost lost ? new Loss.SessionLost(withoutSecrets(lost.why())) : loss;
        tellAll(new ElectionEvent.SessionLost(session.id(), told));
        farewell.to(session);
    }

    @Override
    public void claimLost(RenewReply.LostClaim claim) {
        Loss loss = new Loss.Superseded("a renewal found that the store's record does not carry this term any more");
        candidacies
                .standing(claim.election())
                .filter(candidate -> candidate
                        .heldTerm()
                        .filter(term -> term.nonce().equals(claim.nonce()))
                        .isPresent())
                .ifPresent(candidate -> guard(() -> candidate.on(new ElectionEvent.EndWanted(loss))));
    }

    boolean runsUnder(String session) {
        return candidacies.standing().anyMatch(candidate -> candidate.runsUnder(session));
    }

    @Override
    public void troubled(String doing, Throwable failure) {
        Throwable told = redactor.failure(failure);
        tell(new TenureEvent.StoreTrouble(doing, Replies.describe(told), told));
    }

    /** Stores, their drivers and fences may repeat a URL; whatever of them leaves the engine goes through here. */
    String withoutSecrets(String text) {
        return redactor.text(text);
    }

    @Override
    public void granted(ElectionName election, ClaimReply.Granted grant) {
        candidacies.standing(election).ifPresent(candidate -> candidate.pushed(grant));
    }

    @Override
    public void changed(ElectionName election) {
        candidacies.standing(election).ifPresent(candidate -> {
            if (candidate.heldTerm().isPresent()) {
                rounds.verify(candidate);
            } else {
                candidate.on(new ElectionEvent.Hinted());
            }
        });
    }

    @Override
    public void seen(ElectionName election, FencingToken token) {
        floors.seenInStore(election, token);
        overtakenBy(election, token.value());
    }

    @Override
    public void requested(OperatorRequest request) {
        Optional<Candidate> holder = candidacies
                .standing(request.election())
                .filter(candidate -> candidate.heldTerm().map(Term::token).isPresent());
        holder.ifPresent(candidate -> {
            FencingToken held = candidate.heldTerm().orElseThrow().token();
            if (held.equals(request.token())) {
                candidate.on(new ElectionEvent.EndWanted(new Loss.Resigned("asked by " + request.by())));
            }
            if (!request.token().isNewerThan(held)) {
                call(
                        "clear",
                        session -> session.clear(request),
                        done -> {},
                        failure -> troubled("clearing a request", failure));
            }
        });
    }

    @Override
    public void reconnected() {
        rounds.verifyAll();
    }

    /** Fresh numbers from the host. */
    private static final class HostFresh implements Fresh {
        private final Host host;
        private long attempts;

        HostFresh(Host host) {
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
