// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime;

import dev.tenure.Loss;
import dev.tenure.Term;
import dev.tenure.internal.engine.ElectionEvent;
import dev.tenure.internal.engine.ElectionState;
import dev.tenure.internal.engine.SessionState;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.Host;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What is done for all elections together, so that none of them needs a timer of its own.
 *
 * <ul>
 *   <li>Waiting ones ask again now and then: a notification may be lost.
 *   <li>Leading ones are notified in time that the deadline comes near.
 *   <li>Now and then one claim is checked against the store: a renewal may be acknowledged although the record is gone. This is
 *       done with every heartbeat where nothing else would show it, and about once a TTL where the store notifies and only a
 *       lost notification has to be made up for. All held claims are checked at once when the session has reconnected.
 * </ul>
 */
final class PeriodicChecks {
    /** With very many waiting elections the poll gets slower instead of heavier: at most 200 of them a second. */
    private static final long POLL_NANOS_PER_ELECTION = 5_000_000;

    private static final int BEATS_PER_CHECK = 4;

    private final Engine engine;
    private final Host host;
    private final Set<CandidacyRunner> verifying = new HashSet<>();
    /** The held claims that are still to be checked before it is the turn of the first one again. */
    private Iterator<CandidacyRunner> unchecked = Collections.emptyIterator();

    /** Those that wait or claim, and are still to ask before it is the turn of the first one again. */
    private Iterator<CandidacyRunner> unasked = Collections.emptyIterator();

    /** All have to be asked once more when these have been. */
    private boolean askAllAgain;

    private Optional<SessionState.Open> open = Optional.empty();
    private Host.Timer poll = () -> {};
    private Host.Timer risk = () -> {};
    private Optional<Long> riskArmedNanos = Optional.empty();
    private int beats;

    PeriodicChecks(Engine engine, Host host) {
        this.engine = engine;
        this.host = host;
    }

    // Nothing is kept for each of them: all these checks are rare, and then looking at every candidate costs little.
    private Stream<CandidacyRunner> those(Class<? extends ElectionState> in) {
        return engine.standing().filter(candidate -> in.isInstance(candidate.state()));
    }

    Stream<CandidacyRunner> leading() {
        return those(ElectionState.Leading.class);
    }

    void moved(CandidacyRunner candidate, ElectionState now) {
        if (now instanceof ElectionState.Leading) {
            armRisk(candidate.drainNanos());
        }
    }

    void forget(CandidacyRunner candidate) {
        verifying.remove(candidate);
    }

    void opened(SessionState.Open now) {
        open = Optional.of(now);
        armPoll();
    }

    void renewed(SessionState.Open now) {
        open = Optional.of(now);
        risk.cancel();
        riskArmedNanos = Optional.empty();
        leading().mapToLong(CandidacyRunner::drainNanos).max().ifPresent(this::armRisk);
        for (CandidacyRunner candidate :
                those(ElectionState.RaisingFences.class).toList()) {
            candidate.on(new ElectionEvent.Tick());
        }
        beats = (beats + 1) % (isNotified() ? BEATS_PER_CHECK : 1);
        if (beats == 0
                && engine.runner
                        .session()
                        .filter(BackendSession::pushesClaimLoss)
                        .isEmpty()) {
            verifyNext();
        }
    }

    /** Then only a lost notification has to be made up for. */
    private boolean isNotified() {
        return engine.backend.traits().wakeup() != BackendTraits.Wakeup.POLL;
    }

    void lost() {
        open = Optional.empty();
        poll.cancel();
        risk.cancel();
        riskArmedNanos = Optional.empty();
        verifying.clear();
        unasked = Collections.emptyIterator();
    }

    private void armRisk(long drainNanos) {
        open.ifPresent(session -> {
            long atNanos = session.validUntilNanos() - session.timing().drainLeadNanos(drainNanos);
            boolean armed = riskArmedNanos.isPresent() && riskArmedNanos.get() - atNanos <= 0;
            if (!armed) {
                risk.cancel();
                riskArmedNanos = Optional.of(atNanos);
                risk = host.wakeAt(atNanos, () -> engine.guard(this::onRisk));
            }
        });
    }

    private void onRisk() {
        riskArmedNanos = Optional.empty();
        for (CandidacyRunner candidate : leading().toList()) {
            candidate.on(new ElectionEvent.Tick());
        }
        leading().mapToLong(CandidacyRunner::drainNanos).max().ifPresent(this::armRisk);
    }

    private long pollNanos(SessionState.Open session) {
        return session.timing().ttlNanos() / (isNotified() ? 1 : 2);
    }

    private void armPoll() {
        open.ifPresent(session -> {
            long everyNanos = pollNanos(session);
            long jitterNanos = Long.remainderUnsigned(host.random(), everyNanos / 4);
            poll.cancel();
            poll = host.wakeAt(host.nanos() + everyNanos + jitterNanos, () -> engine.guard(this::onPoll));
        });
    }

    private void onPoll() {
        verifying.clear(); // a question that was never answered must not stop the next one
        boolean waits = those(ElectionState.Waiting.class).findAny().isPresent();
        engine.runner
                .session()
                .filter(session -> waits)
                .ifPresent(session -> BackendCalls.of(
                        engine, session::catchUp, caughtUp -> askSome(!caughtUp), failure -> askSome(true)));
        armPoll();
    }

    /**
     * As many as a round has time for, and the others in the next one: ten thousand at once would hold up what is urgent.
     *
     * @param all must all be asked again, after those that are still to ask?
     */
    private void askSome(boolean all) {
        askAllAgain |= all;
        if (askAllAgain && !unasked.hasNext()) {
            askAllAgain = false;
            unasked = Stream.concat(those(ElectionState.Waiting.class), those(ElectionState.Claiming.class))
                    .toList()
                    .iterator();
        }
        long most = open.map(session -> Math.max(1, pollNanos(session) / POLL_NANOS_PER_ELECTION))
                .orElse(0L);
        for (long asked = 0; asked < most && unasked.hasNext(); asked++) {
            CandidacyRunner next = unasked.next();
            if (next.state() instanceof ElectionState.Waiting) {
                next.on(new ElectionEvent.Poll());
            } else if (next.state() instanceof ElectionState.Claiming) {
                next.on(new ElectionEvent.Hinted()); // it may have looked too early
            }
        }
    }

    /** One held claim after the other, one at a time. */
    private void verifyNext() {
        if (!unchecked.hasNext()) {
            unchecked = leading().iterator();
        }
        if (unchecked.hasNext()) {
            verify(unchecked.next());
        }
    }

    /** Another server may have taken over that lacks the last claims, and none of them waits for its turn then. */
    void verifyAll() {
        engine.standing().toList().forEach(this::verify);
    }

    /** Asks the store whether the claim still stands; at most one question per election at a time. */
    void verify(CandidacyRunner candidate) {
        Optional<Term> held = candidate.heldTerm();
        if (held.isEmpty() || !verifying.add(candidate)) {
            return;
        }
        Term term = held.get();
        engine.call(
                "check",
                session -> session.holds(term),
                holds -> {
                    verifying.remove(candidate);
                    if (!holds && candidate.heldTerm().equals(held)) {
                        superseded(candidate, "the store's record does not carry this term any more");
                    }
                },
                failure -> {
                    verifying.remove(candidate);
                    boolean garbled =
                            failure instanceof BackendException known && known.kind() == BackendException.Kind.CORRUPT;
                    if (garbled && candidate.heldTerm().equals(held)) {
                        superseded(candidate, "the store's record cannot be read any more");
                    }
                });
    }

    void overtaken(CandidacyRunner candidate) {
        superseded(candidate, "the store has shown a newer term");
    }

    /** The candidate that took the claim away may have done so because this session is gone: asking at once avoids a tug-of-war. */
    private void superseded(CandidacyRunner candidate, String by) {
        candidate.on(new ElectionEvent.EndWanted(new Loss.Superseded(by)));
        engine.post(engine.runner::renewSoon);
    }
}
