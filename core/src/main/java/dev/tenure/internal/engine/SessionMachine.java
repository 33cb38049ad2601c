// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import dev.tenure.Loss;
import dev.tenure.internal.engine.SessionState.Beat;
import dev.tenure.internal.engine.SessionState.Ended;
import dev.tenure.internal.engine.SessionState.Idle;
import dev.tenure.internal.engine.SessionState.Open;
import dev.tenure.internal.engine.SessionState.Opening;
import dev.tenure.internal.engine.SessionState.Pausing;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The liveness of one process in one store, as a pure function of state, event and time.
 *
 * <p>The deadline counts from the moment a renewal was <em>sent</em>, and only an acknowledgement of that very renewal
 * moves it. An acknowledgement that arrives after the deadline proves nothing any more: between deadline and arrival
 * somebody else may have been elected, so the session is given up and a new one is opened. Doubt (a renewal that was not
 * acknowledged) changes nothing but the pace: authority stays until the deadline and not longer.
 *
 * <pre>
 *            Wanted     Opened         OpenFailed   Renewed        RenewFailed    Gone        Tick                    CloseWanted
 * Idle       Opening    stale          stale        stale          stale          stale       Idle                    Ended
 * Opening    same       Open, or       Pausing      stale          stale          stale       Opening, or Pausing     Ended
 *                       Pausing if                                                            after the timeout
 *                       out of time
 * Pausing    same       stale          stale        stale          stale          stale       Pausing, or Opening     Ended
 *                                                                                             when due
 * Open       same       stale          stale        Open, or lost  Open in doubt  lost        Open; sends when due;   Ended
 *                                                   if too late                               in doubt after timeout;
 *                                                                                             lost at the deadline
 * Ended      same       stale          stale        stale          stale          stale       Ended                   Ended
 * </pre>
 *
 * RenewWanted sends the planned renewal at once if the session is open and not in doubt, and changes nothing elsewhere.
 * ClaimGranted moves a planned renewal up: one was sent a quarter of a TTL ago at most, or is sent now.
 * "lost" is {@code Lose} and then Opening again at once. "stale" is filtered by {@link #expects} and, for {@code Gone}, by
 * the session's id; it never changes anything.
 */
public final class SessionMachine {
    private static final int PAUSE_DOUBLINGS_MAX = 4;

    private final Timing asked;
    private final long openTimeoutNanos;
    private final IdSource ids;

    /** @param asked the timing of the TTL that is asked for, used until the store has granted one */
    public SessionMachine(Timing asked, long openTimeoutNanos, IdSource ids) {
        this.asked = asked;
        this.openTimeoutNanos = openTimeoutNanos;
        this.ids = ids;
    }

    /** Is this the reply that the state is waiting for? */
    public boolean expects(SessionState state, long attempt) {
        if (state instanceof Opening opening) {
            return opening.attempt() == attempt;
        }
        return state instanceof Open open && open.beat() instanceof Beat.Sent sent && sent.attempt() == attempt;
    }

    public OptionalLong nextWake(SessionState state) {
        if (state instanceof Opening opening) {
            return OptionalLong.of(opening.sentNanos() + openTimeoutNanos);
        }
        if (state instanceof Pausing pausing) {
            return OptionalLong.of(pausing.untilNanos());
        }
        if (state instanceof Open open) {
            long beatNanos = open.beat() instanceof Beat.Planned planned
                    ? planned.atNanos()
                    : ((Beat.Sent) open.beat()).sentNanos() + open.timing().timeoutNanos();
            return OptionalLong.of(Math.min(beatNanos, open.validUntilNanos()));
        }
        return OptionalLong.empty();
    }

    public Transition<SessionState, SessionEffect> on(
            SessionState state, SessionEvent event, long nowNanos, long nowWallMillis) {
        if (event instanceof SessionEvent.CloseWanted) {
            return Transition.to(new Ended());
        }
        if (state instanceof Idle) {
            return event instanceof SessionEvent.Wanted ? open(nowNanos, nowWallMillis, 0) : Transition.to(state);
        }
        if (state instanceof Opening opening) {
            return onOpening(opening, event, nowNanos);
        }
        if (state instanceof Pausing pausing) {
            boolean due = event instanceof SessionEvent.Tick && nowNanos - pausing.untilNanos() >= 0;
            return due ? open(nowNanos, nowWallMillis, pausing.failures()) : Transition.to(state);
        }
        if (state instanceof Open open) {
            return onOpen(open, event, nowNanos, nowWallMillis);
        }
        return Transition.to(state);
    }

    private Transition<SessionState, SessionEffect> onOpening(Opening opening, SessionEvent event, long nowNanos) {
        if (event instanceof SessionEvent.Opened opened) {
            Timing timing = opened.timing();
            Authority authority = Authority.from(timing, opening.sentNanos(), opening.sentWallMillis());
            if (nowNanos - authority.validUntilNanos() >= 0) {
                return pause(opening, nowNanos, "opening the session took longer than its TTL allows");
            }
            Beat first = new Beat.Planned(opening.sentNanos() + timing.renewNanos(false));
            Open open = new Open(opened.id(), timing, authority, first, 0);
            return Transition.to(open, new SessionEffect.Publish(open, true));
        }
        if (event instanceof SessionEvent.OpenFailed failed) {
            return pause(opening, nowNanos, failed.why());
        }
        if (event instanceof SessionEvent.Tick && nowNanos - opening.sentNanos() >= openTimeoutNanos) {
            return pause(opening, nowNanos, "the store did not answer within the timeout");
        }
        return Transition.to(opening);
    }

    private Transition<SessionState, SessionEffect> onOpen(
            Open open, SessionEvent event, long nowNanos, long nowWallMillis) {
        if (event instanceof SessionEvent.Gone gone) {
            return lose(open, new Loss.SessionLost(gone.why()), gone.why(), nowNanos, nowWallMillis);
        }
        if (nowNanos - open.validUntilNanos() >= 0) {
            String why = "no renewal was acknowledged before the deadline";
            return lose(open, new Loss.Expired(), why, nowNanos, nowWallMillis);
        }
        if (event instanceof SessionEvent.Renewed renewed && open.beat() instanceof Beat.Sent sent) {
            Authority authority = Authority.from(renewed.timing(), sent.sentNanos(), sent.sentWallMillis());
            Beat next = new Beat.Planned(sent.sentNanos() + renewed.timing().renewNanos(renewed.holdsClaim()));
            Open renewedOpen = new Open(open.id(), renewed.timing(), authority, next, 0);
            SessionEffect publish = new SessionEffect.Publish(renewedOpen, false);
            return open.inDoubt()
                    ? Transition.to(renewedOpen, publish, new SessionEffect.RenewalRecovered())
                    : Transition.to(renewedOpen, publish);
        }
        if (event instanceof SessionEvent.RenewFailed failed) {
            return renewalFailed(open, failed.why(), nowNanos);
        }
        if (event instanceof SessionEvent.RenewWanted) {
            boolean rests = open.beat() instanceof Beat.Planned && !open.inDoubt();
            return rests ? renew(open, nowNanos, nowWallMillis) : Transition.to(open);
        }
        if (event instanceof SessionEvent.ClaimGranted && open.beat() instanceof Beat.Planned planned) {
            long dueNanos = open.authority().originNanos() + open.timing().renewNanos();
            boolean later = planned.atNanos() - dueNanos > 0 && !open.inDoubt();
            Beat sooner = later ? new Beat.Planned(dueNanos) : planned;
            return onOpenTick(
                    new Open(open.id(), open.timing(), open.authority(), sooner, open.failures()),
                    nowNanos,
                    nowWallMillis);
        }
        if (event instanceof SessionEvent.Tick) {
            return onOpenTick(open, nowNanos, nowWallMillis);
        }
        return Transition.to(open);
    }

    private Transition<SessionState, SessionEffect> onOpenTick(Open open, long nowNanos, long nowWallMillis) {
        if (open.beat() instanceof Beat.Planned planned) {
            if (nowNanos - planned.atNanos() < 0) {
                return Transition.to(open);
            }
            return renew(open, nowNanos, nowWallMillis);
        }
        Beat.Sent sent = (Beat.Sent) open.beat();
        boolean timedOut = nowNanos - sent.sentNanos() >= open.timing().timeoutNanos();
        return timedOut
                ? renewalFailed(open, "the store did not answer a renewal in time", nowNanos)
                : Transition.to(open);
    }

    private Transition<SessionState, SessionEffect> renew(Open open, long nowNanos, long nowWallMillis) {
        long attempt = ids.attempt();
        Beat sent = new Beat.Sent(attempt, nowNanos, nowWallMillis);
        Open sending = new Open(open.id(), open.timing(), open.authority(), sent, open.failures());
        return Transition.to(sending, new SessionEffect.SendRenew(attempt));
    }

    private static Transition<SessionState, SessionEffect> renewalFailed(Open open, String why, long nowNanos) {
        Beat retry = new Beat.Planned(nowNanos + open.timing().retryNanos());
        Open doubtful = new Open(open.id(), open.timing(), open.authority(), retry, open.failures() + 1);
        return Transition.to(doubtful, new SessionEffect.RenewalFailed(why));
    }

    private Transition<SessionState, SessionEffect> lose(
            Open open, Loss loss, String why, long nowNanos, long nowWallMillis) {
        Transition<SessionState, SessionEffect> again = open(nowNanos, nowWallMillis, 0);
        List<SessionEffect> effects = new ArrayList<>();
        effects.add(new SessionEffect.Lose(open.id(), loss, why));
        effects.addAll(again.effects());
        return new Transition<>(again.state(), effects);
    }

    private Transition<SessionState, SessionEffect> open(long nowNanos, long nowWallMillis, int failures) {
        long attempt = ids.attempt();
        return Transition.to(
                new Opening(attempt, nowNanos, nowWallMillis, failures), new SessionEffect.SendOpen(attempt));
    }

    private Transition<SessionState, SessionEffect> pause(Opening opening, long nowNanos, String why) {
        int failures = opening.failures() + 1;
        long pauseNanos = asked.retryNanos() << Math.min(failures - 1, PAUSE_DOUBLINGS_MAX);
        long untilNanos = nowNanos + pauseNanos + ids.jitter(pauseNanos);
        return Transition.to(new Pausing(untilNanos, failures), new SessionEffect.StoreError(why));
    }

    /** What can happen to a session. Replies carry the attempt they answer. */
    public sealed interface SessionEvent {
        /** A candidacy needs it. */
        record Wanted() implements SessionEvent {}

        record Opened(long attempt, String id, Timing timing) implements SessionEvent {}

        record OpenFailed(long attempt, String why) implements SessionEvent {}

        /** @param holdsClaim does this session hold a claim now? */
        record Renewed(long attempt, Timing timing, boolean holdsClaim) implements SessionEvent {}

        /** Refused or unknown: both only mean that nothing was proved. */
        record RenewFailed(long attempt, String why) implements SessionEvent {}

        /** The store said that this session is gone. */
        record Gone(String id, String why) implements SessionEvent {}

        record Tick() implements SessionEvent {}

        /** There is reason to ask the store at once whether this session still stands. */
        record RenewWanted() implements SessionEvent {}

        /** It holds a claim now, and may have held none before. */
        record ClaimGranted() implements SessionEvent {}

        record CloseWanted() implements SessionEvent {}
    }

    /** What a session machine asks for. */
    public sealed interface SessionEffect {
        record SendOpen(long attempt) implements SessionEffect {}

        record SendRenew(long attempt) implements SessionEffect {}

        /** Publish this authority to every term of the session, and then notify the elections. */
        record Publish(SessionState.Open open, boolean first) implements SessionEffect {}

        /** A renewal was not acknowledged. */
        record RenewalFailed(String why) implements SessionEffect {}

        /** Acknowledged again after doubt. */
        record RenewalRecovered() implements SessionEffect {}

        /** The session is over: revoke its authority at once, then tell the elections. */
        record Lose(String id, Loss loss, String why) implements SessionEffect {}

        record StoreError(String why) implements SessionEffect {}
    }
}
