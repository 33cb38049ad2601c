package dev.tenure.internal.loop;

import dev.tenure.FencingToken;
import java.util.Optional;

/** What one candidacy has seen, counted. */
final class Tally {
    private long terms;
    private long withoutLeaderNanos;
    private Optional<FencingToken> token = Optional.empty();
    private long begunNanos;
    private Optional<Long> vacantSinceNanos;

    Tally(long nowNanos) {
        this.vacantSinceNanos = Optional.of(nowNanos);
    }

    void began(long nowNanos, FencingToken begun) {
        terms++;
        token = Optional.of(begun);
        begunNanos = nowNanos;
        led(nowNanos);
    }

    /** Somebody leads. */
    void led(long nowNanos) {
        vacantSinceNanos.ifPresent(since -> withoutLeaderNanos += nowNanos - since);
        vacantSinceNanos = Optional.empty();
    }

    void ended(long nowNanos) {
        token = Optional.empty();
        vacantSinceNanos = Optional.of(nowNanos);
    }

    long terms() {
        return terms;
    }

    Optional<FencingToken> token() {
        return token;
    }

    long tokenAgeNanos(long nowNanos) {
        return token.isPresent() ? nowNanos - begunNanos : 0;
    }

    long withoutLeaderNanos(long nowNanos) {
        return withoutLeaderNanos
                + vacantSinceNanos.map(since -> nowNanos - since).orElse(0L);
    }
}
