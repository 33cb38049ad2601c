package dev.tenure.explorer;

import dev.tenure.FencingToken;
import dev.tenure.internal.engine.ElectionEffect;
import dev.tenure.internal.engine.ElectionEvent;
import dev.tenure.internal.engine.ElectionMachine;
import dev.tenure.internal.engine.ElectionState;
import dev.tenure.internal.engine.Fresh;
import dev.tenure.internal.engine.Scene;
import dev.tenure.internal.engine.SessionEffect;
import dev.tenure.internal.engine.SessionEvent;
import dev.tenure.internal.engine.SessionMachine;
import dev.tenure.internal.engine.SessionState;
import dev.tenure.internal.engine.Step;
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
final class Saboteur {
    private final Bounds bounds;
    private final SessionMachine session;
    private final ElectionMachine election;
    private final Fresh fresh;

    Saboteur(Bounds bounds, SessionMachine session, ElectionMachine election, Fresh fresh) {
        this.bounds = bounds;
        this.session = session;
        this.election = election;
        this.fresh = fresh;
    }

    Step<SessionState, SessionEffect> on(SessionState state, SessionEvent event, long nowNanos, long nowWallMillis) {
        boolean revives = bounds.has(Sabotage.LATE_RENEWAL_REVIVES)
                && event instanceof SessionEvent.Renewed
                && state instanceof SessionState.Open open
                && nowNanos - open.validUntilNanos() >= 0;
        if (revives) {
            return session.on(state, event, ((SessionState.Open) state).validUntilNanos() - 1, nowWallMillis);
        }
        return session.on(state, event, nowNanos, nowWallMillis);
    }

    Step<ElectionState, ElectionEffect> on(ElectionState state, ElectionEvent event, Scene scene) {
        if (bounds.has(Sabotage.SESSION_LOSS_UNHEARD) && event instanceof ElectionEvent.SessionLost) {
            return new Step<>(state, List.of());
        }
        Step<ElectionState, ElectionEffect> honest = election.on(state, event, scene);
        return bounds.sabotage()
                .flatMap(sabotage -> broken(sabotage, state, honest, scene))
                .orElse(honest);
    }

    private Optional<Step<ElectionState, ElectionEffect>> broken(
            Sabotage sabotage, ElectionState before, Step<ElectionState, ElectionEffect> honest, Scene scene) {
        ElectionState after = honest.state();
        boolean moved = !before.getClass().equals(after.getClass());
        if (sabotage == Sabotage.LEADS_BEFORE_FENCE && moved && after instanceof ElectionState.Raising) {
            return Optional.of(after(honest, election.on(after, new ElectionEvent.FencesRaised(), scene)));
        }
        if (sabotage == Sabotage.SILENCE_IS_SUCCESS && moved && after instanceof ElectionState.Unsettled unsettled) {
            ClaimReply.Granted wished =
                    new ClaimReply.Granted(new FencingToken(1), unsettled.nonce(), false, Duration.ZERO);
            return Optional.of(election.on(before, new ElectionEvent.Granted(wished, 0), scene));
        }
        if (sabotage == Sabotage.SILENCE_IS_FAILURE && moved && after instanceof ElectionState.Unsettled) {
            return Optional.of(election.on(before, new ElectionEvent.ClaimFailed(false), scene));
        }
        if (sabotage == Sabotage.DRAIN_FORGOTTEN && after instanceof ElectionState.Draining) {
            return Optional.of(new Step<>(election.initial(scene.nowNanos()), honest.effects()));
        }
        if (sabotage == Sabotage.PLACE_FORGOTTEN && moved && after instanceof ElectionState.Resting resting) {
            ElectionState.Tries forgotten = new ElectionState.Tries(
                    resting.tries().failures(),
                    Optional.empty(),
                    resting.tries().unsettled());
            return Optional.of(
                    new Step<>(new ElectionState.Resting(resting.untilNanos(), forgotten), honest.effects()));
        }
        if (sabotage == Sabotage.LOSS_TOLD_TWICE) {
            List<ElectionEffect> twice = new ArrayList<>(honest.effects());
            honest.effects().stream()
                    .filter(ElectionEffect.EndTerm.class::isInstance)
                    .forEach(twice::add);
            return Optional.of(new Step<>(after, twice));
        }
        if (sabotage == Sabotage.RELEASE_BEFORE_STOP && moved && after instanceof ElectionState.Draining draining) {
            return Optional.of(releasing(draining, honest, scene));
        }
        if (sabotage == Sabotage.RELEASE_WITHOUT_REVOKING && after instanceof ElectionState.Forsaken) {
            return Optional.of(new Step<>(
                    after,
                    honest.effects().stream()
                            .filter(effect -> !(effect instanceof ElectionEffect.RevokeAuthority))
                            .toList()));
        }
        return Optional.empty();
    }

    private static Step<ElectionState, ElectionEffect> after(
            Step<ElectionState, ElectionEffect> first, Step<ElectionState, ElectionEffect> second) {
        List<ElectionEffect> effects = new ArrayList<>(first.effects());
        effects.addAll(second.effects());
        return new Step<>(second.state(), effects);
    }

    private Step<ElectionState, ElectionEffect> releasing(
            ElectionState.Draining draining, Step<ElectionState, ElectionEffect> honest, Scene scene) {
        ElectionState.Grant grant = draining.grant();
        boolean open =
                scene.session().filter(now -> now.id().equals(grant.session())).isPresent();
        if (!open) {
            return honest;
        }
        ElectionState.Sending sending =
                new ElectionState.Sending(fresh.attempt(), scene.nowNanos() + Machines.TIMING.timeoutNanos());
        List<ElectionEffect> effects = new ArrayList<>(honest.effects());
        effects.add(
                new ElectionEffect.SendRelease(sending.attempt(), grant.term().nonce()));
        return new Step<>(
                new ElectionState.Releasing(
                        grant.session(), grant.term().nonce(), draining.standing(), sending, draining.then()),
                effects);
    }
}
