package dev.tenure.internal.loop;

import dev.tenure.FencingToken;
import java.util.Optional;

/** What one candidacy has seen, counted. */
final class Tally {
    private long terms;
    private long withoutLeaderNanos;
    /** 0 while it does not lead. */
    private long token;

    private long begunNanos;
    private boolean vacant = true;
    private long vacantSinceNanos;

    Tally(long nowNanos) {
        this.vacantSinceNanos = nowNanos;
    }

    void began(long nowNanos, FencingToken begun) {
        terms++;
        token = begun.value();
        begunNanos = nowNanos;
        led(nowNanos);
    }

    /** Somebody leads. */
    void led(long nowNanos) {
        withoutLeaderNanos = withoutLeaderNanos(nowNanos);
        vacant = false;
    }

    void ended(long nowNanos) {
        token = 0;
        vacant = true;
        vacantSinceNanos = nowNanos;
    }

    long terms() {
        return terms;
    }

    Optional<FencingToken> token() {
        return token == 0 ? Optional.empty() : Optional.of(new FencingToken(token));
    }

    long tokenAgeNanos(long nowNanos) {
        return token != 0 ? nowNanos - begunNanos : 0;
    }

    long withoutLeaderNanos(long nowNanos) {
        return withoutLeaderNanos + (vacant ? nowNanos - vacantSinceNanos : 0);
    }
}
