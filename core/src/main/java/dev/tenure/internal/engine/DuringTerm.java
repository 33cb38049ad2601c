package dev.tenure.internal.engine;

import dev.tenure.Loss;
import dev.tenure.Overdue;
import dev.tenure.Standing;
import dev.tenure.internal.engine.ElectionState.Drain;
import dev.tenure.internal.engine.ElectionState.Draining;
import dev.tenure.internal.engine.ElectionState.Forsaken;
import dev.tenure.internal.engine.ElectionState.Grant;
import dev.tenure.internal.engine.ElectionState.Leading;
import dev.tenure.internal.engine.ElectionState.Releasing;
import dev.tenure.internal.engine.ElectionState.Sending;
import dev.tenure.internal.engine.ElectionState.Then;
import java.util.List;
import java.util.Optional;

/** The rows of {@link ElectionMachine}'s table from the beginning of a term to the end of its claim. */
final class DuringTerm {
    private final ElectionRules rules;
    private final TermEnd end;

    DuringTerm(ElectionRules rules, TermEnd end) {
        this.rules = rules;
        this.end = end;
    }

    Step<ElectionState, ElectionEffect> onLeading(Leading leading, ElectionEvent event, Scene scene) {
        if (event instanceof ElectionEvent.DutyEnded duty) {
            Loss loss = duty.result();
            return afterDuty(leading.grant(), loss, end.thenAfter(loss), scene);
        }
        if (event instanceof ElectionEvent.EndWanted wanted) {
            Drain drain = isClaimGone(wanted.loss())
                    ? budget(scene).at(Drain.Stage.INTERRUPTED)
                    : withGrain(budget(scene), scene);
            return drain(leading, wanted.loss(), drain);
        }
        if (event instanceof ElectionEvent.SessionLost lost) {
            return drain(leading, lost.loss(), budget(scene).at(Drain.Stage.INTERRUPTED));
        }
        if (event instanceof ElectionEvent.Tick && scene.session().isPresent()) {
            SessionState.Open session = scene.session().get();
            long validUntilNanos = session.validUntilNanos();
            return scene.reached(validUntilNanos - session.timing().drainLeadNanos(rules.drainNanos()))
                    ? drain(leading, new Loss.Expired(), Drain.by(validUntilNanos, scene.nowNanos()))
                    : Step.to(leading);
        }
        return event instanceof ElectionEvent.Granted ? Step.to(leading) : TermEnd.unmoved(leading, event);
    }

    private static boolean isClaimGone(Loss loss) {
        return loss instanceof Loss.Fenced || loss instanceof Loss.Superseded;
    }

    private Drain budget(Scene scene) {
        return Drain.by(scene.nowNanos() + rules.drainNanos(), scene.nowNanos());
    }

    /**
     * What a duty needs at least to hear that it shall end, and to say that it did: as much as timers and schedulers may be
     * late, up to the deadline. A budget below that, or none, would be over before any duty could have ended: with {@code
     * Overdue.HALT} every close would end the process, with {@code RELEASE} it would let go of a claim whose duty is about to
     * end. Nobody else can lead meanwhile. Where somebody can, because the claim is gone or the deadline has come, the budget
     * is taken by its word.
     */
    private static Drain withGrain(Drain budget, Scene scene) {
        long grainNanos = scene.session()
                .map(open -> Math.min(open.timing().marginNanos(), open.validUntilNanos() - scene.nowNanos()))
                .orElse(0L);
        return budget.overdueNotBefore(scene.nowNanos() + grainNanos);
    }

    private Step<ElectionState, ElectionEffect> drain(Leading leading, Loss loss, Drain drain) {
        return Step.to(
                new Draining(leading.grant(), loss, end.thenAfter(loss), drain),
                new ElectionEffect.StopDuty(loss, drain.stage() == Drain.Stage.INTERRUPTED));
    }

    Step<ElectionState, ElectionEffect> onDraining(Draining draining, ElectionEvent event, Scene scene) {
        if (event instanceof ElectionEvent.DutyEnded) {
            return afterDuty(draining.grant(), draining.loss(), draining.then(), scene);
        }
        if (event instanceof ElectionEvent.Tick) {
            return onDrainTick(draining, scene);
        }
        if (event instanceof ElectionEvent.EndWanted wanted && wanted.loss() instanceof Loss.Closed) {
            Then retire = new Then.Retire(wanted.loss());
            return Step.to(new Draining(draining.grant(), draining.loss(), retire, draining.drain()));
        }
        if (event instanceof ElectionEvent.EndWanted wanted && isClaimGone(wanted.loss())) {
            return withoutClaim(draining, wanted.loss());
        }
        return event instanceof ElectionEvent.SessionOpened ? Step.to(draining) : TermEnd.unmoved(draining, event);
    }

    /** Somebody else may lead now, and what drains is not to write beside it; why it began to drain stays as it was. */
    private static Step<ElectionState, ElectionEffect> withoutClaim(Draining draining, Loss gone) {
        ElectionEffect revoke = new ElectionEffect.RevokeAuthority(gone);
        return draining.drain().stage() == Drain.Stage.ASKED
                ? Step.to(at(draining, Drain.Stage.INTERRUPTED), revoke, new ElectionEffect.InterruptDuty())
                : Step.to(draining, revoke);
    }

    private Step<ElectionState, ElectionEffect> onDrainTick(Draining draining, Scene scene) {
        Drain drain = draining.drain();
        if (drain.stage() == Drain.Stage.ASKED && scene.reached(drain.interruptAtNanos())) {
            return Step.to(at(draining, Drain.Stage.INTERRUPTED), new ElectionEffect.InterruptDuty());
        }
        if (drain.stage() == Drain.Stage.INTERRUPTED && scene.reached(drain.drainByNanos())) {
            ElectionEffect shout =
                    new ElectionEffect.ShoutOverdue(draining.grant().term(), draining.loss());
            if (rules.overdue() == Overdue.RELEASE) {
                return forsake(draining, shout, scene);
            }
            Draining overdue = at(draining, Drain.Stage.OVERDUE);
            ElectionEffect halt = new ElectionEffect.Halt(
                    "the duty of " + draining.grant().term().election() + " did not end within its drain budget");
            return rules.overdue() == Overdue.HALT ? Step.to(overdue, shout, halt) : Step.to(overdue, shout);
        }
        return Step.to(draining);
    }

    private static Draining at(Draining draining, Drain.Stage stage) {
        return new Draining(
                draining.grant(),
                draining.loss(),
                draining.then(),
                draining.drain().at(stage));
    }

    private Step<ElectionState, ElectionEffect> forsake(Draining draining, ElectionEffect shout, Scene scene) {
        Grant grant = draining.grant();
        if (!scene.isOpen(grant.session())) {
            return Step.to(
                    new Forsaken(grant, draining.loss(), draining.then(), Optional.empty()),
                    shout,
                    new ElectionEffect.RevokeAuthority(draining.loss()));
        }
        Sending sending = end.sending(scene);
        return Step.to(
                new Forsaken(grant, draining.loss(), draining.then(), Optional.of(sending)),
                shout,
                new ElectionEffect.RevokeAuthority(draining.loss()),
                new ElectionEffect.SendRelease(sending.attempt(), grant.term().nonce()));
    }

    Step<ElectionState, ElectionEffect> onForsaken(Forsaken forsaken, ElectionEvent event, Scene scene) {
        if (event instanceof ElectionEvent.DutyEnded) {
            return afterDuty(forsaken.grant(), forsaken.loss(), forsaken.then(), scene);
        }
        if (event instanceof ElectionEvent.EndWanted wanted && wanted.loss() instanceof Loss.Closed) {
            Then retire = new Then.Retire(wanted.loss());
            return Step.to(new Forsaken(forsaken.grant(), forsaken.loss(), retire, forsaken.sending()));
        }
        if (event instanceof ElectionEvent.Released || event instanceof ElectionEvent.SessionLost) {
            return Step.to(with(forsaken, Optional.empty()));
        }
        if (event instanceof ElectionEvent.ReleaseFailed) {
            return Step.to(with(forsaken, Optional.of(new Sending(0, end.retryAt(0, scene)))));
        }
        if (event instanceof ElectionEvent.Tick) {
            boolean due = forsaken.sending()
                    .filter(sent -> scene.reached(sent.againAtNanos()))
                    .isPresent();
            return due ? releaseAgain(forsaken, scene) : Step.to(forsaken);
        }
        return event instanceof ElectionEvent.SessionOpened ? Step.to(forsaken) : TermEnd.unmoved(forsaken, event);
    }

    private Step<ElectionState, ElectionEffect> releaseAgain(Forsaken forsaken, Scene scene) {
        if (!scene.isOpen(forsaken.grant().session())) {
            return Step.to(with(forsaken, Optional.empty())); // the claim has ended with its session
        }
        Sending again = end.sending(scene);
        return Step.to(
                with(forsaken, Optional.of(again)),
                new ElectionEffect.SendRelease(
                        again.attempt(), forsaken.grant().term().nonce()));
    }

    private static Forsaken with(Forsaken forsaken, Optional<Sending> sending) {
        return new Forsaken(forsaken.grant(), forsaken.loss(), forsaken.then(), sending);
    }

    Step<ElectionState, ElectionEffect> onReleasing(Releasing releasing, ElectionEvent event, Scene scene) {
        if (event instanceof ElectionEvent.Released || event instanceof ElectionEvent.SessionLost) {
            return end.then(releasing.then(), scene, List.of());
        }
        boolean due = event instanceof ElectionEvent.Tick
                && scene.reached(releasing.sending().againAtNanos());
        if (due) {
            Sending sending = end.sending(scene);
            return Step.to(
                    new Releasing(releasing.session(), releasing.nonce(), releasing.shown(), sending, releasing.then()),
                    new ElectionEffect.SendRelease(sending.attempt(), releasing.nonce()));
        }
        if (event instanceof ElectionEvent.ReleaseFailed) {
            Sending later = new Sending(0, end.retryAt(0, scene));
            return Step.to(
                    new Releasing(releasing.session(), releasing.nonce(), releasing.shown(), later, releasing.then()));
        }
        if (event instanceof ElectionEvent.EndWanted wanted && wanted.loss() instanceof Loss.Closed) {
            return Step.to(new Releasing(
                    releasing.session(),
                    releasing.nonce(),
                    releasing.shown(),
                    releasing.sending(),
                    releasing.then() instanceof Then.Retire ? releasing.then() : new Then.Retire(wanted.loss())));
        }
        return event instanceof ElectionEvent.Tick ? Step.to(releasing) : TermEnd.unmoved(releasing, event);
    }

    private Step<ElectionState, ElectionEffect> afterDuty(Grant grant, Loss loss, Then then, Scene scene) {
        ElectionEffect ended = new ElectionEffect.EndTerm(grant.term(), loss);
        if (scene.isOpen(grant.session())) {
            return end.release(grant, new Standing.Draining(grant.term(), loss), then, scene, ended);
        }
        return end.then(then, scene, List.of(ended));
    }
}
