package dev.tenure.internal.loop;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Loss;
import dev.tenure.Stats;
import dev.tenure.TenureEvent.StoreCalled.Outcome;
import dev.tenure.internal.engine.Authority;
import dev.tenure.internal.engine.Fresh;
import dev.tenure.internal.engine.SessionEffect;
import dev.tenure.internal.engine.SessionEvent;
import dev.tenure.internal.engine.SessionMachine;
import dev.tenure.internal.engine.SessionState;
import dev.tenure.internal.engine.Step;
import dev.tenure.internal.engine.Timing;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.Host;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.RenewReply;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.SessionRequest;
import java.time.Duration;
import java.util.Optional;

/** Carries out what the session machine asks for. */
final class SessionKeeper {
    /** What the engine wants to know of the session. */
    interface Watcher {
        void opened(BackendSession session, SessionState.Open open);

        void renewed(SessionState.Open open);

        void doubted(String why);

        void relieved();

        void lost(BackendSession session, Loss loss, String why);

        boolean holdsClaim();

        void claimLost(RenewReply.LostClaim claim);

        void troubled(String doing, Throwable failure);

        void granted(ElectionName election, ClaimReply.Granted grant);

        void changed(ElectionName election);

        void seen(ElectionName election, FencingToken token);

        void requested(OperatorRequest request);

        void reconnected();

        /** A call of the store is over. */
        void called(String operation, Outcome outcome, long sentNanos);

        /** A timer has fired that was due at this time. */
        void woke(long dueNanos);
    }

    private final Backend backend;
    private final Host host;
    private final SessionRequest request;
    private final Requirement requirement;
    private final SessionMachine machine;
    private final Watcher watcher;
    private SessionState state = new SessionState.Idle();
    private Optional<BackendSession> session = Optional.empty();
    private Optional<SessionLease> lease = Optional.empty();
    private Optional<Throwable> openFailure = Optional.empty();
    private Host.Timer timer = () -> {};
    private long acknowledgedNanos;

    SessionKeeper(
            Backend backend,
            Host host,
            SessionRequest request,
            Requirement requirement,
            long openTimeoutNanos,
            Fresh fresh,
            Watcher watcher) {
        this.backend = backend;
        this.host = host;
        this.request = request;
        this.requirement = requirement;
        this.machine = new SessionMachine(Timing.of(request.ttl()), openTimeoutNanos, fresh);
        this.watcher = watcher;
    }

    Optional<SessionState.Open> open() {
        return state instanceof SessionState.Open open ? Optional.of(open) : Optional.empty();
    }

    Optional<BackendSession> session() {
        return session;
    }

    SessionLease lease() {
        return lease.orElseThrow();
    }

    Stats.SessionStats stats(long renewals, long renewalsFailed) {
        boolean wanted = !(state instanceof SessionState.Idle || state instanceof SessionState.Ended);
        return new Stats.SessionStats(
                open().map(open -> Duration.ofNanos(open.timing().ttlNanos())).orElse(request.ttl()),
                renewals,
                renewalsFailed,
                Duration.ofNanos(wanted ? host.nanos() - acknowledgedNanos : 0),
                Duration.ofNanos(lease.map(SessionLease::remainingNanos).orElse(0L)));
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
        lease.ifPresent(SessionLease::revoke);
    }

    private void on(SessionEvent event) {
        SessionState before = state;
        Step<SessionState, SessionEffect> step = machine.on(state, event, host.nanos(), host.wallMillis());
        state = step.state();
        timer.cancel();
        machine.nextWake(state).ifPresent(this::wakeAt);
        report(before, event);
        step.effects().forEach(this::carryOut);
    }

    private void wakeAt(long nanos) {
        long dueNanos = Math.max(nanos, host.nanos());
        timer = host.wakeAt(nanos, () -> {
            watcher.woke(dueNanos);
            on(new SessionEvent.Tick());
        });
    }

    /** A call was under way, and is not any more. */
    private void report(SessionState before, SessionEvent event) {
        boolean open = state instanceof SessionState.Open;
        if (event instanceof SessionEvent.CloseWanted) {
            return;
        }
        if (before instanceof SessionState.Opening opening && !machine.expects(state, opening.attempt())) {
            Outcome failed = openFailure.map(Replies::outcome).orElse(Outcome.UNKNOWN);
            watcher.called("open", open ? Outcome.ACKNOWLEDGED : failed, opening.sentNanos());
        } else if (before instanceof SessionState.Open was
                && was.beat() instanceof SessionState.Beat.Sent sent
                && !machine.expects(state, sent.attempt())) {
            Outcome lost = event instanceof SessionEvent.Gone ? Outcome.REFUSED : Outcome.UNKNOWN;
            boolean renewed = open && event instanceof SessionEvent.Renewed;
            watcher.called("renew", renewed ? Outcome.ACKNOWLEDGED : lost, sent.sentNanos());
        }
    }

    private void carryOut(SessionEffect effect) {
        if (effect instanceof SessionEffect.SendOpen send) {
            Hints hints = new Hints();
            Replies.of(
                    host,
                    () -> backend.open(request, hints),
                    opened -> onOpened(send.attempt(), opened, hints),
                    failure -> onOpenFailed(send.attempt(), failure));
        } else if (effect instanceof SessionEffect.SendRenew send) {
            BackendSession renewing = session.orElseThrow();
            Replies.of(
                    host,
                    renewing::renew,
                    reply -> onRenewReply(send.attempt(), renewing.id(), reply),
                    failure -> onRenewFailed(send.attempt(), failure));
        } else if (effect instanceof SessionEffect.Publish publish) {
            publish(publish.open(), publish.first());
        } else if (effect instanceof SessionEffect.Doubt doubt) {
            watcher.doubted(doubt.why());
        } else if (effect instanceof SessionEffect.Relief) {
            watcher.relieved();
        } else if (effect instanceof SessionEffect.Lose lose) {
            BackendSession over = session.orElseThrow();
            session = Optional.empty();
            lease.ifPresent(SessionLease::revoke);
            over.abandon();
            watcher.lost(over, lose.loss(), lose.why());
        } else if (effect instanceof SessionEffect.Trouble trouble) {
            Throwable known = openFailure.orElseGet(() -> new BackendException(
                    BackendException.Effect.UNKNOWN, BackendException.Kind.UNREACHABLE, trouble.why()));
            openFailure = Optional.empty();
            watcher.troubled("opening a session", known);
        }
    }

    private void publish(SessionState.Open open, boolean first) {
        Authority authority = open.authority();
        acknowledgedNanos = authority.originNanos();
        if (first) {
            lease = Optional.of(new SessionLease(host, authority));
            watcher.opened(session.orElseThrow(), open);
        } else {
            lease.orElseThrow().publish(authority);
            watcher.renewed(open);
        }
    }

    private void onOpened(long attempt, BackendSession opened, Hints hints) {
        Optional<String> objection = requirement.objection(backend.traits());
        if (objection.isPresent()) {
            onOpenFailed(
                    attempt,
                    new BackendException(
                            BackendException.Effect.NONE, BackendException.Kind.MISCONFIGURED, objection.get()));
        } else if (machine.expects(state, attempt)) {
            session = Optional.of(opened);
            hints.id = opened.id();
            on(new SessionEvent.Opened(attempt, opened.id(), Timing.of(opened.ttl())));
        }
        boolean inUse = open().filter(open -> open.id().equals(opened.id())).isPresent();
        if (!inUse) {
            Replies.of(host, opened::close, done -> {}, failure -> watcher.troubled("closing a late session", failure));
        }
    }

    private void onOpenFailed(long attempt, Throwable failure) {
        if (machine.expects(state, attempt)) {
            openFailure = Optional.of(failure);
            on(new SessionEvent.OpenFailed(attempt, Replies.describe(failure)));
        }
    }

    private void onRenewReply(long attempt, String id, RenewReply reply) {
        if (reply instanceof RenewReply.Gone gone) {
            onGone(id, gone.why());
            return;
        }
        RenewReply.Renewed renewed = (RenewReply.Renewed) reply;
        // First: the new deadline must not cover a claim that another process may hold. A late reply is as true: a
        // nonce is
        // never used again.
        renewed.lostClaims().forEach(watcher::claimLost);
        if (machine.expects(state, attempt)) {
            on(new SessionEvent.Renewed(attempt, Timing.of(renewed.ttl()), watcher.holdsClaim()));
        }
    }

    private void onRenewFailed(long attempt, Throwable failure) {
        if (machine.expects(state, attempt)) {
            watcher.troubled("renewing the session", failure);
            on(new SessionEvent.RenewFailed(attempt, Replies.describe(failure)));
        }
    }

    // A word that this very session is gone is never stale: sessions do not come back.
    private void onGone(String id, String why) {
        if (open().filter(open -> open.id().equals(id)).isPresent()) {
            on(new SessionEvent.Gone(id, why));
        }
    }

    /** What one session pushes; when another session is open, it is out of date. */
    private final class Hints implements SessionEvents {
        private String id = "";

        private void ifCurrent(Runnable event) {
            host.post(() -> {
                if (isCurrent()) {
                    event.run();
                }
            });
        }

        private boolean isCurrent() {
            return open().filter(open -> open.id().equals(id)).isPresent();
        }

        @Override
        public void granted(ElectionName election, ClaimReply.Granted grant) {
            host.post(() -> {
                if (isCurrent()) {
                    watcher.granted(election, grant);
                }
                watcher.seen(election, grant.token()); // a fact, also when this session is over
            });
        }

        @Override
        public void stuck(ElectionName election, String why) {
            BackendException told =
                    new BackendException(BackendException.Effect.NONE, BackendException.Kind.UNREACHABLE, why);
            ifCurrent(() -> watcher.troubled("waiting for " + election, told));
        }

        @Override
        public void changed(ElectionName election) {
            ifCurrent(() -> watcher.changed(election));
        }

        @Override
        public void seen(ElectionName election, long token) {
            host.post(() -> watcher.seen(election, new FencingToken(token))); // a fact, also when this session is over
        }

        @Override
        public void requested(OperatorRequest request) {
            ifCurrent(() -> watcher.requested(request));
        }

        @Override
        public void reconnected() {
            ifCurrent(watcher::reconnected);
        }

        @Override
        public void lost(String why) {
            host.post(() -> onGone(id, why));
        }
    }
}
