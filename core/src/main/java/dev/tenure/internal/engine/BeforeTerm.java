package dev.tenure.internal.engine;

import dev.tenure.ElectionName;
import dev.tenure.Loss;
import dev.tenure.Nonce;
import dev.tenure.Standing;
import dev.tenure.Term;
import dev.tenure.internal.engine.ElectionState.Claiming;
import dev.tenure.internal.engine.ElectionState.Grant;
import dev.tenure.internal.engine.ElectionState.Leading;
import dev.tenure.internal.engine.ElectionState.Raising;
import dev.tenure.internal.engine.ElectionState.Ready;
import dev.tenure.internal.engine.ElectionState.Resting;
import dev.tenure.internal.engine.ElectionState.Tries;
import dev.tenure.internal.engine.ElectionState.Unsettled;
import dev.tenure.internal.engine.ElectionState.Waiting;
import dev.tenure.spi.ClaimReply;
import java.util.Optional;

/** The rows of {@link ElectionMachine}'s table before a term begins. */
final class BeforeTerm {
    private static final long HINT_JITTER_NANOS = 10_000_000;

    private final ElectionName election;
    private final ElectionRules rules;
    private final Fresh fresh;
    private final TermEnd end;

    BeforeTerm(ElectionName election, ElectionRules rules, Fresh fresh, TermEnd end) {
        this.election = election;
        this.rules = rules;
        this.fresh = fresh;
        this.end = end;
    }

    Step<ElectionState, ElectionEffect> onResting(Resting resting, ElectionEvent event, Scene scene) {
        if (event instanceof ElectionEvent.Tick || event instanceof ElectionEvent.SessionOpened) {
            boolean go = scene.session().isPresent() && scene.reached(resting.untilNanos());
            return go ? Step.to(new Ready(resting.tries()), new ElectionEffect.AskAdmission()) : Step.to(resting);
        }
        if (event instanceof ElectionEvent.Granted granted
                && resting.tries().keep(granted.grant().nonce())) {
            return onGranted(resting.tries(), granted, scene);
        }
        if (event instanceof ElectionEvent.SessionLost) {
            return Step.to(new Resting(resting.untilNanos(), Tries.NONE));
        }
        if (event instanceof ElectionEvent.EndWanted wanted) {
            return wanted.loss() instanceof Loss.Closed
                    ? end.leave(resting.tries().leftBehind(), wanted.loss(), scene)
                    : Step.to(resting);
        }
        return TermEnd.unmoved(resting, event);
    }

    Step<ElectionState, ElectionEffect> onReady(Ready ready, ElectionEvent event, Scene scene) {
        if (event instanceof ElectionEvent.Admitted && scene.session().isPresent()) {
            long attempt = fresh.attempt();
            Nonce nonce = ready.tries().place().orElseGet(fresh::nonce);
            return Step.to(
                    new Claiming(attempt, nonce, scene.nowNanos(), ready.tries(), false),
                    new ElectionEffect.SendClaim(attempt, nonce));
        }
        if (event instanceof ElectionEvent.Granted granted
                && ready.tries().keep(granted.grant().nonce())) {
            return onGranted(ready.tries(), granted, scene);
        }
        if (event instanceof ElectionEvent.SessionLost) {
            return Step.to(new Resting(scene.nowNanos(), Tries.NONE));
        }
        if (event instanceof ElectionEvent.EndWanted wanted && wanted.loss() instanceof Loss.Closed) {
            return end.leave(ready.tries().leftBehind(), wanted.loss(), scene);
        }
        return event instanceof ElectionEvent.SessionOpened || event instanceof ElectionEvent.Tick
                ? Step.to(ready)
                : TermEnd.unmoved(ready, event);
    }

    Step<ElectionState, ElectionEffect> onClaiming(Claiming claiming, ElectionEvent event, Scene scene) {
        if (event instanceof ElectionEvent.Granted granted) {
            return onGranted(claiming.tries(), granted, scene);
        }
        if (event instanceof ElectionEvent.MustWait wait) {
            if (claiming.hinted() && !wait.queued()) {
                return Step.to(new Resting(scene.nowNanos() + fresh.jitter(HINT_JITTER_NANOS), Tries.NONE));
            }
            return Step.to(new Waiting(wait.queued() ? Optional.of(claiming.nonce()) : Optional.empty()));
        }
        if (event instanceof ElectionEvent.ClaimFailed failed) {
            return failed.unknown()
                    ? unsettle(claiming, scene)
                    : Step.to(new Resting(
                            end.retryAt(claiming.tries().failures(), scene),
                            claiming.tries().failed()));
        }
        if (event instanceof ElectionEvent.Tick) {
            long timeoutNanos =
                    scene.session().map(open -> open.timing().timeoutNanos()).orElse(0L);
            return scene.reached(claiming.sentNanos() + timeoutNanos) ? unsettle(claiming, scene) : Step.to(claiming);
        }
        if (event instanceof ElectionEvent.Hinted) {
            return Step.to(
                    new Claiming(claiming.attempt(), claiming.nonce(), claiming.sentNanos(), claiming.tries(), true));
        }
        if (event instanceof ElectionEvent.SessionLost) {
            return Step.to(new Resting(scene.nowNanos(), Tries.NONE));
        }
        if (event instanceof ElectionEvent.EndWanted wanted && wanted.loss() instanceof Loss.Closed) {
            return end.leave(Optional.of(claiming.nonce()), wanted.loss(), scene);
        }
        return TermEnd.unmoved(claiming, event);
    }

    private Step<ElectionState, ElectionEffect> unsettle(Claiming claiming, Scene scene) {
        long untilNanos = end.retryAt(claiming.tries().failures(), scene);
        return Step.to(
                new Unsettled(claiming.nonce(), untilNanos, claiming.tries().unknown(claiming.nonce())));
    }

    Step<ElectionState, ElectionEffect> onUnsettled(Unsettled unsettled, ElectionEvent event, Scene scene) {
        if (event instanceof ElectionEvent.Tick) {
            return scene.reached(unsettled.untilNanos())
                    ? Step.to(new Ready(unsettled.tries()), new ElectionEffect.AskAdmission())
                    : Step.to(unsettled);
        }
        if (event instanceof ElectionEvent.Granted granted
                && unsettled.tries().keep(granted.grant().nonce())) {
            return onGranted(unsettled.tries(), granted, scene);
        }
        if (event instanceof ElectionEvent.SessionLost) {
            return Step.to(new Resting(scene.nowNanos(), Tries.NONE));
        }
        if (event instanceof ElectionEvent.EndWanted wanted && wanted.loss() instanceof Loss.Closed) {
            return end.leave(Optional.of(unsettled.nonce()), wanted.loss(), scene);
        }
        return TermEnd.unmoved(unsettled, event);
    }

    Step<ElectionState, ElectionEffect> onWaiting(Waiting waiting, ElectionEvent event, Scene scene) {
        if (event instanceof ElectionEvent.Granted granted) {
            return onGranted(Tries.NONE, granted, scene);
        }
        if (event instanceof ElectionEvent.Hinted || event instanceof ElectionEvent.Poll) {
            return Step.to(new Ready(Tries.at(waiting.place())), new ElectionEffect.AskAdmission());
        }
        if (event instanceof ElectionEvent.SessionLost) {
            return Step.to(new Resting(scene.nowNanos(), Tries.NONE));
        }
        if (event instanceof ElectionEvent.EndWanted wanted && wanted.loss() instanceof Loss.Closed) {
            return end.leave(waiting.place(), wanted.loss(), scene);
        }
        return event instanceof ElectionEvent.Tick ? Step.to(waiting) : TermEnd.unmoved(waiting, event);
    }

    private Step<ElectionState, ElectionEffect> onGranted(Tries tries, ElectionEvent.Granted event, Scene scene) {
        SessionState.Open session = scene.session().orElseThrow();
        ClaimReply.Granted reply = event.grant();
        Term term = new Term(election, reply.token(), reply.nonce(), rules.holder());
        Grant grant = new Grant(term, session.id());
        if (reply.token().value() <= event.floor()) {
            return end.release(
                    grant,
                    new Standing.Standby(),
                    event.inReach() ? end.retry(tries, scene) : end.patience(session),
                    scene,
                    new ElectionEffect.ReportBelowFloor(term, event.floor()));
        }
        long notBeforeNanos =
                scene.nowNanos() + (rules.standoff() ? reply.standoff().toNanos() : 0);
        long raiseByNanos = notBeforeNanos + session.timing().ttlNanos();
        long attempt = fresh.attempt();
        Raising raising = new Raising(grant, attempt, !rules.fenced(), notBeforeNanos, raiseByNanos);
        return rules.fenced()
                ? Step.to(raising, new ElectionEffect.RaiseFences(attempt, term))
                : leadIfFit(raising, scene);
    }

    Step<ElectionState, ElectionEffect> onRaising(Raising raising, ElectionEvent event, Scene scene) {
        Term term = raising.grant().term();
        if (event instanceof ElectionEvent.FencesRaised) {
            return leadIfFit(
                    new Raising(
                            raising.grant(), raising.attempt(), true, raising.notBeforeNanos(), raising.raiseByNanos()),
                    scene);
        }
        if (event instanceof ElectionEvent.Tick) {
            if (scene.reached(raising.raiseByNanos())) {
                return end.release(
                        raising.grant(),
                        new Standing.Standby(),
                        end.coolDown(),
                        scene,
                        new ElectionEffect.Abandon(term, "its fences could not be raised in time"));
            }
            return leadIfFit(raising, scene);
        }
        if (event instanceof ElectionEvent.FenceFailed failed) {
            return end.release(
                    raising.grant(),
                    new Standing.Standby(),
                    end.coolDown(),
                    scene,
                    new ElectionEffect.Abandon(term, failed.why()));
        }
        if (event instanceof ElectionEvent.SessionLost) {
            return Step.to(
                    new Resting(scene.nowNanos(), Tries.NONE),
                    new ElectionEffect.Abandon(term, "the session was lost before the term began"));
        }
        if (event instanceof ElectionEvent.EndWanted wanted) {
            return end.release(
                    raising.grant(),
                    new Standing.Standby(),
                    end.thenAfter(wanted.loss()),
                    scene,
                    new ElectionEffect.Abandon(term, "it was ended before it began"));
        }
        return event instanceof ElectionEvent.Granted ? Step.to(raising) : TermEnd.unmoved(raising, event);
    }

    private Step<ElectionState, ElectionEffect> leadIfFit(Raising raising, Scene scene) {
        // After a suspension the wall clock withdraws authority until the next renewal: a term begun now would end at
        // once.
        boolean fit = raising.raised() && scene.reached(raising.notBeforeNanos()) && scene.authorised();
        boolean enoughLeft = scene.session()
                .map(open ->
                        !scene.reached(open.validUntilNanos() - open.timing().usefulNanos(rules.drainNanos())))
                .orElse(false);
        return fit && enoughLeft
                ? Step.to(
                        new Leading(raising.grant()),
                        new ElectionEffect.StartDuty(raising.grant().term()))
                : Step.to(raising);
    }
}
