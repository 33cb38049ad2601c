// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime;

import dev.tenure.Stats;
import dev.tenure.TenureEvent.StoreCalled.Outcome;
import dev.tenure.internal.engine.Authority;
import dev.tenure.internal.engine.SessionMachine;
import dev.tenure.internal.engine.SessionMachine.SessionEffect;
import dev.tenure.internal.engine.SessionMachine.SessionEvent;
import dev.tenure.internal.engine.SessionState;
import dev.tenure.internal.engine.Timing;
import dev.tenure.internal.engine.Transition;
import dev.tenure.internal.runtime.term.SharedAuthority;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.Host;
import dev.tenure.spi.RenewReply;
import dev.tenure.spi.SessionRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Carries out what the session machine asks for, and leaves the sessions that were lost.
 *
 * <p>A lost session may still stand in the store and hold its claims until they lapse; once nothing of it runs here any more,
 * letting go at once is safe and saves the others the wait. What took the session may keep the call from getting through, so it
 * is repeated until it is answered, or until the store has surely let go by itself.
 */
final class SessionRunner {
    private static final Duration OPEN_TIMEOUT_MIN = Duration.ofSeconds(2);

    private final Engine engine;
    private final Backend backend;
    private final Host host;
    private final SessionRequest request;
    private final StoreRequirement requirement;
    private final SessionMachine machine;
    private SessionState state = new SessionState.Idle();
    private Optional<BackendSession> session = Optional.empty();
    private Optional<SharedAuthority> lease = Optional.empty();
    private Optional<Throwable> openFailure = Optional.empty();
    private Host.Timer timer = () -> {};
    private long acknowledgedNanos;
    /** Those under which a duty still runs; without one they are left at once. */
    private final List<BackendSession> lost = new ArrayList<>();

    SessionRunner(Engine engine, SessionRequest request, StoreRequirement requirement) {
        this.engine = engine;
        this.backend = engine.backend;
        this.host = engine.host;
        this.request = request;
        this.requirement = requirement;
        long openTimeoutNanos =
                Math.max(OPEN_TIMEOUT_MIN.toNanos(), request.ttl().toNanos() / 2);
        this.machine = new SessionMachine(Timing.of(request.ttl()), openTimeoutNanos, engine.ids);
    }

    Optional<SessionState.Open> open() {
        return state instanceof SessionState.Open open ? Optional.of(open) : Optional.empty();
    }

    boolean isOpen(String id) {
        return state instanceof SessionState.Open open && open.id().equals(id);
    }

    Optional<BackendSession> session() {
        return session;
    }

    SharedAuthority lease() {
        return lease.orElseThrow();
    }

    Stats.SessionStats stats(long renewals, long renewalsFailed) {
        boolean wanted = !(state instanceof SessionState.Idle || state instanceof SessionState.Ended);
        return new Stats.SessionStats(
                open().map(open -> Duration.ofNanos(open.timing().ttlNanos())).orElse(request.ttl()),
                renewals,
                renewalsFailed,
                Duration.ofNanos(wanted ? host.nanos() - acknowledgedNanos : 0),
                Duration.ofNanos(lease.map(SharedAuthority::remainingNanos).orElse(0L)));
    }

    void want() {
        if (state instanceof SessionState.Idle) {
            acknowledgedNanos = host.nanos();
        }
        on(new SessionEvent.Wanted());
    }

    void renewSoon() {
        on(new SessionEvent.RenewWanted());
    }

    void claimGranted() {
        on(new SessionEvent.ClaimGranted());
    }

    /** The engine met a bug: nothing it believes of this session can be trusted any more. */
    void giveUp(String why) {
        open().ifPresent(open -> on(new SessionEvent.Gone(open.id(), why)));
    }

    void close() {
        on(new SessionEvent.CloseWanted());
        session = Optional.empty();
        lease.ifPresent(SharedAuthority::revoke);
    }

    private void on(SessionEvent event) {
        SessionState before = state;
        Transition<SessionState, SessionEffect> transition = machine.on(state, event, host.nanos(), host.wallMillis());
        state = transition.state();
        timer.cancel();
        machine.nextWake(state).ifPresent(this::wakeAt);
        report(before, event);
        transition.effects().forEach(this::carryOut);
    }

    private void wakeAt(long nanos) {
        long dueNanos = Math.max(nanos, host.nanos());
        timer = host.wakeAt(nanos, () -> {
            engine.woke(dueNanos);
            engine.guard(() -> on(new SessionEvent.Tick()));
        });
    }

    /** A call was under way, and is not any more. */
    private void report(SessionState before, SessionEvent event) {
        boolean open = state instanceof SessionState.Open;
        if (event instanceof SessionEvent.CloseWanted) {
            return;
        }
        if (before instanceof SessionState.Opening opening && !machine.expects(state, opening.attempt())) {
            Outcome failed = openFailure.map(BackendCalls::outcome).orElse(Outcome.UNKNOWN);
            engine.called("open", open ? Outcome.ACKNOWLEDGED : failed, opening.sentNanos());
        } else if (before instanceof SessionState.Open was
                && was.beat() instanceof SessionState.Beat.Sent sent
                && !machine.expects(state, sent.attempt())) {
            Outcome lost = event instanceof SessionEvent.Gone ? Outcome.REFUSED : Outcome.UNKNOWN;
            boolean renewed = open && event instanceof SessionEvent.Renewed;
            engine.called("renew", renewed ? Outcome.ACKNOWLEDGED : lost, sent.sentNanos());
        }
    }

    private void carryOut(SessionEffect effect) {
        if (effect instanceof SessionEffect.SendOpen send) {
            SessionEventsHandler events = new SessionEventsHandler(engine);
            BackendCalls.of(
                    engine,
                    () -> backend.open(request, events),
                    opened -> onOpened(send.attempt(), opened, events),
                    failure -> onOpenFailed(send.attempt(), failure));
        } else if (effect instanceof SessionEffect.SendRenew send) {
            BackendSession renewing = session.orElseThrow();
            BackendCalls.of(
                    engine,
                    renewing::renew,
                    reply -> onRenewReply(send.attempt(), renewing.id(), reply),
                    failure -> onRenewFailed(send.attempt(), failure));
        } else if (effect instanceof SessionEffect.Publish publish) {
            publish(publish.open(), publish.first());
        } else if (effect instanceof SessionEffect.RenewalFailed renewalFailed) {
            engine.doubted(renewalFailed.why());
        } else if (effect instanceof SessionEffect.RenewalRecovered) {
            engine.relieved();
        } else if (effect instanceof SessionEffect.Lose lose) {
            BackendSession over = session.orElseThrow();
            session = Optional.empty();
            lease.ifPresent(SharedAuthority::revoke);
            over.abandon();
            engine.lost(over, lose.loss(), lose.why());
            lost.add(over);
            leaveLost();
        } else if (effect instanceof SessionEffect.StoreError storeError) {
            Throwable known = openFailure.orElseGet(() -> BackendException.unknown(storeError.why()));
            openFailure = Optional.empty();
            engine.troubled("opening a session", known);
        }
    }

    private void publish(SessionState.Open open, boolean first) {
        Authority authority = open.authority();
        acknowledgedNanos = authority.originNanos();
        if (first) {
            lease = Optional.of(new SharedAuthority(host, authority));
            engine.opened(session.orElseThrow(), open);
        } else {
            lease.orElseThrow().publish(authority);
            engine.renewed(open);
        }
    }

    private void onOpened(long attempt, BackendSession opened, SessionEventsHandler events) {
        try {
            Optional<String> objection = requirement.objection(backend.traits());
            if (objection.isPresent()) {
                onOpenFailed(attempt, BackendException.misconfigured(objection.get()));
            } else if (machine.expects(state, attempt)) {
                session = Optional.of(opened);
                events.opened(opened.id());
                on(new SessionEvent.Opened(attempt, opened.id(), Timing.of(opened.ttl())));
            }
        } finally {
            if (!isOpen(opened.id())) {
                session = session.filter(now -> now != opened); // too late, or of no use: nothing may be asked of it
                BackendCalls.of(
                        engine,
                        opened::close,
                        done -> {},
                        failure -> engine.troubled("closing a late session", failure));
            }
        }
    }

    private void onOpenFailed(long attempt, Throwable failure) {
        if (machine.expects(state, attempt)) {
            openFailure = Optional.of(failure);
            on(new SessionEvent.OpenFailed(attempt, BackendCalls.describe(failure)));
        }
    }

    private void onRenewReply(long attempt, String id, RenewReply reply) {
        if (reply instanceof RenewReply.Gone gone) {
            gone(id, gone.why());
            return;
        }
        RenewReply.Renewed renewed = (RenewReply.Renewed) reply;
        // First: the new deadline must not cover a claim that another process may hold. A late reply is as true: a
        // nonce is never used again.
        renewed.lostClaims().forEach(engine::claimLost);
        if (machine.expects(state, attempt)) {
            on(new SessionEvent.Renewed(attempt, Timing.of(renewed.ttl()), engine.holdsClaim()));
        }
    }

    private void onRenewFailed(long attempt, Throwable failure) {
        if (machine.expects(state, attempt)) {
            engine.troubled("renewing the session", failure);
            on(new SessionEvent.RenewFailed(attempt, BackendCalls.describe(failure)));
        }
    }

    void leaveLost() {
        List<BackendSession> drained =
                lost.stream().filter(over -> !engine.runsUnder(over.id())).toList();
        lost.removeAll(drained);
        drained.forEach(over -> leave(over, host.nanos() + over.ttl().toNanos(), true));
    }

    /** Only the first failure is reported: candidates that are without a store are notified of it often enough. */
    private void leave(BackendSession over, long untilNanos, boolean first) {
        if (state instanceof SessionState.Ended) {
            return; // from now on nothing is sent
        }
        BackendCalls.of(engine, over::close, done -> {}, failure -> {
            if (first) {
                engine.troubled("closing a lost session", failure);
            }
            long againNanos = host.nanos() + over.ttl().dividedBy(10).toNanos();
            if (untilNanos - againNanos > 0) {
                host.wakeAt(againNanos, () -> leave(over, untilNanos, false));
            }
        });
    }

    // A word that this very session is gone is never stale: sessions do not come back.
    void gone(String id, String why) {
        if (isOpen(id)) {
            on(new SessionEvent.Gone(id, why));
        }
    }
}
