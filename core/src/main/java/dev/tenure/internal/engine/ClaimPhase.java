// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import dev.tenure.ElectionName;
import dev.tenure.Loss;
import dev.tenure.Nonce;
import dev.tenure.Standing;
import dev.tenure.Term;
import dev.tenure.internal.engine.ElectionState.AfterTerm;
import dev.tenure.internal.engine.ElectionState.BackOff;
import dev.tenure.internal.engine.ElectionState.ClaimAttempts;
import dev.tenure.internal.engine.ElectionState.Claiming;
import dev.tenure.internal.engine.ElectionState.Grant;
import dev.tenure.internal.engine.ElectionState.Leading;
import dev.tenure.internal.engine.ElectionState.OutcomeUnknown;
import dev.tenure.internal.engine.ElectionState.RaisingFences;
import dev.tenure.internal.engine.ElectionState.Ready;
import dev.tenure.internal.engine.ElectionState.Waiting;
import dev.tenure.spi.ClaimReply;
import java.util.Optional;

/** The rows of {@link ElectionMachine}'s table before a term begins. */
final class ClaimPhase {
    private static final long HINT_JITTER_NANOS = 10_000_000;

    private final ElectionName election;
    private final String holder;
    private final ElectionRules rules;
    private final IdSource ids;
    private final ReleaseSteps end;

    ClaimPhase(ElectionName election, String holder, ElectionRules rules, IdSource ids, ReleaseSteps end) {
        this.election = election;
        this.holder = holder;
        this.rules = rules;
        this.ids = ids;
        this.end = end;
    }

    Transition<ElectionState, ElectionEffect> onBackOff(BackOff backOff, ElectionEvent event, StepContext context) {
        if (event instanceof ElectionEvent.Tick || event instanceof ElectionEvent.SessionOpened) {
            boolean go = context.session().isPresent() && context.reached(backOff.untilNanos());
            return go
                    ? Transition.to(new Ready(backOff.attempts()), new ElectionEffect.AskAdmission())
                    : Transition.to(backOff);
        }
        if (event instanceof ElectionEvent.Granted granted
                && backOff.attempts().keep(granted.grant().nonce())) {
            return onGranted(backOff.attempts(), granted, context);
        }
        if (event instanceof ElectionEvent.SessionLost) {
            return Transition.to(new BackOff(backOff.untilNanos(), ClaimAttempts.NONE));
        }
        if (event instanceof ElectionEvent.Poll) {
            return Transition.to(
                    new BackOff(context.nowNanos(), backOff.attempts())); // and the tick that it asks for follows
        }
        return otherwise(backOff, backOff.attempts().leftBehind(), event, context);
    }

    /** What the states without a grant have in common. */
    private Transition<ElectionState, ElectionEffect> otherwise(
            ElectionState state, Optional<Nonce> leftBehind, ElectionEvent event, StepContext context) {
        if (event instanceof ElectionEvent.SessionLost) {
            return Transition.to(new BackOff(context.nowNanos(), ClaimAttempts.NONE));
        }
        return event instanceof ElectionEvent.EndWanted wanted && wanted.loss() instanceof Loss.Closed
                ? end.leave(leftBehind, wanted.loss(), context)
                : ReleaseSteps.unmoved(state, event);
    }

    Transition<ElectionState, ElectionEffect> onReady(Ready ready, ElectionEvent event, StepContext context) {
        if (event instanceof ElectionEvent.Admitted && context.session().isPresent()) {
            long attempt = ids.attempt();
            Nonce nonce = ready.attempts().place().orElseGet(ids::nonce);
            return Transition.to(
                    new Claiming(attempt, nonce, context.nowNanos(), ready.attempts(), false),
                    new ElectionEffect.SendClaim(attempt, nonce));
        }
        if (event instanceof ElectionEvent.Granted granted
                && ready.attempts().keep(granted.grant().nonce())) {
            return onGranted(ready.attempts(), granted, context);
        }
        return event instanceof ElectionEvent.SessionOpened || event instanceof ElectionEvent.Tick
                ? Transition.to(ready)
                : otherwise(ready, ready.attempts().leftBehind(), event, context);
    }

    Transition<ElectionState, ElectionEffect> onClaiming(Claiming claiming, ElectionEvent event, StepContext context) {
        if (event instanceof ElectionEvent.Granted granted) {
            return onGranted(claiming.attempts(), granted, context);
        }
        if (event instanceof ElectionEvent.MustWait wait) {
            if (claiming.hinted() && !wait.queued()) {
                return Transition.to(
                        new BackOff(context.nowNanos() + ids.jitter(HINT_JITTER_NANOS), ClaimAttempts.NONE));
            }
            return Transition.to(new Waiting(wait.queued() ? Optional.of(claiming.nonce()) : Optional.empty()));
        }
        if (event instanceof ElectionEvent.ClaimFailed failed) {
            return failed.unknown()
                    ? outcomeUnknown(claiming, context)
                    : Transition.to(new BackOff(
                            end.retryAt(claiming.attempts().failures(), context),
                            claiming.attempts().failed()));
        }
        if (event instanceof ElectionEvent.Tick) {
            long timeoutNanos =
                    context.session().map(open -> open.timing().timeoutNanos()).orElse(0L);
            return context.reached(claiming.sentNanos() + timeoutNanos)
                    ? outcomeUnknown(claiming, context)
                    : Transition.to(claiming);
        }
        if (event instanceof ElectionEvent.Hinted) {
            return Transition.to(new Claiming(
                    claiming.attempt(), claiming.nonce(), claiming.sentNanos(), claiming.attempts(), true));
        }
        return otherwise(claiming, Optional.of(claiming.nonce()), event, context);
    }

    private Transition<ElectionState, ElectionEffect> outcomeUnknown(Claiming claiming, StepContext context) {
        long untilNanos = end.retryAt(claiming.attempts().failures(), context);
        return Transition.to(new OutcomeUnknown(
                claiming.nonce(), untilNanos, claiming.attempts().unknown(claiming.nonce())));
    }

    Transition<ElectionState, ElectionEffect> onOutcomeUnknown(
            OutcomeUnknown unknown, ElectionEvent event, StepContext context) {
        if (event instanceof ElectionEvent.Tick) {
            return context.reached(unknown.untilNanos())
                    ? Transition.to(new Ready(unknown.attempts()), new ElectionEffect.AskAdmission())
                    : Transition.to(unknown);
        }
        if (event instanceof ElectionEvent.Granted granted
                && unknown.attempts().keep(granted.grant().nonce())) {
            return onGranted(unknown.attempts(), granted, context);
        }
        return otherwise(unknown, Optional.of(unknown.nonce()), event, context);
    }

    Transition<ElectionState, ElectionEffect> onWaiting(Waiting waiting, ElectionEvent event, StepContext context) {
        if (event instanceof ElectionEvent.Granted granted) {
            return onGranted(ClaimAttempts.NONE, granted, context);
        }
        if (event instanceof ElectionEvent.Hinted || event instanceof ElectionEvent.Poll) {
            return Transition.to(new Ready(ClaimAttempts.at(waiting.place())), new ElectionEffect.AskAdmission());
        }
        return event instanceof ElectionEvent.Tick
                ? Transition.to(waiting)
                : otherwise(waiting, waiting.place(), event, context);
    }

    private Transition<ElectionState, ElectionEffect> onGranted(
            ClaimAttempts attempts, ElectionEvent.Granted event, StepContext context) {
        SessionState.Open session = context.session().orElseThrow();
        ClaimReply.Granted reply = event.grant();
        Term term = new Term(election, reply.token(), reply.nonce(), holder);
        Grant grant = new Grant(term, session.id());
        if (reply.token().value() <= event.floor()) {
            return end.release(
                    grant,
                    new Standing.Standby(),
                    event.inReach() ? end.retry(attempts, context) : end.retryRarely(session),
                    context,
                    new ElectionEffect.ReportBelowFloor(term, event.floor()));
        }
        long notBeforeNanos =
                context.nowNanos() + (rules.standoff() ? reply.standoff().toNanos() : 0);
        long raiseByNanos = notBeforeNanos + session.timing().ttlNanos();
        long attempt = ids.attempt();
        RaisingFences raising = new RaisingFences(grant, attempt, !rules.fenced(), notBeforeNanos, raiseByNanos);
        return rules.fenced()
                ? Transition.to(raising, new ElectionEffect.RaiseFences(attempt, term))
                : leadIfFit(raising, context);
    }

    Transition<ElectionState, ElectionEffect> onRaisingFences(
            RaisingFences raising, ElectionEvent event, StepContext context) {
        if (event instanceof ElectionEvent.FencesRaised) {
            return leadIfFit(
                    new RaisingFences(
                            raising.grant(), raising.attempt(), true, raising.notBeforeNanos(), raising.raiseByNanos()),
                    context);
        }
        if (event instanceof ElectionEvent.Tick) {
            if (context.reached(raising.raiseByNanos())) {
                return abandon(raising, end.coolDown(), context, "its fences could not be raised in time");
            }
            return leadIfFit(raising, context);
        }
        if (event instanceof ElectionEvent.FenceFailed failed) {
            return abandon(raising, end.coolDown(), context, failed.why());
        }
        if (event instanceof ElectionEvent.SessionLost) {
            return Transition.to(
                    new BackOff(context.nowNanos(), ClaimAttempts.NONE),
                    new ElectionEffect.Abandon(raising.grant().term(), "the session was lost before the term began"));
        }
        if (event instanceof ElectionEvent.EndWanted wanted) {
            return abandon(raising, end.thenAfter(wanted.loss(), context), context, "it was ended before it began");
        }
        return event instanceof ElectionEvent.Granted ? Transition.to(raising) : ReleaseSteps.unmoved(raising, event);
    }

    private Transition<ElectionState, ElectionEffect> abandon(
            RaisingFences raising, AfterTerm after, StepContext context, String why) {
        Grant grant = raising.grant();
        return end.release(
                grant, new Standing.Standby(), after, context, new ElectionEffect.Abandon(grant.term(), why));
    }

    private Transition<ElectionState, ElectionEffect> leadIfFit(RaisingFences raising, StepContext context) {
        // After a suspension the wall clock withdraws authority until the next renewal: a term begun now would end at
        // once.
        boolean fit = raising.raised() && context.reached(raising.notBeforeNanos()) && context.authorised();
        boolean enoughLeft = context.session()
                .map(open ->
                        !context.reached(open.validUntilNanos() - open.timing().usefulNanos(rules.drainNanos())))
                .orElse(false);
        return fit && enoughLeft
                ? Transition.to(
                        new Leading(raising.grant()),
                        new ElectionEffect.StartDuty(raising.grant().term()))
                : Transition.to(raising);
    }
}
