// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.model;

import dev.tenure.FencingToken;
import dev.tenure.explorer.Bounds;
import dev.tenure.explorer.BrokenRule;
import dev.tenure.internal.engine.ElectionEffect;
import dev.tenure.internal.engine.ElectionEvent;
import dev.tenure.internal.engine.ElectionMachine;
import dev.tenure.internal.engine.ElectionState;
import dev.tenure.internal.engine.IdSource;
import dev.tenure.internal.engine.SessionMachine;
import dev.tenure.internal.engine.SessionMachine.SessionEffect;
import dev.tenure.internal.engine.SessionMachine.SessionEvent;
import dev.tenure.internal.engine.SessionState;
import dev.tenure.internal.engine.StepContext;
import dev.tenure.internal.engine.Transition;
import dev.tenure.spi.ClaimReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Stands between the world and the production machines. It hands every event on, and what the machines answer back; only a
 * sabotaged world gets another answer, wherever the rule would have counted that the sabotage breaks. So the machines that
 * are explored have no switches, and the checks can be seen to find something.
 */
public final class BrokenMachines {
    private final Bounds bounds;
    private final SessionMachine session;
    private final ElectionMachine election;
    private final IdSource ids;

    BrokenMachines(Bounds bounds, SessionMachine session, ElectionMachine election, IdSource ids) {
        this.bounds = bounds;
        this.session = session;
        this.election = election;
        this.ids = ids;
    }

    public Transition<SessionState, SessionEffect> on(
            SessionState state, SessionEvent event, long nowNanos, long nowWallMillis) {
        boolean revives = bounds.has(BrokenRule.LATE_RENEWAL_REVIVES)
                && event instanceof SessionEvent.Renewed
                && state instanceof SessionState.Open open
                && nowNanos - open.validUntilNanos() >= 0;
        if (revives) {
            return session.on(state, event, ((SessionState.Open) state).validUntilNanos() - 1, nowWallMillis);
        }
        return session.on(state, event, nowNanos, nowWallMillis);
    }

    public Transition<ElectionState, ElectionEffect> on(ElectionState state, ElectionEvent event, StepContext context) {
        if (bounds.has(BrokenRule.SESSION_LOSS_UNHEARD) && event instanceof ElectionEvent.SessionLost) {
            return new Transition<>(state, List.of());
        }
        Transition<ElectionState, ElectionEffect> honest = election.on(state, event, context);
        return bounds.brokenRule()
                .flatMap(brokenRule -> broken(brokenRule, state, honest, context))
                .orElse(honest);
    }

    private Optional<Transition<ElectionState, ElectionEffect>> broken(
            BrokenRule brokenRule,
            ElectionState before,
            Transition<ElectionState, ElectionEffect> honest,
            StepContext context) {
        ElectionState after = honest.state();
        boolean moved = !before.getClass().equals(after.getClass());
        if (brokenRule == BrokenRule.LEADS_BEFORE_FENCE && moved && after instanceof ElectionState.RaisingFences) {
            return Optional.of(after(honest, election.on(after, new ElectionEvent.FencesRaised(), context)));
        }
        if (brokenRule == BrokenRule.SILENCE_IS_SUCCESS
                && moved
                && after instanceof ElectionState.OutcomeUnknown unknown) {
            ClaimReply.Granted wished =
                    new ClaimReply.Granted(new FencingToken(1), unknown.nonce(), false, Duration.ZERO);
            return Optional.of(election.on(before, new ElectionEvent.Granted(wished, 0), context));
        }
        if (brokenRule == BrokenRule.SILENCE_IS_FAILURE && moved && after instanceof ElectionState.OutcomeUnknown) {
            return Optional.of(election.on(before, new ElectionEvent.ClaimFailed(false), context));
        }
        if (brokenRule == BrokenRule.DRAIN_FORGOTTEN && after instanceof ElectionState.Draining) {
            return Optional.of(new Transition<>(election.initial(context.nowNanos()), honest.effects()));
        }
        if (brokenRule == BrokenRule.PLACE_FORGOTTEN && moved && after instanceof ElectionState.BackOff backOff) {
            ElectionState.ClaimAttempts forgotten = new ElectionState.ClaimAttempts(
                    backOff.attempts().failures(),
                    Optional.empty(),
                    backOff.attempts().uncertain());
            return Optional.of(
                    new Transition<>(new ElectionState.BackOff(backOff.untilNanos(), forgotten), honest.effects()));
        }
        if (brokenRule == BrokenRule.LOSS_TOLD_TWICE) {
            List<ElectionEffect> twice = new ArrayList<>(honest.effects());
            honest.effects().stream()
                    .filter(ElectionEffect.EndTerm.class::isInstance)
                    .forEach(twice::add);
            return Optional.of(new Transition<>(after, twice));
        }
        if (brokenRule == BrokenRule.RELEASE_BEFORE_STOP && moved && after instanceof ElectionState.Draining draining) {
            return Optional.of(releasing(draining, honest, context));
        }
        if (brokenRule == BrokenRule.RELEASE_WITHOUT_REVOKING && after instanceof ElectionState.ReleasedEarly) {
            return Optional.of(new Transition<>(
                    after,
                    honest.effects().stream()
                            .filter(effect -> !(effect instanceof ElectionEffect.RevokeAuthority))
                            .toList()));
        }
        return Optional.empty();
    }

    private static Transition<ElectionState, ElectionEffect> after(
            Transition<ElectionState, ElectionEffect> first, Transition<ElectionState, ElectionEffect> second) {
        List<ElectionEffect> effects = new ArrayList<>(first.effects());
        effects.addAll(second.effects());
        return new Transition<>(second.state(), effects);
    }

    private Transition<ElectionState, ElectionEffect> releasing(
            ElectionState.Draining draining, Transition<ElectionState, ElectionEffect> honest, StepContext context) {
        ElectionState.Grant grant = draining.grant();
        boolean open = context.session()
                .filter(now -> now.id().equals(grant.session()))
                .isPresent();
        if (!open) {
            return honest;
        }
        ElectionState.PendingRelease release =
                new ElectionState.PendingRelease(ids.attempt(), context.nowNanos() + Machines.TIMING.timeoutNanos());
        List<ElectionEffect> effects = new ArrayList<>(honest.effects());
        effects.add(
                new ElectionEffect.SendRelease(release.attempt(), grant.term().nonce()));
        return new Transition<>(
                new ElectionState.Releasing(
                        grant.session(), grant.term().nonce(), draining.standing(), release, draining.after()),
                effects);
    }
}
