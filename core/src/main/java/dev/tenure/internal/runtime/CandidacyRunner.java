// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime;

import dev.tenure.ElectionName;
import dev.tenure.Fence;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.Loss;
import dev.tenure.Nonce;
import dev.tenure.StaleTokenException;
import dev.tenure.Standing;
import dev.tenure.Stats;
import dev.tenure.TenureEvent;
import dev.tenure.Term;
import dev.tenure.internal.engine.ElectionEffect;
import dev.tenure.internal.engine.ElectionEvent;
import dev.tenure.internal.engine.ElectionMachine;
import dev.tenure.internal.engine.ElectionRules;
import dev.tenure.internal.engine.ElectionState;
import dev.tenure.internal.engine.StepContext;
import dev.tenure.internal.engine.Transition;
import dev.tenure.internal.runtime.term.CandidacySpec;
import dev.tenure.internal.runtime.term.ExclusiveRun;
import dev.tenure.internal.runtime.term.LeadershipHandle;
import dev.tenure.internal.runtime.term.TermTask;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.Optional;

/** One candidacy: carries out what its election machine asks for. Loop-confined, but for its standing. */
final class CandidacyRunner implements LeadershipHandle.Owner {
    private static final Host.Timer UNARMED = () -> {};
    private static final Nonce NOTHING = new Nonce(0, 0);

    final Engine engine;
    private final CandidacySpec spec;
    private final CandidacyHandle handle;
    private final CandidacyStats stats;
    private Optional<TermTask> assigned = Optional.empty();
    private Host.Timer timer = UNARMED;
    private volatile ElectionState state;
    /** The claim that is being made: a place in a queue is asked for again under the same nonce. */
    private Nonce claimed = NOTHING;

    /** The fences of a term that are being raised, in this term or, if a raise hangs, in an earlier one. */
    private Optional<Host.Work> raising = Optional.empty();

    /** It would ask for admission, but a raise of an earlier term has not returned. */
    private boolean raiseAwaited;

    private long floorOfClaim;

    CandidacyRunner(Engine engine, CandidacySpec spec, CandidacyHandle handle) {
        this.engine = engine;
        this.spec = spec;
        this.handle = handle;
        this.state = machine().initial(host().nanos());
        this.stats = new CandidacyStats(host().nanos());
    }

    private ElectionMachine machine() {
        return new ElectionMachine(election(), holder(), rules(), engine.ids);
    }

    private ElectionRules rules() {
        return spec.options().rules();
    }

    private String holder() {
        return spec.options().holder();
    }

    private Host host() {
        return engine.host;
    }

    private Optional<LeadershipHandle> leadership() {
        return assigned.map(one -> one.leadership);
    }

    ElectionName election() {
        return spec.election();
    }

    boolean isOfCaller() {
        return spec.code() instanceof ExclusiveRun;
    }

    long drainNanos() {
        return rules().drainNanos();
    }

    /** Off the loop. */
    void warmUp() throws Exception {
        spec.code().warmUp();
    }

    Standing standing() {
        return state.standing();
    }

    ElectionState state() {
        return state;
    }

    Stats.ElectionStats stats() {
        return stats.stats(standing(), leadership().map(LeadershipHandle::token), host().nanos());
    }

    /** The term that holds a claim now, led or not. */
    Optional<Term> heldTerm() {
        return state instanceof ElectionState.OfTerm held && !(state instanceof ElectionState.ReleasedEarly)
                ? Optional.of(held.grant().term())
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
        return now instanceof ElectionState.OfTerm running && !(now instanceof ElectionState.RaisingFences)
                ? Optional.of(running.grant())
                : Optional.empty();
    }

    /** After it resigned, until it stands again. */
    boolean letsOthersGoFirst() {
        return state instanceof ElectionState.Releasing || state instanceof ElectionState.BackOff;
    }

    void renewed() {
        leadership().ifPresent(LeadershipHandle::renewed);
    }

    void on(ElectionEvent event) {
        ElectionState before = state;
        StepContext context = engine.context();
        ElectionMachine machine = machine();
        Transition<ElectionState, ElectionEffect> transition = machine.on(state, event, context);
        state = transition.state();
        timer.cancel();
        timer = UNARMED; // a cancelled wake-up must not be kept alive by ten thousand leaders
        machine.nextWake(state, context)
                .ifPresent(nanos ->
                        timer = host().wakeAt(nanos, () -> engine.guard(() -> on(new ElectionEvent.Tick()))));
        if (before instanceof ElectionState.Waiting && !(state instanceof ElectionState.Waiting)) {
            stats.noticed(context.nowNanos());
        }
        engine.moved(this, before, state);
        for (ElectionEffect effect : transition.effects()) {
            carryOut(effect);
        }
        if (state instanceof ElectionState.RaisingFences && !context.authorised()) {
            engine.post(engine.runner::renewSoon);
        }
    }

    private void admitted() {
        if (state instanceof ElectionState.Ready && engine.context().session().isPresent()) {
            on(new ElectionEvent.Admitted());
        } else {
            engine.admissions.ended(this);
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
            engine.releases.ask(this, () -> release(send));
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
        if (effect instanceof ElectionEffect.ReportOverdue overdue) {
            stats.isOverdue();
            engine.events.publish(new TenureEvent.DrainOverdue(overdue.term(), overdue.loss(), rules().overdue()));
        } else if (effect instanceof ElectionEffect.EndTerm end) {
            leadership().ifPresent(over -> over.end(end.loss(), true));
            assigned = Optional.empty();
            long nowNanos = host().nanos();
            stats.drained(election(), nowNanos).ifPresent(drained -> engine.events.publish(() -> drained));
            stats.ended(nowNanos);
            engine.events.publish(new TenureEvent.Lost(end.term(), end.loss()));
            if (end.loss() instanceof Loss.Resigned) {
                engine.lookForSuccessor(this);
            }
        } else if (effect instanceof ElectionEffect.Abandon abandon) {
            engine.events.publish(new TenureEvent.ClaimAbandoned(abandon.term(), interruptRaise(abandon.why())));
        } else if (effect instanceof ElectionEffect.ReportBelowFloor below) {
            engine.events.publish(new TenureEvent.ClaimAbandoned(
                    below.term(), "token " + below.floor() + " was seen before: the store has lost terms"));
            engine.raiseEraAbove(below.floor());
        } else if (effect instanceof ElectionEffect.Retire retire) {
            engine.events.publish(new TenureEvent.Retired(election(), retire.loss()));
            engine.checks.forget(this);
            handle.retired(retire.loss());
        } else if (effect instanceof ElectionEffect.Halt halt) {
            host().halt(halt.why());
        }
    }

    private void sendClaim(ElectionEffect.SendClaim send) {
        if (!send.nonce().equals(claimed)) { // what was seen since may be that very place, at the head of its queue
            claimed = send.nonce();
            floorOfClaim = engine.floors.of(election());
        }
        ClaimRequest request = new ClaimRequest(
                election(), send.nonce(), floorOfClaim, holder(), spec.options().metadata());
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
                        on(new ElectionEvent.ClaimFailed(BackendCalls.isUnknown(failure)));
                    }
                });
    }

    private void onClaimReply(ClaimReply reply) {
        if (reply instanceof ClaimReply.Granted grant) {
            granted(grant);
        } else {
            ClaimReply.Waiting waiting = (ClaimReply.Waiting) reply;
            waiting.holder().ifPresent(holder -> stats.led(host().nanos(), holder.node()));
            on(new ElectionEvent.MustWait(waiting.queued()));
        }
    }

    /** A token that was seen is a fact about the world, also when the reply came too late to be acted on. */
    private void learnFrom(ClaimReply reply) {
        if (reply instanceof ClaimReply.Granted grant) {
            engine.floors.seenInStore(election(), grant.token());
            if (!machine().expects(state, grant.nonce())) {
                belongsToAnother(grant.token());
            }
        } else {
            ((ClaimReply.Waiting) reply).holder().ifPresent(holder -> {
                engine.floors.seenInStore(election(), holder.token());
                belongsToAnother(holder.token());
            });
        }
    }

    /** A watch may see this very claim before its grant arrives; under another name it is another one. */
    void saw(Leader leader) {
        if (!leader.node().equals(holder())) {
            belongsToAnother(leader.token());
        }
    }

    /** Of another process, or of an earlier claim of this one: a store that has lost it may issue it once more. */
    private void belongsToAnother(FencingToken token) {
        floorOfClaim = Math.max(floorOfClaim, token.value());
    }

    private void granted(ClaimReply.Granted grant) {
        // A watch in this process may have seen this very claim before its grant arrived. So the token must be above
        // all that was known when the claim was sent or belongs to another claim, and not below anything known now.
        long floor = Math.max(floorOfClaim, engine.floors.of(election()) - 1);
        engine.floors.seenInStore(election(), grant.token());
        stats.granted(grant.takeover());
        if (grant.takeover()) {
            engine.failovers++;
        }
        on(new ElectionEvent.Granted(grant, floor, engine.floors.isCredible(floor)));
        engine.post(engine.runner::claimGranted);
    }

    private void release(ElectionEffect.SendRelease send) {
        if (!machine().expects(state, send.attempt())) {
            engine.releases.ended(this);
            return; // it was asked for again while it waited for its turn
        }
        engine.call(
                "release",
                session -> session.release(election(), send.nonce()),
                reply -> {
                    releaseAnswered();
                    if (machine().expects(state, send.attempt())) {
                        on(new ElectionEvent.Released());
                    }
                },
                failure -> {
                    releaseAnswered();
                    if (machine().expects(state, send.attempt())) {
                        engine.troubled("releasing " + election(), failure);
                        on(new ElectionEvent.ReleaseFailed());
                    }
                });
    }

    private void releaseAnswered() {
        engine.releases.ended(this);
        engine.releases.next();
    }

    /** A candidate whose last raise still hangs could not lead. It leaves the election to others until the raise returns. */
    private void askAdmission() {
        raiseAwaited = raising.isPresent();
        if (!raiseAwaited) {
            engine.admissions.ask(this, this::admitted);
        }
    }

    private void raiseFences(ElectionEffect.RaiseFences raise) {
        if (raising.isPresent()) {
            Throwable hangs = new IllegalStateException("an earlier raise has not returned");
            engine.post(() -> fencesAnswered(raise.attempt(), Optional.of(hangs)));
            return;
        }
        long begunNanos = host().nanos();
        raising = Optional.of(host().runDuty("tenure-fence-" + election(), () -> {
            Optional<Throwable> failure = raiseAll(raise.term());
            engine.post(() -> {
                reportRaised(failure, begunNanos);
                raiseReturned();
                fencesAnswered(raise.attempt(), failure);
            });
        }));
    }

    private void reportRaised(Optional<Throwable> failure, long begunNanos) {
        if (!spec.options().fences().isEmpty()) {
            engine.events.publish(
                    () -> new TenureEvent.FencesRaised(election(), failure.isEmpty(), engine.since(begunNanos)));
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
        raising.ifPresent(work -> host().runFinalCallback(work::interrupt));
        return raising.isEmpty() ? why : why + "; the raise was interrupted, and has not returned yet";
    }

    // A fence is user code: whatever it throws means that it was not raised.
    private Optional<Throwable> raiseAll(Term term) {
        try {
            for (Fence fence : spec.options().fences()) {
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
                .ifPresent(stale -> refusedByFence(stale.seen()));
        if (machine().expects(state, attempt)) {
            on(
                    failure.isPresent()
                            ? new ElectionEvent.FenceFailed("a fence was not raised: "
                                    + engine.redactor.text(
                                            String.valueOf(failure.get().getMessage())))
                            : new ElectionEvent.FencesRaised());
        }
    }

    private void refusedByFence(FencingToken seen) {
        engine.events.publish(() -> new TenureEvent.FenceRefused(election()));
        engine.floors.refusedByFence(election(), seen);
    }

    private void startDuty(Term term) {
        LeadershipHandle begun = new LeadershipHandle(term, engine.runner.lease(), host(), this);
        TermTask task = spec.code().task(begun);
        assigned = Optional.of(task);
        long nowNanos = host().nanos();
        engine.events.publish(() -> stats.handover(election(), nowNanos));
        stats.began(nowNanos, term.holder());
        engine.terms++;
        engine.events.publish(new TenureEvent.Elected(term));
        handle.wakeAwaiting();
        task.begin();
    }

    private void stopDuty(Loss loss, boolean interrupt) {
        TermTask task = assigned.orElseThrow();
        LeadershipHandle ending = task.leadership;
        // The store or the resource knows of somebody else: drained, but without authority, however long that takes.
        boolean dead =
                loss instanceof Loss.SessionLost || loss instanceof Loss.Fenced || loss instanceof Loss.Superseded;
        stats.drains(host().nanos());
        engine.events.publish(new TenureEvent.DrainBegan(ending.term(), loss));
        ending.end(loss, dead);
        task.stop(loss);
        if (interrupt) {
            interrupt(task);
        }
    }

    /** Off the loop: to interrupt a thread closes the channel that it is blocked on, and that may block in its turn. */
    private void interrupt(TermTask task) {
        host().runFinalCallback(task::interrupt);
    }

    @Override
    public void ended(Term term, Loss result) {
        engine.post(() -> {
            if (isAssigned(term)) {
                if (result instanceof Loss.Fenced fenced) {
                    engine.floors.refusedByFence(election(), fenced.seen());
                }
                on(new ElectionEvent.DutyEnded(result));
            }
        });
    }

    private boolean isAssigned(Term term) {
        return leadership().filter(now -> now.term().equals(term)).isPresent();
    }

    @Override
    public void callOnLoss(Runnable listeners) {
        engine.lossCalls.run(election(), listeners);
    }

    @Override
    public void callOnRenewal(Runnable listeners) {
        engine.renewalCalls.run(election(), listeners);
    }

    @Override
    public void fenced(Term term, FencingToken seen) {
        engine.post(() -> {
            refusedByFence(seen);
            if (isAssigned(term)) {
                on(new ElectionEvent.EndWanted(new Loss.Fenced(seen)));
            }
        });
    }

    Duration untilDrain() {
        long drainAtNanos = engine.context()
                .session()
                .map(open -> open.validUntilNanos() - open.timing().drainLeadNanos(drainNanos()))
                .orElse(host().nanos());
        return Duration.ofNanos(Math.max(0, drainAtNanos - host().nanos()));
    }
}
