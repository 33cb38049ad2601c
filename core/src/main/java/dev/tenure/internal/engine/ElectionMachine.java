// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.internal.engine.ElectionState.BackOff;
import dev.tenure.internal.engine.ElectionState.Claiming;
import dev.tenure.internal.engine.ElectionState.Draining;
import dev.tenure.internal.engine.ElectionState.Leading;
import dev.tenure.internal.engine.ElectionState.OutcomeUnknown;
import dev.tenure.internal.engine.ElectionState.RaisingFences;
import dev.tenure.internal.engine.ElectionState.Ready;
import dev.tenure.internal.engine.ElectionState.ReleasedEarly;
import dev.tenure.internal.engine.ElectionState.Releasing;
import dev.tenure.internal.engine.ElectionState.Waiting;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One candidacy in one election, as a pure function of state, event and moment.
 *
 * <p>Four things are decided here and nowhere else. A term begins only after a reply to this very attempt proved that the
 * record carries its nonce, its token is above everything seen before, and the fences are raised. It begins to end early
 * enough that the duty can stop before the deadline. The claim is released only after the duty has ended (or, with {@code
 * OverduePolicy.RELEASE}, after its budget). And an unknown outcome is neither success nor failure: it is settled by a later
 * claim with a new nonce, or by a release.
 *
 * <pre>
 * in \ event      SessionOpened  SessionLost  Tick                 Admitted  Hinted/Poll  Granted          MustWait   ClaimFailed
 * BackOff         Ready if due   same         Ready when due       –         same/is due  RaisingFences ³  –          –
 * Ready           same           BackOff      same                 Claiming  same         RaisingFences ³  –          –
 * Claiming        –              BackOff      OutcomeUnknown late  –         hinted/same  RaisingFences ¹  Waiting ²  BackOff|OutcomeUnknown
 * OutcomeUnknown  –              BackOff      Ready when due       –         same         RaisingFences ³  –          –
 * Waiting         –              BackOff      same                 –         Ready        RaisingFences ³  –          –
 * RaisingFences   –              BackOff ⁴    Leading when fit     –         same         same             –          –
 * Leading         –              Draining     Draining at risk     –         same         same             –          –
 * Draining        same           same         by its budget        –         same         –                –          –
 * ReleasedEarly   same           same         sends again          –         same         –                –          –
 * Releasing       –              then         sends again          –         same         –                –          –
 * Retired         same           same         same                 –         same         –                –          –
 *
 * in \ event      FencesRaised  FenceFailed  DutyEnded    EndWanted (close)    EndWanted (other)  Released  ReleaseFailed
 * BackOff         –             –            –            Retired|Releasing ⁷  same               –         –
 * Ready           –             –            –            Retired|Releasing ⁷  same               –         –
 * Claiming        –             –            –            Releasing            same               –         –
 * OutcomeUnknown  –             –            –            Releasing            same               –         –
 * Waiting         –             –            –            Retired|Releasing ⁷  same               –         –
 * RaisingFences   Leading ⁵     Releasing    –            Releasing            Releasing          –         –
 * Leading         –             –            Releasing    Draining             Draining           –         –
 * Draining        –             –            Releasing ⁶  same, then Retired   same ⁸             –         –
 * ReleasedEarly   –             –            Releasing ⁶  same, then Retired   same               same      sends again
 * Releasing       –             –            –            same, then Retired   same               then      sends again
 * Retired         –             –            –            same                 same               –         –
 *
 * ¹ Leading at once if nothing has to be waited for; Releasing if the token is not above the floor
 * ² BackOff, to ask again, if a change was seen while the claim was under way   ³ only for the nonce of its own place
 * ⁴ if it is the session of the grant   ⁵ when enough time is left and no standoff is due
 * ⁶ or what comes then, if the session of the grant is not open any more
 * ⁷ Releasing if a claim of it may stand in the store, or still be applied
 * ⁸ without authority, and interrupted, if its claim is gone
 * –  impossible once stale replies are filtered: a bug, reported with state and event
 * </pre>
 */
public final class ElectionMachine {
    private final ElectionName election;
    private final String holder;
    private final ElectionRules rules;
    private final IdSource ids;

    /** @param holder as operators and watchers see it */
    public ElectionMachine(ElectionName election, String holder, ElectionRules rules, IdSource ids) {
        this.election = election;
        this.holder = holder;
        this.rules = rules;
        this.ids = ids;
    }

    // Neither machine nor rows have a state. They are made for one step, so that ten thousand elections at rest do not
    // keep them.

    private ClaimPhase before() {
        return new ClaimPhase(election, holder, rules, ids, new ReleaseSteps(rules, ids));
    }

    private TermPhase during() {
        return new TermPhase(rules, new ReleaseSteps(rules, ids));
    }

    public ElectionState initial(long nowNanos) {
        return new BackOff(nowNanos, ElectionState.ClaimAttempts.NONE);
    }

    /** Is this the reply that the state is waiting for? */
    public boolean expects(ElectionState state, long attempt) {
        if (state instanceof Claiming claiming) {
            return claiming.attempt() == attempt;
        }
        if (state instanceof RaisingFences raising) {
            return raising.attempt() == attempt && !raising.raised();
        }
        if (state instanceof ReleasedEarly released) {
            return released.release().filter(sent -> sent.attempt() == attempt).isPresent();
        }
        return state instanceof Releasing releasing && releasing.release().attempt() == attempt;
    }

    /** Does this state keep a place in the store's queue under this nonce, or ask for it? */
    public boolean expects(ElectionState state, Nonce nonce) {
        if (state instanceof Waiting waiting) {
            return waiting.place().equals(Optional.of(nonce));
        }
        if (state instanceof BackOff backOff) {
            return backOff.attempts().keep(nonce);
        }
        if (state instanceof Ready ready) {
            return ready.attempts().keep(nonce);
        }
        if (state instanceof OutcomeUnknown unknown) {
            return unknown.attempts().keep(nonce);
        }
        return state instanceof Claiming claiming && claiming.nonce().equals(nonce);
    }

    /** A leading election has no timer of its own: the session's deadline wakes them all. */
    public OptionalLong nextWake(ElectionState state, StepContext context) {
        if (state instanceof BackOff backOff) {
            boolean onlyNeedsSession = context.session().isEmpty() && context.reached(backOff.untilNanos());
            return onlyNeedsSession ? OptionalLong.empty() : OptionalLong.of(backOff.untilNanos());
        }
        if (state instanceof OutcomeUnknown unknown) {
            return OptionalLong.of(unknown.untilNanos());
        }
        if (state instanceof Claiming claiming && context.session().isPresent()) {
            long timeoutNanos = context.session().get().timing().timeoutNanos();
            return OptionalLong.of(claiming.sentNanos() + timeoutNanos);
        }
        if (state instanceof RaisingFences raising) {
            boolean waits = raising.raised() && !context.reached(raising.notBeforeNanos());
            return OptionalLong.of(waits ? raising.notBeforeNanos() : raising.raiseByNanos());
        }
        if (state instanceof Draining draining) {
            return wakeOf(draining);
        }
        if (state instanceof ReleasedEarly released && released.release().isPresent()) {
            return OptionalLong.of(released.release().get().againAtNanos());
        }
        if (state instanceof Releasing releasing) {
            return OptionalLong.of(releasing.release().againAtNanos());
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

    public Transition<ElectionState, ElectionEffect> on(ElectionState state, ElectionEvent event, StepContext context) {
        if (state instanceof BackOff backOff) {
            return before().onBackOff(backOff, event, context);
        }
        if (state instanceof Ready ready) {
            return before().onReady(ready, event, context);
        }
        if (state instanceof Claiming claiming) {
            return before().onClaiming(claiming, event, context);
        }
        if (state instanceof OutcomeUnknown unknown) {
            return before().onOutcomeUnknown(unknown, event, context);
        }
        if (state instanceof Waiting waiting) {
            return before().onWaiting(waiting, event, context);
        }
        if (state instanceof RaisingFences raising) {
            return before().onRaisingFences(raising, event, context);
        }
        if (state instanceof Leading leading) {
            return during().onLeading(leading, event, context);
        }
        if (state instanceof Draining draining) {
            return during().onDraining(draining, event, context);
        }
        if (state instanceof ReleasedEarly released) {
            return during().onReleasedEarly(released, event, context);
        }
        if (state instanceof Releasing releasing) {
            return during().onReleasing(releasing, event, context);
        }
        return onRetired(state, event);
    }

    private static Transition<ElectionState, ElectionEffect> onRetired(ElectionState state, ElectionEvent event) {
        boolean harmless = event instanceof ElectionEvent.SessionOpened || event instanceof ElectionEvent.Tick;
        return harmless ? Transition.to(state) : ReleaseSteps.unmoved(state, event);
    }
}
