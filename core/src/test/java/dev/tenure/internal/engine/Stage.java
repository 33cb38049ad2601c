// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.OverduePolicy;
import dev.tenure.Term;
import dev.tenure.internal.engine.ElectionState.Grant;
import dev.tenure.spi.ClaimReply;
import java.time.Duration;
import java.util.Optional;

/** The surroundings in which the tests of the election machine play: a TTL of 10 s, a drain of 2 s. */
final class Stage {
    static final long SECOND = 1_000_000_000L;
    static final long MILLI = 1_000_000L;
    static final long NOW = 500 * SECOND;
    static final long DRAIN = 2 * SECOND;
    static final long COOL_DOWN = 5 * SECOND;
    static final long STAND_BACK = COOL_DOWN / 2;
    static final Timing TIMING = Timing.of(Duration.ofSeconds(10));
    static final ElectionName ELECTION = ElectionName.of("sweeper");
    static final Nonce NONCE = new Nonce(9, 9);
    static final Term TERM = new Term(ELECTION, new FencingToken(42), NONCE, "node-1");
    static final Grant GRANT = new Grant(TERM, "s1");

    private Stage() {}

    static ElectionRules rules() {
        return new ElectionRules(DRAIN, COOL_DOWN, false, true, false, OverduePolicy.KEEP_CLAIM);
    }

    static ElectionRules rules(OverduePolicy overdue) {
        return new ElectionRules(DRAIN, COOL_DOWN, false, true, false, overdue);
    }

    static ElectionRules rules(boolean repeats, boolean fenced, boolean standoff) {
        return new ElectionRules(DRAIN, COOL_DOWN, repeats, fenced, standoff, OverduePolicy.KEEP_CLAIM);
    }

    /** A session whose last acknowledged renewal was sent this long before this moment. */
    static SessionState.Open session(String id, long nowNanos, long agoNanos) {
        Authority authority = Authority.from(TIMING, nowNanos - agoNanos, 0);
        SessionState.Beat next = new SessionState.Beat.Planned(nowNanos - agoNanos + TIMING.renewNanos());
        return new SessionState.Open(id, TIMING, authority, next, 0);
    }

    static StepContext context() {
        return context(NOW, SECOND);
    }

    static StepContext context(long nowNanos, long agoNanos) {
        return new StepContext(nowNanos, Optional.of(session("s1", nowNanos, agoNanos)), true, STAND_BACK);
    }

    static StepContext sceneOf(String session) {
        return new StepContext(NOW, Optional.of(session(session, NOW, SECOND)), true, STAND_BACK);
    }

    static StepContext noSession(long nowNanos) {
        return new StepContext(nowNanos, Optional.empty(), false, STAND_BACK);
    }

    static ElectionEvent.Granted granted(long token, Nonce nonce, long floor) {
        return new ElectionEvent.Granted(
                new ClaimReply.Granted(new FencingToken(token), nonce, false, Duration.ZERO), floor);
    }
}
