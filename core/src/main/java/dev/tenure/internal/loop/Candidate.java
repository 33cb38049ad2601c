package dev.tenure.internal.loop;

import dev.tenure.ElectionName;
import dev.tenure.Fence;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.Loss;
import dev.tenure.Nonce;
import dev.tenure.StaleTokenException;
import dev.tenure.Standing;
import dev.tenure.TenureEvent;
import dev.tenure.Term;
import dev.tenure.internal.engine.ElectionEffect;
import dev.tenure.internal.engine.ElectionEvent;
import dev.tenure.internal.engine.ElectionMachine;
import dev.tenure.internal.engine.ElectionRules;
import dev.tenure.internal.engine.ElectionState;
import dev.tenure.internal.engine.Scene;
import dev.tenure.internal.engine.Step;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.Optional;

/** One candidacy: carries out what its election machine asks for. Loop-confined, but for its standing. */
final class Candidate implements LiveLeadership.Owner, Assignment.Employer {
    /** Who is told on the loop. */
    interface Handle {
        void leads();

        void retired(Loss loss);
    }

    private static final Host.Timer UNARMED = () -> {};
    private static final Nonce NOTHING = new Nonce(0, 0);

    private final Engine engine;
    private final Standpoint standpoint;
    private final Handle handle;
    private final Tally tally;
    private Optional<Assignment> assigned = Optional.empty();
    private Host.Timer timer = UNARMED;
    private volatile ElectionState state;
    /** The claim that is being made: a place in a queue is asked for again under the same nonce. */
    private Nonce claimed = NOTHING;

    /** The fences of a term that are being raised, in this term or, if a raise hangs, in an earlier one. */
    private Optional<Host.Work> raising = Optional.empty();

    /** It would ask for admission, but a raise of an earlier term has not returned. */
    private boolean raiseAwaited;

    private long floorOfClaim;

    Candidate(Engine engine, Standpoint standpoint, Handle handle) {
        this.engine = engine;
        this.standpoint = standpoint;
        this.handle = handle;
        this.state = machine().initial(host().nanos());
        this.tally = new Tally(host().nanos());
    }

    private ElectionMachine machine() {
        return new ElectionMachine(election(), rules(), engine.fresh());
    }

    private ElectionRules rules() {
        return standpoint.stance().rules().withStandBack(engine.standBackNanos());
    }

    private Host host() {
        return engine.host();
    }

    private Optional<LiveLeadership> leadership() {
        return assigned.map(one -> one.leadership);
    }

    Engine engine() {
        return engine;
    }

    ElectionName election() {
        return standpoint.election();
    }

    boolean isOfCaller() {
        return standpoint instanceof Standpoint.OfCaller;
    }

    long drainNanos() {
        return standpoint.stance().rules().drainNanos();
    }

    /** Off the loop. */
    void warmUp() throws Exception {
        standpoint.warmUp();
    }

    Standing standing() {
        return state.standing();
    }

    Tally tally() {
        return tally;
    }

    ElectionState state() {
        return state;
    }

    /** Of the term whose user code may still run. */
    Optional<FencingToken> token() {
        return leadership().map(LiveLeadership::token);
    }

    /** The term that holds a claim now, led or not. */
    Optional<Term> heldTerm() {
        if (state instanceof ElectionState.Raising raising) {
            return Optional.of(raising.grant().term());
        }
        if (state instanceof ElectionState.Leading leading) {
            return Optional.of(leading.grant().term());
        }
        return state instanceof ElectionState.Draining draining
                ? Optional.of(draining.grant().term())
                : Optional.empty();
    }

    /** Does user code of a term of this session still run? */
    boolean runsUnder(String session) {
        return running().filter(grant -> grant.session().equals(session)).isPresent();
    }

    /** Does user code of any term still run? From any thread. */
    boolean isRunning() {
        return running().isPresent();
    }

    private Optional<ElectionState.Grant> running() {
        ElectionState now = state;
        if (now instanceof ElectionState.Leading leading) {
            return Optional.of(leading.grant());
        }
        if (now instanceof ElectionState.Draining draining) {
            return Optional.of(draining.grant());
        }
        return now instanceof ElectionState.Forsaken forsaken ? Optional.of(forsaken.grant()) : Optional.empty();
    }

    void renewed() {
        leadership().ifPresent(LiveLeadership::renewed);
    }

    void on(ElectionEvent event) {
        ElectionState before = state;
        Scene scene = engine.scene();
        ElectionMachine machine = machine();
        Step<ElectionState, ElectionEffect> step = machine.on(state, event, scene);
        state = step.state();
        timer.cancel();
        timer = UNARMED; // a cancelled wake-up must not be kept alive by ten thousand leaders
        machine.nextWake(state, scene)
                .ifPresent(nanos ->
                        timer = host().wakeAt(nanos, () -> engine.guard(() -> on(new ElectionEvent.Tick()))));
        if (before instanceof ElectionState.Waiting && !(state instanceof ElectionState.Waiting)) {
            tally.noticed(scene.nowNanos());
        }
        engine.moved(this, before, state);
        for (ElectionEffect effect : step.effects()) {
            carryOut(effect);
        }
        if (state instanceof ElectionState.Raising && !scene.authorised()) {
            engine.renewSoon();
        }
    }

    void admitted() {
        if (state instanceof ElectionState.Ready && engine.scene().session().isPresent()) {
            on(new ElectionEvent.Admitted());
        }
    }

    /** A grant that the store pushed to the head of its queue. */
    void pushed(ClaimReply.Granted grant) {
        if (machine().expects(state, grant.nonce())) {
            granted(grant);
        }
    }

    private void carryOut(ElectionEffect effect) {
        if (effect instanceof ElectionEffect.AskAdmission) {
            askAdmission();
        } else if (effect instanceof ElectionEffect.SendClaim send) {
            sendClaim(send);
        } else if (effect instanceof ElectionEffect.SendRelease send) {
            engine.releases().ask(this, send);
        } else if (effect instanceof ElectionEffect.RaiseFences raise) {
            raiseFences(raise);
        } else if (effect instanceof ElectionEffect.StartDuty start) {
            startDuty(start.term());
        } else if (effect instanceof ElectionEffect.StopDuty stop) {
            stopDuty(stop.loss(), stop.interrupt());
        } else if (effect instanceof ElectionEffect.RevokeAuthority revoke) {
            leadership().ifPresent(over -> over.end(revoke.loss(), true));
        } else if (effect instanceof ElectionEffect.InterruptDuty) {
            assigned.ifPresent(this::interrupt);
        } else {
            announce(effect);
        }
    }

    private void announce(ElectionEffect effect) {
        if (effect instanceof ElectionEffect.ShoutOverdue overdue) {
            tally.isOverdue();
            engine.tell(new TenureEvent.DrainOverdue(overdue.term(), overdue.loss(), rules().overdue()));
        } else if (effect instanceof ElectionEffect.EndTerm end) {
            leadership().ifPresent(over -> over.end(end.loss(), true));
            assigned = Optional.empty();
            long nowNanos = host().nanos();
            tally.drained(election(), nowNanos).ifPresent(drained -> engine.tell(() -> drained));
            tally.ended(nowNanos);
            engine.tell(new TenureEvent.Lost(end.term(), end.loss()));
        } else if (effect instanceof ElectionEffect.Abandon abandon) {
            engine.tell(new TenureEvent.ClaimAbandoned(abandon.term(), interruptRaise(abandon.why())));
        } else if (effect instanceof ElectionEffect.ReportBelowFloor below) {
            engine.tell(new TenureEvent.ClaimAbandoned(
                    below.term(), "token " + below.floor() + " was seen before: the store has lost terms"));
            engine.raiseEraAbove(below.floor());
        } else if (effect instanceof ElectionEffect.Retire retire) {
            engine.tell(new TenureEvent.Retired(election(), retire.loss()));
            engine.retired(this);
            handle.retired(retire.loss());
        } else if (effect instanceof ElectionEffect.Halt halt) {
            host().halt(halt.why());
        }
    }

    private void sendClaim(ElectionEffect.SendClaim send) {
        if (!send.nonce().equals(claimed)) { // what was seen since may be that very place, at the head of its queue
            claimed = send.nonce();
            floorOfClaim = engine.floors().of(election());
        }
        ClaimRequest request = new ClaimRequest(
                election(),
                send.nonce(),
                floorOfClaim,
                rules().holder(),
                standpoint.stance().card());
        engine.call(
                "claim",
                session -> session.claim(request),
                reply -> {
                    if (machine().expects(state, send.attempt())) {
                        onClaimReply(reply);
                    }
                    learnFrom(reply);
                },
                failure -> {
                    if (machine().expects(state, send.attempt())) {
                        engine.troubled("claiming " + election(), failure);
                        on(new ElectionEvent.ClaimFailed(Replies.isUnknown(failure)));
                    }
                });
    }

    private void onClaimReply(ClaimReply reply) {
        if (reply instanceof ClaimReply.Granted grant) {
            granted(grant);
        } else {
            ClaimReply.Waiting waiting = (ClaimReply.Waiting) reply;
            waiting.holder().ifPresent(holder -> tally.led(host().nanos(), holder.node()));
            on(new ElectionEvent.MustWait(waiting.queued()));
        }
    }

    /** A token that was seen is a fact about the world, also when the reply came too late to be acted on. */
    private void learnFrom(ClaimReply reply) {
        if (reply instanceof ClaimReply.Granted grant) {
            engine.floors().seenInStore(election(), grant.token());
            if (!machine().expects(state, grant.nonce())) {
                belongsToAnother(grant.token());
            }
        } else {
            ((ClaimReply.Waiting) reply).holder().ifPresent(holder -> {
                engine.floors().seenInStore(election(), holder.token());
                belongsToAnother(holder.token());
            });
        }
    }

    /** A watch may see this very claim before its grant arrives; under another name it is another one. */
    void saw(Leader leader) {
        if (!leader.node().equals(rules().holder())) {
            belongsToAnother(leader.token());
        }
    }

    /** Of another process, or of an earlier claim of this one: a store that has lost it may issue it once more. */
    private void belongsToAnother(FencingToken token) {
        floorOfClaim = Math.max(floorOfClaim, token.value());
    }

    private void granted(ClaimReply.Granted grant) {
        // A watch in this process may have seen this very claim before its grant arrived; so the token must be above
        // all that was known when the claim was sent or belongs to another claim, and not below anything known now.
        long floor = Math.max(floorOfClaim, engine.floors().of(election()) - 1);
        engine.floors().seenInStore(election(), grant.token());
        tally.granted(grant.takeover());
        if (grant.takeover()) {
            engine.counters().tookOver();
        }
        on(new ElectionEvent.Granted(grant, floor, engine.floors().isCredible(floor)));
        engine.claimGranted();
    }

    boolean isReleasing(ElectionEffect.SendRelease send) {
        return machine().expects(state, send.attempt());
    }

    void release(ElectionEffect.SendRelease send) {
        engine.call(
                "release",
                session -> session.release(election(), send.nonce()),
                reply -> {
                    engine.releases().answered(this);
                    if (machine().expects(state, send.attempt())) {
                        on(new ElectionEvent.Released());
                    }
                },
                failure -> {
                    engine.releases().answered(this);
                    if (machine().expects(state, send.attempt())) {
                        engine.troubled("releasing " + election(), failure);
                        on(new ElectionEvent.ReleaseFailed());
                    }
                });
    }

    /** A candidate whose last raise still hangs could not lead. It leaves the election to others until the raise returns. */
    private void askAdmission() {
        raiseAwaited = raising.isPresent();
        if (!raiseAwaited) {
            engine.admissions().ask(this);
        }
    }

    private void raiseFences(ElectionEffect.RaiseFences raise) {
        if (raising.isPresent()) {
            Throwable hangs = new IllegalStateException("an earlier raise has not returned");
            host().post(() -> engine.guard(() -> fencesAnswered(raise.attempt(), Optional.of(hangs))));
            return;
        }
        long begunNanos = host().nanos();
        raising = Optional.of(host().perform("tenure-fence-" + election(), () -> {
            Optional<Throwable> failure = raiseAll(raise.term());
            host().post(() -> engine.guard(() -> {
                tellRaised(failure, begunNanos);
                raiseReturned();
                fencesAnswered(raise.attempt(), failure);
            }));
        }));
    }

    private void tellRaised(Optional<Throwable> failure, long begunNanos) {
        if (!standpoint.stance().fences().isEmpty()) {
            engine.tell(() -> new TenureEvent.FencesRaised(election(), failure.isEmpty(), engine.since(begunNanos)));
        }
    }

    private void raiseReturned() {
        raising = Optional.empty();
        if (raiseAwaited && state instanceof ElectionState.Ready) {
            askAdmission();
        }
        raiseAwaited = false;
    }

    /** The term is not led, so its fences need not be raised any more. */
    private String interruptRaise(String why) {
        raising.ifPresent(work -> host().end(work::interrupt));
        return raising.isEmpty() ? why : why + "; the raise was interrupted, and has not returned yet";
    }

    // A fence is user code: whatever it throws means that it was not raised.
    private Optional<Throwable> raiseAll(Term term) {
        try {
            for (Fence fence : standpoint.stance().fences()) {
                fence.raise(term);
            }
            return Optional.empty();
        } catch (Throwable failure) {
            return Optional.of(failure);
        }
    }

    private void fencesAnswered(long attempt, Optional<Throwable> failure) {
        failure.filter(StaleTokenException.class::isInstance)
                .map(StaleTokenException.class::cast)
                .ifPresent(stale -> toldByFence(stale.seen()));
        if (machine().expects(state, attempt)) {
            on(
                    failure.isPresent()
                            ? new ElectionEvent.FenceFailed("a fence was not raised: "
                                    + engine.withoutSecrets(
                                            String.valueOf(failure.get().getMessage())))
                            : new ElectionEvent.FencesRaised());
        }
    }

    private void toldByFence(FencingToken seen) {
        engine.tell(() -> new TenureEvent.FenceRefused(election()));
        engine.floors().toldByFence(election(), seen);
    }

    private void startDuty(Term term) {
        LiveLeadership begun = new LiveLeadership(term, engine.lease(), host(), this);
        Assignment assignment = standpoint.assignment(host(), begun, this);
        assigned = Optional.of(assignment);
        long nowNanos = host().nanos();
        engine.tell(() -> tally.handover(election(), nowNanos));
        tally.began(nowNanos, term.holder());
        engine.counters().termBegan();
        engine.tell(new TenureEvent.Elected(term));
        handle.leads();
        assignment.begin();
    }

    private void stopDuty(Loss loss, boolean interrupt) {
        Assignment assignment = assigned.orElseThrow();
        LiveLeadership ending = assignment.leadership;
        // The store or the resource knows of somebody else: drained, but without authority, however long that takes.
        boolean dead =
                loss instanceof Loss.SessionLost || loss instanceof Loss.Fenced || loss instanceof Loss.Superseded;
        tally.drains(host().nanos());
        engine.tell(new TenureEvent.DrainBegan(ending.term(), loss));
        ending.end(loss, dead);
        assignment.stop(loss);
        if (interrupt) {
            interrupt(assignment);
        }
    }

    /** Off the loop: to interrupt a thread closes the channel that it is blocked on, and that may block in its turn. */
    private void interrupt(Assignment assignment) {
        host().end(assignment::interrupt);
    }

    @Override
    public void ended(Assignment over, Loss result) {
        host().post(() -> engine.guard(() -> dutyEnded(over, result)));
    }

    private void dutyEnded(Assignment over, Loss result) {
        if (assigned.filter(now -> now == over).isPresent()) {
            if (result instanceof Loss.Fenced fenced) {
                engine.floors().toldByFence(election(), fenced.seen());
            }
            on(new ElectionEvent.DutyEnded(result));
        }
    }

    @Override
    public void callOnLoss(Runnable listeners) {
        engine.lossCalls().run(election(), listeners);
    }

    @Override
    public void callOnRenewal(Runnable listeners) {
        engine.renewalCalls().run(election(), listeners);
    }

    @Override
    public void fenced(Term term, FencingToken seen) {
        host().post(() -> engine.guard(() -> {
            toldByFence(seen);
            if (leadership().filter(now -> now.term().equals(term)).isPresent()) {
                on(new ElectionEvent.EndWanted(new Loss.Fenced(seen)));
            }
        }));
    }

    Duration untilDrain() {
        long drainAtNanos = engine.scene()
                .session()
                .map(open -> open.validUntilNanos() - open.timing().drainLeadNanos(drainNanos()))
                .orElse(host().nanos());
        return Duration.ofNanos(Math.max(0, drainAtNanos - host().nanos()));
    }
}
