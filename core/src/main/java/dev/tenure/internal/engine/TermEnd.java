package dev.tenure.internal.engine;

import dev.tenure.Loss;
import dev.tenure.Nonce;
import dev.tenure.Standing;
import dev.tenure.internal.engine.ElectionState.Grant;
import dev.tenure.internal.engine.ElectionState.Releasing;
import dev.tenure.internal.engine.ElectionState.Resting;
import dev.tenure.internal.engine.ElectionState.Retired;
import dev.tenure.internal.engine.ElectionState.Sending;
import dev.tenure.internal.engine.ElectionState.Then;
import dev.tenure.internal.engine.ElectionState.Tries;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How a claim is given up and what comes after it: shared by every state that has something to give up. */
final class TermEnd {
    static final long RETRY_NANOS_MIN = 100_000_000;
    private static final int RETRY_DOUBLINGS_MAX = 3;

    private final ElectionRules rules;
    private final Fresh fresh;

    TermEnd(ElectionRules rules, Fresh fresh) {
        this.rules = rules;
        this.fresh = fresh;
    }

    Step<ElectionState, ElectionEffect> release(
            Grant grant, Standing shown, Then then, Scene scene, ElectionEffect first) {
        Sending sending = sending(scene);
        Nonce nonce = grant.term().nonce();
        return Step.to(
                new Releasing(grant.session(), nonce, shown, sending, then),
                first,
                new ElectionEffect.SendRelease(sending.attempt(), nonce));
    }

    Sending sending(Scene scene) {
        long timeoutNanos =
                scene.session().map(open -> open.timing().timeoutNanos()).orElse(RETRY_NANOS_MIN);
        return new Sending(fresh.attempt(), scene.nowNanos() + timeoutNanos);
    }

    Step<ElectionState, ElectionEffect> then(Then then, Scene scene, List<ElectionEffect> before) {
        List<ElectionEffect> effects = new ArrayList<>(before);
        if (then instanceof Then.StandAgain again) {
            // Ready is entered by the tick that the new state asks for, also when the time has come already.
            return new Step<>(new Resting(scene.nowNanos() + Math.max(1, again.coolDownNanos()), Tries.NONE), effects);
        }
        Loss loss = ((Then.Retire) then).loss();
        effects.add(new ElectionEffect.Retire(loss));
        return new Step<>(new Retired(loss), effects);
    }

    static Step<ElectionState, ElectionEffect> retire(Loss loss) {
        return Step.to(new Retired(loss), new ElectionEffect.Retire(loss));
    }

    Then thenAfter(Loss loss) {
        if (loss instanceof Loss.Closed) {
            return new Then.Retire(loss);
        }
        if (loss instanceof Loss.Completed) {
            return rules.repeats() ? new Then.StandAgain(RETRY_NANOS_MIN) : new Then.Retire(loss);
        }
        if (loss instanceof Loss.DutyFailed) {
            return coolDown();
        }
        if (loss instanceof Loss.Resigned) {
            return new Then.StandAgain(rules.standBackNanos());
        }
        // A moment, so that whatever ended the term (a session that is gone, a clock that was set) comes to light
        // first.
        return new Then.StandAgain(RETRY_NANOS_MIN);
    }

    Then coolDown() {
        return new Then.StandAgain(rules.coolDownNanos());
    }

    Then retry(Tries tries, Scene scene) {
        return new Then.StandAgain(retryAt(tries.failures(), scene) - scene.nowNanos());
    }

    /** Only an operator can help: asked again once or twice in a TTL, so that it is noticed soon and wears nobody out. */
    Then patience(SessionState.Open session) {
        long halfNanos = Math.max(RETRY_NANOS_MIN, session.timing().ttlNanos() / 2);
        return new Then.StandAgain(halfNanos + fresh.jitter(halfNanos));
    }

    long retryAt(int failures, Scene scene) {
        long baseNanos = scene.session().map(open -> open.timing().retryNanos()).orElse(RETRY_NANOS_MIN);
        long pauseNanos = Math.max(RETRY_NANOS_MIN, baseNanos) << Math.min(failures, RETRY_DOUBLINGS_MAX);
        return scene.nowNanos() + pauseNanos + fresh.jitter(pauseNanos);
    }

    /** Events that may come in every state and mean nothing in this one; any other pair is a bug, not weather. */
    static Step<ElectionState, ElectionEffect> unmoved(ElectionState state, ElectionEvent event) {
        boolean harmless = event instanceof ElectionEvent.SessionLost
                || event instanceof ElectionEvent.Hinted
                || event instanceof ElectionEvent.Poll
                || event instanceof ElectionEvent.EndWanted;
        if (harmless) {
            return Step.to(state);
        }
        throw new IllegalStateException("event " + event + " cannot happen in state " + state);
    }

    /** Leaves an election in which nothing was led: what may still stand in the store is cleaned up first. */
    Step<ElectionState, ElectionEffect> leave(Optional<Nonce> unsettled, Loss loss, Scene scene) {
        if (unsettled.isEmpty() || scene.session().isEmpty()) {
            return retire(loss);
        }
        Nonce nonce = unsettled.get();
        Sending sending = sending(scene);
        return Step.to(
                new Releasing(
                        scene.session().get().id(), nonce, new Standing.Standby(), sending, new Then.Retire(loss)),
                new ElectionEffect.SendRelease(sending.attempt(), nonce));
    }
}
