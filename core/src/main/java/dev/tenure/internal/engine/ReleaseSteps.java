// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import dev.tenure.Loss;
import dev.tenure.Nonce;
import dev.tenure.Standing;
import dev.tenure.internal.engine.ElectionState.AfterTerm;
import dev.tenure.internal.engine.ElectionState.BackOff;
import dev.tenure.internal.engine.ElectionState.ClaimAttempts;
import dev.tenure.internal.engine.ElectionState.Grant;
import dev.tenure.internal.engine.ElectionState.PendingRelease;
import dev.tenure.internal.engine.ElectionState.Releasing;
import dev.tenure.internal.engine.ElectionState.Retired;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How a claim is given up and what comes after it: shared by every state that has something to give up. */
final class ReleaseSteps {
    static final long RETRY_NANOS_MIN = 100_000_000;
    private static final int RETRY_DOUBLINGS_MAX = 3;

    private final ElectionRules rules;
    private final IdSource ids;

    ReleaseSteps(ElectionRules rules, IdSource ids) {
        this.rules = rules;
        this.ids = ids;
    }

    Transition<ElectionState, ElectionEffect> release(
            Grant grant, Standing shown, AfterTerm after, StepContext context, ElectionEffect first) {
        PendingRelease release = sending(context);
        Nonce nonce = grant.term().nonce();
        return Transition.to(
                new Releasing(grant.session(), nonce, shown, release, after),
                first,
                new ElectionEffect.SendRelease(release.attempt(), nonce));
    }

    PendingRelease sending(StepContext context) {
        long timeoutNanos =
                context.session().map(open -> open.timing().timeoutNanos()).orElse(RETRY_NANOS_MIN);
        return new PendingRelease(ids.attempt(), context.nowNanos() + timeoutNanos);
    }

    Transition<ElectionState, ElectionEffect> then(AfterTerm after, StepContext context, List<ElectionEffect> before) {
        List<ElectionEffect> effects = new ArrayList<>(before);
        if (after instanceof AfterTerm.StandAgain again) {
            // Ready is entered by the tick that the new state asks for, also when the time has come already.
            return new Transition<>(
                    new BackOff(context.nowNanos() + Math.max(1, again.coolDownNanos()), ClaimAttempts.NONE), effects);
        }
        Loss loss = ((AfterTerm.Retire) after).loss();
        effects.add(new ElectionEffect.Retire(loss));
        return new Transition<>(new Retired(loss), effects);
    }

    static Transition<ElectionState, ElectionEffect> retire(Loss loss) {
        return Transition.to(new Retired(loss), new ElectionEffect.Retire(loss));
    }

    AfterTerm thenAfter(Loss loss, StepContext context) {
        if (loss instanceof Loss.Closed) {
            return new AfterTerm.Retire(loss);
        }
        if (loss instanceof Loss.Completed) {
            return rules.repeats() ? new AfterTerm.StandAgain(RETRY_NANOS_MIN) : new AfterTerm.Retire(loss);
        }
        if (loss instanceof Loss.DutyFailed) {
            return coolDown();
        }
        if (loss instanceof Loss.Resigned) {
            return new AfterTerm.StandAgain(context.standBackNanos());
        }
        // A moment, so that whatever ended the term (a session that is gone, a clock that was set) comes to light
        // first.
        return new AfterTerm.StandAgain(RETRY_NANOS_MIN);
    }

    AfterTerm coolDown() {
        return new AfterTerm.StandAgain(rules.coolDownNanos());
    }

    AfterTerm retry(ClaimAttempts attempts, StepContext context) {
        return new AfterTerm.StandAgain(retryAt(attempts.failures(), context) - context.nowNanos());
    }

    /** Only an operator can help: asked again once or twice in a TTL, so that it is noticed soon and wears nobody out. */
    AfterTerm retryRarely(SessionState.Open session) {
        long halfNanos = Math.max(RETRY_NANOS_MIN, session.timing().ttlNanos() / 2);
        return new AfterTerm.StandAgain(halfNanos + ids.jitter(halfNanos));
    }

    long retryAt(int failures, StepContext context) {
        long baseNanos =
                context.session().map(open -> open.timing().retryNanos()).orElse(RETRY_NANOS_MIN);
        long pauseNanos = Math.max(RETRY_NANOS_MIN, baseNanos) << Math.min(failures, RETRY_DOUBLINGS_MAX);
        return context.nowNanos() + pauseNanos + ids.jitter(pauseNanos);
    }

    /** Events that may come in every state and mean nothing in this one; any other pair is a bug, not weather. */
    static Transition<ElectionState, ElectionEffect> unmoved(ElectionState state, ElectionEvent event) {
        boolean harmless = event instanceof ElectionEvent.SessionLost
                || event instanceof ElectionEvent.Hinted
                || event instanceof ElectionEvent.Poll
                || event instanceof ElectionEvent.EndWanted;
        if (harmless) {
            return Transition.to(state);
        }
        throw new IllegalStateException("event " + event + " cannot happen in state " + state);
    }

    /** Leaves an election in which nothing was led: what may still stand in the store is cleaned up first. */
    Transition<ElectionState, ElectionEffect> leave(Optional<Nonce> uncertain, Loss loss, StepContext context) {
        if (uncertain.isEmpty() || context.session().isEmpty()) {
            return retire(loss);
        }
        Nonce nonce = uncertain.get();
        PendingRelease release = sending(context);
        return Transition.to(
                new Releasing(
                        context.session().get().id(),
                        nonce,
                        new Standing.Standby(),
                        release,
                        new AfterTerm.Retire(loss)),
                new ElectionEffect.SendRelease(release.attempt(), nonce));
    }
}
