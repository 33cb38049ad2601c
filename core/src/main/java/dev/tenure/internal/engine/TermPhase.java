// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import dev.tenure.Loss;
import dev.tenure.OverduePolicy;
import dev.tenure.Standing;
import dev.tenure.internal.engine.ElectionState.AfterTerm;
import dev.tenure.internal.engine.ElectionState.Drain;
import dev.tenure.internal.engine.ElectionState.Draining;
import dev.tenure.internal.engine.ElectionState.Grant;
import dev.tenure.internal.engine.ElectionState.Leading;
import dev.tenure.internal.engine.ElectionState.PendingRelease;
import dev.tenure.internal.engine.ElectionState.ReleasedEarly;
import dev.tenure.internal.engine.ElectionState.Releasing;
import java.util.List;
import java.util.Optional;

/** The rows of {@link ElectionMachine}'s table from the beginning of a term to the end of its claim. */
final class TermPhase {
    private final ElectionRules rules;
    private final ReleaseSteps end;

    TermPhase(ElectionRules rules, ReleaseSteps end) {
        this.rules = rules;
        this.end = end;
    }

    Transition<ElectionState, ElectionEffect> onLeading(Leading leading, ElectionEvent event, StepContext context) {
        if (event instanceof ElectionEvent.DutyEnded duty) {
            Loss loss = duty.result();
            return afterDuty(leading.grant(), loss, end.thenAfter(loss, context), context);
        }
        if (event instanceof ElectionEvent.EndWanted wanted) {
            Drain drain = isClaimGone(wanted.loss())
                    ? budget(context).at(Drain.Stage.INTERRUPTED)
                    : withGrain(budget(context), context);
            return drain(leading, wanted.loss(), drain, context);
        }
        if (event instanceof ElectionEvent.SessionLost lost) {
            return drain(leading, lost.loss(), budget(context).at(Drain.Stage.INTERRUPTED), context);
        }
        if (event instanceof ElectionEvent.Tick && context.session().isPresent()) {
            SessionState.Open session = context.session().get();
            long validUntilNanos = session.validUntilNanos();
            return context.reached(validUntilNanos - session.timing().drainLeadNanos(rules.drainNanos()))
                    ? drain(leading, new Loss.Expired(), Drain.by(validUntilNanos, context.nowNanos()), context)
                    : Transition.to(leading);
        }
        return event instanceof ElectionEvent.Granted ? Transition.to(leading) : ReleaseSteps.unmoved(leading, event);
    }

    private static boolean isClaimGone(Loss loss) {
        return loss instanceof Loss.Fenced || loss instanceof Loss.Superseded;
    }

    private Drain budget(StepContext context) {
        return Drain.by(context.nowNanos() + rules.drainNanos(), context.nowNanos());
    }

    /**
     * What a duty needs at least to be notified that it shall end, and to report that it did: as much as timers and schedulers may be
     * late, up to the deadline. A budget below that, or none, would be over before any duty could have ended: with {@code
     * OverduePolicy.HALT} every close would end the process, with {@code RELEASE} it would let go of a claim whose duty is about to
     * end. Nobody else can lead meanwhile. Where somebody can, because the claim is gone or the deadline has come, the budget
     * is taken by its word.
     */
    private static Drain withGrain(Drain budget, StepContext context) {
        long grainNanos = context.session()
                .map(open -> Math.min(open.timing().marginNanos(), open.validUntilNanos() - context.nowNanos()))
                .orElse(0L);
        return budget.overdueNotBefore(context.nowNanos() + grainNanos);
    }

    private Transition<ElectionState, ElectionEffect> drain(
            Leading leading, Loss loss, Drain drain, StepContext context) {
        return Transition.to(
                new Draining(leading.grant(), loss, end.thenAfter(loss, context), drain),
                new ElectionEffect.StopDuty(loss, drain.stage() == Drain.Stage.INTERRUPTED));
    }

    Transition<ElectionState, ElectionEffect> onDraining(Draining draining, ElectionEvent event, StepContext context) {
        if (event instanceof ElectionEvent.DutyEnded) {
            return afterDuty(draining.grant(), draining.loss(), draining.after(), context);
        }
        if (event instanceof ElectionEvent.Tick) {
            return onDrainTick(draining, context);
        }
        if (event instanceof ElectionEvent.EndWanted wanted && wanted.loss() instanceof Loss.Closed) {
            AfterTerm retire = new AfterTerm.Retire(wanted.loss());
            return Transition.to(new Draining(draining.grant(), draining.loss(), retire, draining.drain()));
        }
        if (event instanceof ElectionEvent.EndWanted wanted && isClaimGone(wanted.loss())) {
            return withoutClaim(draining, wanted.loss());
        }
        return event instanceof ElectionEvent.SessionOpened
                ? Transition.to(draining)
                : ReleaseSteps.unmoved(draining, event);
    }

    /** Somebody else may lead now, and what drains is not to write beside it; why it began to drain stays as it was. */
    private static Transition<ElectionState, ElectionEffect> withoutClaim(Draining draining, Loss gone) {
        ElectionEffect revoke = new ElectionEffect.RevokeAuthority(gone);
        return draining.drain().stage() == Drain.Stage.ASKED
                ? Transition.to(draining.at(Drain.Stage.INTERRUPTED), revoke, new ElectionEffect.InterruptDuty())
                : Transition.to(draining, revoke);
    }

    private Transition<ElectionState, ElectionEffect> onDrainTick(Draining draining, StepContext context) {
        Drain drain = draining.drain();
        if (drain.stage() == Drain.Stage.ASKED && context.reached(drain.interruptAtNanos())) {
            return Transition.to(draining.at(Drain.Stage.INTERRUPTED), new ElectionEffect.InterruptDuty());
        }
        if (drain.stage() == Drain.Stage.INTERRUPTED && context.reached(drain.drainByNanos())) {
            ElectionEffect shout =
                    new ElectionEffect.ReportOverdue(draining.grant().term(), draining.loss());
            if (rules.overdue() == OverduePolicy.RELEASE) {
                return forsake(draining, shout, context);
            }
            Draining overdue = draining.at(Drain.Stage.OVERDUE);
            ElectionEffect halt = new ElectionEffect.Halt(
                    "the duty of " + draining.grant().term().election() + " did not end within its drain budget");
            return rules.overdue() == OverduePolicy.HALT
                    ? Transition.to(overdue, shout, halt)
                    : Transition.to(overdue, shout);
        }
        return Transition.to(draining);
    }

    private Transition<ElectionState, ElectionEffect> forsake(
            Draining draining, ElectionEffect shout, StepContext context) {
        Grant grant = draining.grant();
        if (!context.isOpen(grant.session())) {
            return Transition.to(
                    new ReleasedEarly(grant, draining.loss(), draining.after(), Optional.empty()),
                    shout,
                    new ElectionEffect.RevokeAuthority(draining.loss()));
        }
        PendingRelease release = end.sending(context);
        return Transition.to(
                new ReleasedEarly(grant, draining.loss(), draining.after(), Optional.of(release)),
                shout,
                new ElectionEffect.RevokeAuthority(draining.loss()),
                new ElectionEffect.SendRelease(release.attempt(), grant.term().nonce()));
    }

    Transition<ElectionState, ElectionEffect> onReleasedEarly(
            ReleasedEarly released, ElectionEvent event, StepContext context) {
        if (event instanceof ElectionEvent.DutyEnded) {
            return afterDuty(released.grant(), released.loss(), released.after(), context);
        }
        if (event instanceof ElectionEvent.EndWanted wanted && wanted.loss() instanceof Loss.Closed) {
            AfterTerm retire = new AfterTerm.Retire(wanted.loss());
            return Transition.to(new ReleasedEarly(released.grant(), released.loss(), retire, released.release()));
        }
        if (event instanceof ElectionEvent.Released || event instanceof ElectionEvent.SessionLost) {
            return Transition.to(released.with(Optional.empty()));
        }
        if (event instanceof ElectionEvent.ReleaseFailed) {
            return Transition.to(released.with(Optional.of(new PendingRelease(0, end.retryAt(0, context)))));
        }
        if (event instanceof ElectionEvent.Tick) {
            boolean due = released.release()
                    .filter(sent -> context.reached(sent.againAtNanos()))
                    .isPresent();
            return due ? releaseAgain(released, context) : Transition.to(released);
        }
        return event instanceof ElectionEvent.SessionOpened
                ? Transition.to(released)
                : ReleaseSteps.unmoved(released, event);
    }

    private Transition<ElectionState, ElectionEffect> releaseAgain(ReleasedEarly released, StepContext context) {
        if (!context.isOpen(released.grant().session())) {
            return Transition.to(released.with(Optional.empty())); // the claim has ended with its session
        }
        PendingRelease again = end.sending(context);
        return Transition.to(
                released.with(Optional.of(again)),
                new ElectionEffect.SendRelease(
                        again.attempt(), released.grant().term().nonce()));
    }

    Transition<ElectionState, ElectionEffect> onReleasing(
            Releasing releasing, ElectionEvent event, StepContext context) {
        if (event instanceof ElectionEvent.Released || event instanceof ElectionEvent.SessionLost) {
            return end.then(releasing.after(), context, List.of());
        }
        boolean due = event instanceof ElectionEvent.Tick
                && context.reached(releasing.release().againAtNanos());
        if (due) {
            PendingRelease release = end.sending(context);
            return Transition.to(
                    releasing.with(release), new ElectionEffect.SendRelease(release.attempt(), releasing.nonce()));
        }
        if (event instanceof ElectionEvent.ReleaseFailed) {
            return Transition.to(releasing.with(new PendingRelease(0, end.retryAt(0, context))));
        }
        if (event instanceof ElectionEvent.EndWanted wanted && wanted.loss() instanceof Loss.Closed) {
            AfterTerm after = releasing.after() instanceof AfterTerm.Retire
                    ? releasing.after()
                    : new AfterTerm.Retire(wanted.loss());
            return Transition.to(new Releasing(
                    releasing.session(), releasing.nonce(), releasing.shown(), releasing.release(), after));
        }
        return event instanceof ElectionEvent.Tick ? Transition.to(releasing) : ReleaseSteps.unmoved(releasing, event);
    }

    private Transition<ElectionState, ElectionEffect> afterDuty(
            Grant grant, Loss loss, AfterTerm after, StepContext context) {
        ElectionEffect ended = new ElectionEffect.EndTerm(grant.term(), loss);
        if (context.isOpen(grant.session())) {
            return end.release(grant, new Standing.Draining(grant.term(), loss), after, context, ended);
        }
        return end.then(after, context, List.of(ended));
    }
}
