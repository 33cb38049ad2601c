package dev.tenure.internal.engine;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.internal.engine.ElectionState.Claiming;
import dev.tenure.internal.engine.ElectionState.Draining;
import dev.tenure.internal.engine.ElectionState.Forsaken;
import dev.tenure.internal.engine.ElectionState.Leading;
import dev.tenure.internal.engine.ElectionState.Raising;
import dev.tenure.internal.engine.ElectionState.Ready;
import dev.tenure.internal.engine.ElectionState.Releasing;
import dev.tenure.internal.engine.ElectionState.Resting;
import dev.tenure.internal.engine.ElectionState.Unsettled;
import dev.tenure.internal.engine.ElectionState.Waiting;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One candidacy in one election, as a pure function of state, event and moment.
 *
 * <p>Four things are decided here and nowhere else. A term begins only after a reply to this very attempt proved that the
 * record carries its nonce, its token is above everything seen before, and the fences are raised. It begins to end early
 * enough that the duty can stop before the deadline. The claim is released only after the duty has ended (or, with {@code
 * Overdue.RELEASE}, after its budget). And an unknown outcome is neither success nor failure: it is settled by a later
 * claim with a new nonce, or by a release.
 *
 * <pre>
 * in \ event  SessionOpened SessionLost  Tick              Admitted  Hinted/Poll    Granted    MustWait  ClaimFailed
 * Resting     Ready if due  same         Ready when due    –         same           Raising ³  –         –
 * Ready       same          Resting      same              Claiming  same           Raising ³  –         –
 * Claiming    –             Resting      Unsettled late    –         hinted/same    Raising ¹  Waiting ² Resting|Unsettled
 * Unsettled   –             Resting      Ready when due    –         same           Raising ³  –         –
 * Waiting     –             Resting      same              –         Ready          Raising ³  –         –
 * Raising     –             Resting ⁴    Leading when fit  –         same           same       –         –
 * Leading     –             Draining     Draining at risk  –         same           same       –         –
 * Draining    same          same         by its budget     –         same           –          –         –
 * Forsaken    same          same         sends again       –         same           –          –         –
 * Releasing   –             then         sends again       –         same           –          –         –
 * Retired     same          same         same              –         same           –          –         –
 *
 * in \ event  FencesRaised  FenceFailed  DutyEnded   EndWanted (close)      EndWanted (other)      Released  ReleaseFailed
 * Resting     –             –            –           Retired|Releasing ⁷    same                   –         –
 * Ready       –             –            –           Retired|Releasing ⁷    same                   –         –
 * Claiming    –             –            –           Releasing              same                   –         –
 * Unsettled   –             –            –           Releasing              same                   –         –
 * Waiting     –             –            –           Retired|Releasing ⁷    same                   –         –
 * Raising     Leading ⁵     Releasing    –           Releasing              Releasing              –         –
 * Leading     –             –            Releasing   Draining               Draining               –         –
 * Draining    –             –            Releasing ⁶ same, then Retired     same ⁸                 –         –
 * Forsaken    –             –            Releasing ⁶ same, then Retired     same                   same      sends again
 * Releasing   –             –            –           same, then Retired     same                   then      sends again
 * Retired     –             –            –           same                   same                   –         –
 *
 * ¹ Leading at once if nothing has to be waited for; Releasing if the token is not above the floor
 * ² Resting, to ask again, if a change was seen while the claim was under way   ³ only for the nonce of its own place
 * ⁴ if it is the session of the grant   ⁵ when enough time is left and no standoff is due
 * ⁶ or what comes then, if the session of the grant is not open any more
 * ⁷ Releasing if a claim of it may stand in the store, or still be applied
 * ⁸ without authority, and interrupted, if its claim is gone
 * –  impossible once stale replies are filtered: a bug, reported with state and event
 * </pre>
 */
public final class ElectionMachine {
    private final ElectionName election;
    private final ElectionRules rules;
    private final Fresh fresh;

    public ElectionMachine(ElectionName election, ElectionRules rules, Fresh fresh) {
        this.election = election;
        this.rules = rules;
        this.fresh = fresh;
    }

    // Neither machine nor rows have a state. They are made for one step, so that ten thousand elections at rest do not
    // keep them.

    private BeforeTerm before() {
        return new BeforeTerm(election, rules, fresh, new TermEnd(rules, fresh));
    }

    private DuringTerm during() {
        return new DuringTerm(rules, new TermEnd(rules, fresh));
    }

    public ElectionState initial(long nowNanos) {
        return new Resting(nowNanos, ElectionState.Tries.NONE);
    }

    /** Is this the reply that the state is waiting for? */
    public boolean expects(ElectionState state, long attempt) {
        if (state instanceof Claiming claiming) {
            return claiming.attempt() == attempt;
        }
        if (state instanceof Raising raising) {
            return raising.attempt() == attempt && !raising.raised();
        }
        if (state instanceof Forsaken forsaken) {
            return forsaken.sending().filter(sent -> sent.attempt() == attempt).isPresent();
        }
        return state instanceof Releasing releasing && releasing.sending().attempt() == attempt;
    }

    /** Does this state keep a place in the store's queue under this nonce, or ask for it? */
    public boolean expects(ElectionState state, Nonce nonce) {
        if (state instanceof Waiting waiting) {
            return waiting.place().equals(Optional.of(nonce));
        }
        if (state instanceof Resting resting) {
            return resting.tries().keep(nonce);
        }
        if (state instanceof Ready ready) {
            return ready.tries().keep(nonce);
        }
        if (state instanceof Unsettled unsettled) {
            return unsettled.tries().keep(nonce);
        }
        return state instanceof Claiming claiming && claiming.nonce().equals(nonce);
    }

    /** A leading election has no timer of its own: the session's deadline wakes them all. */
    public OptionalLong nextWake(ElectionState state, Scene scene) {
        if (state instanceof Resting resting) {
            boolean onlyNeedsSession = scene.session().isEmpty() && scene.reached(resting.untilNanos());
            return onlyNeedsSession ? OptionalLong.empty() : OptionalLong.of(resting.untilNanos());
        }
        if (state instanceof Unsettled unsettled) {
            return OptionalLong.of(unsettled.untilNanos());
        }
        if (state instanceof Claiming claiming && scene.session().isPresent()) {
            long timeoutNanos = scene.session().get().timing().timeoutNanos();
            return OptionalLong.of(claiming.sentNanos() + timeoutNanos);
        }
        if (state instanceof Raising raising) {
            boolean waits = raising.raised() && !scene.reached(raising.notBeforeNanos());
            return OptionalLong.of(waits ? raising.notBeforeNanos() : raising.raiseByNanos());
        }
        if (state instanceof Draining draining) {
            return wakeOf(draining);
        }
        if (state instanceof Forsaken forsaken && forsaken.sending().isPresent()) {
            return OptionalLong.of(forsaken.sending().get().againAtNanos());
        }
        if (state instanceof Releasing releasing) {
            return OptionalLong.of(releasing.sending().againAtNanos());
        }
        return OptionalLong.empty();
    }

    private static OptionalLong wakeOf(Draining draining) {
        return switch (draining.drain().stage()) {
            case ASKED -> OptionalLong.of(draining.drain().interruptAtNanos());
            case INTERRUPTED -> OptionalLong.of(draining.drain().drainByNanos());
            case OVERDUE -> OptionalLong.empty();
        };
    }

    public Step<ElectionState, ElectionEffect> on(ElectionState state, ElectionEvent event, Scene scene) {
        if (state instanceof Resting resting) {
            return before().onResting(resting, event, scene);
        }
        if (state instanceof Ready ready) {
            return before().onReady(ready, event, scene);
        }
        if (state instanceof Claiming claiming) {
            return before().onClaiming(claiming, event, scene);
        }
        if (state instanceof Unsettled unsettled) {
            return before().onUnsettled(unsettled, event, scene);
        }
        if (state instanceof Waiting waiting) {
            return before().onWaiting(waiting, event, scene);
        }
        if (state instanceof Raising raising) {
            return before().onRaising(raising, event, scene);
        }
        if (state instanceof Leading leading) {
            return during().onLeading(leading, event, scene);
        }
        if (state instanceof Draining draining) {
            return during().onDraining(draining, event, scene);
        }
        if (state instanceof Forsaken forsaken) {
            return during().onForsaken(forsaken, event, scene);
        }
        if (state instanceof Releasing releasing) {
            return during().onReleasing(releasing, event, scene);
        }
        return onRetired(state, event);
    }

    private static Step<ElectionState, ElectionEffect> onRetired(ElectionState state, ElectionEvent event) {
        boolean harmless = event instanceof ElectionEvent.SessionOpened || event instanceof ElectionEvent.Tick;
        return harmless ? Step.to(state) : TermEnd.unmoved(state, event);
    }
}
