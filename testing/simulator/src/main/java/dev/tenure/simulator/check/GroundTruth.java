// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

import dev.tenure.Leadership;
import dev.tenure.Nonce;
import dev.tenure.TenureEvent;
import dev.tenure.Term;
import dev.tenure.simulator.store.StoreHistory;
import dev.tenure.simulator.trace.TraceKind;
import dev.tenure.simulator.trace.WorldTrace;
import dev.tenure.testing.VirtualTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is true in a world, written down as it happens by the store, the processes and the resources; and the
 * checkers, which are told of each entry.
 */
public final class GroundTruth implements StoreHistory {
    /** As much as timers may be late. */
    private static final long GRAIN_NANOS = 250_000_000;

    private final VirtualTime time;
    private final WorldTrace trace;
    private final Assumptions assumptions;
    private final int elections;
    private final List<ProcessFact> processes = new ArrayList<>();
    private final Map<String, SessionFact> sessions = new HashMap<>();
    private final Map<Nonce, GrantFact> grants = new HashMap<>();
    private final @Nullable GrantFact[] standing;
    private final List<Checker> checkers;
    private final AuthorityMonitor authorityMonitor;
    private final LostWrites lostWrites;
    private final long[] termsBegunIn;
    private long termsBegun;
    private long tokenMax;
    private Optional<PropertyViolation> violation = Optional.empty();

    public GroundTruth(VirtualTime time, WorldTrace trace, Assumptions assumptions, int elections) {
        this.time = time;
        this.trace = trace;
        this.assumptions = assumptions;
        this.elections = elections;
        this.standing = new GrantFact[elections];
        this.termsBegunIn = new long[elections];
        S21StoppedInTime stoppedInTime = new S21StoppedInTime(this);
        this.authorityMonitor = new AuthorityMonitor(this, trace, stoppedInTime);
        this.lostWrites = new LostWrites(assumptions.tokensByRevision());
        this.checkers = List.of(
                new S1TokenUniqueness(this),
                new S2GrantOrder(this),
                new S3ObservedMonotonicity(this),
                new S6Fence(this),
                new S7Seal(this),
                new S8Closed(this),
                new S9CallbackGrammar(this),
                new S9OneAtATime(this),
                new S10StopBeforeRelease(this),
                new S11ConditionalMutation(this),
                new S13UnknownIsNotSuccess(this),
                new S14NoPhantom(this),
                new S15StaleReply(this),
                new S19Floor(this),
                stoppedInTime);
    }

    // ---- for checkers

    long nowNanos() {
        return time.nanos();
    }

    Assumptions assumptions() {
        return assumptions;
    }

    int elections() {
        return elections;
    }

    LostWrites lostWrites() {
        return lostWrites;
    }

    @Nullable
    GrantFact grant(Term term) {
        return grant(term.nonce(), term.token().value());
    }

    /** A claim that is applied twice makes two grants of one nonce. */
    private @Nullable GrantFact grant(Nonce nonce, long token) {
        GrantFact grant = grants.get(nonce);
        while (grant != null && grant.token != token) {
            grant = grant.before;
        }
        return grant;
    }

    /** Only the first one counts: what follows may be its consequence. */
    public void violated(String property, String message) {
        if (violation.isEmpty()) {
            PropertyViolation first = new PropertyViolation(property, time.nanos(), message);
            violation = Optional.of(first);
            trace.add(TraceKind.VIOLATION, WorldTrace.NONE, WorldTrace.NONE, 0, property.hashCode(), first);
        }
    }

    private void publish(Consumer<Checker> entry) {
        for (Checker checker : checkers) {
            entry.accept(checker);
        }
    }

    // ---- for the world

    public Optional<PropertyViolation> violation() {
        return violation;
    }

    /** The highest token that was ever granted. */
    public long tokenMax() {
        return tokenMax;
    }

    public long termsBegun() {
        return termsBegun;
    }

    public long termsBegun(int election) {
        return termsBegunIn[election];
    }

    /** @param clock its monotonic one */
    public ProcessFact newProcess(String node, LongSupplier clock) {
        ProcessFact process = new ProcessFact(processes.size(), node, clock, elections);
        processes.add(process);
        return process;
    }

    /** The claim that stands in the store now, if one does. */
    public @Nullable GrantFact standing(int election) {
        return standing[election];
    }

    /** Time has moved, and nothing has happened yet. */
    public void arrived(long nanos) {
        authorityMonitor.arrived(nanos);
    }

    /** One more event has happened somewhere. */
    public void happened() {
        authorityMonitor.happened(time.nanos());
    }

    /** Code of this process has run, or its clocks have changed. */
    public void stepped(ProcessFact process) {
        if (process.termsAsked > 0) {
            authorityMonitor.touch();
        }
    }

    public void crashed(ProcessFact process) {
        process.gone = true;
    }

    public void suspended(ProcessFact process, boolean suspended) {
        process.suspended = suspended;
        authorityMonitor.touch();
    }

    /** An operator raises the era; a store that forgets it counts on from below. */
    public void eraRaised() {
        lostWrites.eraRaised();
    }

    /** Does a session of this process that lives hold the claim of this election? */
    public boolean isHolding(ProcessFact process, int election) {
        GrantFact grant = standing[election];
        return grant != null
                && grant.session.alive
                && !grant.session.lost
                && grant.session.process == process.number
                && !grant.isExcused(time.nanos())
                && time.nanos() < grant.goodUntilNanos();
    }

    /** Was the client of this session closed, and did that end it? */
    public boolean leftInOrder(SessionFact session) {
        return session.process >= 0 && processes.get(session.process).closed && !session.lost;
    }

    public void closed(ProcessFact process) {
        process.closed = true;
    }

    public TermFact activated(ProcessFact process, int election, Leadership leadership, TermFact.Manner manner) {
        Nonce nonce = leadership.term().nonce();
        GrantFact known = grant(leadership.term());
        if (known == null) {
            violated("S14", process + " leads e" + election + " with " + leadership.term() + ", which nobody granted");
            known = new GrantFact(
                    election,
                    nonce,
                    leadership.token().value(),
                    new SessionFact("none", process.number, 0),
                    time.nanos());
        }
        TermFact term = new TermFact(process, election, leadership, known, manner);
        known.term = term;
        process.previous[election] = process.current[election];
        process.current[election] = term;
        termsBegun++;
        termsBegunIn[election]++;
        trace.add(TraceKind.ACTIVATE, process.number, election, known.token, 0, known);
        publish(checker -> checker.activated(term));
        authorityMonitor.add(term);
        return term;
    }

    /**
     * The user's code of this term needs this long to stop, and was given this budget. A store that grants a shorter TTL leaves
     * less of it: what a renewal and two retries leave.
     */
    public void stopsWithin(TermFact term, long needsNanos, long budgetNanos) {
        long roomNanos = term.grant.session.ttlNanos * 2 / 5 - GRAIN_NANOS;
        term.needsNanos = needsNanos;
        term.keepsBudget = needsNanos < Math.min(budgetNanos, roomNanos) - GRAIN_NANOS / 2;
        authorityMonitor.touch();
    }

    /** A call of user code begins. */
    public void entered(ProcessFact process, int election, Callback callback) {
        publish(checker -> checker.entered(process, election, callback));
    }

    /** It has returned. */
    public void left(ProcessFact process, int election, Callback callback) {
        publish(checker -> checker.left(process, election, callback));
    }

    /** The loop, the timers or the threads of this process stand still or are late, or do so no more. */
    public void disturbed(ProcessFact process, boolean disturbed) {
        process.disturbedUntilNanos = disturbed ? Long.MAX_VALUE : time.nanos();
    }

    public void deactivated(TermFact term) {
        trace.add(TraceKind.DEACTIVATE, term.process.number, term.election, term.grant.token, 0, term.grant);
        publish(checker -> checker.deactivated(term));
        term.running = false;
    }

    /** A listener that does not keep the book is called. */
    public void called(ProcessFact process, TenureEvent event) {
        publish(checker -> checker.called(process, event));
    }

    public void onEvent(ProcessFact process, int election, TenureEvent event) {
        called(process, event);
        publish(checker -> checker.onEvent(process, election, event));
        if (event instanceof TenureEvent.SessionLost lost) {
            SessionFact session = sessions.get(lost.session());
            if (session != null) {
                session.lost = true;
            }
        }
        if (event instanceof TenureEvent.Lost lost) {
            GrantFact grant = grant(lost.term());
            if (grant != null && grant.term != null) {
                grant.term.lost = true;
            }
        }
    }

    public void raised(int election, Term term, boolean accepted) {
        publish(checker -> checker.raised(election, term, accepted));
    }

    public void written(int election, Term term, boolean accepted) {
        publish(checker -> checker.written(election, term, accepted));
    }

    public void watched(ProcessFact process, int election, long token) {
        publish(checker -> checker.watched(process, election, token));
    }

    /** A resource told this process of a newer token. */
    public void refused(ProcessFact process, int election, long seen) {
        process.tokenSeenMax[election] = Math.max(process.tokenSeenMax[election], seen);
    }

    // ---- History: told by the store

    @Override
    public void sessionOpened(String id, int process, long ttlNanos, long goodUntilNanos) {
        SessionFact session = sessions.computeIfAbsent(id, opened -> new SessionFact(opened, process, ttlNanos));
        session.alive = true;
        session.goodUntilNanos = goodUntilNanos;
    }

    @Override
    public void sessionLives(String id, int process, long ttlNanos, long goodUntilNanos) {
        SessionFact session = sessions.get(id);
        if (session != null && !session.alive && process != NOBODY) {
            authorityMonitor.revived(session, process);
        } else if (session != null && !session.alive && session.process >= 0) {
            processes.get(session.process).restored(session);
        }
        sessionOpened(id, process, ttlNanos, goodUntilNanos);
    }

    @Override
    public void sessionEnded(String id, int by) {
        authorityMonitor.touch();
        SessionFact session = sessions.get(id);
        if (session != null) {
            publish(checker -> checker.sessionEnded(session, by));
            session.alive = false;
        }
    }

    @Override
    public void sessionBroken(String id) {
        authorityMonitor.touch();
        SessionFact session = sessions.get(id);
        if (session != null) {
            session.excusedUntilNanos = time.nanos() + session.ttlNanos;
        }
    }

    @Override
    public void claimed(int election, Nonce nonce, String sessionId, long token, int by) {
        authorityMonitor.touch();
        GrantFact before = standing[election];
        GrantFact known = grant(nonce, token);
        if (known != null) {
            standing[election] = known;
            known.stands = true;
        } else {
            SessionFact session =
                    sessions.computeIfAbsent(sessionId, id -> SessionFact.neverOpened(id, by == NOBODY ? -1 : by));
            GrantFact grant = new GrantFact(election, nonce, token, session, time.nanos());
            grant.before = grants.put(nonce, grant);
            tokenMax = Math.max(tokenMax, token);
            lostWrites.granted(token);
            standing[election] = grant;
            publish(checker -> checker.granted(grant));
        }
        if (before != null && before != standing[election]) {
            publish(checker -> checker.overwritten(before, by));
            before.stands = false;
        }
    }

    @Override
    public void claimLives(int election, Nonce nonce, long goodUntilNanos) {
        GrantFact grant = grants.get(nonce);
        if (grant != null) {
            grant.liveUntil(goodUntilNanos);
        }
    }

    @Override
    public void vacated(int election, int by) {
        authorityMonitor.touch();
        GrantFact before = standing[election];
        if (before != null) {
            publish(checker -> checker.overwritten(before, by));
            before.stands = false;
            standing[election] = null;
        }
    }

    @Override
    public void claimBroken(int election) {
        authorityMonitor.touch();
        GrantFact before = standing[election];
        if (before != null) {
            before.stands = false;
            before.excusedUntilNanos = Long.MAX_VALUE;
            standing[election] = null;
        }
    }

    @Override
    public void claimRestored(int election, Nonce nonce) {
        authorityMonitor.touch();
        GrantFact grant = grants.get(nonce);
        if (grant != null) {
            grant.stands = true;
            grant.excusedUntilNanos = Long.MAX_VALUE;
            standing[election] = grant;
        }
    }

    @Override
    public void forgot() {
        lostWrites.forgot(time.nanos());
    }

    @Override
    public void clockWentBack() {
        lostWrites.clockWentBack();
    }

    @Override
    public void proved(int number, int election, Nonce nonce, long token) {
        ProcessFact process = processes.get(number);
        GrantFact grant = grant(nonce, token);
        if (grant == null || grant.session.process != number) {
            learnedOfLoss(number, election);
        } else if (!grant.proved) {
            grant.proved = true;
            grant.provedNanos = time.nanos();
            grant.floorBefore = process.tokenSeenMax[election];
            grant.watchedBefore = process.watchedTokenMax[election];
            grant.latest = nonce.equals(process.latestClaim[election]);
        }
        saw(number, election, token);
    }

    @Override
    public void saw(int number, int election, long token) {
        ProcessFact process = processes.get(number);
        process.tokenSeenMax[election] = Math.max(process.tokenSeenMax[election], token);
    }

    @Override
    public void learnedOfLoss(int number, int election) {
        TermFact term = processes.get(number).current[election];
        if (term != null && term.grant.excusedUntilNanos == Long.MAX_VALUE) {
            // It may have been another part of the process that asked; the term itself is verified in turn.
            term.grant.excusedUntilNanos = time.nanos() + 3 * term.grant.session.ttlNanos;
        }
    }

    @Override
    public void renewalAcknowledged(int number, int election, Nonce lost) {
        authorityMonitor.touch();
        TermFact term = processes.get(number).current[election];
        if (term != null && term.grant.nonce.equals(lost) && term.leadership.isValid()) {
            term.lastDeadlineNanos = Math.min(term.lastDeadlineNanos, term.deadlineNanos());
        }
    }

    @Override
    public void releasing(int number, int election, String session) {
        GrantFact grant = standing[election];
        if (grant != null && grant.session.process == number && grant.session.id.equals(session)) {
            ProcessFact process = processes.get(number);
            publish(checker -> checker.releasing(process, grant));
        }
    }

    @Override
    public void leaving(int number, String session) {
        for (GrantFact grant : standing) {
            if (grant != null && grant.session.process == number && grant.session.id.equals(session)) {
                ProcessFact process = processes.get(number);
                publish(checker -> checker.leaving(process, grant));
            }
        }
    }

    @Override
    public void claiming(int number, int election, String session, Nonce nonce) {
        SessionFact mine = sessions.get(session);
        // A release may write a record as it found it, to overtake a claim under way: that claims nothing.
        if (mine != null && mine.process == number && !grants.containsKey(nonce)) {
            ProcessFact process = processes.get(number);
            process.latestClaim[election] = nonce;
            publish(checker -> checker.claiming(process, election, mine));
        }
    }

    @Override
    public void clockShown(int number, long servedNanos) {
        lostWrites.clockShown(number, servedNanos);
    }

    @Override
    public void counted(int number, Nonce nonce, long token) {
        lostWrites.counted(number, nonce, token);
    }

    @Override
    public void writing(int number) {
        ProcessFact process = processes.get(number);
        publish(checker -> checker.writing(process));
    }
}
