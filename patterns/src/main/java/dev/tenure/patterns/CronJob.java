// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import dev.tenure.patterns.Cron.Body;
import dev.tenure.patterns.Cron.Missed;
import dev.tenure.patterns.Cron.Overlap;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** One job, while it is described. {@link #fire} ends the description. */
public final class CronJob {
    private static final Duration SKIP_WITHIN = Duration.ofSeconds(30);

    private final Cron cron;
    final String name;
    final Schedule schedule;
    Missed missed = Missed.RUN_LATEST;
    Overlap overlap = Overlap.SKIP;
    private Optional<Duration> within = Optional.empty();
    Optional<Duration> timeout = Optional.empty();
    private int attemptsMax = 1;
    long retryMillis;
    private Duration spread = Duration.ZERO;
    Body body = run -> {};

    CronJob(Cron cron, String name, Schedule schedule) {
        this.cron = cron;
        this.name = Journal.checked("job", name, 60);
        this.schedule = Objects.requireNonNull(schedule, "schedule is null: say when the job is due");
    }

    /** What becomes of due times at which nobody could start it; {@link Missed#RUN_LATEST} unless told. */
    public CronJob missed(Missed policy) {
        missed = Objects.requireNonNull(policy, "policy is null: say what becomes of missed due times");
        return this;
    }

    /** How late a run may start. A due time that is older is left out. Without limit unless told; with {@link Missed#SKIP} 30 s. */
    public CronJob within(Duration late) {
        within = Optional.of(positive("within", late));
        return this;
    }

    /** What happens when it is due while its last run still goes on; {@link Overlap#SKIP} unless told. */
    public CronJob overlap(Overlap policy) {
        overlap = Objects.requireNonNull(policy, "policy is null: say what happens when runs overlap");
        return this;
    }

    /** A run that takes longer is interrupted. One that ignores it goes on, and the next one waits for it as {@link Overlap} says. */
    public CronJob timeout(Duration limit) {
        timeout = Optional.of(positive("timeout", limit));
        return this;
    }

    /**
     * A run that failed, timed out or was abandoned (its leader was killed, say) is started again, so many times, and so long after it
     * ended. Unless told, a run starts at most once.
     */
    public CronJob retry(int times, Duration after) {
        if (times < 0 || after.isNegative()) {
            throw new IllegalArgumentException("retry " + times + " times after " + after + " cannot be done");
        }
        attemptsMax = times + 1;
        retryMillis = after.toMillis();
        return this;
    }

    /** Starts so much later at most. How much follows from the job's name, so that it is always the same. */
    public CronJob spread(Duration most) {
        spread = positive("spread", most);
        return this;
    }

    /** Adds the job: this is what it does, on a thread of its own. */
    public Cron fire(Body body) {
        this.body = Objects.requireNonNull(body, "body is null: say what the job does");
        if (missed == Missed.RUN_ALL && overlap == Overlap.SKIP) {
            throw new IllegalArgumentException(
                    "job " + name + " is to run all due times, and SKIP leaves some out: use overlap(Overlap.WAIT)");
        }
        return cron.add(this);
    }

    static Duration positive(String what, Duration duration) {
        Objects.requireNonNull(duration, what + " is null: give a duration");
        if (duration.isNegative() || duration.toMillis() == 0) {
            throw new IllegalArgumentException(what + " " + duration + " is not at least a millisecond");
        }
        return duration;
    }

    boolean isTooLate(long due, long now) {
        Optional<Duration> limit = missed == Missed.SKIP ? within.or(() -> Optional.of(SKIP_WITHIN)) : within;
        return limit.isPresent() && now - due - spreadMillis() > limit.get().toMillis();
    }

    boolean hasAttemptAfter(CronJobs.Run run) {
        return run.attempt() < attemptsMax;
    }

    long spreadMillis() {
        long mixed = name.hashCode() * 0x9e3779b97f4a7c15L;
        return spread.isZero() ? 0 : Math.floorMod(mixed >>> 20, spread.toMillis());
    }
}
